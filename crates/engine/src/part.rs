//! One process's part of a load: its workers, and what they say while they work.

use crate::account::Account;
use crate::arrivals::Arrivals;
use crate::books::{Closed, Ended};
use crate::crew::{Quota, Rules};
use crate::result::{CpuWindow, Intervals};
use crate::run::{LoadError, LoadSpec, Stop};
use crate::socket::{Control, Report, Worker, WorkerSpec};
use crate::usage::{cpus_allowed, peak_rss_bytes};
use crate::{Clock, Crew, Nanos, Session};
use mio::Waker;
use model::{ClientCost, Latencies, Phase};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

/// How often the coordinator looks whether it is to start or to stop.
const GLANCE: Duration = Duration::from_millis(50);

/// Which part of a load a process has. Clients, arrivals and a limit of operations are divided so
/// that the parts together make the very load that one process would.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// From 0.
    pub index: u32,
    /// How many parts there are; at least 1, and at most as many as clients.
    pub of: u32,
}

impl Part {
    /// All of a load.
    pub const WHOLE: Self = Self { index: 0, of: 1 };

    /// Workers of this part, of so many that are wanted: as many in each part, and none without a
    /// client.
    fn workers(self, wanted: u32, clients: u32) -> u32 {
        wanted.clamp(1, (clients / self.of).max(1))
    }

    /// The place of one of its workers among those of all parts, which take turns: whatever the
    /// number of workers, client k belongs to part k modulo the number of parts.
    fn place(self, worker: u32) -> u32 {
        self.index + worker * self.of
    }

    /// How many of so many things are this part's.
    fn share(self, whole: u64) -> u64 {
        let (index, of) = (u64::from(self.index), u64::from(self.of));
        whole / of + u64::from(index < whole % of)
    }
}

/// What is going on in a part.
#[derive(Debug)]
pub enum PartProgress {
    /// All of its clients are logged in.
    Ready,
    /// An interval ended on all of its workers.
    Interval(Ended),
}

/// What a worker tells the coordinator.
enum Message {
    Ready(Waker),
    Interval(Ended),
    Ended(Box<Result<Report, LoadError>>),
}

/// Runs a part of a load: connects its clients, waits until `start` says when all parts begin, and
/// returns its account. `session` makes the session of each client, numbered from 0 over all parts.
///
/// `start` is asked again and again once all clients of this part are logged in.
///
/// # Errors
/// When the part could not run to its end; nothing is left running.
pub fn run_part<S: Session>(
    spec: &LoadSpec,
    part: Part,
    session: impl Fn(u32) -> S + Sync,
    stop: &Stop,
    start: &mut dyn FnMut() -> Option<Nanos>,
    progress: &mut dyn FnMut(PartProgress),
) -> Result<Account, LoadError> {
    let control = Arc::new(Control::default());
    let quota = Quota::new(spec.schedule.events().map(|events| part.share(events)));
    let workers = part.workers(spec.workers, spec.clients);
    let lanes = workers * part.of;
    let worker_spec = WorkerSpec {
        address: spec.address.clone(),
        tls: spec.tls.clone(),
        io: spec.io,
        schedule: spec.schedule,
        drain_limit: spec.drain_limit,
        clock: Clock,
        control: control.clone(),
    };
    std::thread::scope(|scope| {
        let (sender, messages) = mpsc::channel();
        for index in 0..workers {
            let sender = sender.clone();
            let (worker_spec, session) = (worker_spec.clone(), &session);
            let lane = part.place(index);
            let rules = Rules {
                schedule: spec.schedule,
                quota: quota.clone(),
                policy: spec.policy.clone(),
                arrivals: spec.open.as_ref().map(|open| {
                    let waiting = open.max_waiting.div_ceil(lanes as usize);
                    (Arrivals::new(open, lane, lanes), waiting)
                }),
            };
            let clients = (lane..spec.clients).step_by(lanes as usize);
            std::thread::Builder::new()
                .name(format!("load-{index}"))
                .spawn_scoped(scope, move || {
                    let sessions = clients.map(session).collect();
                    let crew = Crew::new(sessions, rules);
                    let ended = work(worker_spec, crew, &sender);
                    // The coordinator may have given up listening.
                    let _ = sender.send(Message::Ended(Box::new(ended)));
                })
                .map_err(LoadError::System)?;
        }
        drop(sender);
        let requests = S::REQUESTS;
        let coordinator =
            Coordinator { spec, part, requests, workers, control: &control, messages, stop };
        let account = coordinator.run(start, progress);
        control.abort();
        account
    })
}

fn work<S: Session>(
    spec: WorkerSpec,
    crew: Crew<S>,
    sender: &mpsc::Sender<Message>,
) -> Result<Report, LoadError> {
    let mut worker = Worker::new(spec, crew).map_err(LoadError::System)?;
    worker.connect()?;
    let _ = sender.send(Message::Ready(worker.waker().map_err(LoadError::System)?));
    worker.work(|interval| {
        let _ = sender.send(Message::Interval(interval));
    })
}

