use crate::{
    CrossCheckRecord, Failure, FailureKind, LoadResult, Mark, Outcome, Sampling, Search, TrialKey,
    UnixMillis,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// What happened in one trial. A trial that failed has a record too: a failure is a result.
///
/// What few trials have is boxed: a run may have a hundred thousand of them.
///
/// Its serialised form is the document of the trial in a results file. The fields that the plan has as
/// well are no part of that; what a trial does not have takes no room.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TrialRecord {
    /// Which trial of the plan.
    #[serde(skip)]
    pub key: TrialKey,
    /// Its place in the plan, from 1.
    #[serde(skip)]
    pub position: u32,
    /// The seed of its random streams.
    #[serde(skip)]
    pub seed: u64,
    /// When preparing for it began; 0 of imported results.
    #[serde(default, skip_serializing_if = "is_default")]
    pub started_at: UnixMillis,
    /// When it was over: that long after it began, whatever became of the clock meanwhile.
    #[serde(default, skip_serializing_if = "is_default")]
    pub finished_at: UnixMillis,
    /// By how many milliseconds the clock of the machine that leads was set in its course, forward
    /// where above 0; absent where it kept step with what passed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_jump_ms: Option<i64>,
    /// What came of it.
    pub end: TrialEnd,
    /// What was sampled while it ran.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sampling: Sampling,
    /// What another tool made of the same, where the test asks for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cross_check: Option<Box<CrossCheckRecord>>,
    /// The search for the highest load under a bound, where the test asks for it. What the trial
    /// ended with and what was sampled are of the step that gave the answer (see
    /// [`Search::deciding_step`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub search: Option<Box<Search>>,
    /// The trials of other targets that ran at the same time, where there were any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side_by_side: Option<SideBySide>,
}

/// Whether a field need not be written.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Trials of other targets that ran beside one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideBySide {
    /// Their positions.
    pub with: Vec<u32>,
    /// When the loads of all of them were to begin. How late the parts of each really began is in its
    /// load.
    pub began_at: UnixMillis,
}

/// How long these trials took, with what went before each; those that ran side by side together, and
/// no time between.
pub fn time_taken(records: &[TrialRecord]) -> Duration {
    let mut rounds: BTreeMap<u32, (UnixMillis, UnixMillis)> = BTreeMap::new();
    for record in records {
        let with = record.side_by_side.iter().flat_map(|others| others.with.iter().copied());
        let first = with.fold(record.position, u32::min);
        let own = (record.started_at, record.finished_at);
        let round = rounds.entry(first).or_insert(own);
        *round = (round.0.min(own.0), round.1.max(own.1));
    }
    let each = rounds.values().map(|(start, end)| end.since(*start));
    each.fold(Duration::ZERO, Duration::saturating_add)
}

/// What came of a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrialEnd {
    /// It ran to its end.
    Completed(Box<Outcome>),
    /// It did not.
    Failed(Failure),
}

impl TrialRecord {
    /// What came of it, if it completed.
    pub fn outcome(&self) -> Option<&Outcome> {
        match &self.end {
            TrialEnd::Completed(outcome) => Some(outcome),
            TrialEnd::Failed(_) => None,
        }
    }

    /// The outcome, where somebody else measured it.
    pub fn imported(&self) -> Option<&Outcome> {
        self.outcome().filter(|outcome| outcome.source.is_some())
    }

    /// What the load engine recorded, if the trial completed and had a load.
    pub fn load(&self) -> Option<&LoadResult> {
        self.outcome()?.load.as_deref()
    }

    /// The same, to be changed.
    pub fn load_mut(&mut self) -> Option<&mut LoadResult> {
        match &mut self.end {
            TrialEnd::Completed(outcome) => outcome.load.as_deref_mut(),
            TrialEnd::Failed(_) => None,
        }
    }

    /// The marks of interventions; none of a trial that failed.
    pub fn interventions(&self) -> impl Iterator<Item = &Mark> {
        let marks = self.outcome().map_or(&[][..], |outcome| &outcome.marks);
        marks.iter().filter(|mark| mark.result.is_some())
    }

    /// Whether the trial failed. That a server does not offer something is no failure.
    pub fn has_failed(&self) -> bool {
        self.failure().is_some_and(|failure| !failure.is_not_offered())
    }

    /// Whether something was lost with the trial: it failed, and nobody had asked for that.
    pub fn is_lost(&self) -> bool {
        self.has_failed()
            && self.failure().is_some_and(|failure| failure.kind != FailureKind::Skipped)
    }

    /// Why the trial has no outcome, if it has none: it failed, or the server does not offer what was
    /// asked for.
    pub fn failure(&self) -> Option<&Failure> {
        match &self.end {
            TrialEnd::Completed(_) => None,
            TrialEnd::Failed(failure) => Some(failure),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Level;

    fn record(position: u32, from: u64, until: u64, with: &[u32]) -> TrialRecord {
        let target = position.to_string();
        let key = TrialKey { target, test: "t".into(), level: Level::clients(1), repeat: 1 };
        let side_by_side = (!with.is_empty())
            .then(|| SideBySide { with: with.to_vec(), began_at: UnixMillis(from) });
        TrialRecord {
            key,
            position,
            seed: 1,
            started_at: UnixMillis(from),
            finished_at: UnixMillis(until),
            clock_jump_ms: None,
            end: TrialEnd::Failed(Failure::skipped()),
            sampling: Sampling::default(),
            cross_check: None,
            search: None,
            side_by_side,
        }
    }

    #[test]
    fn trials_side_by_side_take_their_time_once() {
        let alone = [record(1, 0, 1_000, &[]), record(2, 9_000, 11_000, &[])];
        assert_eq!(time_taken(&alone), Duration::from_secs(3));
        // The first and the last of three, and one by itself.
        let beside = [
            record(1, 0, 4_000, &[2, 3]),
            record(2, 100, 5_000, &[1, 3]),
            record(3, 200, 3_000, &[1, 2]),
            record(4, 6_000, 7_000, &[]),
        ];
        assert_eq!(time_taken(&beside), Duration::from_secs(6));
    }
}
