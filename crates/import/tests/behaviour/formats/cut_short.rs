//! Runs that ended before their time are failed trials, whatever they printed of the part before.

use super::{outcome, parse};
use model::{FailureKind, TrialEnd};

/// The messages of the trials that failed; `None` of those that did not.
fn failures(text: &str) -> Vec<Option<String>> {
    let parsed = parse("db1/rw.log", text);
    let of = |end: &TrialEnd| match end {
        TrialEnd::Failed(failure) => Some(failure.message.clone()),
        TrialEnd::Completed(_) => None,
    };
    parsed.trials.iter().map(|trial| of(&trial.end)).collect()
}

fn sysbench(before: &str, seconds: &str) -> String {
    format!(
        "{before}sysbench 1.0.20 (using system LuaJIT 2.1.0)\nNumber of threads: 4\n\
         Threads started!\n%\nSQL statistics:\n    transactions: 900 (100.00 per sec.)\n\
         General statistics:\n    total time: {seconds}\n    total number of events: 900\n"
    )
}

#[test]
fn a_sysbench_run_with_a_fatal_error_failed_even_with_statistics_after_it() {
    let text = sysbench("", "9.0011s").replace('%', "FATAL: The event queue is full.");
    let [Some(message)] = &failures(&text)[..] else { panic!("{text}") };
    assert!(message.contains("after 9.0011 s: The event queue is full"), "{message}");
    assert_eq!(failures(&sysbench("", "9.0011s").replace('%', "")), [None]);
    // Zeros, and the largest number of a clock where no event was.
    let zeros = "sysbench 0.4.12:  multi-threaded system evaluation benchmark\n\
                 Number of threads: 1\nDoing random read test\nThreads started!\n\
                 FATAL: Failed to read file! file: 3 pos: 9 errno = 0 ()\n\
                 Test execution summary:\n    total time: 0.0005s\n    \
                 total number of events: 0\n    total time taken by event execution: 0.0000\n    \
                 per-request statistics:\n         min: 18446744073709.55ms\n         \
                 avg: 0.00ms\n         max: 0.00ms\n";
    assert!(failures(zeros)[0].as_ref().unwrap().contains("Failed to read file"));
    let without = zeros.replace("FATAL: ", "");
    let parsed = parse("db1/rw.log", &without);
    for metric in ["latency_min", "latency_avg", "latency_max"] {
        assert!(outcome(&parsed.trials[0]).number(metric).is_none(), "{metric}: {parsed:?}");
    }
}

#[test]
fn a_start_that_could_not_connect_is_told_from_a_load_that_was_too_high() {
    let text = "sysbench 1.0.20 (using bundled LuaJIT 2.1.0)\nNumber of threads: 50\n\
                Target transaction rate: 300/sec\n\
                FATAL: unable to connect to MySQL server on host '127.0.0.1', port 3306\n";
    let parsed = parse("db1/rw.log", text);
    let TrialEnd::Failed(failure) = &parsed.trials[0].end else { panic!("{parsed:?}") };
    assert_eq!(failure.kind, FailureKind::Unreachable);
}

#[test]
fn a_sysbench_run_far_shorter_than_its_command_line_says_failed() {
    let text = |command: &str| sysbench(&format!("+ {command}\n"), "9.0011s").replace('%', "");
    let short = failures(&text("sysbench oltp_read_write --time=60 run"));
    assert_eq!(short, [Some("sysbench gave up after 9.0011 s: it was given 60 s".to_owned())]);
    assert_eq!(failures(&text("sysbench oltp_read_write --time=9 run")), [None]);
    assert_eq!(failures(&text("sysbench oltp_read_write --time=60 --events=900 run")), [None]);
}

const PGBENCH: &str = "pgbench (16.2)\ntransaction type: <builtin: TPC-B (sort of)>\n\
                       scaling factor: 10\nnumber of clients: 8\nnumber of threads: 2\n\
                       duration: 60 s\nnumber of transactions actually processed: 6000\n\
                       latency average = 80.0 ms\ntps = 100.250000 (without initial connection time)\n";

#[test]
fn pgbench_runs_whose_clients_gave_up_or_that_lack_transactions_failed() {
    assert_eq!(failures(PGBENCH), [None]);
    for line in [
        "client 3 aborted in command 5 (SQL) of script 0; perhaps the backend died\n",
        "pgbench: error: client 3 script 0 aborted in command 5 query 0: ERROR:  x\n",
        "Client 2 aborted in state 8: ERROR: x\n",
    ] {
        assert!(failures(&PGBENCH.replace("scaling", &format!("{line}scaling")))[0].is_some());
    }
    let short = PGBENCH.replace("processed: 6000", "processed: 970");
    assert!(failures(&short)[0].as_ref().unwrap().contains("9.7 s of 60 s"));
    // Of a thousand clients the time that was asked for may be half over when all are connected.
    let connecting = "initial connection time = 29500.000 ms\ntps";
    let many = PGBENCH.replace("processed: 6000", "processed: 3000").replace("tps", connecting);
    assert_eq!(failures(&many), [None]);
    let short = many.replace("29500", "9500");
    assert!(failures(&short)[0].as_ref().unwrap().contains("39.4 s of 60 s"));
    let counted = PGBENCH
        .replace("duration: 60 s", "number of transactions per client: 1000")
        .replace("processed: 6000", "processed: 6000/8000");
    assert!(failures(&counted)[0].as_ref().unwrap().contains("6000 of 8000"));
    let failed = counted.replace("latency", "number of failed transactions: 2000 (25%)\nlatency");
    assert_eq!(failures(&failed), [None], "those that failed were done");
}

#[test]
fn memtier_runs_that_were_interrupted_failed() {
    let text = |seconds: u32, requests: u32, rest: &str| {
        format!(
            "{{\n\"configuration\": {{\"threads\": 2, \"clients\": 4, \"test_time\": {seconds}, \
             \"requests\": {requests}}},\n\"ALL STATS\": {{\"Runtime\": {{\"Total duration\": \
             9700{rest}}}, \"Totals\": {{\"Count\": 8000, \"Ops/sec\": 824.74}}}}\n}}\n"
        )
    };
    assert_eq!(failures(&text(10, 0, "")), [None]);
    assert_eq!(failures(&text(0, 1000, "")), [None]);
    assert!(failures(&text(60, 0, ""))[0].as_ref().unwrap().contains("9.7 s of 60 s"));
    assert!(failures(&text(0, 2000, ""))[0].as_ref().unwrap().contains("8000 of 16000"));
    assert!(failures(&text(10, 0, ", \"Interrupted\": \"true\""))[0].is_some());
    assert_eq!(failures(&text(10, 0, ", \"Interrupted\": \"false\"")), [None]);
}

#[test]
fn hammerdb_runs_of_which_virtual_users_gave_up_failed() {
    let text = "Vuser 1:4 Active Virtual Users configured\n\
                Vuser 1:TEST RESULT : System achieved 5000 NOPM from 11000 MySQL TPM\n";
    assert_eq!(failures(text), [None]);
    let gave_up = format!("{text}Vuser 3:FINISHED FAILED\n");
    assert!(failures(&gave_up)[0].as_ref().unwrap().contains("1 virtual user gave up"));
}