struct Coordinator<'a> {
    spec: &'a LoadSpec,
    part: Part,
    /// What the sessions tell apart.
    requests: &'static [&'static str],
    workers: u32,
    control: &'a Control,
    messages: mpsc::Receiver<Message>,
    stop: &'a Stop,
}

impl Coordinator<'_> {
    fn run(
        self,
        start: &mut dyn FnMut() -> Option<Nanos>,
        progress: &mut dyn FnMut(PartProgress),
    ) -> Result<Account, LoadError> {
        let began = Clock.now();
        let wakers = self.wait_until_ready(began)?;
        let connect_time = Clock.now().since(began);
        progress(PartProgress::Ready);
        let start = self.wait_for_start(start)?;
        self.control.start_at(start);
        for waker in wakers {
            waker.wake().map_err(LoadError::System)?;
        }

        let mut cpu = CpuWindow::new(self.spec.schedule, start);
        let mut intervals = Intervals::new(self.workers);
        let mut books: Option<Closed> = None;
        let mut client = ClientCost {
            workers: self.workers,
            cpus_allowed: cpus_allowed(),
            ..ClientCost::default()
        };
        let (mut busiest, mut begun_late) = (Duration::ZERO, Duration::ZERO);
        let mut delays = Latencies::new();
        let mut ended = 0;
        while ended < self.workers {
            let message = self.next_message()?;
            cpu.look(Clock.now());
            match message {
                None | Some(Message::Ready(_)) => {}
                Some(Message::Interval(interval)) => {
                    if let Some(interval) = intervals.add(interval) {
                        progress(PartProgress::Interval(interval));
                    }
                }
                Some(Message::Ended(report)) => {
                    let report = (*report)?;
                    ended += 1;
                    busiest = busiest.max(report.cpu);
                    begun_late = begun_late.max(report.begun_late);
                    client.io = report.io;
                    delays.merge(&report.notice);
                    client.max_loop_lag = client.max_loop_lag.max(report.max_lag);
                    match &mut books {
                        None => books = Some(report.books),
                        Some(books) => books.add(report.books),
                    }
                }
            }
        }
        let books = books.ok_or(LoadError::Stopped)?;
        intervals.rest().into_iter().for_each(|rest| progress(PartProgress::Interval(rest)));
        let measured = books.elapsed(Phase::Measure).as_secs_f64();
        client.cpu_seconds = cpu.used().as_secs_f64();
        client.busiest_worker = if measured > 0.0 { busiest.as_secs_f64() / measured } else { 0.0 };
        client.peak_rss_bytes = peak_rss_bytes();
        Ok(Account {
            clients: self.part.share(self.spec.clients.into()) as u32,
            requests: self.requests.iter().map(|&name| name.to_owned()).collect(),
            connect_time,
            books,
            client,
            delays,
            begun_late,
        })
    }

    fn wait_until_ready(&self, began: Nanos) -> Result<Vec<Waker>, LoadError> {
        let mut ready = Vec::new();
        while ready.len() < self.workers as usize {
            let limit = self.spec.connect_limit;
            if Clock.now() >= began.plus(limit) {
                let clients = self.spec.clients;
                return Err(LoadError::ConnectTimeout { clients, limit });
            }
            match self.next_message()? {
                Some(Message::Ready(waker)) => ready.push(waker),
                Some(Message::Ended(result)) => {
                    (*result)?;
                }
                Some(Message::Interval(_)) | None => {}
            }
        }
        Ok(ready)
    }

    /// Waits until it is known when to start; workers that fail meanwhile end the load.
    fn wait_for_start(&self, start: &mut dyn FnMut() -> Option<Nanos>) -> Result<Nanos, LoadError> {
        loop {
            if let Some(at) = start() {
                return Ok(at);
            }
            if let Some(Message::Ended(result)) = self.next_message()? {
                (*result)?;
            }
        }
    }

    fn next_message(&self) -> Result<Option<Message>, LoadError> {
        if self.stop.is_requested() {
            return Err(LoadError::Stopped);
        }
        match self.messages.recv_timeout(GLANCE) {
            Ok(message) => Ok(Some(message)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(LoadError::Stopped),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_divide_clients_workers_and_operations_without_rest_or_overlap() {
        for (clients, of, wanted) in [(1, 1, 4), (2, 2, 1), (7, 2, 2), (10, 3, 9), (64, 4, 3)] {
            let parts = || (0..of).map(|index| Part { index, of });
            let mut seen: Vec<u32> = Vec::new();
            for part in parts() {
                let workers = part.workers(wanted, clients);
                let lanes = workers * of;
                let mut own: Vec<u32> = Vec::new();
                for worker in 0..workers {
                    let lane = part.place(worker);
                    assert!(lane < clients, "a worker of {part:?} has no client");
                    own.extend((lane..clients).step_by(lanes as usize));
                }
                assert!(own.iter().all(|client| client % of == part.index));
                assert_eq!(own.len() as u64, part.share(clients.into()));
                seen.extend(own);
            }
            seen.sort_unstable();
            assert_eq!(seen, (0..clients).collect::<Vec<_>>());
            assert_eq!(parts().map(|part| part.share(17)).sum::<u64>(), 17);
        }
    }
}
