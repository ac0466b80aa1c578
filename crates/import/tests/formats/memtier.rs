use super::{figure, outcome, parse};
use model::UnixMillis;

/// Written by hand in the shape of version 2's files.
const TWO_COMMANDS: &str = include_str!("../fixtures/memtier/two-commands.json");

#[test]
fn totals_and_commands_are_read() {
    let parsed = parse("redis/set-get.json", TWO_COMMANDS);
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let trial = &parsed.trials[0];
    assert_eq!((trial.target.as_str(), trial.test.as_str()), ("redis", "set-get"));
    assert_eq!(trial.level.clients, 200, "4 threads of 50 connections");
    assert_eq!(trial.started_at, Some(UnixMillis(1_700_000_000_123)));
    let rate = outcome(trial).number("operations_per_s").unwrap();
    assert_eq!(rate.value, 160_000.0);
    assert!((rate.resolution - 0.01).abs() < 1e-9);
    assert_eq!(figure(trial, "errors").0, 3.0);
    assert_eq!(figure(trial, "latency_p99.9"), (9.343, "ms"));
    assert_eq!(figure(trial, "gets_operations_per_s").0, 145_454.56);
    assert_eq!(figure(trial, "elapsed"), (12_500.0, "ms"));
    let latencies = outcome(trial).latencies.as_ref().unwrap();
    assert!((latencies.max_ms().unwrap() - 10.0).abs() < 0.05, "it counts microseconds");
}

#[test]
fn nothing_of_its_configuration_is_kept() {
    let broken = TWO_COMMANDS.replace("\"clients\": 50,", "\"clients\": 50,\nhunter2 refused\n");
    for text in [TWO_COMMANDS, &broken, &TWO_COMMANDS.replace("ALL STATS\":", "ALL STATS\"")] {
        let parsed = parse("a.json", text);
        assert!(!format!("{parsed:?}").contains("hunter2"), "{parsed:?}");
    }
}

#[test]
fn of_several_runs_the_average_is_taken_and_said() {
    let text = TWO_COMMANDS.replace("\"ALL STATS\"", "\"AGGREGATED AVERAGE RESULTS (3 runs)\"");
    let parsed = parse("a.json", &text);
    let figure = outcome(&parsed.trials[0]).figure("operations_per_s").unwrap();
    assert_eq!(figure.printed.as_ref().unwrap().note, "aggregated average results (3 runs)");
}

#[test]
fn a_command_that_was_never_sent_has_no_latencies() {
    let text = "{\n\"ALL STATS\": {\n\"Sets\": {\"Count\": 0, \"Ops/sec\": 0.00, \"Min Latency\": \
                9223372036854776.000, \"Max Latency\": 0.000},\n\"Totals\": {\"Count\": 10, \
                \"Ops/sec\": 5.00, \"Min Latency\": 0.1, \"Max Latency\": 0.2}\n}\n}\n";
    let parsed = parse("redis/get.json", text);
    assert!(outcome(&parsed.trials[0]).figure("sets_latency_min").is_none());
    assert_eq!(figure(&parsed.trials[0], "latency_max"), (0.2, "ms"));
}
