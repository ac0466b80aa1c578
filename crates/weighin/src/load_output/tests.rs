//! The page describes the JSON, and the text is what the figures say.

use super::*;
use model::{
    ArrivalProcess, ClientCost, CounterReading, Effect, ErrorClass, GeneratorShare, Interval,
    Latencies, Moved, NamedResult, OpenLoopResult, Phase, RequestCount, RequestCounts, RequestKind,
    Sampling,
};
use serde_json::Value;
use std::collections::BTreeSet;
use std::time::Duration;

const SELECT: RequestKind = RequestKind::counted("select", Effect::Read, "Com_select");
const GET: RequestKind = RequestKind::counted("get", Effect::Read, "cmdstat_get");
const SET: RequestKind = RequestKind::counted("set", Effect::Write, "cmdstat_set");

fn counted(kinds: &[(RequestKind, u64)]) -> RequestCounts {
    let count = |(kind, count): &(RequestKind, u64)| RequestCount {
        kind: kind.clone().into(),
        count: *count,
    };
    RequestCounts { kinds: kinds.iter().map(count).collect(), ..RequestCounts::default() }
}

const PAGE: &str = include_str!("../../../../docs/load-json.md");

/// A load in which everything happened, so that no array is empty.
fn measured() -> Measured {
    let mut latencies = Latencies::new();
    latencies.record(Duration::from_millis(2));
    let totals = PhaseTotals {
        elapsed: Duration::from_secs(1),
        transactions: 1,
        queries: 20,
        errors: 1,
        moved: Moved::default(),
        received_bytes: 300,
        sent_bytes: 100,
    };
    let interval = Interval {
        phase: Phase::Measure,
        start: Duration::ZERO,
        length: Duration::from_secs(1),
        transactions: 1,
        queries: 20,
        errors: 1,
        moved: Moved::default(),
        longest_statement: None,
        latencies: (&latencies).into(),
    };
    let error = ErrorCount {
        class: ErrorClass::Conflict,
        code: "1213".to_owned(),
        sql_state: "40001".to_owned(),
        message: "Deadlock found".to_owned(),
        count: 1,
        remedy: String::new(),
    };
    let reading = |selects| {
        let counters = [("Com_select".to_owned(), selects)].into();
        Some(CounterReading { at_seconds: 0.0, counters })
    };
    let load = LoadResult {
        settled: None,
        clients: 1,
        began_at: None,
        slices: Vec::new(),
        connect_time: Duration::from_millis(1),
        ledger: Ledger { scheduled: 2, ok: 1, failed: 1, ..Ledger::default() },
        warmup: PhaseTotals::default(),
        measure: totals,
        drain: PhaseTotals::default(),
        latencies: latencies.clone(),
        waits: Latencies::new(),
        idle_losses: 0,
        intervals: vec![interval],
        errors: vec![error],
        requests: counted(&[(SELECT, 14)]),
        by_statement: vec![NamedResult {
            name: "point_select".to_owned(),
            latencies: latencies.clone(),
            ..NamedResult::default()
        }],
        by_transaction: Vec::new(),
        client: ClientCost {
            receive_delay: Some(ReceiveDelay::default()),
            workers_tried: Some(WorkersTried { few_per_second: 1.0, each_per_second: 2.0 }),
            ..ClientCost::default()
        },
        open: Some(Box::new(OpenLoopResult {
            rate: 100.0,
            process: ArrivalProcess::Poisson,
            scheduled: 2,
            answered: 1,
            service_times: Latencies::new(),
            schedule_lags: Latencies::new(),
            course: Vec::new(),
            max_waiting: 10,
            most_waiting: 1,
        })),
        outages: vec![Outage {
            first_error: Duration::from_secs(1),
            first_success: None,
            recovered: None,
            failed: 1,
        }],
        generators: vec![GeneratorShare {
            host: None,
            clients: 1,
            transactions: 1,
            queries: 14,
            errors: 1,
            latencies: (&latencies).into(),
            cpu_seconds: 0.5,
            peak_rss_bytes: 1_000_000,
            begun_late: Duration::from_micros(120),
        }],
        fleet: None,
        delay: None,
    };
    let sampling = Sampling { before: reading(100), after: reading(114), ..Sampling::default() };
    Measured { load, sampling, marks: Vec::new(), space: Default::default() }
}

