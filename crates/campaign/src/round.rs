//! Trials that run side by side: of each target one, in a thread of its own. What they say comes to the
//! thread that has the store, through a channel.

use crate::event::{Event, RunError, Wait};
use crate::exchange::Exchanges;
use crate::instances::{Presence, not_up};
use crate::task::Context;
use crate::together::{Member, Together};
use crate::trial::{not_run, run_trial};
use crate::{Campaign, Goal, Instances, SearchProgress};
use engine::Stop;
use host::{DividedProcessors, Host};
use model::{
    Failure, FailureKind, Interval, Sampling, SearchStep, SideBySide, Study, Test, Trial, TrialEnd,
    TrialRecord,
};
use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use store::{Store, StoreError};
use system::Hosts;
use system::{Step, TargetHandle};

/// What the thread of a trial says.
enum TrialMessage {
    Preparing(Step),
    Interval(Box<Interval>),
    Waiting(Wait),
    Capacity(f64),
    Step(Goal, SearchStep),
    /// The last thing.
    Over(Result<Box<TrialRecord>, Failure>),
}

/// A trial that is to run, with its target.
struct Ready<'a> {
    trial: &'a Trial,
    test: &'a Test,
    target: &'a mut dyn TargetHandle,
    skip: Stop,
}

/// Where records go.
pub(crate) struct Keeping<'a> {
    pub(crate) store: &'a mut Store,
    pub(crate) completed: usize,
    pub(crate) failed: usize,
}

impl Keeping<'_> {
    pub(crate) fn keep(
        &mut self,
        record: &TrialRecord,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), StoreError> {
        let unfit;
        let record = match self.store.append(record) {
            Err(StoreError::NotKept { detail, .. }) => {
                unfit = unfit_record(record, &detail);
                self.store.append(&unfit)?;
                &unfit
            }
            kept => kept.map(|()| record)?,
        };
        match record.has_failed() {
            true => self.failed += 1,
            false => self.completed += 1,
        }
        observe(Event::TrialEnded { record, store: self.store });
        Ok(())
    }
}

/// In the place of a record that cannot be kept.
fn unfit_record(record: &TrialRecord, detail: &str) -> TrialRecord {
    let failure = Failure::new(
        FailureKind::Other,
        format!("what was told of the trial cannot be: {detail}"),
        "look whether the machines that take part are what they should be",
    );
    TrialRecord {
        end: TrialEnd::Failed(failure),
        sampling: Sampling::default(),
        cross_check: None,
        search: None,
        ..record.clone()
    }
}

