//! All that is known of a run, read at one moment.

use crate::error::Access;
use crate::value::damage;
use crate::{Store, StoreError, facts, trial};
use model::{Dataset, ReadBudget, SupersededTrial, Trial, UnixMillis};
use std::collections::{BTreeSet, HashMap};

impl Store {
    /// Everything that is known of the run, at one moment.
    ///
    /// # Errors
    /// When the file is damaged or cannot be read.
    pub fn dataset(&self) -> Result<Dataset, StoreError> {
        self.dataset_within(&self.reading.budget())
    }

    pub(crate) fn dataset_within(&self, budget: &ReadBudget) -> Result<Dataset, StoreError> {
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
            let (mut trials, mut superseded) = (Vec::new(), Vec::new());
            let planned: Vec<&Trial> = self.plan.all_trials().collect();
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
            Ok((targets, trials, superseded, notes, instances))
        };
        let (targets, trials, superseded, notes, instances) =
            read().map_err(|error| StoreError::from_sqlite(&self.path, Access::Read, error))?;
        let (study, run, plan) = (self.study.clone(), self.run.clone(), self.plan.clone());
        Ok(Dataset { study, run, plan, targets, trials, superseded, notes, instances })
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
