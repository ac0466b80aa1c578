//! Threads of a process that count apart from it.

use super::process::{ProcessReading, clock_tick};
use crate::local::os::{Stat, parse_stat};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Reads the threads that have a name in some processes. One that has ended counts with its last reading.
#[derive(Debug)]
pub(crate) struct Threads(Vec<Thread>);

#[derive(Debug)]
struct Thread {
    directory: PathBuf,
    /// A later one with the same number is not taken for it.
    start_ticks: u64,
    last: Used,
}

/// Processor time since it began, and what of it was spent in the kernel.
#[derive(Clone, Copy, Debug, Default)]
struct Used {
    cpu: Duration,
    system: Duration,
}

impl Threads {
    /// Those that there are now; `None` where there are none.
    pub(crate) fn named(name: &str, pids: &[u32]) -> Option<Self> {
        let has_name = |thread: &PathBuf| {
            fs::read_to_string(thread.join("comm")).is_ok_and(|comm| comm.trim_end() == name)
        };
        let of = |pid: &u32| fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten();
        let threads = pids.iter().flat_map(of).flatten().map(|thread| thread.path());
        let found: Vec<Thread> = threads.filter(has_name).filter_map(Thread::new).collect();
        (!found.is_empty()).then_some(Self(found))
    }

    /// Takes what they have used so far out of what their processes have, and returns it.
    pub(crate) fn taken_from(&mut self, whole: &mut ProcessReading) -> Duration {
        let mut sum = Used::default();
        for thread in &mut self.0 {
            let Used { cpu, system } = thread.read();
            sum = Used { cpu: sum.cpu + cpu, system: sum.system + system };
        }
        whole.cpu = whole.cpu.saturating_sub(sum.cpu);
        whole.system = whole.system.saturating_sub(sum.system);
        sum.cpu
    }
}

impl Thread {
    fn new(directory: PathBuf) -> Option<Self> {
        let start_ticks = stat(&directory)?.start_ticks;
        Some(Self { directory, start_ticks, last: Used::default() })
    }

    fn read(&mut self) -> Used {
        // In nanoseconds, where the kernel keeps them.
        let schedule = fs::read_to_string(self.directory.join("schedstat")).unwrap_or_default();
        let nanos = schedule.split(' ').next().and_then(|nanos| nanos.parse().ok());
        let ticks = |ticks: u64| clock_tick() * u32::try_from(ticks).unwrap_or(u32::MAX);
        if let Some(stat) = stat(&self.directory).filter(|s| s.start_ticks == self.start_ticks) {
            let cpu = nanos.map_or(ticks(stat.cpu_ticks), Duration::from_nanos);
            self.last = Used { cpu, system: ticks(stat.system_ticks) };
        }
        self.last
    }
}

fn stat(directory: &Path) -> Option<Stat> {
    parse_stat(&fs::read_to_string(directory.join("stat")).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::sample::own_usage;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Instant;

    const NAME: &str = "apart";

    #[test]
    fn a_thread_is_taken_out_of_its_process_and_counts_when_it_has_ended() {
        let own = [std::process::id()];
        assert!(Threads::named(NAME, &own).is_none(), "there is none yet");
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let spin = || {
                while !over.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            };
            std::thread::Builder::new().name(NAME.to_owned()).spawn_scoped(scope, spin).unwrap();
            let deadline = Instant::now() + Duration::from_secs(120);
            let mut threads = None;
            // A thread gives itself its name.
            while threads.is_none() {
                assert!(Instant::now() < deadline);
                threads = Threads::named(NAME, &own);
            }
            let mut threads = threads.unwrap();
            let mut used = Duration::ZERO;
            while used < Duration::from_millis(30) {
                assert!(Instant::now() < deadline);
                let whole = ProcessReading { cpu: Duration::from_secs(3600), ..own_usage() };
                let mut rest = whole;
                used = threads.taken_from(&mut rest);
                assert_eq!(rest.cpu + used, whole.cpu);
            }
            over.store(true, Ordering::Relaxed);
            while Threads::named(NAME, &own).is_some() {
                assert!(Instant::now() < deadline);
            }
            assert!(threads.taken_from(&mut own_usage()) >= used);
        });
    }
}
