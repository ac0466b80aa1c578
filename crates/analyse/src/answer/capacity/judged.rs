//! What a single cell says of a bound, and what neighbouring cells say of what lies between them.

use super::question::{Answer, Ground, Reason, Stage};
use crate::{Cell, ProfileStretch, TestAnalysis, TrialAssessment};
use findings::Validity;
use model::{Dataset, LatencyFigure, Level, Metric, Slo};
use stats::{Estimate, Interval};

/// An answer, why, and what it rests on.
pub(super) struct Judged {
    pub(super) answer: Answer,
    pub(super) reason: Reason,
    pub(super) grounds: Vec<Ground>,
}

impl Judged {
    pub(super) fn unknown(reason: Reason) -> Self {
        Self { answer: Answer::Unknown, reason, grounds: Vec::new() }
    }

    /// What one measurement says.
    pub(super) fn measured(ground: Ground) -> Self {
        let answer = ground.answer;
        let never_served = ground.stage.is_some_and(|stage| stage.never_served > 0);
        let reason = match answer {
            Answer::Unknown | Answer::No | Answer::NoMeasuredOnce if never_served => {
                Reason::FellBehind
            }
            Answer::Unknown if ground.stalled > 0 => Reason::Stalled,
            Answer::Unknown if ground.indebted > 0 => Reason::PutsOff,
            Answer::Unknown if ground.next.is_some() => Reason::NextMayNot,
            Answer::Unknown if ground.lost > 0 => Reason::TrialsLost,
            Answer::Unknown if ground.estimate.is_some() => Reason::Straddles,
            Answer::Unknown => Reason::NoFigure,
            _ => Reason::Measured,
        };
        Self { answer, reason, grounds: vec![ground] }
    }
}

/// What a figure with its interval says of a bound that it must not exceed, or must reach.
pub(super) fn decide(estimate: &Estimate, meets: impl Fn(f64) -> bool) -> Answer {
    match estimate.interval {
        Some(interval) => match (meets(interval.low), meets(interval.high)) {
            (true, true) => Answer::Yes,
            (false, false) => Answer::No,
            _ => Answer::Unknown,
        },
        None if estimate.n == 1 => Answer::from_measured(meets(estimate.point), true),
        None => Answer::Unknown,
    }
}

/// A cell's latency against a bound.
pub(super) fn latency(cell: &Cell, slo: &Slo) -> Ground {
    let metric = match slo.figure {
        LatencyFigure::Mean => Some(Metric::LatencyMean),
        LatencyFigure::P50 => Some(Metric::LatencyP50),
        LatencyFigure::P95 => Some(Metric::LatencyP95),
        LatencyFigure::P99 => Some(Metric::LatencyP99),
        // No estimate is made of these.
        LatencyFigure::P999 | LatencyFigure::Max => None,
    };
    let estimate = metric.and_then(|metric| cell.estimate(metric));
    let next = metric.and_then(|metric| cell.next.get(&metric)).copied();
    bounded(cell, (metric, estimate, next), slo)
}

/// A latency of a cell's trials, with where that of one further trial would lie, against a bound.
fn bounded(
    cell: &Cell,
    (metric, estimate, next): (Option<Metric>, Option<Estimate>, Option<Interval>),
    slo: &Slo,
) -> Ground {
    let meets = |value: f64| slo.is_met_by(value);
    let answer = estimate.map_or(Answer::Unknown, |e| decide(&e, meets));
    // Who asks wants the bound to be met when the load comes, not by the median of many such loads.
    let ground = match next.filter(|next| answer == Answer::Yes && !meets(next.high)) {
        Some(next) => {
            Ground { next: Some(next), ..ground(cell, metric, estimate, Answer::Unknown) }
        }
        None => ground(cell, metric, estimate, answer),
    };
    ground.unless_indebted(cell.indebted)
}

/// Whether a stage of a load profile was served: at the latest by its last quarter.
pub(super) fn stage_served(cell: &Cell, stretch: &ProfileStretch) -> Ground {
    let stage = Stage::from_stretch(stretch);
    let trials = stretch.served_after_seconds.len();
    let answer = match stage.never_served {
        0 => Answer::from_measured(true, trials == 1),
        all if all == trials => Answer::from_measured(false, trials == 1),
        _ => Answer::Unknown,
    };
    let ground = ground(cell, Some(Metric::Throughput), stretch.served, answer);
    Ground { stage: Some(stage), ..ground.unless_indebted(cell.indebted) }
}

/// The latency of a stage of a load profile, from its first moment on, against a bound; of one that was not
/// served there is none to judge.
pub(super) fn stage_latency(cell: &Cell, stretch: &ProfileStretch, slo: &Slo) -> Ground {
    let served = stage_served(cell, stretch);
    if served.stage.is_some_and(|stage| stage.never_served > 0) {
        return served;
    }
    let [next_p95, next_p99] = stretch.next_ms;
    let figure = match slo.figure {
        LatencyFigure::P95 => (Some(Metric::LatencyP95), stretch.p95_ms, next_p95),
        LatencyFigure::P99 => (Some(Metric::LatencyP99), stretch.p99_ms, next_p99),
        // No estimate is made of these for a stage.
        _ => (None, None, None),
    };
    Ground { stage: served.stage, ..bounded(cell, figure, slo) }
}

/// A cell's throughput against a rate.
pub(super) fn throughput(cell: &Cell, rate: f64) -> Ground {
    let estimate = cell.estimate(Metric::Throughput);
    let answer = estimate.map_or(Answer::Unknown, |e| decide(&e, |value| value >= rate));
    // What did not last would have met it.
    let ended = cell.burst.as_ref().filter(|burst| burst.burst >= rate && !answer.is_yes());
    let burst = ended.cloned();
    let ground = Ground { burst, ..ground(cell, Some(Metric::Throughput), estimate, answer) };
    ground.unless_indebted(cell.indebted)
}

