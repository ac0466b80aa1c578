use crate::instances::{Presence, not_up};
use crate::round::Keeping;
use crate::trial::{Context, not_run, run_trial};
use crate::{InstanceStep, Instances, OnSample, Preflight, SearchProgress};
use engine::Stop;
use model::{
    Failure, InstancePer, Interval, Plan, ServerFacts, Study, Target, TargetFacts, Test, Trial,
    TrialKey, TrialRecord, Workload,
};
use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;
use store::{Store, StoreError};
use system::{Diagnostic, Hosts, Prepared, Severity, Step};
use system::{Preparing, TargetHandle};

/// What a campaign is doing.
#[derive(Debug)]
pub enum Event<'a> {
    /// An instance of a target comes or goes.
    Instance {
        /// Name of the target.
        target: &'a str,
        /// What is done with it.
        step: InstanceStep<'a>,
    },
    /// A target is being started or reached.
    BringingUp {
        /// Name of the target.
        target: &'a str,
    },
    /// What is on a volume is being read.
    Checking {
        /// Name of the target.
        target: &'a str,
        /// How many of the bytes that will be written.
        step: Step,
    },
    /// What is on a volume was read.
    Checked {
        /// Name of the target.
        target: &'a str,
        /// Of the volume.
        path: &'a Path,
        /// How much was looked at, and what was found.
        found: &'a str,
    },
    /// Something was found that the user should know.
    Found {
        /// What.
        diagnostic: &'a Diagnostic,
    },
    /// Tables are being made.
    Preparing {
        /// Name of the target.
        target: &'a str,
        /// How far.
        step: Step,
    },
    /// A target is there, with its tables.
    Ready {
        /// Name of the target.
        target: &'a str,
        /// The server's version.
        version: &'a str,
        /// What preparing found and did.
        prepared: &'a Prepared,
    },
    /// Trials of several targets are about to run at once.
    SideBySide {
        /// Which ones.
        trials: &'a [&'a Trial],
    },
    /// A trial begins.
    TrialStarted {
        /// Which one.
        trial: &'a Trial,
        /// Ends it early where it is requested: it counts as failed, and the next one follows.
        skip: &'a Stop,
    },
    /// A second of a trial has passed.
    Interval {
        /// Of which trial.
        trial: &'a Trial,
        /// What happened in it.
        interval: &'a Interval,
    },
    /// A trial waits for something that should have come by now.
    Waiting {
        /// Which one.
        trial: &'a Trial,
        /// For what.
        wait: Wait,
    },
    /// A trial that searches for the highest load has learned something.
    Searching {
        /// Which one.
        trial: &'a Trial,
        /// What it learned.
        progress: SearchProgress<'a>,
    },
    /// A trial is over and in the store.
    TrialEnded {
        /// What came of it.
        record: &'a TrialRecord,
        /// For what else is to be kept, or looked at, between two trials.
        store: &'a mut Store,
    },
}

/// What a trial may have to wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Answers to operations under way when the time of its load is over, so long at most.
    Answers(Duration),
    /// The end of its servers, after it has failed.
    Release,
}

/// Why a campaign could not begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The study cannot run: all errors that were found before anything was made.
    #[error("the study cannot run")]
    Refused(Vec<Diagnostic>),
    /// A target cannot be used.
    #[error("target {target}: {failure}")]
    Target {
        /// Its name.
        target: String,
        /// Why not.
        failure: Failure,
    },
    /// The store cannot be written.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Asked to stop.
    #[error("stopped")]
    Stopped,
}

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

/// A study being run: its targets, brought up.
#[derive(Debug)]
pub struct Campaign<'a> {
    pub(crate) study: &'a Study,
    pub(crate) hosts: &'a Hosts,
    pub(crate) stop: &'a Stop,
    /// In the order of the study; none of those that are not up.
    pub(crate) targets: Vec<Option<Box<dyn TargetHandle>>>,
    /// Of those that are, or were.
    pub(crate) facts: Vec<TargetFacts>,
    pub(crate) on_sample: Option<OnSample>,
}

impl<'a> Campaign<'a> {
    /// Makes the data of targets that were looked at: everything that could fail for a reason that
    /// is there from the start fails before any trial has run.
    ///
    /// # Errors
    /// [`RunError::Refused`] where the study cannot run; the first data that cannot be made, or
    /// [`RunError::Stopped`].
    pub fn prepare(
        preflight: Preflight<'a>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<Self, RunError> {
        let Preflight { study, hosts, stop, .. } = preflight;
        let (targets, mut diagnostics) = preflight.into_parts();
        diagnostics.retain(|one| one.severity == Severity::Error);
        if !diagnostics.is_empty() {
            return Err(RunError::Refused(diagnostics));
        }
        let (targets_ready, facts) = (Vec::new(), Vec::new());
        let mut campaign =
            Self { study, hosts, stop, targets: targets_ready, facts, on_sample: None };
        for examined in targets {
            let target = examined.target;
            let Some(mut handle) = examined.handle else {
                campaign.targets.push(None);
                continue;
            };
            if stop.is_requested() {
                return Err(RunError::Stopped);
            }
            let facts = examined.facts.unwrap_or_default();
            let server = prepare(&target, handle.as_mut(), facts, campaign.study, stop, observe)
                .map_err(|failure| of(&target, failure))?;
            campaign.targets.push(Some(handle));
            campaign.facts.push(TargetFacts { target: target.name, server });
        }
        Ok(campaign)
    }

    /// Shows every sample of the machine that makes the load as it is taken.
    pub fn on_sample(&mut self, on_sample: Option<OnSample>) {
        self.on_sample = on_sample;
    }

    /// Each target as observed.
    pub fn facts(&self) -> &[TargetFacts] {
        &self.facts
    }

    /// Runs every trial of the plan that the store has no record of. Targets that come and go are
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
                    [trial] => {
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

/// Makes the data of the study's first load on a target; what the target says of itself.
pub(crate) fn prepare(
    target: &Target,
    handle: &mut dyn TargetHandle,
    mut server: ServerFacts,
    study: &Study,
    stop: &Stop,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<ServerFacts, Failure> {
    if let Some(workload) = first_workload(study) {
        let name = target.name.as_str();
        let mut preparing = Preparing {
            seed: study.seed,
            connections: None,
            stop,
            progress: &mut |step| observe(Event::Preparing { target: name, step }),
        };
        let prepared = handle.prepare(workload, &mut preparing);
        let prepared = prepared.map_err(|failure| handle.explain(failure))?;
        server.dataset_bytes = Some(prepared.bytes);
        server.prepare_seconds = (prepared.made > 0).then_some(prepared.elapsed.as_secs_f64());
        if prepared.all_new {
            server.contents = handle.contents(workload)?;
        }
        let version = server.version.as_str();
        observe(Event::Ready { target: name, version, prepared: &prepared });
    }
    handle.release()?;
    Ok(server)
}

/// What the data is for that is made before the first trial.
fn first_workload(study: &Study) -> Option<&Workload> {
    study.tests.first().and_then(Test::data)
}

fn of(target: &Target, failure: Failure) -> RunError {
    if failure.is_stop() {
        return RunError::Stopped;
    }
    RunError::Target { target: target.name.clone(), failure }
}
