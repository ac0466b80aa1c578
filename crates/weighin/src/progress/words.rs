//! What a run says while it goes on.

use super::observer::Standing;
use crate::slo_output::{answer_line, capacity_line, step_line};
use campaign::{Event, InstanceStep, SearchProgress, Wait};
use model::{Block, Interval, Level, Outcome, Phase, TrialEnd, TrialRecord, UnitName, text};
use report::numbers::{count, figure};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;
use system::Diagnostic;

/// Most characters of a server's version that are shown.
pub(crate) const LONGEST_VERSION: usize = 200;

/// What is done to a target from this event on, with the name of the target; nothing any more where that is
/// over.
pub(crate) fn activity<'a>(
    event: &Event<'a>,
    standing: &Standing,
) -> Option<(&'a str, Option<Cow<'static, str>>)> {
    Some(match *event {
        Event::Instance { target, step } => match step {
            InstanceStep::Said(_) => return None,
            InstanceStep::Up(_) => (target, Some("coming up".into())),
            InstanceStep::Down(_) => (target, Some("going down".into())),
            _ => (target, None),
        },
        Event::BringingUp { target } => (target, Some("bringing up".into())),
        Event::Checking { target, step } => {
            let (read, of) = (count(step.done), count(step.of));
            (target, Some(format!("{read} of {of} bytes checked").into()))
        }
        Event::Preparing { target, step } => {
            let (made, of) = (count(step.done), count(step.of));
            (target, Some(format!("{made} of {of} {} made", standing.made).into()))
        }
        Event::Checked { target, .. } | Event::Ready { target, .. } => (target, None),
        Event::Waiting { trial, wait } => {
            (trial.key.target.as_str(), Some(wait_words(wait).into()))
        }
        // What a trial that failed had to wait for is over too.
        Event::TrialEnded { record, .. } => (record.key.target.as_str(), None),
        _ => return None,
    })
}

/// What was found, and of which target.
pub(crate) fn diagnostic_line(diagnostic: &Diagnostic) -> String {
    let whose = diagnostic.target.iter().map(|target| format!("{target}: "));
    let whose: String = whose.collect();
    format!("{whose}{}", diagnostic.message)
}

/// What a search for the highest load has learned.
pub(crate) fn learned(progress: &SearchProgress<'_>, counted: UnitName) -> String {
    match progress {
        SearchProgress::Waiting(limit) => waiting(*limit),
        SearchProgress::Capacity(rate) => capacity_line(*rate, counted),
        SearchProgress::Step { goal, step } => step_line(step, goal.over, &goal.bound, counted),
    }
}

/// What a trial waits for.
pub(super) fn wait_words(wait: Wait) -> String {
    match wait {
        Wait::Answers(limit) => waiting(limit),
        Wait::Release => "failed; waiting for the end of what it has started".to_owned(),
    }
}

/// What a second of a load came to.
pub(super) fn rate_words(interval: &Interval, counted: UnitName) -> String {
    let rate = interval.transactions as f64 / interval.length.as_secs_f64().max(1e-9);
    let p95 = interval.latencies.unpack().percentile_ms(95.0);
    let warming = if interval.phase == Phase::Warmup { "warming up, " } else { "" };
    let latency = p95.map(|p95| format!(", p95 {} ms", figure(p95))).unwrap_or_default();
    format!("{warming}{} {counted}/s{latency}", figure(rate))
}

/// What a trial came to, or why it failed.
pub(crate) fn outcome(record: &TrialRecord, counted: UnitName) -> String {
    match &record.end {
        TrialEnd::Completed(outcome) => completed(record, outcome, counted),
        TrialEnd::Failed(failure) => text::indented(&failure.message, "  "),
    }
}

fn completed(record: &TrialRecord, outcome: &Outcome, counted: UnitName) -> String {
    let Some(load) = &outcome.load else {
        return match &outcome.source {
            Some(source) => format!("read from {}", text::line(&source.file)),
            None => outcome
                .took()
                .map_or("completed".to_owned(), |took| format!("{} s", figure(took.value))),
        };
    };
    if let Some(search) = &record.search {
        return answer_line(search, counted);
    }
    let rate = figure(load.measure.transactions_per_second());
    let p95 = match load.latencies.percentile_ms(95.0) {
        _ if load.is_overloaded() => ", overloaded".to_owned(),
        Some(p95) => format!(", p95 {} ms", figure(p95)),
        None => String::new(),
    };
    format!("{rate} {counted}/s{p95}")
}

/// What is done with an instance of a target, in a line.
pub(crate) fn instance_line(target: &str, step: InstanceStep<'_>) -> String {
    /// Characters of what others say.
    const LONGEST: usize = 500;
    let shown = |words: &[String]| text::excerpt(&words.join(" "), LONGEST).to_string();
    match step {
        InstanceStep::Up(words) => format!("{target}: up: {}", shown(words)),
        InstanceStep::Down(words) => format!("{target}: down: {}", shown(words)),
        InstanceStep::Said(line) => format!("{target}: | {}", text::excerpt(line, LONGEST)),
        InstanceStep::IsUp(instance) => {
            let labels = instance.labels.iter().map(|(name, value)| format!(", {name} = {value}"));
            let labels: String = labels.collect();
            let at = instance.endpoint.as_deref().unwrap_or_default();
            format!("{target}: is up at {}", text::excerpt(&format!("{at}{labels}"), LONGEST))
        }
        InstanceStep::IsDown => format!("{target}: is down"),
        InstanceStep::Failed(failure) => {
            let remedy = match failure.remedy.as_str() {
                "" => String::new(),
                remedy => format!("\n  = help: {remedy}"),
            };
            format!("warning: {target}: its trials fail: {failure}{remedy}")
        }
        InstanceStep::IsLeft(failure) => format!(
            "warning: {target} may still be there, and cost: {failure}\n  = help: take it down by hand"
        ),
    }
}

/// That what is under way is waited for.
pub(crate) fn waiting(limit: Duration) -> String {
    let seconds = limit.as_secs();
    format!("the time of the load is over; waiting up to {seconds} s for what is still under way")
}

/// The levels of a block that tests placed.
pub(super) fn placed(block: &Block) -> String {
    let mut tests: BTreeMap<&str, BTreeSet<Level>> = BTreeMap::new();
    for trial in &block.trials {
        tests.entry(&trial.key.test).or_default().insert(trial.key.level);
    }
    let of_test = |(test, levels): (&str, BTreeSet<Level>)| {
        let levels: Vec<String> = levels.iter().map(|level| level.clients.to_string()).collect();
        format!("{test} at {} clients", levels.join(", "))
    };
    let tests: Vec<String> = tests.into_iter().map(of_test).collect();
    format!("levels placed: {}", tests.join("; "))
}
