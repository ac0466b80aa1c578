//! One process's part of a load: its workers, and what they say while they work.

use crate::account::{Account, Named};
use crate::arrivals::Arrivals;
use crate::coordinator::{Control, Coordinator, Message, Report, Wake, spawn};
use crate::pool::{Quota, Rules};
use crate::recorder::Ended;
use crate::run::{LoadError, LoadSpec};
use crate::socket::{Address, Worker, WorkerSpec};
use crate::usage::{available_workers, cpus_allowed, stay_on_processor};
use crate::{Clock, Nanos, Pool, Session, Stop};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::sync::mpsc;

/// Which part of a load a process has. Clients, arrivals and a limit of operations are divided so
/// that the parts together make the very load that one process would.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// From 0.
    pub index: u32,
    /// How many parts there are; at least 1, and at most as many as clients.
    pub of: u32,
    /// How many of them are on the same machine, this one included.
    pub beside: u32,
}

impl Part {
    /// All of a load.
    pub const WHOLE: Self = Self { index: 0, of: 1, beside: 1 };

    /// Workers of this part, of so many that are wanted: none without a client. Parts on machines of
    /// other sizes may have more or fewer.
    pub(crate) fn workers(self, wanted: u32, clients: u32) -> u32 {
        wanted.clamp(1, (clients / self.of).max(1))
    }

    /// Clients of all parts on the same machine.
    pub(crate) fn clients_beside(self, clients: u32) -> u32 {
        let beside = u64::from(clients) * u64::from(self.beside);
        beside.div_ceil(u64::from(self.of.max(1))) as u32
    }

    /// The place of one of its workers among those of all parts, which take turns: whatever the
    /// number of workers, client k belongs to part k modulo the number of parts.
    pub(crate) fn place(self, worker: u32) -> u32 {
        self.index + worker * self.of
    }

    /// How many of so many things are this part's.
    pub fn share(self, whole: u64) -> u64 {
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
    Interval(Box<Ended>),
    /// No operation begins any more, and answers to those under way are waited for.
    Waiting,
}

/// What drives the clients of one worker: gets them ready, says so, and runs them to the end.
pub(crate) type Drive<S> =
    fn(WorkerSpec, Pool<S>, &mpsc::Sender<Message<()>>) -> Result<Report<()>, LoadError>;

/// Gets the clients of a part of a load on a server ready, and runs it: see
/// [`crate::RunLoad::run_part`].
pub(crate) fn run_part<S: Session>(
    spec: &LoadSpec,
    part: Part,
    session: impl Fn(u32) -> S + Sync,
    drive: Drive<S>,
    stop: &Stop,
    start: &mut dyn FnMut() -> Option<Nanos>,
    progress: &mut dyn FnMut(PartProgress),
) -> Result<Account, LoadError> {
    let named = {
        let one = session(0);
        Named::new(one.kinds(), if S::BY_STATEMENT { one.names() } else { Vec::new() })
    };
    let control = Arc::new(Control::default());
    let quota = Quota::new(spec.schedule.events().map(|events| part.share(events)));
    let on_this_host = spec.addresses.iter().all(Address::is_on_this_host);
    // In an open loop few workers: what is due waits for a client of one worker, not for any.
    let beside_server = S::SERVER_THREADS.is_none() && on_this_host && spec.open.is_none();
    let available = || {
        let clients = part.clients_beside(spec.clients);
        available_workers(clients, beside_server) / part.beside.max(1)
    };
    let workers = part.workers(spec.workers.unwrap_or_else(available), spec.clients);
    let lanes = workers * part.of;
    let on_each_processor = beside_server && lanes == cpus_allowed();
    let worker_spec = WorkerSpec {
        addresses: Vec::new(),
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
            let session = &session;
            let lane = part.place(index);
            let clients = (lane..spec.clients).step_by(lanes as usize);
            let addresses = clients.clone().map(|client| spec.address_of(client).clone()).collect();
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
            ready_limit: spec.connect_limit,
            control: &control,
            messages,
            stop,
            look: &mut |_, _| {
                if spec.enough.is_requested() {
                    quota.close();
                }
            },
        };
        let account = coordinator.run(start, progress);
        control.abort();
        account.map(|(account, _)| account)
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_divide_clients_workers_and_operations_without_rest_or_overlap() {
        for (clients, of, wanted) in [(1, 1, 4), (2, 2, 1), (7, 2, 2), (10, 3, 9), (64, 4, 3)] {
            let parts = || (0..of).map(|index| Part { index, of, beside: of });
            let mut seen: Vec<u32> = Vec::new();
            for part in parts() {
                // Machines may have more and fewer processors.
                let workers = part.workers(wanted + part.index, clients);
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
            assert!(parts().all(|part| part.clients_beside(clients) == clients));
            let alone = Part { index: 0, of, beside: 1 };
            assert_eq!(alone.clients_beside(clients), clients.div_ceil(of));
        }
    }
}
