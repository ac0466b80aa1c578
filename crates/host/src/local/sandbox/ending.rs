//! Tells a server that is ending from one that hangs.
//!
//! A server that ends brings something to its files or takes something of itself apart. One that hangs may
//! still use a processor: its idle threads wake up, or one of them runs in circles. So processor time and
//! system calls say nothing. What does:
//!
//! - bytes that went to storage or came from it (`write_bytes`, `read_bytes` of `/proc/<pid>/io`);
//! - the files of its data directory, by number, length and time of change: on a file system in memory
//!   nothing goes to storage;
//! - the length of its log;
//! - fewer threads, or less memory, than it ever had since it was asked to end;
//! - where a server is several processes, all that of its children, and fewer of them;
//! - a thread in an uninterruptible wait, which is one for storage: what was written is accounted for when
//!   it is handed over, and a slow disk takes longer. Such a process could not be killed either.

use super::home::Home;
use crate::local::os::family;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime};

/// For how long a server that was asked to end may bring nothing about. Longer than the 10 s for which
/// servers are known to wait for their replicas and do nothing else.
pub(super) const STANDSTILL_LIMIT: Duration = Duration::from_secs(12);
/// How often it is looked.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);
/// How many files are looked at: a server may have more, and nobody waits for the look.
const MOST_FILES: usize = 10_000;
/// How deep the directories are that are looked into.
const MOST_LEVELS: u32 = 4;
/// Memory that comes and goes with any work, in KiB.
const MEMORY_STEP: u64 = 1024;

/// What a server that was asked to end has brought about so far.
#[derive(Debug)]
pub(super) struct Ending<'a> {
    home: &'a Home,
    pid: u32,
    /// What only grows or changes where something comes about.
    traces: Traces,
    /// What shrinks while it takes itself apart: the fewest threads, and the least memory in KiB.
    fewest_threads: u64,
    least_memory: u64,
    /// For how long nothing has come about.
    still: Duration,
    looked: Instant,
}

impl<'a> Ending<'a> {
    /// Begins to look at a process that works in a home.
    pub(super) fn for_process(pid: u32, home: &'a Home) -> Self {
        let now = Instant::now();
        let (fewest_threads, least_memory) = size_of_all(pid).unwrap_or((u64::MAX, u64::MAX));
        let traces = Traces::for_process(pid, home);
        let still = Duration::ZERO;
        Self { home, pid, traces, fewest_threads, least_memory, still, looked: now }
    }

    /// Whether it has brought nothing about for [`STANDSTILL_LIMIT`].
    pub(super) fn stands_still(&mut self) -> bool {
        let since = self.looked.elapsed();
        if since >= LOOK_INTERVAL {
            self.looked = Instant::now();
            // A machine that had no time for a look had none for the server either.
            let still = self.still + since.min(2 * LOOK_INTERVAL);
            self.still = if self.goes_on() { Duration::ZERO } else { still };
        }
        self.still >= STANDSTILL_LIMIT
    }

    /// Whether anything came about since the last look.
    fn goes_on(&mut self) -> bool {
        let traces = Traces::for_process(self.pid, self.home);
        let has_traces = traces != self.traces;
        self.traces = traces;
        // Each look remembers the smallest sizes, also where traces answer already.
        let shrinks = self.shrinks();
        has_traces || shrinks || family(self.pid).into_iter().any(waits_for_storage)
    }

    fn shrinks(&mut self) -> bool {
        let Some((threads, memory)) = size_of_all(self.pid) else { return false };
        let has_fewer = threads < self.fewest_threads;
        let has_less = memory.saturating_add(MEMORY_STEP) <= self.least_memory;
        if has_fewer {
            self.fewest_threads = threads;
        }
        if has_less {
            self.least_memory = memory;
        }
        has_fewer || has_less
    }
}

/// What a server leaves behind where it works on its data.
#[derive(Debug, PartialEq, Eq)]
struct Traces {
    /// Of each process.
    storage: Vec<[u64; 2]>,
    log: Option<u64>,
    files: Files,
}

impl Traces {
    fn for_process(pid: u32, home: &Home) -> Self {
        let log = home.read_log().and_then(|log| log.metadata()).map(|facts| facts.len());
        let mut files = Files::default();
        files.add(&home.data(), MOST_LEVELS);
        let storage = family(pid).into_iter().filter_map(storage_bytes).collect();
        Self { storage, log: log.ok(), files }
    }
}

/// The files of a directory, together.
#[derive(Debug, Default, PartialEq, Eq)]
struct Files {
    number: usize,
    bytes: u64,
    last_change: Option<SystemTime>,
}

