//! PostgresBench and ClickBench.

use super::{figure, outcome, parse};

const POSTGRESBENCH: &str = include_str!("../../fixtures/clickhouse/postgresbench.json");
const CLICKBENCH: &str = include_str!("../../fixtures/clickhouse/clickbench.json");

#[test]
fn postgresbench_has_repeats_of_one_load_with_their_percentiles() {
    let parsed = parse("rds/small.json", POSTGRESBENCH);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    assert_eq!(parsed.trials.len(), 3);
    for trial in &parsed.trials {
        assert_eq!((trial.level.clients, trial.tool), (16, "pgbench"));
        assert_eq!(figure(trial, "latency_p99"), (12.125, "ms"));
    }
    assert_eq!(figure(&parsed.trials[0], "transactions_per_s"), (2500.125, "1/s"));
    assert_eq!(figure(&parsed.trials[0], "transactions").0, 12_500.0);
    assert_eq!(figure(&parsed.trials[2], "errors").0, 2.0);
    let of_one = POSTGRESBENCH.replacen("\"tps\"", "\"qps\"", 1);
    assert!(parse("a.json", &of_one).problems[0].message.contains("tps"));
}

#[test]
fn clickbench_has_a_cold_and_two_hot_times_of_each_query() {
    let parsed = parse("postgresql/small.json", CLICKBENCH);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let [cold, hot, again] = &parsed.trials[..] else { panic!("{parsed:?}") };
    assert!(cold.test.ends_with("cold") && hot.test.ends_with("hot"), "{parsed:?}");
    assert_eq!(hot.test, again.test);
    assert_eq!(figure(cold, "query2_elapsed"), (2.0, "s"));
    assert_eq!(figure(cold, "elapsed").0, 6.8);
    let mean = figure(cold, "query_time_geomean").0;
    assert!((mean - (0.8_f64 * 2.0 * 4.0).cbrt()).abs() < 1e-3, "{mean}");
    // The third query failed the second time.
    assert_eq!((figure(hot, "errors").0, figure(again, "errors").0), (1.0, 0.0));
    assert!(outcome(hot).figure("query3_elapsed").is_none());
    assert!(outcome(hot).figure("elapsed").is_none(), "it would look fast");
    assert!((figure(again, "elapsed").0 - 0.7).abs() < 1e-3);
    let short = parse("a.json", &CLICKBENCH.replace("0.800, 0.100, 0.100", "0.8"));
    assert!(short.trials.is_empty() && short.problems.len() == 1, "{short:?}");
}
