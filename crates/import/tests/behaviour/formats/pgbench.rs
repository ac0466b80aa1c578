use super::{figure, outcome, parse};
use import::recognise;
use model::{FigureValue, TrialEnd};

const DURATION: &str = include_str!("../../fixtures/pgbench/15.txt");
const RATE: &str = include_str!("../../fixtures/pgbench/at-a-rate.txt");

#[test]
fn figures_are_read_with_their_units() {
    let parsed = parse("pg15/tpcb-4.txt", DURATION);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let trial = &parsed.trials[0];
    assert_eq!((trial.target.as_str(), trial.test.as_str()), ("pg15", "tpcb"));
    assert_eq!(trial.level.clients, 4);
    assert_eq!(outcome(trial).source.as_ref().unwrap().tool, "pgbench 15.18");
    assert_eq!(figure(trial, "transactions_per_s"), (3469.935489, "1/s"));
    assert_eq!(figure(trial, "transactions"), (13857.0, ""));
    assert_eq!(figure(trial, "latency_avg"), (1.150, "ms"));
    assert_eq!(figure(trial, "duration"), (4.0, "s"));
}

#[test]
fn a_rate_adds_lag_and_skipped_transactions() {
    let parsed = parse("a.txt", RATE);
    let trial = &parsed.trials[0];
    assert_eq!(figure(trial, "schedule_lag_max"), (0.230, "ms"));
    assert_eq!(figure(trial, "dropped"), (0.0, ""));
    assert_eq!(figure(trial, "transactions"), (400.0, ""));
}

#[test]
fn several_runs_and_the_two_rates_of_older_versions() {
    let old = RATE.replace("pgbench (15.18 (Debian 15.18-0+deb12u1))\n", "").replace(
        "tps = 314.693512 (without initial connection time)",
        "tps = 312.1 (including connections establishing)\n\
         tps = 314.7 (excluding connections establishing)",
    );
    let parsed = parse("a.txt", &format!("{DURATION}{old}"));
    assert_eq!(parsed.trials.len(), 2);
    assert_eq!(figure(&parsed.trials[1], "transactions_per_s").0, 314.7);
    assert_eq!(figure(&parsed.trials[1], "transactions_per_s_with_connecting").0, 312.1);
}

#[test]
fn a_run_that_gave_up_failed_and_a_cut_off_one_is_a_problem() {
    let text = "pgbench (15.18)\npgbench: error: connection to server failed\n";
    let parsed = parse("a.txt", text);
    let TrialEnd::Failed(failure) = &parsed.trials[0].end else { panic!("{parsed:?}") };
    assert!(failure.message.contains("connection to server"), "{failure}");
    let (cut, _) = DURATION.split_once("tps = ").unwrap();
    let parsed = parse("a.txt", cut);
    assert!(parsed.trials.is_empty() && parsed.problems.len() == 1, "{parsed:?}");
}

#[test]
fn a_run_with_a_connection_for_each_transaction_has_its_rate() {
    let text = "pgbench (15.5 (Debian 15.5-0+deb12u1))\ntransaction type: <builtin: select only>\n\
                scaling factor: 1\nnumber of clients: 4\nnumber of threads: 2\n\
                number of transactions actually processed: 100/100\nlatency average = 5.000 ms\n\
                average connection time = 1.100 ms\n\
                tps = 800.125000 (including reconnection times)\n";
    let parsed = parse("pg15/select-C-4.txt", text);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    assert_eq!(figure(&parsed.trials[0], "transactions_per_s"), (800.125, "1/s"));
}

