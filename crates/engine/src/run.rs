//! Running a load on a server: a part of it, with its workers, and all of it in one process.

use crate::account::{Account, Named};
use crate::arrivals::Arrivals;
use crate::assembly::Assembly;
use crate::coordinator::{Control, Coordinator, Message, Report, Wake, spawn};
use crate::delay::Delay;
use crate::load::{LoadSpec, Progress, RunLoad, Timing};
use crate::part::{Part, PartProgress, PartRun};
use crate::pool::{Quota, Rules};
use crate::rehearsal::{self, Asker};
use crate::socket::{Address, Worker, WorkerSpec};
use crate::usage::{available_workers, cpus_allowed, stay_on_processor};
use crate::{Clock, LoadError, Pool, ServedBy, Session};
use model::{LoadResult, Phase, Stop};
use std::sync::{Arc, mpsc};

/// A load on a server, with what makes the session of each client, numbered from 0 over all parts.
pub struct SocketLoad<'a, F> {
    pub spec: &'a LoadSpec,
    pub session: F,
}

impl<S: Session, F: Fn(u32) -> S + Sync> RunLoad for SocketLoad<'_, F> {
    fn timing(&self) -> Timing<'_> {
        self.spec.timing()
    }

    fn run_part(&self, run: &mut PartRun<'_>) -> Result<Account, LoadError> {
        run_part(self.spec, &self.session, work, run)
    }
}

/// What drives the clients of one worker: gets them ready, says so, and runs them to the end.
pub(crate) type Drive<S> =
    fn(WorkerSpec, Pool<S>, &mpsc::Sender<Message<()>>) -> Result<Report<()>, LoadError>;

/// Gets the clients of a part of a load on a server ready, and runs it: see
/// [`crate::RunLoad::run_part`].
pub(crate) fn run_part<S: Session>(
    spec: &LoadSpec,
    session: impl Fn(u32) -> S + Sync,
    drive: Drive<S>,
    run: &mut PartRun<'_>,
) -> Result<Account, LoadError> {
    let part = run.part;
    let named = {
        let one = session(0);
        match S::BY_STATEMENT {
            true => Named::new(one.kinds(), one.names(), one.transaction_names()),
            false => Named::new(one.kinds(), Vec::new(), Vec::new()),
        }
    };
    let control = Arc::new(Control::default());
    let quota = Quota::new(spec.schedule.events().map(|events| part.share(events)));
    let delay = spec.delay.map(|asked| Delay::begin(asked, &spec.addresses, spec.schedule));
    let delay = delay.transpose()?;
    let servers = delay.as_ref().map_or(spec.addresses.as_slice(), Delay::addresses);
    // Bytes that come from a delay are not woken for by a thread of the server.
    let on_this_host = delay.is_none() && servers.iter().all(Address::is_on_this_host);
    // In an open loop few workers: what is due waits for a client of one worker, not for any.
    let served_here = (on_this_host && spec.open.is_none()).then_some(S::SERVED_BY);
    let (wanted, workers_tried) = match spec.workers {
        Some(wanted) => (wanted, None),
        None => {
            let alone = part.beside <= 1;
            let clients = part.clients_beside(spec.clients);
            let tried = |few, each| rehearsal::tried(clients, [few, each], &rehearsed);
            let (all, tried) = available_workers(clients, served_here.filter(|_| alone), tried);
            (all / part.beside.max(1), tried)
        }
    };
    let workers = part.workers(wanted, spec.clients);
    let lanes = workers * part.of;
    let each_has_its_own = !matches!(served_here, None | Some(ServedBy::Threads(_)));
    let on_each_processor = each_has_its_own && lanes == cpus_allowed();
    let worker_spec = WorkerSpec {
        addresses: Vec::new(),
        tls: spec.tls.clone(),
        io: spec.io,
        schedule: spec.schedule,
        drain_limit: spec.drain_limit,
        clock: Clock,
        control: control.clone(),
    };
    let account = std::thread::scope(|scope| {
        let (sender, messages) = mpsc::channel();
        for index in 0..workers {
            let sender = sender.clone();
            let session = &session;
            let lane = part.place(index);
            let clients = (lane..spec.clients).step_by(lanes as usize);
            let address = |client: u32| servers[client as usize % servers.len()].clone();
            let addresses = clients.clone().map(address).collect();
            let worker_spec = WorkerSpec { addresses, ..worker_spec.clone() };
            let rules = Rules {
                schedule: spec.schedule,
                quota: quota.clone(),
                policy: spec.policy.clone(),
                arrivals: spec.open.as_ref().map(|open| {
                    let waiting = open.max_waiting.div_ceil(lanes as usize);
                    (Arrivals::new(open, lane, lanes), waiting)
                }),
                reconnect_after: spec.reconnect_after,
            };
            spawn(scope, index, sender, move |sender| {
                if on_each_processor {
                    stay_on_processor(lane);
                }
                drive(worker_spec, Pool::new(clients.map(session).collect(), rules), sender)
            })
            .map_err(LoadError::System)?;
        }
        drop(sender);
        let coordinator = Coordinator {
            clients: part.share(spec.clients.into()) as u32,
            schedule: spec.schedule,
            named,
            workers,
            workers_tried,
            ready_limit: spec.connect_limit,
            control: &control,
            messages,
            stop: run.stop,
            look: &mut |start, _| {
                if let Some(delay) = &delay {
                    delay.start_at(start);
                }
                if spec.enough.is_requested() {
                    quota.close();
                }
            },
        };
        let account = coordinator.run(run.start, run.progress);
        control.abort();
        account.map(|(account, _)| account)
    });
    match delay {
        // Where the delay has failed, that is why the load did.
        Some(delay) => {
            let record = delay.end()?;
            Ok(account?.delayed(record))
        }
        None => account,
    }
}

