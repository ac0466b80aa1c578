//! Runs what is left of a plan, trial by trial.

use crate::campaign::first_workload;
use crate::event::{Event, RunError};
use crate::instances::{Presence, not_up};
use crate::round::Keeping;
use crate::task::Context;
use crate::trial::{not_run, run_trial};
use crate::{Campaign, Instances};
use model::{InstancePer, Plan, Trial, TrialKey, TrialRecord};
use std::collections::HashSet;
use store::{Store, StoreError};

/// What came of the trials of this campaign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Trials that ran to their end now.
    pub completed: usize,
    /// Trials that failed now.
    pub failed: usize,
    /// Trials that the store had already.
    pub skipped: usize,
}

impl Campaign<'_> {
    /// Runs every trial of the plan that the store has no record of. Provisioned targets are
    /// brought up for each block that they have a trial in, or are there already.
    ///
    /// # Errors
    /// When the store cannot be written or somebody asked to stop. Completed trials are safe.
    pub fn run(
        &mut self,
        plan: &Plan,
        store: &mut Store,
        instances: &mut Instances<'_>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<Summary, RunError> {
        let done: HashSet<TrialKey> = store.completed().into_iter().collect();
        let mut summary = Summary { skipped: done.len(), ..Summary::default() };
        let counts: HashSet<u32> = plan.trials().map(|trial| trial.position).collect();
        for block in &plan.blocks {
            let is_open =
                |trial: &&Trial| counts.contains(&trial.position) && !done.contains(&trial.key);
            let open: Vec<&Trial> = block.trials.iter().filter(is_open).collect();
            if open.is_empty() {
                continue;
            }
            self.renew(&open, store, instances, observe)?;
            for round in self.study.rounds(&open) {
                let mut keeping = Keeping { store, completed: 0, failed: 0 };
                match round.as_slice() {
                    [trial] if !self.study.duet => {
                        if let Some(record) = self.trial(trial, instances, observe)? {
                            keeping.keep(&record, observe)?;
                        }
                    }
                    trials => self.side_by_side(trials, instances, &mut keeping, observe)?,
                }
                summary.completed += keeping.completed;
                summary.failed += keeping.failed;
            }
            for (slot, target) in self.targets.iter_mut().zip(self.study.servers()) {
                // Its connections go before it does.
                if target.instance().is_some_and(|spec| spec.per == InstancePer::Repeat) {
                    *slot = None;
                }
            }
            instances.end_repeat(Some(store), observe)?;
        }
        Ok(summary)
    }

    /// Runs a trial; `None` of one that the study does not have.
    fn trial(
        &mut self,
        trial: &Trial,
        instances: &Instances<'_>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<Option<TrialRecord>, RunError> {
        let server = self.study.server_of(&trial.key.target);
        let (Some(place), Some(test)) = (server, self.study.test(&trial.key.test)) else {
            return Ok(None);
        };
        let skip = self.stop.of_part();
        observe(Event::TrialStarted { trial, skip: &skip });
        if self.stop.is_requested() {
            return Err(RunError::Stopped);
        }
        let Some(Some(target)) = self.targets.get_mut(place) else {
            let target = self.study.measured().nth(place);
            let failure = match target.map(|target| instances.presence(target)) {
                Some(Presence::Failed(failure)) => failure.clone(),
                _ => not_up("it is not up"),
            };
            return Ok(Some(not_run(self.hosts.load.as_ref(), trial, failure)));
        };
        let context = &mut Context {
            study: self.study,
            hosts: self.hosts,
            host: self.hosts.load.as_ref(),
            stop: &skip,
            stop_of_run: self.stop,
            on_sample: self.on_sample.as_ref(),
            together: None,
            observe,
        };
        let record = run_trial(target.as_mut(), trial, test, context);
        record.map(Some).map_err(|_| RunError::Stopped)
    }

    /// Reads and keeps what the tables hold that weighin has made, now that all trials are over. A
    /// server that cannot be asked any more takes nothing from the trials.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn finish(&mut self, store: &mut Store) -> Result<(), StoreError> {
        let Some(workload) = first_workload(self.study) else { return Ok(()) };
        if self.stop.is_requested() {
            return Ok(());
        }
        for (place, server) in self.study.servers().enumerate() {
            let facts = self.facts.iter_mut().find(|facts| facts.target == server.name);
            let Some(facts) = facts.filter(|facts| facts.server.contents.is_some()) else {
                continue;
            };
            let Some(Some(target)) = self.targets.get_mut(place) else { continue };
            let contents = target.contents(workload).ok().flatten();
            // As after a trial.
            let _ = target.release();
            if contents.is_some() {
                facts.server.contents_after = contents;
                store.record_target(facts)?;
            }
        }
        Ok(())
    }
}