impl Campaign<'_> {
    /// Runs these trials, each on another target, at once, and keeps the record of each when it is over.
    /// One that fails takes nothing from the others.
    ///
    /// # Errors
    /// When the store cannot be written or somebody asked to stop.
    pub(crate) fn side_by_side(
        &mut self,
        trials: &[&Trial],
        instances: &Instances<'_>,
        keeping: &mut Keeping<'_>,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<(), RunError> {
        observe(Event::SideBySide { trials });
        let (study, hosts, stop) = (self.study, self.hosts, self.stop);
        let host = hosts.load.as_ref();
        let (mut ready, mut not_there) = (Vec::new(), Vec::new());
        for (place, slot) in self.targets.iter_mut().enumerate() {
            let own = trials.iter().find(|t| study.server_of(&t.key.target) == Some(place));
            let Some((trial, test)) = own.and_then(|t| Some((*t, study.test(&t.key.test)?))) else {
                continue;
            };
            let skip = stop.of_part();
            observe(Event::TrialStarted { trial, skip: &skip });
            match slot {
                Some(handle) => {
                    ready.push(Ready { trial, test, target: handle.as_mut(), skip });
                }
                None => {
                    let target = study.measured().nth(place);
                    let failure = match target.map(|target| instances.presence(target)) {
                        Some(Presence::Failed(failure)) => failure.clone(),
                        _ => not_up("it is not up"),
                    };
                    not_there.push(not_run(host, trial, failure));
                }
            }
        }
        if stop.is_requested() {
            return Err(RunError::Stopped);
        }
        for record in &not_there {
            keeping.keep(record, observe)?;
        }
        let of: Vec<(&Trial, Stop)> =
            ready.iter().map(|one| (one.trial, one.skip.clone())).collect();
        let together = Together::new(of.len());
        let mut divided = match divided(study, host, &of) {
            Ok(divided) => divided,
            Err(failure) => {
                for (trial, _) in &of {
                    keeping.keep(&not_run(host, trial, failure.clone()), observe)?;
                }
                return Ok(());
            }
        };
        let here = made_here(study, hosts, &of);
        let mut on_sample = self.on_sample.as_ref();
        thread::scope(|scope| {
            let (sender, told) = channel();
            let sets = divided.as_ref().map_or(Vec::new(), |(sets, _)| sets.sets().to_vec());
            for (place, one) in ready.into_iter().enumerate() {
                let own = study.server_of(&one.trial.key.target).and_then(|own| sets.get(own));
                let own = own.cloned();
                let member = Member::new(&together, place).on(own);
                let sender = sender.clone();
                // Each samples the machine that leads; one of them is shown.
                let on_sample = on_sample.take();
                scope.spawn(move || {
                    let _leaves = Leaves(member.clone());
                    let tell = |told| drop(sender.send((place, told)));
                    let context = &mut Context {
                        study,
                        hosts,
                        host,
                        stop: &one.skip,
                        stop_of_run: stop,
                        on_sample,
                        together: Some(&member),
                        observe: &mut |event| pass_on(event, &tell),
                    };
                    let record = run_trial(one.target, one.trial, one.test, context);
                    tell(TrialMessage::Over(record.map(Box::new)));
                });
            }
            drop((sender, sets));
            if let Some((sets, exchanges)) = &mut divided {
                let together = &together;
                scope.spawn(move || exchanges.make(sets, together));
            }
            let mut watched = Watched { of: &of, together: &together, keeping, observe };
            watched.hear(here, &told)
        })
    }
}

/// The machine's processors in equal sets, and how those are exchanged; `None` of a study whose targets don't
/// share this machine.
fn divided(
    study: &Study,
    host: &dyn Host,
    of: &[(&Trial, Stop)],
) -> Result<Option<(DividedProcessors, Exchanges)>, Failure> {
    let first = of.first().filter(|_| study.duet);
    let load = first.and_then(|(trial, _)| Some((trial, study.test(&trial.key.test)?.load()?)));
    let Some((trial, load)) = load else { return Ok(None) };
    let sets = host.divide_processors(study.servers().count())?;
    let exchanges = Exchanges::of_load(load, sets.sets().len(), trial.seed);
    Ok(Some((sets, exchanges)))
}

/// The places of those of these trials whose load the machine makes that leads.
fn made_here(study: &Study, hosts: &Hosts, of: &[(&Trial, Stop)]) -> BTreeSet<usize> {
    let is_made_here = |trial: &Trial| {
        let load = study.test(&trial.key.test).and_then(Test::load);
        load.is_some_and(|load| hosts.load_hosts(study, load, &trial.key.target).is_empty())
    };
    let here = of.iter().enumerate().filter(|(_, (trial, _))| is_made_here(trial));
    here.map(|(place, _)| place).collect()
}

/// Leaves the others however its thread ends.
struct Leaves(Member);

impl Drop for Leaves {
    fn drop(&mut self) {
        self.0.leaves();
    }
}

/// Says what a trial does to the thread that has the store.
fn pass_on(event: Event<'_>, tell: &dyn Fn(TrialMessage)) {
    match event {
        Event::Preparing { step, .. } => tell(TrialMessage::Preparing(step)),
        Event::Interval { interval, .. } => {
            tell(TrialMessage::Interval(Box::new(interval.clone())))
        }
        Event::Waiting { wait, .. } => tell(TrialMessage::Waiting(wait)),
        Event::Searching { progress: SearchProgress::Capacity(rate), .. } => {
            tell(TrialMessage::Capacity(rate));
        }
        Event::Searching { progress: SearchProgress::Step { goal, step }, .. } => {
            tell(TrialMessage::Step(*goal, *step));
        }
        // Of what lies between trials.
        _ => {}
    }
}

