//! HammerDB, BenchBase and mysqlslap.

use super::{figure, outcome, parse};
use model::{TrialEnd, UnixMillis};

const HAMMERDB: &str = include_str!("../fixtures/hammerdb/tprocc.log");
const BENCHBASE: &str = include_str!("../fixtures/benchbase/tpcc.summary.json");
const MYSQLSLAP: &str = include_str!("../fixtures/mysqlslap/two-levels.txt");

#[test]
fn hammerdb_counts_new_orders_and_its_profile_of_all_users_has_their_latencies() {
    let parsed = parse("db1/tprocc.log", HAMMERDB);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let [trial] = &parsed.trials[..] else { panic!("{parsed:?}") };
    assert_eq!((trial.target.as_str(), trial.test.as_str()), ("db1", "tprocc"));
    assert_eq!(trial.level.clients, 4);
    assert_eq!(figure(trial, "new_orders_per_min"), (35839.0, "1/min"));
    assert_eq!(figure(trial, "server_transactions_per_min"), (83369.0, "1/min"));
    assert_eq!(figure(trial, "duration"), (2.0, "min"));
    assert_eq!(figure(trial, "latency_p95"), (6.120, "ms"));
    assert_eq!(figure(trial, "latency_avg"), (3.350, "ms"));
    assert_eq!(figure(trial, "payment_latency_p50"), (1.110, "ms"));
    assert_eq!(figure(trial, "calls").0, 71678.0, "of all users, not of one");
    assert_eq!(figure(trial, "failed_users").0, 1.0);
}

#[test]
fn hammerdb_runs_of_a_file_and_results_of_jobs() {
    let older = "Vuser 1:2 Active Virtual Users configured\n\
                 Vuser 1:TEST RESULT : System achieved 6000 MySQL TPM at 2600 NOPM\n";
    let parsed = parse("a.log", &format!("{HAMMERDB}{older}"));
    let levels: Vec<u32> = parsed.trials.iter().map(|trial| trial.level.clients).collect();
    assert_eq!(levels, [4, 2]);
    assert_eq!(figure(&parsed.trials[1], "new_orders_per_min").0, 2600.0);
    let job = "[\n  \"69467B60646503E283231303\",\n  \"2025-12-20 10:33:04\",\n  \
               \"1 Active Virtual Users configured\",\n  \
               \"TEST RESULT : System achieved 3290 NOPM from 6828 Oracle TPM\"\n]\n";
    let parsed = parse("a.json", job);
    assert_eq!(parsed.trials[0].level.clients, 1);
    assert_eq!(figure(&parsed.trials[0], "server_transactions_per_min").0, 6828.0);
    let strange = parse("a.log", &HAMMERDB.replace("35839 NOPM", "many NOPM"));
    assert_eq!(strange.problems.len(), 1, "{strange:?}");
}

#[test]
fn benchbase_says_what_succeeded_and_what_was_asked_for() {
    let parsed = parse("db1/tpcc_8.summary.json", BENCHBASE);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let trial = &parsed.trials[0];
    assert_eq!((trial.target.as_str(), trial.test.as_str()), ("db1", "tpcc"));
    assert_eq!(trial.level.clients, 8);
    assert_eq!(figure(trial, "transactions_per_s"), (1_194.947_541_276_110_8, "1/s"));
    assert_eq!(figure(trial, "requests_per_s"), (1_199.997_530_885_080_8, "1/s"));
    assert_eq!(figure(trial, "latency_p95"), (14210.0, "us"));
    assert_eq!(figure(trial, "latency_p50"), (5820.0, "us"));
    assert_eq!(figure(trial, "elapsed"), (60_000_123_456.0, "ns"));
    assert_eq!(trial.started_at, Some(UnixMillis(1_705_312_285_678)));
    let failed = parse("a.json", &BENCHBASE.replace("\"EXIT\"", "\"ERROR\""));
    assert!(matches!(failed.trials[0].end, TrialEnd::Failed(_)), "{failed:?}");
    let idle = parse("a.json", &BENCHBASE.replace("14210", "-1"));
    assert!(outcome(&idle.trials[0]).figure("latency_p95").is_none());
}

#[test]
fn mysqlslap_has_a_trial_for_each_number_of_clients() {
    let parsed = parse("db1/slap.txt", MYSQLSLAP);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let [four, sixteen] = &parsed.trials[..] else { panic!("{parsed:?}") };
    assert_eq!((four.level.clients, sixteen.level.clients), (4, 16));
    assert_eq!(figure(four, "elapsed"), (0.250, "s"));
    assert_eq!(figure(four, "queries_per_s"), (4000.0, "1/s"));
    // A thousand queries among sixteen clients: 62 and a half each.
    let rate = outcome(sixteen).number("queries_per_s").unwrap();
    assert!((rate.value - 1000.0 / 0.301).abs() < rate.resolution, "{rate:?}");
    let cut = parse(
        "a.txt",
        &MYSQLSLAP.replace("\tAverage number of seconds to run all queries: 0.301 seconds\n", ""),
    );
    assert_eq!((cut.trials.len(), cut.problems.len()), (1, 1), "{cut:?}");
}
