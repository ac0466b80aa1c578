//! What searches for the highest load under a bound say of a load and a bound that are asked about.

use super::judged::Judged;
use super::question::Candidate;
use super::question::{Answer, Ground, Reason};
use crate::{SearchAnalysis, TargetSearch};
use findings::SearchOutcome;
use model::{Level, SearchOver, Slo};
use stats::Estimate;

/// A load below all answers is borne under the bound of the search and every looser one; a load
/// above all of them breaks it and every tighter one. Where no bound is asked about, the first
/// alone holds.
pub(super) fn judged(
    found: &SearchAnalysis,
    candidate: &Candidate<'_>,
    asked: Option<&Slo>,
) -> Judged {
    let otherwise = || Judged::unknown(Reason::SearchedOtherwise { bound: found.bound });
    let levels = candidate.of_study.levels();
    let question = candidate.question;
    let (Some(&level), Some(load)) = (
        levels.first(),
        match found.over {
            SearchOver::Rate => question.rate,
            SearchOver::Clients => {
                question.clients.filter(|_| question.rate.is_none()).map(f64::from)
            }
        },
    ) else {
        return otherwise();
    };
    let other_connections =
        found.over == SearchOver::Rate && question.clients.is_some_and(|c| c != level.clients);
    if other_connections {
        return otherwise();
    }
    let target = found.targets.iter().find(|highest| highest.target == candidate.target);
    let Some(highest) = target else { return Judged::unknown(Reason::NoFigure) };
    let Some(answers) = Answers::from_search(highest) else {
        return Judged::unknown(Reason::NoFigure);
    };
    let met = found.bound.slo;
    let looser = asked.is_none_or(|asked| met.is_some_and(|met| covers(asked, &met)));
    // What broke a bound on latency, on processors or on lag may have broken any of them.
    let others = found.bound.cpu_percent.is_some() || found.bound.replica_lag_ms.is_some();
    let alone = met.filter(|_| !others);
    let tighter = asked.zip(alone).is_some_and(|(asked, met)| covers(&met, asked));
    let answer = if looser && answers.low.is_some_and(|low| load <= low) {
        Answer::from_measured(true, answers.once)
    } else if tighter && answers.high.is_some_and(|high| load > high) {
        Answer::from_measured(false, answers.once)
    } else {
        Answer::Unknown
    };
    let ground = ground(candidate, highest, level, &answers, answer);
    let reason = match ground.answer {
        Answer::Unknown if ground.lost > 0 => Reason::TrialsLost,
        Answer::Unknown if ground.indebted > 0 => Reason::PutsOff,
        Answer::Unknown if !(looser && tighter) => Reason::SearchedOtherwise { bound: found.bound },
        Answer::Unknown if answers.low.is_none() || answers.high.is_none() => Reason::BeyondRange,
        Answer::Unknown => Reason::Straddles,
        _ => Reason::Searched { bound: found.bound },
    };
    Judged { answer: ground.answer, reason, grounds: vec![ground] }
}

/// Between which loads the highest one lies.
struct Answers {
    low: Option<f64>,
    high: Option<f64>,
    estimate: Option<Estimate>,
    once: bool,
}

impl Answers {
    fn from_search(highest: &TargetSearch) -> Option<Self> {
        let once = highest.searches.len() == 1;
        match highest.outcome {
            SearchOutcome::Found { load, .. } => {
                let ends = load.interval.map(|interval| (interval.low, interval.high));
                // A single search still says between which two loads it ended.
                let only = || {
                    let [search] = highest.searches.as_slice() else { return None };
                    search.answer.met.zip(search.answer.missed)
                };
                let (low, high) = ends.or_else(only)?;
                // Who asks wants the bound to be met when the load comes, not in most repeats.
                let met = highest.searches.iter().filter_map(|search| search.answer.met);
                let low = met.fold(low, f64::min);
                Some(Self { low: Some(low), high: Some(high), estimate: Some(load), once })
            }
            SearchOutcome::AtLeast { load } => {
                Some(Self { low: Some(load), high: None, estimate: None, once })
            }
            SearchOutcome::Below { load } => {
                // At that load itself the bound was broken.
                Some(Self { low: None, high: Some(load.next_down()), estimate: None, once })
            }
            SearchOutcome::Disturbed { .. } | SearchOutcome::Unknown => None,
        }
    }
}

/// Whether what meets `inner` meets `outer` as well.
fn covers(outer: &Slo, inner: &Slo) -> bool {
    let closed = outer.inclusive || !inner.inclusive;
    outer.figure == inner.figure
        && (outer.bound_ms > inner.bound_ms || (outer.bound_ms == inner.bound_ms && closed))
}

fn ground(
    candidate: &Candidate<'_>,
    highest: &TargetSearch,
    level: Level,
    answers: &Answers,
    answer: Answer,
) -> Ground {
    let repeats: Vec<u32> = highest.searches.iter().map(|search| search.repeat).collect();
    let cells = || candidate.test.cells.iter().filter(|cell| cell.target == candidate.target);
    let trials = cells().flat_map(|cell| &cell.trials);
    Ground::from_trials(level, answers.estimate, answer, trials, repeats)
        .unless_lost(cells().map(|cell| cell.lost).sum())
        .unless_indebted(cells().map(|cell| cell.indebted).sum())
}
