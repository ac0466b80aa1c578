use super::{figure, outcome, parse};
use import::{ImportedTrial, Parsed};

/// Of Redis 7.0.15.
const CSV: &str = include_str!("../../fixtures/redis-benchmark/7.0.csv");
const QUIET: &[u8] = include_bytes!("../../fixtures/redis-benchmark/7.0-quiet.txt");
const FULL: &[u8] = include_bytes!("../../fixtures/redis-benchmark/7.0.txt");

fn test<'a>(parsed: &'a Parsed, name: &str) -> &'a ImportedTrial {
    let found = parsed.trials.iter().find(|trial| trial.test.ends_with(name));
    found.unwrap_or_else(|| panic!("{name}: {parsed:?}"))
}

#[test]
fn each_command_of_the_csv_is_a_test() {
    let parsed = parse("redis/a.csv", CSV);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    assert_eq!(parsed.trials.len(), 2);
    let set = test(&parsed, ", SET");
    assert_eq!(set.target, "redis");
    assert_eq!(figure(set, "operations_per_s"), (68_259.38, "1/s"));
    assert_eq!(figure(set, "latency_p95"), (0.279, "ms"));
    assert_eq!(figure(set, "latency_max"), (4.087, "ms"));
}

#[test]
fn the_csv_before_version_6_2_has_rates_alone() {
    let parsed = parse("redis/a.csv", "\"PING_INLINE\",\"90909.09\"\n\"SET\",\"81300.81\"\n");
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    assert_eq!(figure(test(&parsed, ", SET"), "operations_per_s").0, 81_300.81);
    assert!(outcome(&parsed.trials[0]).figure("latency_p50").is_none());
}

#[test]
fn a_column_that_is_not_known_is_named() {
    let text = CSV.replace("\"max_latency_ms\"", "\"jitter\"");
    let parsed = parse("redis/a.csv", &text);
    assert_eq!(parsed.problems.len(), 1);
    assert!(parsed.problems[0].message.contains("`jitter`"), "{:?}", parsed.problems);
    assert!(figure(&parsed.trials[0], "operations_per_s").0 > 0.0);
}

#[test]
fn lines_of_q_are_read_without_the_progress_before_them() {
    let parsed = parse("redis/a.txt", &import::decode::text(QUIET));
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    assert_eq!(parsed.trials.len(), 7);
    let get = test(&parsed, ", GET");
    assert_eq!(figure(get, "operations_per_s"), (68_965.52, "1/s"));
    assert_eq!(figure(get, "latency_p50"), (0.191, "ms"));
    // Of versions before 6.2.
    let old = parse(
        "redis/a.txt",
        "SET: 81300.81 requests per second\nGET: 80000.00 requests per second\n",
    );
    assert_eq!(figure(test(&old, ", GET"), "operations_per_s").0, 80_000.0);
}

#[test]
fn the_full_report_has_clients_and_percentiles() {
    let parsed = parse("redis/a.txt", &import::decode::text(FULL));
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    assert_eq!(parsed.trials.len(), 2);
    let set = test(&parsed, ", SET");
    assert_eq!(set.level.clients, 20);
    assert_eq!(figure(set, "operations_per_s"), (79_681.28, "1/s"));
    assert_eq!(figure(set, "latency_avg"), (0.243, "ms"));
    assert_eq!(figure(set, "latency_p99"), (0.551, "ms"));
    assert_eq!(figure(set, "operations"), (20_000.0, ""));
}

#[test]
fn a_report_that_breaks_off_is_no_trial() {
    let full = import::decode::text(FULL);
    let parsed = parse("redis/a.txt", full.split("Summary:").next().unwrap());
    assert!(parsed.trials.is_empty());
    assert!(parsed.problems[0].message.contains("no report"), "{:?}", parsed.problems);
}