/// Written by hand in the shape of version 15, of two scripts that conflict.
const SCRIPTS: &str = "pgbench (15.5)\ntransaction type: multiple scripts\nscaling factor: 10\n\
    query mode: prepared\nnumber of clients: 8\nnumber of threads: 2\nmaximum number of tries: 3\n\
    duration: 10 s\nnumber of transactions actually processed: 9000\n\
    number of failed transactions: 12 (0.133%)\nnumber of serialization failures: 10 (0.111%)\n\
    number of deadlock failures: 2 (0.022%)\nnumber of transactions retried: 55 (0.610%)\n\
    total number of retries: 60\n\
    number of transactions above the 100.0 ms latency limit: 7/9000 (0.078%)\n\
    latency average = 8.879 ms (including failures)\nlatency stddev = 2.100 ms\n\
    initial connection time = 12.345 ms\ntps = 901.123456 (without initial connection time)\n\
    SQL script 1: <builtin: TPC-B (sort of)>\n - weight: 1 (targets 50.0% of total)\n - 4400 \
    transactions (48.9% of total, tps = 440.549245)\n - number of failed transactions: 12 (0.272%)\n \
    - latency average = 14.100 ms\n - latency stddev = 2.500 ms\nSQL script 2: <builtin: select \
    only>\n - weight: 1 (targets 50.0% of total)\n - 4600 transactions (51.1% of total, tps = \
    460.574211)\n - latency average = 3.800 ms\nstatement latencies in milliseconds and failures:\n\
    \x20        0.100           0  SELECT abalance FROM t WHERE aid = :aid;\n";

#[test]
fn scripts_limits_and_conflicts_are_read() {
    let parsed = parse("pg15/mixed.txt", SCRIPTS);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let trial = &parsed.trials[0];
    for (metric, value) in [
        ("errors", 12.0),
        ("serialization_failures", 10.0),
        ("deadlock_failures", 2.0),
        ("retried", 55.0),
        ("retries", 60.0),
        ("above_latency_limit", 7.0),
        ("latency_avg", 8.879),
        ("script1_transactions", 4400.0),
        ("script1_transactions_per_s", 440.549_245),
        ("script1_errors", 12.0),
        ("script1_latency_avg", 14.1),
        ("script2_transactions", 4600.0),
        ("script2_latency_avg", 3.8),
    ] {
        assert_eq!(figure(trial, metric).0, value, "{metric}");
    }
    assert_eq!(figure(trial, "latency_avg").1, "ms");
    let limit = outcome(trial).figure("above_latency_limit").unwrap();
    assert_eq!(limit.printed.as_ref().unwrap().note, "above 100.0 ms");
    let old = parse("a.txt", &SCRIPTS.replace("latency average = 8.879", "latency average: 8.879"));
    assert_eq!(figure(&old.trials[0], "latency_avg"), (8.879, "ms"), "before version 10");
}

#[test]
fn a_report_of_the_clients_that_were_left_is_a_failure() {
    for said in ["pgbench: error: Run was aborted", "Run was aborted"] {
        let text = format!("{DURATION}{said}; the above results are incomplete.\n");
        let parsed = parse("a.txt", &text);
        assert!(matches!(parsed.trials[0].end, TrialEnd::Failed(_)), "{parsed:?}");
    }
}

#[test]
fn reports_after_one_header_are_runs_of_their_own() {
    let report = |rate: u32| {
        format!(
            "duration: 60 s\nnumber of transactions actually processed: {}\nlatency average = 8 ms\n\
             tps = {rate}.000000 (without initial connection time)\n\n",
            60 * rate
        )
    };
    let header = "pgbench (16.2)\ntransaction type: <builtin: TPC-B (sort of)>\n\
                  number of clients: 8\nnumber of threads: 2\n";
    let text = format!("{header}{}=== RUN 1 ===\n{}{}", report(1000), report(1100), report(1200));
    let parsed = parse("a/b.log", &text);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let rates: Vec<f64> =
        parsed.trials.iter().map(|trial| figure(trial, "transactions_per_s").0).collect();
    assert_eq!(rates, [1000.0, 1100.0, 1200.0]);
    assert!(parsed.trials.iter().all(|trial| trial.level.clients == 8));
    assert!(parsed.trials.iter().all(|trial| outcome(trial).figures.len() == 4), "{parsed:?}");
}