/// The kind of workload that has the most fields.
fn workload() -> Workload {
    Workload::KeyValue(model::KeyValue::default())
}

fn oltp() -> Workload {
    Workload::Oltp(model::Oltp::preset(model::OltpMix::ReadWrite))
}

/// Paths of all fields, as the page writes them.
fn paths(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                let inner = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                if !field.is_array() {
                    found.insert(inner.clone());
                }
                // These have the members of latency_ms, as the page says.
                let nested = !path.is_empty() && name == "latency_ms";
                if nested || ["service_ms", "schedule_lag_ms"].contains(&name.as_str()) {
                    continue;
                }
                // All counters have the same fields.
                let inner = if path == "requests" { "requests.*" } else { &inner };
                paths(field, inner, found);
            }
        }
        Value::Array(items) => {
            let inner = format!("{path}[]");
            found.insert(inner.clone());
            items.iter().for_each(|item| paths(item, &inner, found));
        }
        _ => {}
    }
}

#[test]
fn the_page_describes_every_field_and_no_other() {
    let json = LoadOutput::new(&measured(), &workload(), &[90.0]).json().unwrap();
    let mut fields = BTreeSet::new();
    paths(&serde_json::from_str(&json).unwrap(), "", &mut fields);
    let quoted = |text: &str| -> BTreeSet<String> {
        text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    // What follows is about searches; `slo_output` has its fields.
    let page = PAGE.split("With `--slo`").next().unwrap();
    let described = quoted(page);
    let missing: Vec<&String> = fields.difference(&described).collect();
    assert!(missing.is_empty(), "docs/load-json.md lacks {missing:?}");
    let rows = page.lines().filter(|line| line.starts_with("| `"));
    let first_cells: String = rows.filter_map(|row| row.split('|').nth(1)).collect();
    let stale: Vec<String> = quoted(&first_cells).difference(&fields).cloned().collect();
    assert!(stale.is_empty(), "docs/load-json.md describes {stale:?}");
}

#[test]
fn agreement_is_over_what_the_server_could_tell() {
    let measured = measured();
    let output = LoadOutput::new(&measured, &oltp(), &[]);
    assert_eq!(output.agreement(), "yes: its counters grew by exactly 14 statements");
    let mut off = measured.clone();
    off.load.requests = counted(&[(SELECT, 13)]);
    let agreement = LoadOutput::new(&off, &oltp(), &[]).agreement();
    assert_eq!(agreement, "NO: Com_select grew by 14, and by weighin's account by 13");
    let mut unknown = measured.clone();
    unknown.sampling.after = None;
    let agreement = LoadOutput::new(&unknown, &oltp(), &[]).agreement();
    assert_eq!(agreement, "not known: its counters could not be read");
}

#[test]
fn of_keys_the_text_tells_operations_commands_and_the_hit_rate() {
    let mut measured = measured();
    measured.load.requests = RequestCounts { found: 6, ..counted(&[(GET, 8), (SET, 4)]) };
    let text = LoadOutput::new(&measured, &workload(), &[]).text("key_value");
    for part in ["operations", "commands", "hit rate       75\u{a0}%: 6 of 8 reads found their key"]
    {
        assert!(text.contains(part), "no {part:?} in:\n{text}");
    }
    assert!(!text.contains("transactions") && !text.contains("queries"), "{text}");
    measured.load.requests = counted(&[(GET, 0), (SET, 4)]);
    let text = LoadOutput::new(&measured, &workload(), &[]).text("key_value");
    assert!(text.contains("nothing was read"), "{text}");
}
