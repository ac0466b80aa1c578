use crate::redis::keys;
use crate::walk::Event;
use crate::{
    Control, Deployment, Door, Goal, Measured, Order, Searched, Volumes, measure, opinion, search,
    tables,
};
use engine::{Limit, OpenLoop, Schedule, Stop};
use model::{
    CacheState, Failure, KeyValue, Oltp, Outcome, Sampling, Search, SecondOpinion, Storage, Study,
    Test, Trial, TrialEnd, TrialRecord, Turn, UnixMillis,
};
use std::time::SystemTime;
use target::os::drop_os_caches;

/// A target that a campaign works with.
#[derive(Debug)]
pub(crate) enum Footing {
    /// One with a server.
    Server(Box<Stand>),
    /// One without, and the tools that give second opinions, where the study asks for them.
    Volumes(Box<Volumes>, opinion::Tools),
}

/// A server that a campaign works with, and which data it holds.
#[derive(Debug)]
pub(crate) struct Stand {
    pub(crate) deployment: Deployment,
    /// The workload that tables were last made sure of for.
    pub(crate) tables_for: Option<Oltp>,
    /// The tools that give second opinions, where the study asks for them.
    pub(crate) second: opinion::Tools,
}

impl Stand {
    /// Makes sure that the tables of a workload are there, unless they are known to be. Returns
    /// `Ok(None)` when asked to stop, and what was found or made where something was done.
    pub(crate) fn ensure_tables(
        &mut self,
        target: &str,
        workload: &Oltp,
        seed: u64,
        stop: &Stop,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<Option<tables::Prepared>, Failure> {
        let mut control = self.deployment.login().connect()?;
        let prepared = tables::ensure(
            self.deployment.login(),
            &mut control,
            workload,
            seed,
            connections(),
            stop,
            &mut |step| observe(Event::Preparing { target, step }),
        )?;
        if prepared.is_some() {
            self.tables_for = Some(workload.clone());
        }
        Ok(prepared)
    }

    /// Makes sure that a server holds the keys of a workload. Returns `Ok(None)` when asked to stop.
    pub(crate) fn ensure_keys(
        &self,
        (target, control): (&str, &mut Control),
        workload: &KeyValue,
        seed: u64,
        stop: &Stop,
        observe: &mut dyn FnMut(Event<'_>),
    ) -> Result<Option<tables::Prepared>, Failure> {
        keys::ensure(control.redis()?, workload, seed, stop, &mut |step| {
            observe(Event::Preparing { target, step });
        })
    }

    /// Whether the tables are known to be there for this workload.
    pub(crate) fn has_tables_for(&self, workload: &Oltp) -> bool {
        self.tables_for.as_ref().is_some_and(|there| same_tables(there, workload))
    }
}

/// Whether two workloads run on the same tables.
fn same_tables(a: &Oltp, b: &Oltp) -> bool {
    (a.tables, a.table_size, a.distribution) == (b.tables, b.table_size, b.distribution)
}

/// Connections that fill tables at the same time.
fn connections() -> u32 {
    std::thread::available_parallelism().map_or(1, |n| n.get().min(4) as u32)
}

/// What came of an attempt at a trial, with a search where the test asks for one.
type Attempt = Result<(Measured, Option<Search>), Failure>;

/// Runs one trial; always a record, because a failure is a result. `None` when asked to stop.
pub(crate) fn run_trial(
    footing: &mut Footing,
    trial: &Trial,
    test: &Test,
    study: &Study,
    stop: &Stop,
    observe: &mut dyn FnMut(Event<'_>),
) -> Option<TrialRecord> {
    let started_at = now();
    let (attempt, second_opinion) = match footing {
        Footing::Server(stand) => on_server(stand, trial, test, study, stop, observe)?,
        Footing::Volumes(volumes, tools) => {
            let second = tools.of(test);
            on_volumes(volumes, second.as_ref(), (trial, test), study, stop, observe)?
        }
    };
    let (end, sampling, search) = match attempt {
        Ok((measured, search)) => {
            let outcome = Outcome::of_load(measured.load);
            (TrialEnd::Completed(Box::new(outcome)), measured.sampling, search)
        }
        // What failed while everything was being stopped says nothing of the target.
        Err(_) if stop.is_requested() => return None,
        Err(failure) => (TrialEnd::Failed(failure), Sampling::default(), None),
    };
    Some(TrialRecord {
        key: trial.key.clone(),
        position: trial.position,
        seed: trial.seed,
        started_at,
        finished_at: now(),
        end,
        sampling,
        second_opinion,
        search,
    })
}

/// A trial on a server, with a second opinion where the test asks for one.
fn on_server(
    stand: &mut Stand,
    trial: &Trial,
    test: &Test,
    study: &Study,
    stop: &Stop,
    observe: &mut dyn FnMut(Event<'_>),
) -> Option<(Attempt, Option<SecondOpinion>)> {
    let second = stand.second.of(test);
    let turn = Turn::of_repeat(trial.key.repeat);
    let mut second_opinion = None;
    let attempt = match furnish(stand, trial, test, study.seed, stop, observe) {
        Err(failure) => Err(failure),
        Ok(false) => return None,
        Ok(true) => {
            let ask = |stand: &mut Stand| match &second {
                None => Some(None),
                Some(tool) => tool.ask(stand, (trial, test), study.seed, turn, stop).map(Some),
            };
            if turn == Turn::Before {
                second_opinion = ask(stand)?;
            }
            let attempt = attempt(stand, trial, test, study, stop, observe);
            if turn == Turn::After && matches!(attempt, Ok(Some(_))) {
                second_opinion = ask(stand)?;
            }
            attempt
        }
    };
    let attempt = attempt.map_err(|failure| stand.deployment.explain(failure));
    Some((attempt.transpose()?, second_opinion))
}

/// A trial on volumes, with a second opinion where the test asks for one.
fn on_volumes(
    volumes: &mut Volumes,
    second: Option<&opinion::Second>,
    (trial, test): (&Trial, &Test),
    study: &Study,
    stop: &Stop,
    observe: &mut dyn FnMut(Event<'_>),
) -> Option<(Attempt, Option<SecondOpinion>)> {
    if let Some(storage) = test.storage() {
        match filled(volumes, storage, (trial, study), stop, observe) {
            Ok(true) => {}
            Ok(false) => return None,
            Err(failure) => return Some((Err(failure), None)),
        }
    }
    let turn = Turn::of_repeat(trial.key.repeat);
    let ask = |volumes: &mut Volumes| match second {
        None => Some(None),
        Some(tool) => tool.ask_volumes(volumes, (trial, test), turn, stop).map(Some),
    };
    let before = if turn == Turn::Before { ask(volumes)? } else { None };
    let attempt = load_volumes(volumes, (trial, test), study, stop, observe).transpose()?;
    let after = if turn == Turn::After && attempt.is_ok() { ask(volumes)? } else { None };
    Some((attempt, before.or(after)))
}

/// Makes sure that the data of a load is there. False when asked to stop.
fn filled(
    volumes: &mut Volumes,
    storage: &Storage,
    (trial, study): (&Trial, &Study),
    stop: &Stop,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<bool, Failure> {
    let target = trial.key.target.as_str();
    let filled = volumes.fill(storage, study.seed, stop, &mut |step| {
        observe(Event::Preparing { target, step });
    })?;
    Ok(filled.is_some())
}

/// Weighin's own load on volumes; `Ok(None)` when asked to stop.
fn load_volumes(
    volumes: &mut Volumes,
    (trial, test): (&Trial, &Test),
    study: &Study,
    stop: &Stop,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<Option<(Measured, Option<Search>)>, Failure> {
    if test.cache == CacheState::Cold {
        drop_os_caches(stop)?;
    }
    let beside = Beside { server_pid: None, volume: volumes.members() };
    let door = &mut Door::Volumes(volumes);
    let done = measured(door, (trial, test), study, beside, stop, observe);
    if let Some(storage) = test.storage() {
        // A load that failed may have written as well.
        volumes.loaded(storage);
    }
    done
}

/// Makes sure of the tables, before the caches are brought to their state, which looking at
/// tables would change. False when asked to stop.
fn furnish(
    stand: &mut Stand,
    trial: &Trial,
    test: &Test,
    study_seed: u64,
    stop: &Stop,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<bool, Failure> {
    // Keys are looked at when the server is up: it may lose them when it starts again.
    let Some(oltp) = test.oltp() else { return Ok(true) };
    if stand.has_tables_for(oltp) {
        return Ok(true);
    }
    stand.deployment.ready(CacheState::Warm)?;
    let prepared = stand.ensure_tables(&trial.key.target, oltp, study_seed, stop, observe)?;
    Ok(prepared.is_some())
}

fn attempt(
    stand: &mut Stand,
    trial: &Trial,
    test: &Test,
    study: &Study,
    stop: &Stop,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<Option<(Measured, Option<Search>)>, Failure> {
    let mut control = stand.deployment.ready(test.cache)?;
    if let Some(keys) = test.key_value() {
        let target = &trial.key.target;
        let made = stand.ensure_keys((target, &mut control), keys, study.seed, stop, observe)?;
        if made.is_none() {
            return Ok(None);
        }
    }
    let login = stand.deployment.login().clone();
    let deployment = &stand.deployment;
    let beside = Beside { server_pid: deployment.server_pid(), volume: deployment.volume() };
    let door = &mut Door::Server(&login, &mut control);
    let done = measured(door, (trial, test), study, beside, stop, observe)?;
    // A server that does not end well after a good trial takes nothing from the trial; the next
    // one on it will say so if it matters.
    let _ = stand.deployment.rest();
    Ok(done)
}

/// What is sampled beside a load, where it is on this host.
struct Beside {
    /// The server's process.
    server_pid: Option<u32>,
    /// The disks under the data.
    volume: Vec<String>,
}

/// Runs the load of a trial, or searches.
fn measured(
    door: &mut Door<'_>,
    (trial, test): (&Trial, &Test),
    study: &Study,
    beside: Beside,
    stop: &Stop,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<Option<(Measured, Option<Search>)>, Failure> {
    let load = test.runnable_load()?;
    let order = Order {
        workload: &load.workload,
        clients: trial.key.level.clients,
        generators: load.load_generators,
        workers: None,
        io: None,
        open: trial.key.level.rate.map(|rate| OpenLoop {
            rate: rate.into(),
            process: load.arrivals.process,
            max_waiting: load.arrivals.max_waiting as usize,
            seed: trial.seed,
        }),
        policy: load.policy.clone(),
        schedule: Schedule { warmup: load.warmup, limit: Limit::Window(load.duration) },
        by_statement: false,
        seed: trial.seed,
        server_pid: beside.server_pid,
        sample_every: study.sample_every,
        volume: beside.volume,
        trigger: load.trigger,
    };
    match test.bound().zip(trial.key.level.search) {
        Some((bound, over)) => {
            let goal = Goal { bound, over, arrivals: load.arrivals };
            let found = search(door, &order, &goal, stop, &mut |progress| {
                observe(Event::Searching { trial, progress });
            })?;
            Ok(found.map(|Searched { search, measured }| (measured, Some(search))))
        }
        None => {
            let measured = measure(door, &order, stop, &mut |interval| {
                observe(Event::Interval { trial, interval });
            })?;
            Ok(measured.map(|measured| (measured, None)))
        }
    }
}

fn now() -> UnixMillis {
    let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    UnixMillis(u64::try_from(since_epoch.as_millis()).unwrap_or(u64::MAX))
}