/// Two clients, the second of which had a deadlock and skipped a transaction.
const LOG: &str = "0 0 1500 0 1700000000 001500\n1 0 2500 0 1700000000 502500\n\
                   0 1 500 0 1700000001 000500\n1 1 deadlock 0 1700000001 100000\n\
                   1 2 skipped 0 1700000001 200000\n0 2 1500 0 1700000002 000000\n";

#[test]
fn a_log_of_transactions_has_their_latencies() {
    let parsed = parse("pg15/tpcb.txt", LOG);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let trial = &parsed.trials[0];
    assert_eq!((trial.target.as_str(), trial.level.clients), ("pg15", 2));
    for (metric, value) in [
        ("transactions", 4.0),
        ("elapsed", 2.0),
        ("transactions_per_s", 2.0),
        ("latency_avg", 1.5),
        ("dropped", 1.0),
        ("errors", 1.0),
        ("deadlock_failures", 1.0),
    ] {
        assert_eq!(figure(trial, metric).0, value, "{metric}");
    }
    let outcome = outcome(trial);
    assert_eq!(outcome.latencies.as_ref().unwrap().count(), 4);
    // The third second was not over.
    assert_eq!(outcome.series[0].values, [Some(2.0), Some(1.0)]);
    // One thread's file alone lacks the clients of the others.
    let of_one: String =
        LOG.lines().filter(|line| line.starts_with('1')).collect::<Vec<_>>().join("\n");
    let parsed = parse("a.txt", &of_one);
    assert!(parsed.problems[0].message.contains("each of its threads"), "{parsed:?}");
}

#[test]
fn a_log_of_intervals_has_what_was_added_up() {
    let aggregated = "1700000000 4 8000 20000000 1000 3000 0 0 0 0 2 1 3 1 0\n\
                      1700000005 2 2000 2000000 1000 1000 0 0 0 0 0 0 0 0 1\n\
                      1700000010 1 1000 1000000 1000 1000 0 0 0 0 0 0 0 0 0\n";
    let parsed = parse("pg15/tpcb-8.txt", aggregated);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let trial = &parsed.trials[0];
    for (metric, value) in [
        ("transactions", 7.0),
        ("elapsed", 10.0),
        ("transactions_per_s", 0.6),
        ("latency_max", 3.0),
        ("latency_min", 1.0),
        ("dropped", 2.0),
        ("retries", 3.0),
        ("errors", 2.0),
    ] {
        assert_eq!(figure(trial, metric).0, value, "{metric}");
    }
    assert_eq!(outcome(trial).series[0].values, [Some(0.8), Some(0.4)]);
    // Two threads' files, one after the other.
    let twice = parse("pg15/tpcb-8.txt", &aggregated.repeat(2));
    assert_eq!(figure(&twice.trials[0], "transactions").0, 14.0);
    assert!(recognise("1 2 3 4 5 6\n").is_none());
}

#[test]
fn a_log_prints_no_percentile_above_its_largest_value_and_no_bound_as_measured() {
    let log = |micros: [u64; 2]| {
        let line = |number: u64| {
            let micros = micros[usize::from(number > 80)];
            format!("0 {number} {micros} 0 1700000000 {}\n", number * 1_000)
        };
        (1..=100).map(line).collect::<String>()
    };
    // As many microseconds as the histogram's steps do not meet.
    let exact = parse("a.txt", &log([1_000, 1_200_100]));
    assert_eq!(figure(&exact.trials[0], "latency_max").0, 1_200.1);
    assert!(figure(&exact.trials[0], "latency_p99.9").0 <= 1_200.1);
    // 27 hours: beyond the histogram.
    let long = parse("a.txt", &log([1_000, 99_999_999_999]));
    assert_eq!(figure(&long.trials[0], "latency_max").0, 99_999_999.999);
    assert!(figure(&long.trials[0], "latency_avg").0 < 99_999_999.999);
    assert!(figure(&long.trials[0], "latency_p50").0 < 1.1);
    let p95 = outcome(&long.trials[0]).figure("latency_p95").unwrap();
    assert_eq!(p95.value, FigureValue::Text("at least 3600000".to_owned()));
}
