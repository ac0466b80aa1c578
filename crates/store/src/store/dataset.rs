//! All that is known of a run, read at one moment.

use crate::digest::{Digests, Subject};
use crate::error::Access;
use crate::value::{damage, within};
use crate::{Store, StoreError, instance, note, target, trial};
use model::{Dataset, SupersededTrial, Trial, UnixMillis};
use std::collections::{BTreeSet, HashMap};

impl Store {
    /// Everything that is known of the run, at one moment.
    ///
    /// # Errors
    /// When the file is damaged or cannot be read.
    pub fn dataset(&self) -> Result<Dataset, StoreError> {
        let budget = &self.reading.budget();
        let _limited = self.limit.begin(budget);
        let read = || {
            // One transaction: a writer may append meanwhile.
            let snapshot = self.connection.unchecked_transaction()?;
            let mut targets = target::select(&snapshot)?;
            let names = self.study.measured().map(|target| target.name.as_str());
            let places: HashMap<&str, usize> = names.zip(0..).collect();
            targets.sort_by_key(|(_, facts)| places.get(facts.target.as_str()));
            for (id, facts) in &targets {
                self.digests
                    .check(&snapshot, Subject::Target(*id), budget)
                    .map_err(|error| within(&format!("target {}", facts.target), error))?;
            }
            let mut notes = note::checked(&snapshot, &self.digests, budget)?;
            // Who writes has noted it.
            notes.extend(self.log_trouble.clone().filter(|_| self.lock.is_none()));
            let instances = instance::checked(&snapshot, &self.digests, budget)?;
            let digests = self.digests.filled(&snapshot)?;
            let counts: BTreeSet<u32> = self.plan.trials().map(|trial| trial.position).collect();
            let (mut trials, mut superseded) = (Vec::new(), Vec::new());
            for planned in self.plan.all_trials() {
                let place = || format!("trial {} ({})", planned.position, planned.key);
                let subject = Subject::Trial(planned.position);
                // Charged before it is read.
                let hashes = digests
                    .of_tables(&snapshot, subject, budget)
                    .map_err(|error| within(&place(), error))?;
                let record =
                    trial::select(&snapshot, planned).map_err(|error| within(&place(), error))?;
                let Some(record) = record else { continue };
                // After reading: what cannot be read says which column it is in.
                Digests::compare(&snapshot, subject, &hashes)
                    .map_err(|error| within(&place(), error))?;
                if counts.contains(&planned.position) {
                    trials.push(record);
                    continue;
                }
                let Some(at) = self.superseded_at(planned).filter(|_| record.has_failed()) else {
                    let reason = "a trial that did not fail stands in the plan a second time";
                    return Err(within(&place(), damage("planned_trial.position", reason)));
                };
                superseded.push(SupersededTrial { record, at });
            }
            let targets = targets.into_iter().map(|(_, facts)| facts).collect();
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