/// The trials under way, as the thread sees them that has the store.
struct Watched<'a, 'k> {
    of: &'a [(&'a Trial, Stop)],
    together: &'a Together,
    keeping: &'a mut Keeping<'k>,
    observe: &'a mut dyn FnMut(Event<'_>),
}

impl Watched<'_, '_> {
    /// Hears all of them until all are over. Nothing is written while one of those measures whose load
    /// is made `here`.
    fn hear(
        &mut self,
        mut here: BTreeSet<usize>,
        told: &Receiver<(usize, TrialMessage)>,
    ) -> Result<(), RunError> {
        let mut outcome = Ok(());
        let mut over: Vec<TrialRecord> = Vec::new();
        for (place, told) in told {
            let Some((trial, _)) = self.of.get(place) else { continue };
            match told {
                TrialMessage::Preparing(step) => {
                    (self.observe)(Event::Preparing { target: &trial.key.target, step });
                }
                TrialMessage::Interval(interval) => {
                    (self.observe)(Event::Interval { trial, interval: &interval });
                }
                TrialMessage::Waiting(wait) => (self.observe)(Event::Waiting { trial, wait }),
                TrialMessage::Capacity(rate) => {
                    let progress = SearchProgress::Capacity(rate);
                    (self.observe)(Event::Searching { trial, progress });
                }
                TrialMessage::Step(goal, step) => {
                    let progress = SearchProgress::Step { goal: &goal, step: &step };
                    (self.observe)(Event::Searching { trial, progress });
                }
                TrialMessage::Over(record) => {
                    here.remove(&place);
                    match record {
                        Ok(record) => over.push(self.with_others(place, *record)),
                        Err(_) => outcome = outcome.and(Err(RunError::Stopped)),
                    }
                }
            }
            if here.is_empty() {
                for record in over.drain(..) {
                    if let Err(error) = self.keeping.keep(&record, self.observe) {
                        // What the others do could not be kept either.
                        self.of.iter().for_each(|(_, skip)| skip.request());
                        return Err(error.into());
                    }
                }
            }
        }
        for record in over {
            self.keeping.keep(&record, self.observe)?;
        }
        outcome
    }

    /// A record with the trials that ran beside it.
    fn with_others(&self, place: usize, record: TrialRecord) -> TrialRecord {
        let start = self.together.start().filter(|start| start.of.contains(&place));
        let side_by_side = start.and_then(|start| {
            let others = start.of.iter().filter(|other| **other != place);
            let with: Vec<u32> =
                others.filter_map(|other| Some(self.of.get(*other)?.0.position)).collect();
            (!with.is_empty()).then_some(SideBySide { with, began_at: start.date })
        });
        TrialRecord { side_by_side, ..record }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{LONGEST_TIME, Sample};
    use test_support::varied::{host, plan, record, study};

    #[test]
    fn a_trial_of_which_what_cannot_be_was_told_fails_and_the_run_goes_on() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.weighin");
        let plan = plan();
        let mut store = Store::create(&path, &study(), &plan, &host(), "1", 1.0).unwrap();
        let mut keeping = Keeping { store: &mut store, completed: 0, failed: 0 };
        let mut trials = plan.trials();
        let mut told = record(trials.next().unwrap(), 3);
        let length = LONGEST_TIME * 2;
        told.sampling.samples.push(Sample { length, ..Sample::default() });
        let mut seen = Vec::new();
        let mut observe = |event: Event<'_>| {
            let Event::TrialEnded { record, .. } = event else { return };
            seen.push(record.has_failed());
        };
        keeping.keep(&told, &mut observe).unwrap();
        assert_eq!((keeping.completed, keeping.failed, seen), (0, 1, vec![true]));
        keeping.keep(&record(trials.next().unwrap(), 3), &mut |_| {}).unwrap();
        let trials = store.dataset().unwrap().trials;
        assert_eq!(trials.len(), 2);
        let failure = trials[0].failure().unwrap();
        assert!(failure.message.contains(".length: "), "{failure}");
    }
}
