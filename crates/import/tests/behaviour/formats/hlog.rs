use super::{figure, outcome, parse};
use import::{Format, Source};
use model::{Latencies, ReadLimit, TrialEnd, UnixMillis};

const NANOSECONDS: &str = include_str!("../../fixtures/hlog/nanoseconds.hlog");
const TAGS: &str = include_str!("../../fixtures/hlog/microseconds-tags.hlog");

#[test]
fn intervals_are_merged_and_their_unit_told_from_the_largest() {
    for (text, tests) in [(NANOSECONDS, vec!["hlog"]), (TAGS, vec!["hlog", "hlog, write"])] {
        let parsed = parse("a/run.hlog", text);
        assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
        let names: Vec<&str> = parsed.trials.iter().map(|trial| trial.test.as_str()).collect();
        assert_eq!(names, tests);
        let counts = parsed.trials.iter().map(|trial| figure(trial, "operations").0);
        assert_eq!(counts.sum::<f64>(), 3000.0);
        let largest = parsed.trials.iter().map(|trial| figure(trial, "latency_max").0);
        assert!((largest.fold(0.0, f64::max) - 12.0).abs() < 0.02, "milliseconds");
        assert_eq!(parsed.trials[0].started_at, Some(UnixMillis(1_700_000_000_123)));
    }
}

#[test]
fn rate_and_percentiles_come_from_all_intervals() {
    let parsed = parse("a/run.hlog", NANOSECONDS);
    let trial = &parsed.trials[0];
    assert_eq!(figure(trial, "operations_per_s"), (1000.0, "1/s"));
    assert_eq!(figure(trial, "elapsed"), (3.0, "s"));
    // Three ramps to 10 ms, 1 ms apart.
    assert!((figure(trial, "latency_p50").0 - 6.0).abs() < 0.05);
    assert_eq!(outcome(trial).latencies.as_ref().unwrap().count(), 3000);
}

#[test]
fn a_broken_line_is_named_and_the_others_are_read() {
    let text = NANOSECONDS.replacen("1.000,1.000,11.002,HISTF", "1.000,1.000,11.002,HASTF", 1);
    let parsed = parse("a/run.hlog", &text);
    assert_eq!(parsed.problems[0].line, 6);
    assert_eq!(figure(&parsed.trials[0], "operations").0, 2000.0);
}

#[test]
fn a_unit_that_cannot_be_told_is_not_guessed() {
    let text = NANOSECONDS
        .replace(",10.002,", ",7.5,")
        .replace(",11.002,", ",7.5,")
        .replace(",12.001,", ",7.5,");
    let parsed = parse("a/run.hlog", &text);
    assert!(parsed.trials.is_empty());
    assert!(parsed.problems[0].message.contains("unit"), "{:?}", parsed.problems);
}

/// A log of so many intervals of one second, each of so many different values.
fn log(intervals: u64, values: u64) -> String {
    let mut text = "#[Histogram log format version 1.3]\n".to_owned();
    for interval in 0..intervals {
        let mut latencies = Latencies::new();
        (0..values).for_each(|value| latencies.record_nanos(1_000_000 + 10_000 * value));
        latencies.record_nanos(3_600_000_000_000);
        let logged = latencies.logged();
        text += &format!("{interval}.000,1.000,{:.3},{}\n", logged.max_ms, logged.histogram);
    }
    text
}

#[test]
fn a_long_log_is_added_up_while_it_is_read() {
    let text = log(3_600, 40);
    let limit = ReadLimit { bytes: 4 << 20, ..ReadLimit::default() };
    let budget = limit.budget();
    let source = Source { file: "hour.hlog", text: &text, budget: &budget };
    source.charge().unwrap();
    let parsed = import::Hlog.parse(source);
    budget.verdict().unwrap();
    let TrialEnd::Completed(outcome) = &parsed.trials[0].end else { panic!("{parsed:?}") };
    let latencies = outcome.latencies.as_ref().unwrap();
    assert_eq!(latencies.count(), 3_600 * 41);
    assert!(parsed.memory() < 10_000, "{}", parsed.memory());
}

#[test]
fn a_log_that_holds_more_than_its_budget_is_not_read_further() {
    let text = log(2, 2_000);
    let budget = ReadLimit { bytes: 64 << 10, ..ReadLimit::default() }.budget();
    import::Hlog.parse(Source { file: "a.hlog", text: &text, budget: &budget });
    let over = budget.verdict().unwrap_err().to_string();
    assert!(over.contains("--read-limit"), "{over}");
}
