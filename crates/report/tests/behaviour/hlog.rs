//! Interval logs: what HdrHistogram's reader makes of them is what was measured.

use crate::support;
use model::{Dataset, Latencies, LatencyLogLine, NamedResult, Phase, ReadBudget, UnixMillis};
use report::Format;
use std::collections::BTreeMap;

const FIRST_START: u64 = 1_700_000_000_250;
/// From the start of one trial's load to that of the next.
const APART: u64 = 20_000;

/// A run whose loads began so far apart, in the order of the plan.
fn with_starts(mut dataset: Dataset) -> Dataset {
    for record in &mut dataset.trials {
        let at = FIRST_START + APART * u64::from(record.position - 1);
        if let Some(load) = record.load_mut() {
            load.began_at = Some(UnixMillis(at));
        }
    }
    dataset
}

fn log(dataset: &Dataset) -> String {
    support::rendered(dataset, Format::Hlog)
}

#[derive(Debug)]
struct Line {
    start: f64,
    length: f64,
    max_ms: f64,
    latencies: Latencies,
}

/// The base time and the lines of every tag, as the library's own reader has them.
fn read(log: &str) -> (f64, BTreeMap<String, Vec<Line>>) {
    let (mut base, mut tags) = (f64::NAN, BTreeMap::<String, Vec<Line>>::new());
    for line in log.lines() {
        match LatencyLogLine::parse(line).unwrap_or_else(|error| panic!("{error}: {line}")) {
            LatencyLogLine::BaseTime(seconds) => base = seconds,
            LatencyLogLine::Interval { tag, start_seconds, length_seconds, max, latencies } => {
                tags.entry(tag).or_default().push(Line {
                    start: start_seconds,
                    length: length_seconds,
                    max_ms: max,
                    latencies: latencies.in_units_of(1),
                });
            }
            LatencyLogLine::StartTime(_) | LatencyLogLine::Nothing => {}
        }
    }
    (base, tags)
}

#[test]
fn every_second_of_every_trial_is_there_when_it_was() {
    let dataset = with_starts(support::with_latencies());
    let (base, tags) = read(&log(&dataset));
    let first = dataset.trials.iter().find(|record| record.load().is_some()).unwrap();
    let began =
        |record: &model::TrialRecord| record.load().unwrap().began_at.unwrap().0 as f64 / 1e3;
    assert_eq!(base, began(first));
    let loaded = dataset.trials.iter().filter(|record| record.load().is_some());
    assert_eq!(tags.len(), loaded.clone().count());
    for record in loaded {
        let (key, load) = (&record.key, record.load().unwrap());
        let (clients, repeat) = (key.level.clients, key.repeat);
        let tag = format!("{}/oltp/clients:{clients}/repeat:{repeat}/transactions", key.target);
        let lines = tags.get(&tag).unwrap_or_else(|| panic!("no {tag} in {:?}", tags.keys()));
        let measured: Vec<_> =
            load.intervals.iter().filter(|one| one.phase == Phase::Measure).collect();
        assert_eq!(lines.len(), measured.len(), "{tag}");
        for (line, interval) in lines.iter().zip(measured) {
            let start = began(record) + interval.start.as_secs_f64();
            assert!((base + line.start - start).abs() < 2e-3, "{tag}: {line:?}");
            assert!((line.length - interval.length.as_secs_f64()).abs() < 1e-3);
            let latencies = interval.latencies.unpack();
            assert_eq!(line.latencies.count(), latencies.count());
            for percentile in [50.0, 99.0, 100.0] {
                let [is, was] =
                    [&line.latencies, &latencies].map(|all| all.percentile_ms(percentile).unwrap());
                assert!((is / was - 1.0).abs() < 0.01, "{tag} p{percentile}: {is} for {was}");
            }
            assert!((line.max_ms / latencies.max_ms().unwrap() - 1.0).abs() < 0.02);
        }
    }
}

#[test]
fn without_seconds_and_of_kinds_of_statement_there_is_one_line_for_the_phase() {
    let mut dataset = with_starts(support::usual());
    for record in &mut dataset.trials {
        let Some(load) = record.load_mut() else { continue };
        load.intervals.clear();
        let latencies = load.latencies.clone();
        load.by_statement.push(NamedResult {
            name: "point select".to_owned(),
            latencies,
            ..NamedResult::default()
        });
    }
    let (base, tags) = read(&log(&dataset));
    for record in &dataset.trials {
        let Some(load) = record.load() else { continue };
        let key = &record.key;
        for kind in ["transactions", "point%20select"] {
            let place = format!("clients:{}/repeat:{}", key.level.clients, key.repeat);
            let tag = format!("{}/oltp/{place}/{kind}", key.target);
            let [line] = &tags[&tag][..] else { panic!("{tag}: {:?}", tags[&tag]) };
            assert_eq!(line.latencies, load.latencies, "all three digits are kept");
            let began = load.began_at.unwrap().0 as f64 / 1e3 + load.warmup.elapsed.as_secs_f64();
            assert!((base + line.start - began).abs() < 2e-3);
            assert!((line.length - load.measure.elapsed.as_secs_f64()).abs() < 1e-3);
        }
    }
}

#[test]
fn names_cannot_break_lines_and_a_log_of_nothing_is_one() {
    let (_, tags) = read(&log(&support::hostile()));
    assert!(!tags.is_empty());
    let mut empty = support::usual();
    empty.trials.clear();
    let log = log(&empty);
    assert!(log.contains("\"StartTimestamp\",\"Interval_Length\""), "{log}");
    assert!(read(&log).1.is_empty());
}

#[test]
fn weighin_imports_what_it_writes() {
    use import::{Format as _, Source};
    let text = log(&with_starts(support::with_latencies()));
    assert!(import::Hlog.recognises(&text));
    let parsed = import::Hlog.parse(Source {
        file: "latencies.hlog",
        text: &text,
        budget: &ReadBudget::default(),
    });
    assert!(parsed.problems.is_empty(), "{:?}", parsed.problems);
    let completed = support::with_latencies().trials.iter().filter(|t| t.load().is_some()).count();
    assert_eq!(parsed.trials.len(), completed);
}
