//! What a failover did to writes, and whether the probe could tell.

use super::CheckResult;
use findings::{
    InterventionFailed, NoWriteLost, PauseBefore, RateNotBack, WritesDiverged, WritesLost,
};
use model::{ActResult, Figure, FigureValue, Metric, Outcome, TrialRecord};

/// A pause before that is this share of the downtime makes the trial suspect.
const NOTABLE_PAUSE: f64 = 0.5;

/// Whatever a trial with these figures says of itself; nothing of other tasks.
pub(super) fn results(record: &TrialRecord) -> Vec<CheckResult> {
    let Some(outcome) = record.outcome() else { return Vec::new() };
    let Some(lost) = count(outcome, Metric::LostWrites) else { return Vec::new() };
    let number = |name: &str| outcome.number(name).map(|number| number.value);
    let acknowledged = number("acknowledged writes").unwrap_or_default() as u64;
    let mut results = Vec::new();
    if lost > 0 {
        let elsewhere = number("lost writes that another server has").map(|n| n as u64);
        let ids = outcome.figure("ids of lost writes").map(text).unwrap_or_default();
        results.push(CheckResult::valid(WritesLost { lost, acknowledged, elsewhere, ids }));
    } else {
        let unacknowledged = count(outcome, Metric::UnacknowledgedWrites).unwrap_or_default();
        results.push(CheckResult::valid(NoWriteLost { acknowledged, unacknowledged }));
    }
    if let Some(writes @ 1..) = number("writes on another server only").map(|n| n as u64) {
        results.push(CheckResult::valid(WritesDiverged { writes }));
    }
    if outcome.metric(Metric::RateBack).is_none() {
        results.push(CheckResult::valid(RateNotBack));
    }
    let downtime = outcome.metric(Metric::Downtime).map(|downtime| downtime.value);
    if let Some((seconds, downtime)) = number("longest pause before").zip(downtime)
        && seconds >= NOTABLE_PAUSE * downtime
    {
        results.push(CheckResult::suspect(PauseBefore { seconds, downtime }));
    }
    let failed = record.interventions().filter(|mark| mark.result == Some(ActResult::Failed));
    results.extend(failed.map(|mark| {
        let message = mark.note.clone().unwrap_or_default();
        CheckResult::suspect(InterventionFailed { intervention: mark.name.clone(), message })
    }));
    results
}

fn count(outcome: &Outcome, metric: Metric) -> Option<u64> {
    outcome.metric(metric).map(|number| number.value as u64)
}

fn text(figure: &Figure) -> String {
    match &figure.value {
        FigureValue::Text(text) => text.clone(),
        FigureValue::Number(number) => number.value.to_string(),
    }
}
