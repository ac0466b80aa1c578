//! HammerDB, BenchBase and mysqlslap.

use super::{figure, outcome, parse};
use model::{TrialEnd, UnixMillis};

const HAMMERDB: &str = include_str!("../../fixtures/hammerdb/tprocc.log");
const TPROCH: &str = include_str!("../../fixtures/hammerdb/tproch.log");
const BENCHBASE: &str = include_str!("../../fixtures/benchbase/tpcc.summary.json");
/// What BenchBase wrote after ten seconds on MariaDB 10.11.
const YCSB: &str = include_str!("../../fixtures/benchbase/mariadb-ycsb.summary.json");
const ENGINES: &str = include_str!("../../fixtures/mysqlslap/engines.csv");
const MYSQLSLAP: &str = include_str!("../../fixtures/mysqlslap/two-levels.txt");

/// The log of a run of which no virtual user gave up.
fn all_went_well() -> String {
    HAMMERDB.replace("FINISHED FAILED", "FINISHED SUCCESS")
}

#[test]
fn hammerdb_counts_new_orders_and_its_profile_of_all_users_has_their_latencies() {
    let parsed = parse("db1/tprocc.log", &all_went_well());
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
fn hammerdb_s_query_sets_are_trials_of_as_many_users() {
    let parsed = parse("db1/tproch.log", TPROCH);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let [power, throughput] = &parsed.trials[..] else { panic!("{parsed:?}") };
    assert_eq!((power.target.as_str(), power.test.as_str()), ("db1", "tproch"));
    assert_eq!((power.level.clients, throughput.level.clients), (1, 3));
    assert_eq!(figure(power, "elapsed"), (91.0, "s"));
    assert_eq!(figure(power, "query_time_geomean"), (3.32983, "s"));
    assert_eq!(figure(power, "query14_elapsed"), (4.958, "s"));
    assert_eq!(figure(power, "queries").0, 22.0);
    assert_eq!(figure(throughput, "elapsed").0, 108.0, "of the slowest user");
    assert_eq!(figure(throughput, "query_sets").0, 3.0);
    assert_eq!(figure(throughput, "queries").0, 66.0);
    let rate = figure(throughput, "queries_per_s").0;
    assert!((rate - 66.0 / 108.0).abs() < 1e-4, "{rate}");
    let mean = figure(throughput, "query_time_geomean").0;
    assert!((mean - (4.05087_f64 * 3.31221 * 3.89073).cbrt()).abs() < 1e-4, "{mean}");
    assert!(outcome(throughput).figure("query14_elapsed").is_none(), "each user has its own");
}

#[test]
fn a_query_set_of_hammerdb_that_was_not_done_is_no_result() {
    let failed = TPROCH.replacen(
        "Vuser 2:query 14 completed",
        "Vuser 2:Query Failed : select 1 : gone\nVuser 2:query 14 completed",
        1,
    );
    let parsed = parse("a.log", &failed);
    assert!(matches!(parsed.trials[0].end, TrialEnd::Completed(_)), "{parsed:?}");
    assert!(matches!(parsed.trials[1].end, TrialEnd::Failed(_)), "{parsed:?}");
    // A user that never came to its end.
    let cut: String = TPROCH
        .lines()
        .filter(|line| !line.starts_with("Vuser 3:Completed"))
        .map(|line| format!("{line}\n"))
        .collect();
    let parsed = parse("a.log", &cut);
    assert!(matches!(parsed.trials[1].end, TrialEnd::Failed(_)), "{parsed:?}");
    // Users that are not named.
    let unnamed = TPROCH.replace("Vuser 1:", "").replace("Vuser 2:", "").replace("Vuser 3:", "");
    assert!(!parse("a.log", &unnamed).problems.is_empty());
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
fn benchbase_on_mariadb_is_read_with_every_figure() {
    // The name that it gives: a directory of the user's, the benchmark and the date.
    let parsed = parse("results-ycsb/ycsb_2026-11-23_19-27-36.summary.json", YCSB);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let [trial] = &parsed.trials[..] else { panic!("{parsed:?}") };
    assert_eq!(trial.test, "ycsb", "the directory and the file say the same");
    assert_eq!(trial.level.clients, 4);
    for (name, value) in [
        // Both as printed: what ended after the last second counts as goodput alone.
        ("transactions_per_s", 1_484.194_537_422_005),
        ("requests_per_s", 1_483.794_538_894_199_6),
        ("requests", 14_838.0),
        ("latency_min", 98.0),
        ("latency_p25", 299.0),
        ("latency_p50", 625.0),
        ("latency_avg", 2_669.0),
        ("latency_p99", 29_100.0),
        ("latency_max", 424_659.0),
    ] {
        assert_eq!(figure(trial, name).0, value, "{name}");
    }
    assert_eq!(trial.started_at, Some(UnixMillis(1_795_462_046_394)));
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

#[test]
fn mysqlslap_has_a_trial_for_each_line_of_csv() {
    let parsed = parse("db1/slap.csv", ENGINES);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let said: Vec<_> = parsed
        .trials
        .iter()
        .map(|trial| (trial.level.clients, figure(trial, "queries_per_client").0))
        .collect();
    assert_eq!(said, [(4, 250.0), (16, 62.0), (4, 250.0), (16, 62.0)]);
    let first: Vec<&str> = ENGINES.lines().next().unwrap().split(',').collect();
    let trial = &parsed.trials[0];
    assert_eq!(figure(trial, "elapsed").0, first[2].parse::<f64>().unwrap());
    assert_eq!(figure(trial, "elapsed_max").0, first[4].parse::<f64>().unwrap());
    assert!(trial.test.contains("innodb"), "{}", trial.test);
    assert!(parsed.trials[2].test.contains("myisam"), "{}", parsed.trials[2].test);
    // No other table is taken for one.
    for line in ["a,b,1.000,1.000,1.000,4,250", ",mixed,1.0,1.0,1.0,4,250", ",mixed,1.000,4,250"] {
        assert!(
            import::recognise(line).is_none_or(|format| format.name() != "mysqlslap"),
            "{line}"
        );
    }
}
