//! What a process used: `/proc/<pid>/stat` and `/proc/<pid>/status`.

use crate::local::os::{ProcessIdentity, Stat, family, parse_stat, read_stat};
use engine::process_times;
use model::ProcessUsage;
use rustix::param::clock_ticks_per_second;
use std::fs;
use std::time::{Duration, Instant};

/// Reads one process, and only that one: a later process with the same id is not taken for it. A server
/// that is several processes counts as a whole.
#[derive(Debug)]
pub struct ProcessReader {
    /// `None` where there was none at the beginning.
    process: Option<ProcessIdentity>,
    tick: Duration,
}

/// What a process used since it started, at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessReading {
    /// When it was read.
    pub taken_at: Instant,
    /// Processor time of all its threads, user and kernel.
    pub cpu: Duration,
    /// What of that was spent in the kernel.
    pub system: Duration,
    /// Resident memory in bytes.
    pub rss_bytes: u64,
    /// Highest resident memory so far, in bytes.
    pub peak_rss_bytes: u64,
}

impl ProcessReading {
    /// What the process used between two readings of it.
    pub fn usage_since(&self, earlier: &Self) -> ProcessUsage {
        let elapsed = self.taken_at.saturating_duration_since(earlier.taken_at).as_secs_f64();
        let cpus = |later: Duration, earlier: Duration| {
            let used = later.saturating_sub(earlier).as_secs_f64();
            if elapsed > 0.0 { used / elapsed } else { 0.0 }
        };
        ProcessUsage {
            cpus: cpus(self.cpu, earlier.cpu),
            system_cpus: cpus(self.system, earlier.system),
            rss_bytes: self.rss_bytes,
        }
    }
}

impl ProcessReader {
    /// A reader of the process that has this id now.
    pub fn new(pid: u32) -> Self {
        Self { process: ProcessIdentity::for_pid(pid), tick: clock_tick() }
    }

    /// Reads the process; `None` when it has ended or may not be read.
    pub fn read(&self) -> Option<ProcessReading> {
        let taken_at = Instant::now();
        let ProcessIdentity { pid, started } = self.process?;
        let stat = read_stat(pid).filter(|stat| stat.start_ticks == started)?;
        let memory = read_memory(pid)?;
        let time = |ticks: u64| self.tick * u32::try_from(ticks).unwrap_or(u32::MAX);
        let family = family(pid);
        let ([cpu, system], rss_bytes) = match family.as_slice() {
            [_] => ([stat.cpu_ticks, stat.system_ticks], memory.rss_bytes),
            // What those have used that have ended is what the first one waited for.
            all => (ticks(all), together(all)),
        };
        Some(ProcessReading {
            taken_at,
            cpu: time(cpu),
            system: time(system),
            rss_bytes,
            peak_rss_bytes: memory.peak_rss_bytes.max(rss_bytes),
        })
    }
}

/// Processor time of several processes and of their children that have ended, and what of it was spent in
/// the kernel.
fn ticks(processes: &[u32]) -> [u64; 2] {
    let of = |Stat { cpu_ticks, system_ticks, waited_ticks, .. }: Stat| {
        [cpu_ticks.saturating_add(waited_ticks[0]), system_ticks.saturating_add(waited_ticks[1])]
    };
    let all = processes.iter().filter_map(|&pid| read_stat(pid)).map(of);
    all.fold([0, 0], |sum, one| [sum[0].saturating_add(one[0]), sum[1].saturating_add(one[1])])
}

/// Resident memory of several processes: that of their own of each, and once what they share.
fn together(processes: &[u32]) -> u64 {
    let of = |pid: &u32| {
        let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
        let own = bytes_in(&text, "RssAnon:")?;
        let shared = bytes_in(&text, "RssShmem:")? + bytes_in(&text, "RssFile:")?;
        Some((own, shared))
    };
    let all = processes.iter().filter_map(of);
    let (own, shared) = all.fold((0, 0), |sum: (u64, u64), one| (sum.0 + one.0, sum.1.max(one.1)));
    own + shared
}

