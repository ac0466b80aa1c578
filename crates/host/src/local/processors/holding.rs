//! Which processors a set has, and had before: those of a set may be exchanged for others.

use super::topology::allowed_in;
use crate::local::sample::CpuTimes;
use model::{HeldProcessors, OwnProcessors};
use std::fs;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The processors of a set over time. Who asks while they are exchanged waits until they are.
#[derive(Debug)]
pub struct Holding(Mutex<Held>);

#[derive(Debug)]
pub(super) struct Held {
    /// From when on it has which, in order of time; one at least.
    since: Vec<(Instant, Vec<u32>)>,
    /// The time of all before the present ones, and that of the present ones when it got them.
    before: CpuTimes,
    counted_from: CpuTimes,
}

impl Holding {
    /// A set that has these from now on.
    pub(super) fn new(processors: Vec<u32>) -> Self {
        let counted_from = CpuTimes::parse(&stat(), &processors).unwrap_or_default();
        let since = vec![(Instant::now(), processors)];
        Self(Mutex::new(Held { since, before: CpuTimes::default(), counted_from }))
    }

    /// The numbers of the present ones, in rising order.
    pub fn processors(&self) -> Vec<u32> {
        self.lock().present().to_vec()
    }

    /// Where the time of its processors went since the set was made; `None` where that cannot be read.
    pub(crate) fn cpu_times(&self) -> Option<CpuTimes> {
        self.lock().cpu_times(&stat())
    }

    /// Whether a process may use one of the present ones.
    pub(crate) fn may_be_used_by(&self, pid: u32) -> bool {
        let held = self.lock();
        let status = fs::read(format!("/proc/{pid}/status")).unwrap_or_default();
        let allowed = allowed_in(&String::from_utf8_lossy(&status));
        allowed.is_none_or(|all| all.iter().any(|one| held.present().contains(one)))
    }

    /// Which it had in these times, and for how long.
    pub(crate) fn during(&self, times: &[(Instant, Instant)]) -> OwnProcessors {
        self.lock().during(times)
    }

    /// Lets nobody ask until the present ones are others.
    pub(super) fn change(&self) -> MutexGuard<'_, Held> {
        self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Held {
    /// It has these from now on; `stat` is `/proc/stat` as it was a moment ago.
    pub(super) fn has(&mut self, stat: &str, processors: &[u32]) {
        self.before = self.cpu_times(stat).unwrap_or(self.before);
        self.counted_from = CpuTimes::parse(stat, processors).unwrap_or_default();
        self.since.push((Instant::now(), processors.to_vec()));
    }

    fn present(&self) -> &[u32] {
        self.since.last().map_or(&[], |(_, processors)| processors)
    }

    fn cpu_times(&self, stat: &str) -> Option<CpuTimes> {
        let now = CpuTimes::parse(stat, self.present())?;
        Some(self.before.plus(&now.minus(&self.counted_from)))
    }

    fn during(&self, times: &[(Instant, Instant)]) -> OwnProcessors {
        let mut own = OwnProcessors::default();
        let ends = self.since.iter().skip(1).map(|(end, _)| Some(*end)).chain([None]);
        for ((begin, processors), end) in self.since.iter().zip(ends) {
            let overlap = |&(from, until): &(Instant, Instant)| {
                end.unwrap_or(until).min(until).saturating_duration_since(from.max(*begin))
            };
            let held: Duration = times.iter().map(overlap).sum();
            let in_measured = |(from, until): &(Instant, Instant)| from < begin && begin < until;
            own.exchanges += u32::from(times.iter().any(in_measured));
            if held.is_zero() {
                continue;
            }
            match own.sets.iter_mut().find(|set| set.processors == *processors) {
                Some(set) => set.held += held,
                None => own.sets.push(HeldProcessors { processors: processors.clone(), held }),
            }
        }
        own.sets.sort_by(|a, b| a.processors.cmp(&b.processors));
        own
    }
}

fn stat() -> String {
    fs::read_to_string("/proc/stat").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: Duration = Duration::from_secs(1);

    #[test]
    fn what_a_set_had_is_told_of_the_measured_time_alone() {
        let start = Instant::now();
        let at = |second: u32| start + S * second;
        // Processor 0 until 3 s, 1 until 5 s, 0 again until 6 s, and 1.
        let since = vec![(at(0), vec![0]), (at(3), vec![1]), (at(5), vec![0]), (at(6), vec![1])];
        let zero = CpuTimes::default();
        let held = Held { since, before: zero, counted_from: zero };
        let own = held.during(&[(at(1), at(7))]);
        let set = |number, seconds| HeldProcessors { processors: vec![number], held: S * seconds };
        assert_eq!(own, OwnProcessors { sets: vec![set(0, 3), set(1, 3)], exchanges: 3 });
        let own = held.during(&[(at(0), at(1)), (at(4), at(5))]);
        assert_eq!(own, OwnProcessors { sets: vec![set(0, 1), set(1, 1)], exchanges: 0 });
    }

    #[test]
    fn the_time_of_exchanged_processors_is_that_of_each_while_the_set_had_it() {
        let stat = |zero: u64, one: u64| format!("cpu0 {zero} 0 0 0\ncpu1 {one} 0 0 0\n");
        let counted_from = CpuTimes::parse(&stat(100, 0), &[0]).unwrap();
        let since = vec![(Instant::now(), vec![0])];
        let mut held = Held { since, before: CpuTimes::default(), counted_from };
        assert_eq!(held.cpu_times(&stat(130, 500)).unwrap().user, 30);
        held.has(&stat(150, 500), &[1]);
        assert_eq!(held.cpu_times(&stat(400, 507)).unwrap().user, 57);
        held.has(&stat(400, 510), &[0]);
        assert_eq!(held.cpu_times(&stat(405, 900)).unwrap().user, 65);
    }
}
