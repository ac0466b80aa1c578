use crate::event::{Event, Wait};
use crate::task::{Context, Done};
use crate::trial_clock::TrialClock;
use crate::{
    Goal, LoadProgress, Measurement, SearchProgress, Searched, catch_up, failover, measure, search,
    statement,
};
use host::Host;
use model::{
    CrossCheckEnd, CrossCheckOrder, CrossCheckRecord, DataState, Failure, Outcome, Place, Sampling,
    Study, Target, Task, Test, Trial, TrialEnd, TrialRecord,
};
use system::{Preparing, TargetHandle};

/// Runs one trial; always a record, because a failure is a result.
///
/// # Errors
/// [`Failure::stopped`] alone.
pub(crate) fn run_trial(
    target: &mut dyn TargetHandle,
    trial: &Trial,
    test: &Test,
    context: &mut Context<'_>,
) -> Result<TrialRecord, Failure> {
    let host = context.host;
    let mut clock = TrialClock::begin(host);
    let attempt = Attempt { target, trial, test, context, clock: &mut clock }.run();
    let (attempt, cross_check) = attempt.unwrap_or_else(|failure| (Err(failure), None));
    let (end, sampling, search) = match attempt {
        Ok(Done { outcome, sampling, search }) => {
            (TrialEnd::Completed(Box::new(outcome)), sampling, search)
        }
        // What failed while everything was being stopped says nothing of the target.
        Err(_) if context.stop_of_run.is_requested() => return Err(Failure::stopped()),
        Err(_) if context.stop.is_requested() => {
            (TrialEnd::Failed(Failure::skipped()), Sampling::default(), None)
        }
        Err(failure) => (TrialEnd::Failed(failure), Sampling::default(), None),
    };
    let (finished_at, clock_jump_ms) = clock.end(host);
    Ok(TrialRecord {
        key: trial.key.clone(),
        position: trial.position,
        seed: trial.seed,
        started_at: clock.began(),
        finished_at,
        clock_jump_ms,
        end,
        sampling,
        cross_check,
        search,
        side_by_side: None,
    })
}

/// The record of a trial whose target is not there.
pub(crate) fn not_run(host: &dyn Host, trial: &Trial, failure: Failure) -> TrialRecord {
    let now = host.time();
    TrialRecord {
        key: trial.key.clone(),
        position: trial.position,
        seed: trial.seed,
        started_at: now,
        finished_at: now,
        clock_jump_ms: None,
        end: TrialEnd::Failed(failure),
        sampling: Sampling::default(),
        cross_check: None,
        search: None,
        side_by_side: None,
    }
}

/// Whether what the disks under a target's data do is its own doing: where several targets are loaded at
/// once, those have a volume of their own of which that can be said.
fn has_disks_to_itself(study: &Study, target: &str) -> bool {
    let own = study.measured().find(|one| one.name == target);
    let has_volume =
        |target: &Target| matches!(&target.place, Place::Sandbox(spec) if spec.volume.is_some());
    !study.duet || own.is_some_and(has_volume)
}

/// What came of weighin's own work.
type Own = Result<Done, Failure>;

/// An attempt at a trial.
struct Attempt<'a, 'c> {
    target: &'a mut dyn TargetHandle,
    trial: &'a Trial,
    test: &'a Test,
    context: &'a mut Context<'c>,
    clock: &'a mut TrialClock,
}

impl Attempt<'_, '_> {
    /// Weighin's own load, and the cross-check before or after it where the test asks for one.
    fn run(mut self) -> Result<(Own, Option<Box<CrossCheckRecord>>), Failure> {
        let order = CrossCheckOrder::of_repeat(self.trial.key.repeat);
        let before = if order == CrossCheckOrder::Before { self.cross_check(order)? } else { None };
        let own = self.own_work();
        let own = own.map_err(|failure| {
            let explained = self.target.explain(failure);
            let Attempt { trial, context, .. } = &mut self;
            (context.observe)(Event::Waiting { trial, wait: Wait::Release });
            // Otherwise its servers would run beside the trials of others.
            let _ = self.target.release();
            explained
        });
        if own.as_ref().is_err_and(Failure::is_stop) {
            return Err(Failure::stopped());
        }
        let after = if order == CrossCheckOrder::After && own.is_ok() {
            self.cross_check(order)?
        } else {
            None
        };
        Ok((own, before.or(after)))
    }

