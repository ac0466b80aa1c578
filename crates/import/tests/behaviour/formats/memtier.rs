use super::{figure, outcome, parse};
use model::UnixMillis;

/// Written by hand in the shape of version 2's files.
const TWO_COMMANDS: &str = include_str!("../../fixtures/memtier/two-commands.json");

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

/// Written by hand in the shape of version 2.3's files: of three runs, with what it prints of their
/// average where nothing was added up.
fn runs(rate: &str) -> String {
    let command = |name: &str, count: u32, rate: &str, sum: u32, min: &str, max: &str| {
        format!(
            "\"{name}\": {{\"Count\": {count}, \"Ops/sec\": {rate}, \"Average Latency\": 0.500, \
             \"Accumulated Latency\": {sum}, \"Min Latency\": {min}, \"Max Latency\": {max}, \
             \"KB/sec\": 10.00, \"KB/sec RX\": 4.00, \"KB/sec TX\": 6.00, \
             \"Percentile Latencies\": {{\"p50.00\": 0.087}}}}"
        )
    };
    let empty = format!(
        "\"Totals\": {{\"Count\": 4000, \"Ops/sec\": {rate}, \"Average Latency\": 0.000, \
         \"Accumulated Latency\": 0, \"Min Latency\": 0.000, \"Max Latency\": 0.000, \"KB/sec\": 20.00, \
         \"KB/sec RX\": 0.00, \"KB/sec TX\": 0.00, \"Percentile Latencies\": {{\"p50.00\": 0.007}}}}"
    );
    format!(
        "{{\n\"run information\": {{\"Threads\": 2, \"Connections per thread\": 4}},\n\
         \"BEST RUN RESULTS\": {{\"Totals\": {{\"Ops/sec\": 30441.00}}}},\n\
         \"AGGREGATED AVERAGE RESULTS (3 runs)\": {{\"Runtime\": {{\"Start time\": 0, \
         \"Finish time\": 0, \"Total duration\": 0}}, {}, {}, {empty}}}\n}}\n",
        command("Sets", 1000, "5000.00", 500, "0.016", "20.223"),
        command("Gets", 3000, "15000.00", 1500, "0.024", "24.063"),
    )
}

#[test]
fn totals_that_several_runs_leave_empty_follow_from_the_commands() {
    for printed in ["20000.00", "142108.00"] {
        let parsed = parse("redis/runs.json", &runs(printed));
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        let trial = &parsed.trials[0];
        assert_eq!(figure(trial, "operations_per_s").0, 20_000.0, "{printed}");
        assert_eq!(figure(trial, "latency_avg").0, 0.5);
        assert_eq!(
            (figure(trial, "latency_min").0, figure(trial, "latency_max").0),
            (0.016, 24.063)
        );
        assert!(outcome(trial).figure("latency_p50").is_none(), "an empty histogram's");
        assert!(outcome(trial).figure("elapsed").is_none() && trial.started_at.is_none());
    }
    // Sums that cannot be are not believed either.
    let parsed = parse("redis/runs.json", &runs("142108.00").replace("15000.00", "95000.00"));
    assert!(outcome(&parsed.trials[0]).figure("operations_per_s").is_none());
    assert!(outcome(&parsed.trials[0]).figure("latency_avg").is_none());
}

#[test]
fn a_mean_that_is_cut_off_is_taken_from_the_sum() {
    let text = "{\n\"ALL STATS\": {\n\"Sets\": {\"Count\": 3000, \"Ops/sec\": 300.00, \"KB/sec\": \
                500.00},\n\"Totals\": {\"Count\": 3000, \"Ops/sec\": 300.00, \"Average Latency\": 1.000, \
                \"Accumulated Latency\": 4500, \"Max Latency\": 7.1, \"KB/sec\": 1000.00, \"KB/sec RX\": \
                500.00, \"KB/sec TX\": 500.00}\n}\n}\n";
    let parsed = parse("redis/set.json", text);
    let trial = &parsed.trials[0];
    assert_eq!(figure(trial, "latency_avg").0, 1.5);
    assert_eq!(figure(trial, "bandwidth"), (500.0, "KB/s"), "and not counted twice");
    assert_eq!(figure(trial, "operations").0, 3000.0);
    let other = parse("redis/set.json", &text.replace("4500", "45000"));
    assert_eq!(figure(&other.trials[0], "latency_avg").0, 1.0, "a sum of something else");
}
