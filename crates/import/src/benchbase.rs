//! The summaries of BenchBase, which was OLTP-Bench.

use crate::figures::{self, Figures, percentile, problem};
use crate::json::{Json, documents, with_finite_numbers};
use crate::{Aspect, Format, ImportedTrial, Knob, Parsed, Source};
use model::{Failure, FailureKind, Level, Outcome, TrialEnd, UnixMillis};

/// The `*.summary.json` that BenchBase writes for each run.
#[derive(Clone, Copy, Debug)]
pub struct BenchBase;

const LATENCIES: &str = "Latency Distribution";
const THROUGHPUT: &str = "Throughput (requests/second)";
/// How a run ends that could not go on.
const ERROR: &str = "ERROR";

impl Format for BenchBase {
    fn name(&self) -> &'static str {
        "benchbase"
    }

    fn description(&self) -> &'static str {
        "BenchBase's summary.json"
    }

    fn recognises(&self, text: &str) -> bool {
        [LATENCIES, THROUGHPUT].iter().all(|name| text.contains(&format!("\"{name}\"")))
    }

    fn parse(&self, source: Source<'_>) -> Parsed {
        let mut parsed = Parsed::default();
        let text = with_finite_numbers(source.text);
        for document in documents(&text, source.budget) {
            match document {
                Ok((line, json)) => match trial(&source, json) {
                    Some(trial) => parsed.trials.push(trial),
                    None => {
                        let message = format!("the document has no «{THROUGHPUT}»");
                        parsed.problems.push(problem(&source, line, message));
                    }
                },
                Err((line, message)) => parsed.problems.push(problem(&source, line, message)),
            }
        }
        parsed
    }
}

fn trial(source: &Source<'_>, json: Json<'_>) -> Option<ImportedTrial> {
    let members = json.members();
    let number = |name: &str| members.get(name).and_then(|json| json.number());
    let text = |name: &str| members.get(name).and_then(|json| json.text());
    let mut figures = Figures::default();
    figures.number("requests_per_s", number(THROUGHPUT)?, "1/s", 0);
    for (name, metric, unit) in [
        // Of transactions that were neither aborted nor failed.
        ("Goodput (requests/second)", "transactions_per_s", "1/s"),
        ("Measured Requests", "requests", ""),
        ("Elapsed Time (nanoseconds)", "elapsed", "ns"),
    ] {
        if let Some(mut number) = number(name) {
            if unit.is_empty() {
                number.resolution = 0.0;
            }
            figures.number(metric, number, unit, 0);
        }
    }
    for (name, json) in members.get(LATENCIES)?.members() {
        let metric = match name.split_whitespace().next() {
            Some("Minimum") => "latency_min".to_owned(),
            Some("Average") => "latency_avg".to_owned(),
            Some("Maximum") => "latency_max".to_owned(),
            Some("Median") => percentile(50.0),
            Some(rank) => match rank.strip_suffix("th").and_then(|rank| rank.parse().ok()) {
                Some(rank) => percentile(rank),
                None => continue,
            },
            None => continue,
        };
        // It writes -1 where nothing was measured.
        if let Some(value) = json.number().filter(|value| value.value >= 0.0)
            && name.ends_with("(microseconds)")
        {
            figures.number(&metric, value, "us", 0);
        }
    }
    let terminals = text("terminals").and_then(|terminals| terminals.trim().parse().ok());
    let end = match text("Final State") {
        Some(state) if state == ERROR => {
            let reason = "BenchBase ended in the state ERROR";
            TrialEnd::Failed(Failure::new(FailureKind::Other, reason, ""))
        }
        _ => TrialEnd::Completed(Box::new(Outcome::printed(source.file, "BenchBase", figures.0))),
    };
    let level = terminals.map_or(Level::NONE, Level::clients);
    let mut trial = figures::trial(source, "benchbase", level, end);
    for (aspect, name, before) in [
        (Aspect::Work, "Benchmark Type", ""),
        (Aspect::Data, "scalefactor", "scale "),
        (Aspect::Statements, "isolation", ""),
    ] {
        if let Some(said) = text(name) {
            trial.load.push((aspect, format!("{before}{said}")));
        }
    }
    let scale = text("scalefactor").and_then(|scale| scale.parse().ok());
    trial.said.extend(scale.map(|scale| (Knob::Scale, scale)));
    let started = members.get("Start timestamp (milliseconds)").and_then(|json| json.whole());
    trial.started_at = started.map(UnixMillis);
    let now = members.get("Current Timestamp (milliseconds)").and_then(|json| json.whole());
    trial.finished_at = now.map(UnixMillis);
    Some(trial)
}
