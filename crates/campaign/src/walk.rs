use crate::redis::rights;
use crate::storage::{Taking, Volumes, check_room, loads};
use crate::survey::check_feasible;
use crate::tables::{self, Prepared, Step};
use crate::trial::{Footing, Stand, run_trial};
use crate::{Deployment, SearchProgress, check_limits, opinion};
use engine::Stop;
use model::{
    CacheState, Failure, Interval, Oltp, Place, Plan, Study, Target, TargetFacts, Test, Trial,
    TrialEnd, TrialRecord, Workload,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use store::{Store, StoreError};

/// What a campaign is doing.
#[derive(Debug)]
pub enum Event<'a> {
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
    /// A trial begins.
    TrialStarted {
        /// Which one.
        trial: &'a Trial,
    },
    /// A second of a trial has passed.
    Interval {
        /// Of which trial.
        trial: &'a Trial,
        /// What happened in it.
        interval: &'a Interval,
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
    },
}

/// Why a campaign could not begin or go on.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
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
    study: &'a Study,
    stop: &'a Stop,
    /// In the order of the study.
    footings: Vec<Footing>,
    facts: Vec<TargetFacts>,
}

impl<'a> Campaign<'a> {
    /// Brings up every target in turn, checks that it can take the study's load, and makes its
    /// tables: everything that could fail for a reason that is there from the start fails here,
    /// before any trial has run. `consent` names the volumes that the command line allows to
    /// overwrite.
    ///
    /// # Errors
    /// The first thing that will not work, or [`RunError::Stopped`].
    pub fn prepare(
        study: &'a Study,
        consent: &[PathBuf],
        stop: &'a Stop,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<Self, RunError> {
        let mut campaign = Self { study, stop, footings: Vec::new(), facts: Vec::new() };
        for target in study.servers() {
            check_feasible(study, target).map_err(|failure| of(target, failure))?;
        }
        let mut taken = take_volumes(study, consent, stop, observe)?;
        for target in study.servers() {
            if stop.is_requested() {
                return Err(RunError::Stopped);
            }
            observe(Event::BringingUp { target: &target.name });
            let up = match taken.remove(target.name.as_str()) {
                Some(volumes) => campaign.fill(target, volumes, observe),
                None => campaign.bring_up(target, observe),
            };
            match up {
                Ok(true) => {}
                Ok(false) => return Err(RunError::Stopped),
                Err(failure) => return Err(of(target, failure)),
            }
        }
        Ok(campaign)
    }

    /// Each target as observed.
    pub fn facts(&self) -> &[TargetFacts] {
        &self.facts
    }

