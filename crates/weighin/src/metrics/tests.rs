use super::families::{ALL, all};
use super::state::Ended;
use super::{RunState, Verdict};
use crate::progress::TimeLeft;
use analyse::Severity;
use model::{
    CpuShares, DiskRates, Failure, FailureKind, Interval, Latencies, Phase, ProcessUsage, Sample,
    Trial, TrialEnd, UnixMillis,
};
use serde_json::Value;
use serve::TextFormat;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use test_support::Exposed;

fn state(now: Instant) -> RunState {
    let left = TimeLeft::new(Duration::from_secs(90), now);
    let study = "a \"study\"\nof \\ two";
    RunState::new(study, "duel.weighin", UnixMillis(1_500), "transactions", 8, left)
}

fn trials() -> Vec<Trial> {
    let study = test_support::study(&["one", "two"], &[1, 2], 2);
    test_support::plan(&study, 0).trials().cloned().collect()
}

fn second(phase: Phase, transactions: u64) -> Interval {
    let mut latencies = Latencies::default();
    for ms in 1..=transactions.min(100) {
        latencies.record(Duration::from_millis(ms));
    }
    Interval {
        phase,
        start: Duration::from_secs(1),
        length: Duration::from_secs(2),
        transactions,
        queries: 20 * transactions,
        errors: 4,
        moved: model::Moved { read: 4_096, written: 512 },
        longest_statement: Some(Duration::from_millis(250)),
        latencies: (&latencies).into(),
    }
}

#[track_caller]
fn exposed(state: &RunState, now: Instant) -> Exposed {
    Exposed::read(&TextFormat::OpenMetrics.write(&all(state, now))).unwrap()
}

/// A state with a figure of every family.
fn full(now: Instant) -> RunState {
    let trials = trials();
    let mut state = state(now);
    let left = TimeLeft::new(Duration::from_secs(60), now);
    state.trial_started(&trials[0], left);
    let mut record = test_support::record(&trials[0], test_support::load(2, 100.0));
    if let TrialEnd::Completed(outcome) = &mut record.end {
        let load = outcome.load.as_mut().unwrap();
        load.client.receive_delay =
            Some(model::ReceiveDelay { replies: 9, p50_ms: 1.0, p99_ms: 2.0, max_ms: 3.0 });
        load.errors = vec![model::ErrorCount {
            class: model::ErrorClass::Conflict,
            code: "1213".to_owned(),
            sql_state: String::new(),
            message: String::new(),
            count: 7,
            remedy: String::new(),
        }];
        outcome.figures.push(model::Figure::measured(model::Metric::Elapsed, 12.5, 0.1));
    }
    state.trial_ended(Ended::from_record(&record), left);
    let mut trial = trials[1].clone();
    trial.key.level.rate = Some(500);
    state.trial_started(&trial, left);
    state.second(trial.position, &second(Phase::Warmup, 50));
    state.second(trial.position, &second(Phase::Measure, 100));
    let usage = ProcessUsage { cpus: 1.5, rss_bytes: 1 << 20, ..ProcessUsage::default() };
    state.sampled(Sample {
        cpu: CpuShares { user: 0.5, idle: 0.5, ..CpuShares::default() },
        disks: vec![DiskRates {
            device: "sda".to_owned(),
            utilisation: 0.25,
            ..DiskRates::default()
        }],
        server: Some(usage),
        client: usage,
        ..Sample::default()
    });
    state
}

