//! One process's part of a load, and what it says while it works.

use crate::Nanos;
use crate::recorder::Ended;
use model::Stop;
use serde::{Deserialize, Serialize};

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

/// How a part is run.
pub struct PartRun<'a> {
    pub part: Part,
    pub stop: &'a Stop,
    /// When all parts begin, once that is known: asked again and again when this one is ready.
    pub start: &'a mut dyn FnMut() -> Option<Nanos>,
    pub progress: &'a mut dyn FnMut(PartProgress),
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