    /// Brings the target to the state that a trial starts from.
    fn ready(&mut self) -> Result<(), Failure> {
        let Context { study, stop, observe, .. } = self.context;
        let target = self.trial.key.target.as_str();
        let mut preparing = Preparing {
            seed: study.seed,
            repeat: self.trial.key.repeat,
            // The preflight has asked the command line.
            may_write: true,
            is_private: false,
            connections: None,
            stop,
            progress: &mut |step| observe(Event::Preparing { target, step }),
        };
        self.target.ready(self.test.data(), self.test.cache, &mut preparing)
    }

    /// Runs the trial's load with the other tool, from the same starting state. A tool that fails
    /// takes nothing from the trial: its failure is recorded.
    fn cross_check(
        &mut self,
        order: CrossCheckOrder,
    ) -> Result<Option<Box<CrossCheckRecord>>, Failure> {
        let Some(tool) = self.target.cross_check_tool(self.test) else { return Ok(None) };
        let figures = self
            .ready()
            .and_then(|()| self.target.cross_check(self.trial, self.test, self.context.stop));
        // As after a trial: what matters will show when the target is needed next.
        let _ = self.target.release();
        let end = match figures {
            Ok(figures) => CrossCheckEnd::Measured(figures),
            Err(failure) if failure.is_stop() => return Err(failure),
            Err(failure) => CrossCheckEnd::Failed(failure),
        };
        Ok(Some(Box::new(CrossCheckRecord { tool, order, end })))
    }

    fn own_work(&mut self) -> Own {
        self.ready()?;
        if let Some(member) = self.context.together {
            member.stands(self.context.stop)?;
        }
        let done = match &self.test.task {
            Task::Statement(task) => statement::run(self.target, task, self.trial, self.context)?,
            Task::Failover(task) => {
                let Context { study, stop, host, .. } = self.context;
                failover::run(self.target, task, study.sample_every, *host, stop)?
            }
            Task::CatchUp(task) => {
                catch_up::run_trial(self.target, task, self.trial.seed, self.context)?
            }
            Task::Load(_) | Task::Search(_) | Task::Imported(_) => self.measured()?,
        };
        let outcome = Outcome { data: self.look_at_data()?, ..done.outcome };
        let done = Done { outcome, ..done };
        // A server that does not end well after a good trial takes nothing from the trial; the next
        // one on it will say so if it matters.
        let _ = self.target.release();
        Ok(done)
    }

    /// What has become of the data of a load, before anything else is done with it.
    fn look_at_data(&mut self) -> Result<Option<DataState>, Failure> {
        match (&self.test.task, self.test.data()) {
            (Task::Load(_) | Task::Search(_), Some(workload)) => self.target.data_state(workload),
            _ => Ok(None),
        }
    }

    /// Runs the load of the trial, or searches.
    fn measured(&mut self) -> Own {
        let (trial, test) = (self.trial, self.test);
        let Context { study, hosts, host, stop, on_sample, observe, together, .. } = self.context;
        let load = test.runnable_load()?;
        let load_hosts = hosts.present_load_hosts(study, load, &trial.key.target)?;
        let mut measurement = Measurement {
            sample_every: study.sample_every,
            on_sample: on_sample.cloned(),
            together: together.cloned(),
            ..Measurement::for_load(load, trial.key.level, trial.seed, *host).made_by(load_hosts)
        };
        // All of them have the same seed.
        let turns = study.slices.zip(*together);
        measurement.load.schedule.turns =
            turns.map(|(slices, member)| member.turns(slices, load, trial.seed));
        match test.bound().zip(trial.key.level.search) {
            Some((bound, over)) => {
                let goal = Goal { bound, over, arrivals: load.arrivals };
                let Searched { search, measured } =
                    search(self.target, &measurement, &goal, stop, &mut |progress| {
                        observe(match progress {
                            SearchProgress::Waiting(limit) => {
                                LoadProgress::Waiting(limit).into_event(trial)
                            }
                            learned => Event::Searching { trial, progress: learned },
                        });
                    })?;
                Ok(Done::of_load(measured, Some(Box::new(search))))
            }
            None => {
                let (clock, host) = (&mut *self.clock, *host);
                let mut measured = measure(self.target, &measurement, stop, &mut |progress| {
                    clock.look(host);
                    observe(progress.into_event(trial));
                })?;
                if !has_disks_to_itself(study, &trial.key.target) {
                    measured.sampling.volume.clear();
                }
                Ok(match load.operations {
                    Some(operations) => Done::of_work(measured, operations),
                    None => Done::of_load(measured, None),
                })
            }
        }
    }
}