impl Files {
    /// Adds those of a directory. Links are not followed: what a server makes is not to be believed.
    fn add(&mut self, directory: &Path, levels: u32) {
        let Ok(entries) = fs::read_dir(directory) else { return };
        for entry in entries.flatten() {
            if self.number >= MOST_FILES {
                return;
            }
            // Of the entry itself.
            let Ok(facts) = entry.metadata() else { continue };
            self.number += 1;
            self.bytes = self.bytes.saturating_add(facts.len());
            self.last_change = self.last_change.max(facts.modified().ok());
            if facts.is_dir() && levels > 1 {
                self.add(&entry.path(), levels - 1);
            }
        }
    }
}

/// Threads and resident memory (in KiB) of a process and its children.
fn size_of_all(pid: u32) -> Option<(u64, u64)> {
    let own = size_of(pid)?;
    let others = family(pid).into_iter().skip(1).filter_map(size_of);
    Some(others.fold(own, |sum, one| (sum.0 + one.0, sum.1 + one.1)))
}

/// Bytes that a process has read from storage and written to it.
fn storage_bytes(pid: u32) -> Option<[u64; 2]> {
    let text = fs::read_to_string(format!("/proc/{pid}/io")).ok()?;
    let bytes = |key: &str| number_after(&text, key);
    Some([bytes("read_bytes:")?, bytes("write_bytes:")?])
}

/// Threads and resident memory (in KiB) of a process.
fn size_of(pid: u32) -> Option<(u64, u64)> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    // A process that is giving its memory back has no such line any more.
    Some((number_after(&text, "Threads:")?, number_after(&text, "VmRSS:").unwrap_or(0)))
}

/// The number of the line that begins with a key.
fn number_after(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// Whether a thread of a process waits uninterruptibly.
fn waits_for_storage(pid: u32) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return false };
    let waits = |path: &Path| {
        let text = fs::read_to_string(path.join("stat")).unwrap_or_default();
        // The name in parentheses may hold anything.
        text.rsplit_once(')').is_some_and(|(_, fields)| fields.trim_start().starts_with('D'))
    };
    threads.flatten().any(|thread| waits(&thread.path()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::os;
    use std::process::Command;

    fn home() -> (tempfile::TempDir, Home) {
        let parent = tempfile::tempdir().unwrap();
        let home = Home::make(parent.path(), None, None).unwrap();
        (parent, home)
    }

    #[test]
    fn processor_time_alone_brings_nothing_about() {
        let (_parent, home) = home();
        let mut busy = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        let mut ending = Ending::for_process(busy.id(), &home);
        let used = || os::read_stat(busy.id()).unwrap().cpu_ticks;
        // At first it may still be loading its program: that is read.
        let brought_nothing_about = (0..100).any(|_| {
            let before = used();
            while used() == before {
                std::thread::sleep(Duration::from_millis(10));
            }
            !ending.goes_on()
        });
        busy.kill().unwrap();
        busy.wait().unwrap();
        assert!(brought_nothing_about);
    }

    #[test]
    fn files_and_log_bring_something_about_whoever_writes_them() {
        let (_parent, home) = home();
        let mut idle = Command::new("sleep").arg("1000").spawn().unwrap();
        let mut ending = Ending::for_process(idle.id(), &home);
        let mut seen = Vec::new();
        let file = home.data().join("sbtest").join("t.ibd");
        fs::create_dir(home.data().join("sbtest")).unwrap();
        seen.push(ending.goes_on());
        fs::write(&file, "rows").unwrap();
        seen.push(ending.goes_on());
        // In place, as pages are.
        let later = SystemTime::now() + Duration::from_secs(1);
        fs::File::options().write(true).open(&file).unwrap().set_modified(later).unwrap();
        seen.push(ending.goes_on());
        std::io::Write::write_all(&mut home.open_log().unwrap(), b"flushing").unwrap();
        seen.push(ending.goes_on());
        idle.kill().unwrap();
        idle.wait().unwrap();
        assert_eq!(seen, [true; 4]);
    }

    #[test]
    fn only_new_lows_of_threads_and_memory_count() {
        let (_parent, home) = home();
        let mut idle = Command::new("sleep").arg("1000").spawn().unwrap();
        let mut ending = Ending::for_process(idle.id(), &home);
        (ending.fewest_threads, ending.least_memory) = (2, u64::MAX);
        let (first, second) = (ending.shrinks(), ending.shrinks());
        idle.kill().unwrap();
        idle.wait().unwrap();
        assert!(first && !second);
    }
}
