use crate::{HostFacts, Instance, Plan, ServerFacts, Study, TrialKey, TrialRecord, UnixMillis};
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
    /// Failed trials that were, or are to be, measured anew. Nothing rests on them.
    pub superseded: Vec<SupersededTrial>,
    /// In order of time.
    pub notes: Vec<Note>,
    /// The instances of provisioned targets, in order of time.
    #[serde(default)]
    pub instances: Vec<Instance>,
}

/// What the user noted while the run was going on, or weighin of what the user did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    pub at: UnixMillis,
    /// As it was typed.
    pub text: String,
}

/// A failed trial in whose place the plan has another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SupersededTrial {
    pub record: TrialRecord,
    /// When the other was planned.
    pub at: UnixMillis,
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
    /// How its plan was extended, in order; the first is number 1.
    pub extensions: Vec<Extension>,
}

/// What was added to a run after it had begun: further repeats, failed trials to be measured anew,
/// cells that the study gained, or other words in the study. The plan says which trials are of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Extension {
    pub at: UnixMillis,
    /// Version of weighin then.
    pub weighin_version: String,
    /// The host that weighin ran on then.
    pub host: HostFacts,
    /// The keys of the study that had changed, in its order, and what was added to it.
    pub changes: Vec<String>,
    /// Where it is another run of the study, which was merged with this one, what its file was called:
    /// date, version and host are those of that run.
    #[serde(default)]
    pub merged_from: Option<String>,
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
    /// How often cells are measured, at most: as the study says, and with what was added since;
    /// where repeats end when all is resolved, as planned so far.
    pub fn repeats(&self) -> u32 {
        match self.study.until {
            Some(_) => self.plan.repeats(),
            None => self.study.repeats.max(self.plan.repeats()),
        }
    }

    /// The instance that a trial ran on, where its target is provisioned.
    pub fn instance_of(&self, trial: &TrialRecord) -> Option<&Instance> {
        let server = self.study.server_of(&trial.key.target)?;
        let target = &self.study.measured().nth(server)?.name;
        let until_then =
            |one: &&Instance| one.target == *target && one.first_position <= trial.position;
        self.instances.iter().rfind(until_then)
    }

    /// The trials that the plan has and that have no record yet.
    pub fn missing(&self) -> impl Iterator<Item = &TrialKey> {
        let there: HashSet<&TrialKey> = self.trials.iter().map(|record| &record.key).collect();
        self.plan.trials().map(|trial| &trial.key).filter(move |key| !there.contains(key))
    }
}