/// Operations of the measured moment of a load of a rehearsal; absent where it did not come to its end.
fn rehearsed(spec: &LoadSpec) -> Option<u64> {
    let load = SocketLoad { spec, session: |_| Asker };
    let (stop, start) = (&Stop::default(), &mut || Some(Clock.now()));
    let mut run = PartRun { part: Part::WHOLE, stop, start, progress: &mut |_| () };
    let account = load.run_part(&mut run).ok()?;
    Some(account.recorded.totals[Phase::Measure as usize].transactions)
}

/// Drives clients over sockets.
pub(crate) fn work<S: Session>(
    spec: WorkerSpec,
    pool: Pool<S>,
    sender: &mpsc::Sender<Message<()>>,
) -> Result<Report<()>, LoadError> {
    let mut worker = Worker::new(spec, pool).map_err(LoadError::System)?;
    worker.connect()?;
    let _ = sender.send(Message::Ready(Wake::Poll(worker.waker().map_err(LoadError::System)?)));
    worker.work(|interval| {
        let _ = sender.send(Message::Interval(Box::new(interval)));
    })
}

/// Runs a load of which this process does all, and returns the merged account.
///
/// # Errors
/// When the load could not run to its end; nothing is left running.
pub fn run(
    load: &dyn RunLoad,
    stop: &Stop,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<LoadResult, LoadError> {
    let mut assembly = Assembly::new(1);
    let whole = {
        let progress = std::cell::RefCell::new(&mut *progress);
        let mut begin = || {
            let now = Clock.now();
            progress.borrow_mut()(Progress::Started(Clock.instant(now)));
            Some(now)
        };
        let mut went_on = |event| match event {
            PartProgress::Ready => {}
            PartProgress::Interval(ended) => assembly.interval(*ended, *progress.borrow_mut()),
            PartProgress::Waiting => {
                progress.borrow_mut()(Progress::Waiting(load.timing().drain_limit));
            }
        };
        let (start, progress) = (&mut begin, &mut went_on);
        load.run_part(&mut PartRun { part: Part::WHOLE, stop, start, progress })?
    };
    assembly.ended(0, whole);
    assembly.finish(load, progress)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rehearsal_is_answered_and_remembered() {
        let done = || rehearsal::with_echo(|address| rehearsed(&rehearsal::load(4, 2, address)));
        // A machine that is busy with other work may have no time for them in so short a moment.
        assert!((0..500).any(|_| done().is_some_and(|operations| operations > 0)));

        // Nor come to its end in time; that is remembered as well, for that many clients.
        let first = (20..60)
            .find_map(|clients| Some((clients, rehearsal::tried(clients, [1, 2], &rehearsed)?)));
        let (clients, first) = first.unwrap();
        let again = rehearsal::tried(clients, [1, 2], &|_| unreachable!("it is known"));
        assert_eq!(again, Some(first));
    }

    #[test]
    fn what_does_not_answer_is_not_rehearsed_with() {
        let nobody = rehearsal::load(1, 1, Address::Unix("/nowhere/at/all".into()));
        assert_eq!(rehearsed(&nobody), None);
        assert_eq!(rehearsal::tried(5, [1, 2], &|_| None), None);
    }
}