#[test]
fn what_a_run_does_is_told_and_every_family_is_read_strictly() {
    let now = Instant::now();
    let mut state = full(now);
    let later = now + Duration::from_secs(20);
    let read = exposed(&state, later);
    for head in ALL {
        let family = read.0.get(head.name).unwrap_or_else(|| panic!("{} has no figure", head.name));
        assert_eq!(family.unit, head.unit);
        for (labels, _) in &family.samples {
            assert!(labels.keys().cloned().eq(sorted(head.labels)), "{}: {labels:?}", head.name);
        }
        assert!(
            !head.help.contains(['"', '\\', '\n']) && head.help.ends_with('.'),
            "{}",
            head.name
        );
    }
    assert_eq!(read.0.len(), ALL.len());
    let run = &read.samples("weighin_run")[0].0;
    assert!(run["study"].contains("\"study\"") && !run["study"].contains('\n'), "{run:?}");
    assert_eq!(read.value("weighin_run_left_seconds", &[]), Some(40.0));
    assert_eq!(read.value("weighin_run_started_timestamp_seconds", &[]), Some(1.5));
    assert_eq!(read.value("weighin_run_phase", &[("phase", "trial")]), Some(1.0));
    let measured = [("phase", "measure")];
    assert_eq!(read.value("weighin_throughput_per_second", &measured), Some(50.0));
    assert_eq!(read.value("weighin_statements_per_second", &measured), Some(1_000.0));
    assert_eq!(read.value("weighin_errors_per_second", &measured), Some(2.0));
    assert_eq!(read.value("weighin_transactions", &[("phase", "warmup")]), Some(50.0));
    assert_eq!(read.value("weighin_transactions", &measured), Some(100.0));
    assert_eq!(read.value("weighin_trial_offered_per_second", &[]), Some(500.0));
    assert_eq!(read.value("weighin_trial_elapsed_seconds", &[]), Some(3.0));
    let p95 = read.value("weighin_latency_seconds", &[("percentile", "95")]).unwrap();
    assert!((0.094..0.097).contains(&p95), "{p95}");
    assert_eq!(read.value("weighin_errors", &[("class", "conflict")]), Some(7.0));
    assert_eq!(read.value("weighin_trials", &[("verdict", "unjudged")]), Some(1.0));
    assert_eq!(read.value("weighin_trials_ended", &[("end", "completed")]), Some(1.0));
    assert_eq!(read.value("weighin_process_cpus", &[("process", "server")]), Some(1.5));

    // Somebody looks at the trials, one fails, the user pauses, and what is of a trial alone goes.
    let verdicts = BTreeMap::from([(1, Verdict::Suspect)]);
    state.judged(verdicts, &[Severity::Severe, Severity::Warning, Severity::Warning]);
    let mut record = test_support::record(&trials()[1], test_support::load(2, 100.0));
    record.end = TrialEnd::Failed(Failure::new(FailureKind::Other, "it broke", ""));
    let left = TimeLeft::new(Duration::ZERO, now);
    state.trial_ended(Ended::from_record(&record), left);
    state.sampled(Sample::default());
    state.paused(Some(now), now);
    let read = exposed(&state, later);
    assert_eq!(read.value("weighin_trials", &[("verdict", "suspect")]), Some(1.0));
    assert_eq!(read.value("weighin_trials", &[("verdict", "failed")]), Some(1.0));
    assert_eq!(read.value("weighin_trials", &[("verdict", "unjudged")]), Some(0.0));
    assert_eq!(read.value("weighin_findings", &[("severity", "warning")]), Some(2.0));
    assert_eq!(read.value("weighin_run_phase", &[("phase", "paused")]), Some(1.0));
    assert_eq!(read.value("weighin_run_paused_seconds", &[]), Some(20.0));
    for gone in ["weighin_trial_running", "weighin_latency_seconds", "weighin_host_cpu_ratio"] {
        assert!(read.samples(gone).is_empty(), "{gone}");
    }
    assert_eq!(read.value("weighin_transactions", &measured), Some(100.0));
    state.paused(None, later);
    let read = exposed(&state, later + Duration::from_secs(5));
    assert_eq!(read.value("weighin_run_paused_seconds", &[]), Some(20.0));
    assert_eq!(read.value("weighin_run_phase", &[("phase", "between")]), Some(1.0));
}

fn sorted(labels: &[&str]) -> Vec<String> {
    let mut labels: Vec<String> = labels.iter().map(|label| (*label).to_owned()).collect();
    labels.sort();
    labels
}

