//! What `weighin load --slo` prints, and what a run says of its searches while it goes on.

use crate::checks::Checks;
use crate::exit::CliError;
use crate::load_output::LoadOutput;
use campaign::{Goal, Searched};
use model::{Bound, Search, SearchOver, SearchStep, StepVerdict, UnitName, Workload};
use report::numbers::{figure, percent};
use report::words::searched_load;
use serde::Serialize;

/// Share of the processors that others take on any machine.
const NOTICED_OTHERS: f64 = 0.05;
/// Version of the JSON below; raised when a field changes its meaning or goes away.
const FORMAT: u32 = 1;

/// One search, for programs. Described in docs/load-json.md.
#[derive(Debug, Serialize)]
pub(crate) struct SearchOutput<'a> {
    format: u32,
    search: &'static str,
    #[serde(flatten)]
    bound: Bound,
    capacity: Option<f64>,
    met: Option<f64>,
    missed: Option<f64>,
    middle: Option<f64>,
    steps: Vec<StepOutput>,
    load: LoadOutput<'a>,
}

#[derive(Debug, Serialize)]
struct StepOutput {
    load: f64,
    achieved: f64,
    figure_ms: Option<f64>,
    cpu_busy: Option<f64>,
    cpu_others: Option<f64>,
    lag_ms: Option<f64>,
    repeated: bool,
    verdict: StepVerdict,
    measured_seconds: f64,
}

impl<'a> SearchOutput<'a> {
    pub(crate) fn new(found: &'a Searched, workload: &Workload, checks: &'a Checks) -> Self {
        let search = &found.search;
        let step = |step: &SearchStep| StepOutput {
            load: step.load,
            achieved: step.achieved,
            figure_ms: step.figure_ms,
            cpu_busy: step.cpu_busy,
            cpu_others: step.cpu_others,
            lag_ms: step.lag_ms,
            repeated: step.repeated,
            verdict: step.verdict,
            measured_seconds: step.measured.as_secs_f64(),
        };
        Self {
            format: FORMAT,
            search: search.over.name(),
            bound: search.bound,
            capacity: search.capacity,
            met: search.answer.met,
            missed: search.answer.missed,
            middle: search.answer.middle(search.over).map(|(middle, _)| middle),
            steps: search.steps.iter().map(step).collect(),
            load: LoadOutput::new(&found.measured, workload, &[]).with_checks(checks),
        }
    }

    /// As JSON, with a line feed at the end.
    pub(crate) fn json(&self) -> Result<String, CliError> {
        serde_json::to_string_pretty(self).map(|text| text + "\n").map_err(|error| {
            CliError::unavailable(format!("cannot write the result as JSON: {error}"), "")
        })
    }
}

/// What is searched for: `oltp_read_only, 1 × 1,000 rows: highest rate with p95 < 20 ms, …`.
pub(crate) fn headline(workload: &str, clients: u32, goal: &Goal) -> String {
    let sought = match goal.over {
        SearchOver::Rate => format!("highest rate with {}, {clients} connections", goal.bound),
        SearchOver::Clients => format!("most clients with {}, up to {clients}", goal.bound),
    };
    format!("{workload}: {sought}")
}

/// What a closed loop did before the first step; `counted` is what throughput counts.
pub(crate) fn capacity_line(rate: f64, counted: UnitName) -> String {
    format!("a closed loop does {} {counted}/s", figure(rate))
}

/// A step: `830 transactions/s: p95 12.3 ms, met`.
pub(crate) fn step_line(
    step: &SearchStep,
    over: SearchOver,
    bound: &Bound,
    counted: UnitName,
) -> String {
    let verdict = match step.verdict {
        StepVerdict::Met => "met".to_owned(),
        StepVerdict::Missed => "missed".to_owned(),
        StepVerdict::TooBusy => busy(step),
        StepVerdict::Disturbed => format!("{}: not the load's doing", busy(step)),
        StepVerdict::Lagging => {
            format!("replicas {} ms behind", step.lag_ms.map_or(String::new(), figure))
        }
        StepVerdict::FellBehind if over == SearchOver::Clients => "too few succeeded".to_owned(),
        StepVerdict::FellBehind => format!("fell behind with {}/s", figure(step.achieved)),
    };
    let latency = match step.figure_ms {
        Some(ms) => format!("{} {} ms", bound.figure().name(), figure(ms)),
        None => format!("no {}", counted.one),
    };
    let again = if step.repeated { " by both runs together" } else { "" };
    format!("{}: {latency}, {verdict}{again}", searched_load(over, step.load, counted))
}

/// `processors 95 % busy, 70 % by other processes`.
fn busy(step: &SearchStep) -> String {
    let others = step.cpu_others.filter(|&share| share > NOTICED_OTHERS);
    let others = others.map(|share| format!(", {} by other processes", percent(share)));
    let busy = step.cpu_busy.map_or(String::new(), percent);
    format!("processors {busy} busy{}", others.unwrap_or_default())
}