    /// Runs every trial of the plan that the store has no record of.
    ///
    /// # Errors
    /// When the store cannot be written or somebody asked to stop. Completed trials are safe.
    pub fn run(
        &mut self,
        plan: &Plan,
        store: &mut Store,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<Summary, RunError> {
        let done = store.completed();
        let mut summary = Summary { skipped: done.len(), ..Summary::default() };
        for trial in plan.trials().filter(|trial| !done.contains(&trial.key)) {
            let Some((footing, test)) = find(self.study, &mut self.footings, trial) else {
                continue;
            };
            observe(Event::TrialStarted { trial });
            let record = run_trial(footing, trial, test, self.study, self.stop, observe)
                .ok_or(RunError::Stopped)?;
            store.append(&record)?;
            match record.end {
                TrialEnd::Completed(_) => summary.completed += 1,
                TrialEnd::Failed(_) => summary.failed += 1,
            }
            observe(Event::TrialEnded { record: &record });
        }
        self.look_at_tables(store)?;
        Ok(summary)
    }

    /// Reads and keeps what the tables hold that weighin has made, now that all trials are over. A
    /// server that cannot be asked any more takes nothing from the trials.
    fn look_at_tables(&mut self, store: &mut Store) -> Result<(), StoreError> {
        let Some(workload) = first_tables(self.study) else { return Ok(()) };
        if self.stop.is_requested() {
            return Ok(());
        }
        for (footing, facts) in self.footings.iter_mut().zip(&mut self.facts) {
            let Footing::Server(stand) = footing else { continue };
            if facts.server.contents.is_some() && stand.has_tables_for(workload) {
                let control = stand.deployment.ready(CacheState::Warm);
                let contents =
                    control.and_then(|mut control| tables::contents(control.sql()?, workload));
                facts.server.contents_after = contents.ok();
                // As after a trial.
                let _ = stand.deployment.rest();
                store.record_target(facts)?;
            }
        }
        Ok(())
    }

    /// False when asked to stop.
    fn bring_up(
        &mut self,
        target: &Target,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<bool, Failure> {
        let mut stand = Stand {
            deployment: Deployment::bring_up(target, self.stop)?,
            tables_for: None,
            second: opinion::Tools::find(self.study, target)?,
        };
        let mut control = stand.deployment.login().control()?;
        stand.second.check_login(stand.deployment.login(), &mut control)?;
        for test in &self.study.tests {
            let load = test.runnable_load()?;
            if let Workload::KeyValue(keys) = &load.workload {
                rights::check(control.redis()?, keys, rights::most_keys(self.study))?;
            }
            if let Some(highest) = load.levels.iter().max() {
                check_limits(&mut control, &load.workload, highest.clients)?;
            }
        }
        let mut server = control.facts()?;
        let seed = self.study.seed;
        let prepared = match self.study.tests.first().and_then(Test::workload) {
            Some(Workload::Oltp(oltp)) => {
                Some(stand.ensure_tables(&target.name, oltp, seed, self.stop, observe)?)
            }
            Some(Workload::KeyValue(keys)) => {
                let door = (target.name.as_str(), &mut control);
                Some(stand.ensure_keys(door, keys, seed, self.stop, observe)?)
            }
            Some(Workload::Storage(_)) | None => None,
        };
        if let Some(prepared) = prepared {
            let Some(prepared) = prepared else { return Ok(false) };
            server.dataset_bytes = Some(prepared.bytes);
            server.prepare_seconds = (prepared.made > 0).then_some(prepared.elapsed.as_secs_f64());
            if let Some(oltp) = first_tables(self.study).filter(|o| o.tables == prepared.made) {
                server.contents = Some(tables::contents(control.sql()?, oltp)?);
            }
            let (target, version) = (target.name.as_str(), server.version.as_str());
            observe(Event::Ready { target, version, prepared: &prepared });
        }
        drop(control);
        stand.deployment.rest()?;
        self.footings.push(Footing::Server(Box::new(stand)));
        self.facts.push(TargetFacts { target: target.name.clone(), server });
        Ok(true)
    }

    /// False when asked to stop.
    fn fill(
        &mut self,
        target: &Target,
        mut volumes: Volumes,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<bool, Failure> {
        let tools = opinion::Tools::find(self.study, target)?;
        let mut server = volumes.facts().clone();
        if let Some(first) = loads(self.study).first() {
            let name = target.name.as_str();
            let filled = volumes.fill(first, self.study.seed, self.stop, &mut |step| {
                observe(Event::Preparing { target: name, step });
            })?;
            let Some(prepared) = filled else { return Ok(false) };
            server.dataset_bytes = Some(prepared.bytes);
            server.prepare_seconds = (prepared.made > 0).then_some(prepared.elapsed.as_secs_f64());
            let version = server.version.as_str();
            observe(Event::Ready { target: name, version, prepared: &prepared });
        }
        self.footings.push(Footing::Volumes(Box::new(volumes), tools));
        self.facts.push(TargetFacts { target: target.name.clone(), server });
        Ok(true)
    }
}

/// The volumes of all targets that are some, by name of the target. All are looked at before the
/// first is filled, which may take hours.
fn take_volumes<'s>(
    study: &'s Study,
    consent: &[PathBuf],
    stop: &Stop,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<BTreeMap<&'s str, Volumes>, RunError> {
    let loads = loads(study);
    let mut taken = BTreeMap::new();
    for target in study.servers() {
        if let Place::Storage(_) = target.place {
            let name = target.name.as_str();
            let progress = &mut |step| observe(Event::Checking { target: name, step });
            let volumes = Volumes::take(target, &loads, &mut Taking { consent, stop, progress });
            let volumes = volumes.map_err(|failure| match failure.is_stop() {
                true => RunError::Stopped,
                false => of(target, failure),
            })?;
            for (path, found) in volumes.contents() {
                observe(Event::Checked { target: name, path, found });
            }
            taken.insert(name, volumes);
            let in_order = study.servers().filter_map(|server| taken.get(server.name.as_str()));
            check_room(in_order).map_err(|failure| of(target, failure))?;
        }
    }
    Ok(taken)
}

/// What the tables are for that are made before the first trial, if any are.
fn first_tables(study: &Study) -> Option<&Oltp> {
    study.tests.first().and_then(Test::oltp)
}

fn of(target: &Target, failure: Failure) -> RunError {
    RunError::Target { target: target.name.clone(), failure }
}

fn find<'s>(
    study: &'s Study,
    footings: &'s mut [Footing],
    trial: &Trial,
) -> Option<(&'s mut Footing, &'s Test)> {
    let place = study.server_of(&trial.key.target)?;
    let test = study.tests.iter().find(|test| test.name == trial.key.test)?;
    Some((footings.get_mut(place)?, test))
}