#[test]
fn a_run_that_begins_has_no_trial() {
    let now = Instant::now();
    let read = exposed(&state(now), now);
    assert_eq!(read.value("weighin_run_phase", &[("phase", "preparing")]), Some(1.0));
    assert_eq!(read.value("weighin_trials_planned", &[]), Some(8.0));
    assert!(read.samples("weighin_trial_running").is_empty());
}

/// Every string of a JSON value under one of some keys.
fn strings<'v>(value: &'v Value, keys: &[&str], found: &mut Vec<&'v str>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| strings(value, keys, found)),
        Value::Object(fields) => {
            for (key, value) in fields {
                match value {
                    Value::String(text) if keys.contains(&key.as_str()) => found.push(text),
                    _ => strings(value, keys, found),
                }
            }
        }
        _ => {}
    }
}

/// The metrics that an expression names, each with the labels in the braces behind it.
fn named(expression: &str) -> Vec<(String, Vec<String>)> {
    let mut named = Vec::new();
    let mut rest = expression;
    while let Some(at) = rest.find("weighin_") {
        let end = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        let (name, after) = rest[at..].split_at(rest[at..].find(end).unwrap_or(rest.len() - at));
        let braces = after.strip_prefix('{').and_then(|after| after.split_once('}'));
        let labels = braces.map_or("", |(labels, _)| labels).split(", ");
        let labels = labels
            .filter_map(|label| label.split_once(['=', '!']))
            .map(|(name, _)| name.to_owned());
        named.push((name.to_owned(), labels.collect()));
        rest = after;
    }
    named
}

#[test]
fn the_dashboard_names_what_is_exported_and_nothing_else() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/grafana/weighin.json");
    let dashboard: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let head = |sample: &str| ALL.iter().find(|head| head.sample_name() == sample);
    // What Prometheus adds to everything.
    let has = |labels: &[&str], label: &str| labels.contains(&label) || label == "instance";
    let mut expressions = Vec::new();
    strings(&dashboard, &["expr", "query", "definition"], &mut expressions);
    let all = expressions.iter().flat_map(|expression| named(expression));
    let mut count = 0;
    for (metric, labels) in all {
        let head = head(&metric).unwrap_or_else(|| panic!("{metric} is not exported"));
        for label in labels {
            assert!(has(head.labels, &label), "{metric} has no label {label}");
        }
        count += 1;
    }
    assert!(count > 20, "{count}");
    for target in dashboard["panels"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|panel| panel["targets"].as_array().unwrap())
    {
        let (expression, legend) =
            (target["expr"].as_str().unwrap(), target["legendFormat"].as_str().unwrap());
        let metrics = named(expression);
        let head = head(&metrics[0].0).unwrap();
        for label in legend.split("{{").skip(1).filter_map(|rest| rest.split("}}").next()) {
            assert!(has(head.labels, label), "the legend of {expression} has {label}");
        }
        let by = expression.split_once("by (").and_then(|(_, rest)| rest.split_once(')'));
        for label in by.iter().flat_map(|(labels, _)| labels.split(", ")) {
            assert!(has(head.labels, label), "{expression}: {label}");
        }
    }
    for query in dashboard["templating"]["list"].as_array().unwrap() {
        let definition = query["definition"].as_str().unwrap_or_default();
        if let Some((metric, label)) = definition.strip_prefix("label_values(").and_then(|rest| {
            let (metric, label) = rest.strip_suffix(')')?.rsplit_once(", ")?;
            Some((named(metric)[0].0.clone(), label))
        }) {
            assert!(has(head(&metric).unwrap().labels, label), "{definition}");
        }
    }
}

#[test]
fn the_document_lists_what_is_exported() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/metrics.md");
    let document = std::fs::read_to_string(path).unwrap();
    for head in ALL {
        assert!(document.contains(&format!("`{}`", head.sample_name())), "{}", head.sample_name());
    }
    for (metric, _) in document.split('`').skip(1).step_by(2).flat_map(named) {
        assert!(ALL.iter().any(|head| head.sample_name() == metric), "{metric} is not exported");
    }
}