/// What a search found.
pub(crate) fn answer_line(search: &Search, counted: UnitName) -> String {
    let bound = &search.bound;
    let load = |load| searched_load(search.over, load, counted);
    let achieved =
        search.over != SearchOver::Rate || search.what_ended_it() != Some(StepVerdict::FellBehind);
    let ended_at = search.answer.step_above(&search.steps);
    if let Some(step) = ended_at.filter(|step| step.verdict == StepVerdict::Disturbed) {
        let met = search.answer.met.map(|met| format!("{bound} is met at {}; ", load(met)));
        let (what, others) = (load(step.load), step.cpu_others.map_or(String::new(), percent));
        return format!(
            "{}whether {bound} is met at {what} is not known: other processes alone kept the \
             processors {others} busy",
            met.unwrap_or_default()
        );
    }
    match (search.answer.met, search.answer.missed) {
        (Some(met), Some(missed)) if !achieved => {
            format!("{bound} is met at {}; {} are not achieved", load(met), load(missed))
        }
        (Some(met), Some(missed)) => {
            format!("{bound} is met at {}, and not at {}", load(met), load(missed))
        }
        (None, Some(missed)) if !achieved => {
            format!("{bound}: {}, the lowest load tried, are not achieved", load(missed))
        }
        (Some(met), None) => format!("{bound} is met at {}, the highest tried", load(met)),
        (None, Some(missed)) => {
            format!("{bound} is not met even at {}, the lowest tried", load(missed))
        }
        (None, None) => format!("nothing is known about {bound}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{SearchAnswer, Slo};
    use serde_json::Value;
    use std::time::Duration;

    const PAGE: &str = include_str!("../../../docs/load-json.md");

    fn step(load: f64, verdict: StepVerdict) -> SearchStep {
        SearchStep {
            load,
            achieved: 812.0,
            figure_ms: Some(19.4),
            cpu_busy: None,
            cpu_others: None,
            lag_ms: None,
            repeated: true,
            verdict,
            measured: Duration::from_secs(5),
        }
    }

    #[test]
    fn the_page_describes_every_field_of_a_step_and_of_the_bound() {
        let part = PAGE.split_once("With `--slo`").unwrap().1;
        let fields = |value: Value, prefix: &str| -> Vec<String> {
            let fields = value.as_object().unwrap().keys().map(|key| format!("`{prefix}{key}`"));
            fields.collect()
        };
        let slo: Slo = "p95 < 20ms".parse().unwrap();
        let tried = step(800.0, StepVerdict::Met);
        let tried = StepOutput {
            load: tried.load,
            achieved: tried.achieved,
            figure_ms: tried.figure_ms,
            cpu_busy: tried.cpu_busy,
            cpu_others: tried.cpu_others,
            lag_ms: tried.lag_ms,
            repeated: tried.repeated,
            verdict: tried.verdict,
            measured_seconds: tried.measured.as_secs_f64(),
        };
        let steps = fields(serde_json::to_value(tried).unwrap(), "steps[].");
        for field in steps.into_iter().chain(fields(serde_json::to_value(slo).unwrap(), "slo.")) {
            assert!(part.contains(&field), "docs/load-json.md lacks {field}");
        }
    }

    #[test]
    fn lines_say_what_was_tried_and_what_was_found() {
        let bound = Bound::latency("p95 < 20ms".parse().unwrap());
        assert_eq!(
            step_line(
                &step(830.0, StepVerdict::Missed),
                SearchOver::Rate,
                &bound,
                UnitName::OPERATION
            ),
            "830 operations/s: p95 19.4 ms, missed by both runs together"
        );
        let said = |search: &Search| answer_line(search, UnitName::TRANSACTION);
        let mut search = Search {
            over: SearchOver::Clients,
            bound,
            capacity: None,
            steps: Vec::new(),
            answer: SearchAnswer { met: Some(1.0), missed: Some(2.0) },
        };
        assert_eq!(said(&search), "p95 < 20 ms is met at 1 client, and not at 2 clients");
        search.answer.missed = None;
        assert_eq!(said(&search), "p95 < 20 ms is met at 1 client, the highest tried");
        let fell_behind = Search {
            over: SearchOver::Rate,
            steps: vec![step(900.0, StepVerdict::FellBehind)],
            answer: SearchAnswer { met: Some(860.0), missed: Some(900.0) },
            ..search.clone()
        };
        assert_eq!(
            said(&fell_behind),
            "p95 < 20 ms is met at 860 transactions/s; 900 transactions/s are not achieved"
        );
        let disturbed = SearchStep {
            cpu_busy: Some(0.95),
            cpu_others: Some(0.7),
            ..step(95.0, StepVerdict::Disturbed)
        };
        let by_others = Search {
            over: SearchOver::Rate,
            bound: Bound { cpu_percent: Some(60), ..Bound::default() },
            steps: vec![disturbed],
            answer: SearchAnswer { met: None, missed: Some(95.0) },
            ..search.clone()
        };
        assert_eq!(
            said(&by_others),
            "whether processors at most 60 % busy is met at 95.0 transactions/s is not known: other \
             processes alone kept the processors 70\u{a0}% busy"
        );
        let line = step_line(&disturbed, SearchOver::Rate, &by_others.bound, UnitName::TRANSACTION);
        assert!(line.contains("processors 95\u{a0}% busy, 70\u{a0}% by other processes"), "{line}");
        search.answer = SearchAnswer { met: None, missed: Some(1.0) };
        assert_eq!(said(&search), "p95 < 20 ms is not met even at 1 client, the lowest tried");
    }
}