/// Whether a cell's trials kept up with the rate that they were offered.
pub(super) fn kept_up(cell: &Cell) -> Ground {
    let counted = repeats(cell).len();
    let answer = match cell.overloaded {
        _ if counted == 0 || cell.estimate(Metric::Throughput).is_none() => Answer::Unknown,
        0 => Answer::from_measured(true, counted == 1),
        all if all == counted => Answer::from_measured(false, counted == 1),
        _ => Answer::Unknown,
    };
    ground(cell, Some(Metric::Throughput), cell.estimate(Metric::Throughput), answer)
        .unless_indebted(cell.indebted)
}

/// Whether a cell's clients were served at all: no trial failed, or every one did. One that the user
/// skipped says neither.
pub(super) fn served(dataset: &Dataset, cell: &Cell) -> Ground {
    let records = || cell.trials.iter().filter_map(|trial| dataset.trials.get(trial.record));
    let failures = records().filter(|record| record.is_lost()).count();
    let skipped = records().filter(|record| record.has_failed()).count() - failures;
    let counted = repeats(cell).len();
    let answer = match failures {
        n if n > 0 && n + skipped == cell.trials.len() => Answer::from_measured(false, n == 1),
        _ if counted > 0 => Answer::from_measured(true, counted == 1),
        _ => Answer::Unknown,
    };
    let figure = cell.estimate(Metric::Throughput).map(|_| Metric::Throughput);
    ground(cell, figure, cell.estimate(Metric::Throughput), answer)
}

fn ground(
    cell: &Cell,
    figure: Option<Metric>,
    estimate: Option<Estimate>,
    answer: Answer,
) -> Ground {
    let ground = Ground::from_trials(cell.level, estimate, answer, &cell.trials, repeats(cell));
    Ground { figure, ..ground }.unless_lost(cell.lost).unless_stalled(cell.stalled)
}

impl Ground {
    /// What those of these trials that count say by themselves, of no figure but the load's own.
    pub(super) fn from_trials<'a>(
        level: Level,
        estimate: Option<Estimate>,
        answer: Answer,
        trials: impl IntoIterator<Item = &'a TrialAssessment>,
        repeats: Vec<u32>,
    ) -> Self {
        let suspect = |trial: &&TrialAssessment| trial.validity == Validity::Suspect;
        Self {
            level,
            figure: None,
            estimate,
            answer,
            next: None,
            repeats,
            suspect: trials.into_iter().filter(suspect).count(),
            lost: 0,
            stalled: 0,
            indebted: 0,
            burst: None,
            stage: None,
        }
    }

    /// What trials that count say does not hold where others were lost: who asks wants the load borne
    /// each time that it comes.
    pub(super) fn unless_lost(self, lost: usize) -> Self {
        match self.answer.is_yes() && lost > 0 {
            true => Self { answer: Answer::Unknown, lost, ..self },
            false => self,
        }
    }

    /// The same where the target put off more and more work in some of the trials that count: that a load
    /// was borne then does not say that it goes on to be.
    pub(super) fn unless_indebted(self, indebted: usize) -> Self {
        match self.answer.is_yes() && indebted > 0 {
            true => Self { answer: Answer::Unknown, indebted, ..self },
            false => self,
        }
    }

    /// The same where nothing succeeded in some of the trials that count.
    fn unless_stalled(self, stalled: usize) -> Self {
        match !self.answer.is_no() && stalled > 0 {
            true => Self { answer: Answer::Unknown, stalled, ..self },
            false => self,
        }
    }
}

fn repeats(cell: &Cell) -> Vec<u32> {
    let counted = cell.trials.iter().filter(|trial| trial.validity != Validity::Void);
    counted.map(|trial| trial.repeat).collect()
}

/// Along which the levels of a test are ordered.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    Clients,
    Rate,
}

/// The cells of a target with their place on an axis, ascending.
pub(super) fn along<'a>(test: &'a TestAnalysis, target: &str, axis: Axis) -> Vec<(f64, &'a Cell)> {
    let of_target = test.cells.iter().filter(|cell| cell.target == target && !cell.never_started());
    let mut placed: Vec<(f64, &Cell)> = of_target
        .filter_map(|cell| {
            let place = match axis {
                Axis::Clients => Some(cell.level.clients).filter(|clients| *clients > 0),
                Axis::Rate => cell.level.rate,
            };
            Some((f64::from(place?), cell))
        })
        .collect();
    placed.sort_by(|a, b| a.0.total_cmp(&b.0));
    placed
}

/// What cells say of a load: the one that has exactly this, or else its two neighbours where they
/// agree. Latency and throughput are taken as monotone between neighbours, and nothing is taken of
/// what lies beyond all of them.
pub(super) fn at(cells: &[(f64, &Cell)], load: f64, judge: impl Fn(&Cell) -> Ground) -> Judged {
    let exact = cells.iter().find(|(place, _)| *place == load);
    if let Some((_, cell)) = exact {
        return Judged::measured(judge(cell));
    }
    let below = cells.iter().rev().find(|(place, _)| *place < load);
    let above = cells.iter().find(|(place, _)| *place > load);
    let grounds: Vec<Ground> =
        below.into_iter().chain(above).map(|(_, cell)| judge(cell)).collect();
    let [low, high] = grounds.as_slice() else {
        return Judged { answer: Answer::Unknown, reason: Reason::BeyondRange, grounds };
    };
    let answer = low.answer.both(high.answer);
    let reason = match answer {
        Answer::Unknown => Reason::NeighboursDiffer,
        _ => Reason::Between,
    };
    Judged { answer, reason, grounds }
}
