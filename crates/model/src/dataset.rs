use crate::{HostFacts, Plan, ServerFacts, Study, TrialKey, TrialRecord, UnixMillis};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;

/// Everything that is known of one run of a study: what a report is made from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dataset {
    /// What was asked.
    pub study: Study,
    /// When and with what.
    pub run: RunInfo,
    /// The order in which it was to be done.
    pub plan: Plan,
    /// Each target as observed; a target that was never reached is missing.
    pub targets: Vec<TargetFacts>,
    /// What was done, in the order of the plan; trials not yet run are missing.
    pub trials: Vec<TrialRecord>,
}

/// When a run was made, and with what.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunInfo {
    /// Number in the store, from 1.
    pub id: i64,
    /// When it was first started.
    pub started_at: UnixMillis,
    /// Version of weighin.
    pub weighin_version: String,
    /// The host that weighin ran on.
    pub host: HostFacts,
    /// What every warm-up and duration of the study was multiplied by (`--scale`); 1 unless asked.
    pub scale: f64,
}

/// A target as observed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetFacts {
    /// Its name in the study.
    pub target: String,
    /// What the server said of itself.
    pub server: ServerFacts,
}

impl Dataset {
    /// The trials that the plan has and that have no record yet.
    pub fn missing(&self) -> impl Iterator<Item = &TrialKey> {
        let there: HashSet<&TrialKey> = self.trials.iter().map(|record| &record.key).collect();
        self.plan.trials().map(|trial| &trial.key).filter(move |key| !there.contains(key))
    }
}
