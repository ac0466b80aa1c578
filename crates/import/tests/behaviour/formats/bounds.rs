//! What stands where a tool knows no figure is none; what is known of it is a bound.

use super::{outcome, parse, read};
use import::{FORMATS, Source, TableOptions, recognise};
use model::{FigureValue, ReadBudget};

fn text<'a>(outcome: &'a model::Outcome, metric: &str) -> Option<&'a str> {
    match &outcome.figure(metric)?.value {
        FigureValue::Text(text) => Some(text),
        FigureValue::Number(_) => None,
    }
}

#[test]
fn memtier_files_with_numbers_that_are_none_are_read() {
    let document = |number: &str| {
        format!(
            "{{\n\"configuration\": {{\"threads\": 2, \"clients\": 4}},\n\"ALL STATS\": {{\
             \"Gets\": {{\"Count\": 10, \"Ops/sec\": 5.25, \"Time-Serie\": {{\"0\": {{\
             \"Average Latency\": {number}, \"Min Latency\": 9223372036854776.000}}}}}},\n\
             \"Totals\": {{\"Count\": 10, \"Ops/sec\": 5.25, \"Hits/sec\": {number}, \
             \"Min Latency\": 9223372036854776.000, \"Max Latency\": 60030.975, \
             \"Percentile Latencies\": {{\"p50.00\": 1.5, \"p99.00\": 60030.975}}}}}}\n}}\n"
        )
    };
    for number in ["-nan", "nan", "inf", "-inf", "NaN", "Infinity", "-nan(ind)"] {
        let parsed = parse("b.json", &document(number));
        assert!(parsed.problems.is_empty(), "{number}: {:?}", parsed.problems);
        let outcome = outcome(&parsed.trials[0]);
        assert_eq!(outcome.number("operations_per_s").unwrap().value, 5.25);
        assert_eq!(outcome.number("latency_p50").unwrap().value, 1.5);
        assert!(outcome.figure("hits_per_s").is_none());
        assert_eq!(text(outcome, "latency_min"), Some("not known"));
        assert_eq!(text(outcome, "latency_p99"), Some("at least 59998.208"));
        assert_eq!(text(outcome, "latency_max"), Some("at least 59998.208"));
    }
}

#[test]
fn a_percentile_at_the_end_of_sysbench_s_histogram_is_a_bound() {
    let run = |min: &str, percentile: &str, max: &str| {
        let text = format!(
            "sysbench 1.0.20 (using system LuaJIT 2.1.0)\nNumber of threads: 4\n    transactions: 900 \
             (100.00 per sec.)\n    total time: 9.0s\n    total number of events: 900\nLatency (ms):\n    \
             min: {min}\n    95th percentile: {percentile}\n    max: {max}\n"
        );
        outcome(&parse("a/b.txt", &text).trials[0]).clone()
    };
    let beyond = run("2.10", "100000.00", "120000.50");
    assert_eq!(text(&beyond, "latency_p95"), Some("at least 100000"));
    assert_eq!(beyond.number("latency_max").unwrap().value, 120_000.5);
    assert_eq!(text(&run("2.10", "0.00", "9.00"), "latency_p95"), Some("not known"));
    assert_eq!(run("0.00", "0.00", "0.01").number("latency_p95").unwrap().value, 0.0);
    assert_eq!(run("2.10", "7.25", "9.00").number("latency_p95").unwrap().value, 7.25);
}

#[test]
fn a_recognised_file_that_gives_nothing_is_a_problem() {
    for (text, what) in [
        ("{\n\"fio version\": \"fio-3.33\",\n\"results\": []\n}\n", "no jobs"),
        // Of no format that fio's reader takes as a document.
        ("x{\"fio version\": \"fio-3.33\"}\n", "no results in it"),
        ("target,test,metric,value\n", "no results in it"),
        (
            "sysbench 1.0.20 (using system LuaJIT 2.1.0)\n\nCreating table 'sbtest1'...\n",
            "no results",
        ),
        ("#[Histogram log format version 1.3]\n", "no results in it"),
        ("pgbench (16.2)\n", "no report"),
    ] {
        let format = recognise(text).unwrap();
        let parsed = import::parse(
            format,
            Source { file: "a", text, budget: &ReadBudget::default() },
            &TableOptions::default(),
        );
        assert!(parsed.trials.is_empty(), "{parsed:?}");
        let [problem] = &parsed.problems[..] else { panic!("{text}: {parsed:?}") };
        assert!(problem.message.contains(what), "{problem}");
    }
    for format in FORMATS {
        let parsed = import::parse(
            format,
            Source { file: "a", text: "", budget: &ReadBudget::default() },
            &TableOptions::default(),
        );
        assert!(!parsed.problems.is_empty(), "{} says nothing of an empty file", format.name());
    }
    assert!(read("a.csv", "target,test,metric,value\na,b,c,1\n").problems.is_empty());
}
