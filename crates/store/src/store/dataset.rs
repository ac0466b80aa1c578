//! All that is known of a run, read at one moment.

use crate::error::Access;
use crate::value::damage;
use crate::{Store, StoreError, facts, trial};
use model::{
    Dataset, Instance, Note, Plan, ReadBudget, SupersededTrial, TargetFacts, Trial, TrialRecord,
    UnixMillis,
};
use std::collections::{BTreeSet, HashMap};
use std::mem::take;

/// What is read of a run beside its study and plan.
struct Recorded {
    targets: Vec<TargetFacts>,
    trials: Vec<TrialRecord>,
    superseded: Vec<SupersededTrial>,
    notes: Vec<Note>,
    instances: Vec<Instance>,
}

impl Store {
    /// Everything that is known of the run, at one moment.
    ///
    /// # Errors
    /// When the file is damaged or cannot be read.
    pub fn dataset(&self) -> Result<Dataset, StoreError> {
        let recorded = self.recorded_within(&self.reading.budget())?;
        Ok(self.with_plan(self.plan.clone(), recorded))
    }

    /// The same of a store that is of no use afterwards: a plan of many trials is there once.
    ///
    /// # Errors
    /// As [`Self::dataset`].
    pub fn into_dataset(mut self) -> Result<Dataset, StoreError> {
        let recorded = self.recorded_within(&self.reading.budget())?;
        let plan = Plan { seed: self.plan.seed, blocks: take(&mut self.plan.blocks) };
        Ok(self.with_plan(plan, recorded))
    }

    fn with_plan(&self, plan: Plan, recorded: Recorded) -> Dataset {
        let Recorded { targets, trials, superseded, notes, instances } = recorded;
        let (study, run) = (self.study.clone(), self.run.clone());
        Dataset { study, run, plan, targets, trials, superseded, notes, instances }
    }

    /// Reads all that is not in memory yet, and checks it.
    pub(crate) fn check_within(&self, budget: &ReadBudget) -> Result<(), StoreError> {
        self.recorded_within(budget).map(drop)
    }

    fn recorded_within(&self, budget: &ReadBudget) -> Result<Recorded, StoreError> {
        let _limited = self.limit.begin(budget);
        let read = || {
            // One transaction: a writer may append meanwhile.
            let snapshot = self.connection.unchecked_transaction()?;
            let mut targets = facts::targets(&snapshot, budget)?;
            let names = self.study.measured().map(|target| target.name.as_str());
            let places: HashMap<&str, usize> = names.zip(0..).collect();
            targets.sort_by_key(|facts| places.get(facts.target.as_str()));
            let mut notes = facts::notes(&snapshot, budget)?;
            // Who writes has noted it.
            notes.extend(self.log_trouble.clone().filter(|_| self.lock.is_none()));
            let instances = facts::instances(&snapshot, budget)?;
            let counts: BTreeSet<u32> = self.plan.trials().map(|trial| trial.position).collect();
            let planned: Vec<&Trial> = self.plan.all_trials().collect();
            let mut trials = Vec::with_capacity(self.recorded.len().min(planned.len()));
            let mut superseded = Vec::new();
            trial::each(&snapshot, &planned, budget, |planned, record| {
                if counts.contains(&planned.position) {
                    trials.push(record);
                    return Ok(());
                }
                let Some(at) = self.superseded_at(planned).filter(|_| record.has_failed()) else {
                    let reason = "a trial that did not fail stands in the plan a second time";
                    return Err(damage("planned_trial.position", reason));
                };
                superseded.push(SupersededTrial { record, at });
                Ok(())
            })?;
            Ok(Recorded { targets, trials, superseded, notes, instances })
        };
        read().map_err(|error| StoreError::from_sqlite(&self.path, Access::Read, error))
    }

    /// When a trial was planned that stands in the place of this one.
    fn superseded_at(&self, trial: &Trial) -> Option<UnixMillis> {
        let later = self.plan.blocks.iter().find(|block| {
            let mut trials = block.trials.iter();
            trials.any(|other| other.key == trial.key && other.position > trial.position)
        });
        let place = (later?.extension as usize).checked_sub(1)?;
        self.run.extensions.get(place).map(|extension| extension.at)
    }
}