/// What weighin itself used. Finer than [`ProcessReader`]: microseconds instead of clock ticks.
pub fn own_usage() -> ProcessReading {
    let (taken_at, (user, system)) = (Instant::now(), process_times());
    let memory = read_memory(std::process::id()).unwrap_or_default();
    ProcessReading {
        taken_at,
        cpu: user + system,
        system,
        rss_bytes: memory.rss_bytes,
        peak_rss_bytes: memory.peak_rss_bytes,
    }
}

/// Length of the clock tick that `/proc/<pid>/stat` counts in.
pub(super) fn clock_tick() -> Duration {
    let per_second = u32::try_from(clock_ticks_per_second()).ok().filter(|&ticks| ticks > 0);
    // 100 is what every Linux architecture shows to user space today.
    Duration::from_secs(1) / per_second.unwrap_or(100)
}

/// Reads a text as `stat` and as `status`.
pub(crate) fn read_texts(text: &str) {
    let _ = (parse_stat(text), parse_memory(text));
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Memory {
    rss_bytes: u64,
    peak_rss_bytes: u64,
}

fn read_memory(pid: u32) -> Option<Memory> {
    parse_memory(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?)
}

/// Reads `/proc/<pid>/status`; `None` for a process that has no memory any more.
fn parse_memory(text: &str) -> Option<Memory> {
    let bytes = |key: &str| bytes_in(text, key);
    Some(Memory { rss_bytes: bytes("VmRSS:")?, peak_rss_bytes: bytes("VmHWM:")? })
}

/// A size in such a text.
fn bytes_in(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_in_bytes_and_zombies_have_none() {
        let text = "Name:\tmariadbd\nVmHWM:\t  204800 kB\nVmRSS:\t  102400 kB\n";
        let memory = parse_memory(text).unwrap();
        assert_eq!((memory.rss_bytes, memory.peak_rss_bytes), (104_857_600, 209_715_200));
        assert_eq!(parse_memory("Name:\tgone\nState:\tZ (zombie)\n"), None);
    }

    #[test]
    fn usage_is_cpu_time_over_elapsed_time() {
        let start = Instant::now();
        let earlier = ProcessReading {
            taken_at: start,
            cpu: Duration::from_secs(10),
            system: Duration::from_secs(4),
            rss_bytes: 1,
            peak_rss_bytes: 5,
        };
        let later = ProcessReading {
            taken_at: start + Duration::from_secs(2),
            cpu: Duration::from_secs(13),
            system: Duration::from_secs(5),
            rss_bytes: 4,
            peak_rss_bytes: 5,
        };
        assert_eq!(
            later.usage_since(&earlier),
            ProcessUsage { cpus: 1.5, system_cpus: 0.5, rss_bytes: 4 }
        );
        assert_eq!(later.usage_since(&later).cpus, 0.0);
    }

    #[test]
    fn processes_of_one_name_count_together_also_when_some_have_ended() {
        // Of two children one ends at once, and the shell waits for it.
        let spin = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
        let script = format!("({spin}); ({spin}; read -r _) <&0 & wait $!");
        let mut first = std::process::Command::new("sh")
            .args(["-c", &script])
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let reader = ProcessReader::new(first.id());
        let tick = clock_tick();
        let deadline = Instant::now() + Duration::from_secs(120);
        let used = || reader.read().unwrap().cpu;
        let own = || tick * u32::try_from(read_stat(first.id()).unwrap().cpu_ticks).unwrap();
        while used() < own() + Duration::from_millis(40) {
            assert!(Instant::now() < deadline);
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(reader.read().unwrap().rss_bytes > 0);
        drop(first.stdin.take());
        first.wait().unwrap();
    }

    #[test]
    fn a_process_that_never_was_has_no_reading() {
        assert_eq!(ProcessReader::new(u32::MAX).read(), None);
    }
}
