//! Which processes used the processors while a load measured: `/proc/<pid>/stat` of all of them.
//!
//! Looking through all processes costs processor time itself. They are looked through when measuring
//! begins and when it ends, and in between only while others than weighin and the server are busy, so
//! that of these also those are known that end before the load does.

use super::facts::online_cpus;
use super::process::clock_tick;
use crate::MeasuredPhase;
use crate::local::os::{Stat, parse_stat};
use crate::local::processors::Holding;
use model::{NamedUse, ProcessorUse, Sample};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Processes of others that are kept, by name.
const MOST_OTHERS: usize = 8;
/// What a process of weighin is called that was started by way of `/proc/self/exe`.
const BY_WAY_OF_PROC: &str = "exe";
const WEIGHIN: &str = "weighin";
/// Share of all processors that others use before it is looked who they are: what a machine does for
/// itself is below it.
const LOOKED_AT: f64 = 0.04;
/// By how much a sample may miss the moment at which it should end, in seconds.
const NEAR: f64 = 0.01;
/// How often all processes are looked through at most.
const INTERVAL: Duration = Duration::from_secs(1);

/// What was seen of all processes so far.
#[derive(Debug)]
pub(super) struct Processes {
    /// The phases still to come in which the load measures, and before them the one under way.
    measured: VecDeque<MeasuredPhase>,
    /// The processors that are watched; `None` for all.
    processors: Option<Arc<Holding>>,
    /// How many these are at a time.
    cpus: u32,
    /// The server, its replicas, and those of weighin.
    ours: Vec<u32>,
    seen: HashMap<u32, Stat>,
    /// Clock ticks used since the first look, by name and whether they are ours.
    used: BTreeMap<(bool, String), u64>,
    /// The first look of the phase that is under way, and the last.
    first: Option<Instant>,
    last: Option<Instant>,
    /// From the first look to the last of the phases before.
    before: Duration,
}

impl Processes {
    /// Of a load that measures in these phases, and has these processors to itself where some are given.
    pub(super) fn new(
        ours: Vec<u32>,
        measured: Vec<MeasuredPhase>,
        processors: Option<Arc<Holding>>,
    ) -> Self {
        let cpus =
            processors.as_ref().map_or_else(online_cpus, |own| own.processors().len() as u32);
        Self {
            measured: measured.into(),
            processors,
            cpus: cpus.max(1),
            ours,
            seen: HashMap::new(),
            used: BTreeMap::new(),
            first: None,
            last: None,
            before: Duration::ZERO,
        }
    }

    /// A sample was taken: looks where it ends at either end of a phase, or others were busy in it.
    pub(super) fn sampled(&mut self, sample: &Sample) {
        let has_come = |time: Duration| sample.at_seconds >= time.as_secs_f64() - NEAR;
        let Some(phase) = self.measured.front().filter(|phase| has_come(phase.from)) else {
            return;
        };
        if phase.until.is_some_and(has_come) {
            self.end();
        } else if self.first.is_none() || (self.others_were_busy(sample) && self.is_due()) {
            self.look();
        }
    }

    fn others_were_busy(&self, sample: &Sample) -> bool {
        sample.cpu.busy() - sample.own_cpus() / f64::from(self.cpus) > LOOKED_AT
    }

    fn is_due(&self) -> bool {
        self.last.is_some_and(|last| last.elapsed() >= INTERVAL)
    }

    /// Looks for the last time in the phase that is under way.
    pub(super) fn end(&mut self) {
        if self.first.is_some() {
            self.look();
            self.before += self.looked_for();
            (self.first, self.last) = (None, None);
        }
        self.measured.pop_front();
    }

    /// From the first look to the last of the phase that is under way.
    fn looked_for(&self) -> Duration {
        self.first.zip(self.last).map_or(Duration::ZERO, |(first, last)| last - first)
    }

    /// Looks through all processes.
    fn look(&mut self) {
        let now = Instant::now();
        let is_first = *self.first.get_or_insert(now) == now;
        let mut seen = HashMap::with_capacity(self.seen.len());
        let all: Vec<(u32, String, Stat)> = all_processes().collect();
        let named: HashMap<u32, String> = all
            .iter()
            .filter(|(pid, ..)| self.ours.contains(pid))
            .map(|(pid, name, _)| (*pid, name.clone()))
            .collect();
        for (pid, name, stat) in all {
            let before = self.seen.get(&pid).filter(|old| old.start_ticks == stat.start_ticks);
            let ticks = stat.cpu_ticks.saturating_sub(before.map_or(0, |old| old.cpu_ticks));
            // A server may be several processes of one name.
            let is_ours = named.contains_key(&pid) || named.get(&stat.parent) == Some(&name);
            if !is_first && ticks > 0 && (is_ours || self.may_run_here(pid)) {
                *self.used.entry((is_ours, shown_as(pid, name))).or_default() += ticks;
            }
            seen.insert(pid, stat);
        }
        self.seen = seen;
        self.last = Some(now);
    }

    /// Whether a process may use one of the processors that are watched.
    fn may_run_here(&self, pid: u32) -> bool {
        self.processors.as_ref().is_none_or(|own| own.may_be_used_by(pid))
    }

    /// What they used between the first look and the last of each phase.
    pub(super) fn processor_use(&self) -> ProcessorUse {
        let seconds = (self.before + self.looked_for()).as_secs_f64();
        if seconds <= 0.0 {
            return self.machine();
        }
        let tick = clock_tick().as_secs_f64();
        let named = |(key, &ticks): (&(bool, String), &u64)| NamedUse {
            name: key.1.clone(),
            cpus: ticks as f64 * tick / seconds,
            is_ours: key.0,
        };
        let processes = largest(self.used.iter().map(named).collect());
        ProcessorUse { processes, ..self.machine() }
    }

    fn machine(&self) -> ProcessorUse {
        ProcessorUse { boot: boot(), cpus: self.cpus, apart: None, processes: Vec::new() }
    }
}

/// All of ours and of the others those that used the most, the largest first.
fn largest(mut processes: Vec<NamedUse>) -> Vec<NamedUse> {
    processes.sort_by(|a, b| b.cpus.total_cmp(&a.cpus));
    let mut others = 0;
    processes.retain(|process| {
        others += usize::from(!process.is_ours);
        process.is_ours || others <= MOST_OTHERS
    });
    processes
}

/// Every process with its name. One that ends meanwhile is left out.
fn all_processes() -> impl Iterator<Item = (u32, String, Stat)> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        // A name need not be UTF-8.
        let bytes = fs::read(format!("/proc/{pid}/stat")).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        Some((pid, name_in(&text)?.to_owned(), parse_stat(&text)?))
    })
}

/// The name in `/proc/<pid>/stat`. It may itself hold parentheses.
fn name_in(stat: &str) -> Option<&str> {
    let (_, rest) = stat.split_once('(')?;
    Some(rest.rsplit_once(')')?.0)
}

/// By which name a process counts: workers of the kernel together, and those of weighin as such.
fn shown_as(pid: u32, name: String) -> String {
    if name.starts_with("kworker/") {
        return "kworker".to_owned();
    }
    let is_weighin = name.starts_with(WEIGHIN) || (name == BY_WAY_OF_PROC && is_this_program(pid));
    if is_weighin { WEIGHIN.to_owned() } else { name }
}

/// Whether a process runs the same file as this one.
fn is_this_program(pid: u32) -> bool {
    let file =
        |of: &str| fs::metadata(format!("/proc/{of}/exe")).map(|file| (file.dev(), file.ino()));
    file("self").ok().is_some_and(|own| file(&pid.to_string()).is_ok_and(|other| other == own))
}

/// Which boot of which machine this is.
pub(crate) fn boot() -> Option<String> {
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    Some(boot.trim().to_owned()).filter(|boot| !boot.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command};

    /// A process of this name that uses what it gets, and ends with the value.
    struct Spinning(Child);

    impl Spinning {
        fn start(name: &str) -> Self {
            // The shell's name is that of its file.
            let directory = tempfile::tempdir().unwrap();
            let program = directory.path().join(name);
            // Not by a file of our own: a process that another test forks meanwhile would hold it open for
            // writing, and such a file cannot be run.
            let copied = Command::new("cp").arg("/bin/sh").arg(&program).status();
            assert!(copied.unwrap().success());
            let child = Command::new(&program).args(["-c", "while :; do :; done"]).spawn();
            Self(child.unwrap())
        }
    }

    impl Drop for Spinning {
        fn drop(&mut self) {
            let _ = self.0.kill();
            let _ = self.0.wait();
        }
    }

    #[test]
    fn who_used_the_processors_is_named_also_when_it_has_ended_and_ours_is_marked() {
        let ours = Spinning::start("ours-spins");
        let mut processes = Processes::new(vec![ours.0.id()], vec![MeasuredPhase::WHOLE], None);
        processes.look();
        let began = Instant::now();
        let name = "other\u{1b}[2Jspins";
        let other = Spinning::start(name);
        let [of_ours, of_other] =
            [(true, "ours-spins"), (false, name)].map(|(is_ours, name)| (is_ours, name.to_owned()));
        while ![&of_ours, &of_other].iter().all(|key| processes.used.contains_key(*key)) {
            assert!(began.elapsed() < Duration::from_secs(60), "{processes:?}");
            std::thread::sleep(Duration::from_millis(20));
            processes.look();
        }
        let seen = processes.used[&of_other];
        drop(other);
        processes.look();
        assert!(processes.used[&of_other] >= seen);
        // What else this machine does at the time may be more than is kept.
        processes.used.retain(|key, _| [&of_ours, &of_other].contains(&key));
        let mut found = processes.processor_use().processes;
        found.sort_by_key(|process| process.is_ours);
        let [other, ours] = &found[..] else { panic!("{found:?}") };
        assert!(!other.is_ours && other.cpus > 0.0 && other.cpus < 64.0, "{found:?}");
        assert_eq!(other.shown(), "other\\x1b[2Jspins");
        assert!(ours.is_ours && ours.name == "ours-spins", "{found:?}");
    }

    #[test]
    fn of_others_the_largest_are_kept_and_all_of_ours() {
        let of = |is_ours, cpus: usize| NamedUse {
            name: format!("{is_ours} {cpus}"),
            cpus: cpus as f64,
            is_ours,
        };
        let others = (1..=MOST_OTHERS + 2).map(|cpus| of(false, cpus));
        let kept = largest(others.chain([of(true, 0), of(true, MOST_OTHERS)]).collect());
        let cpus = |is_ours| {
            let those = kept.iter().filter(move |process| process.is_ours == is_ours);
            those.map(|process| process.cpus as usize).collect::<Vec<_>>()
        };
        assert_eq!(cpus(false), (3..=MOST_OTHERS + 2).rev().collect::<Vec<_>>());
        assert_eq!(cpus(true), [MOST_OTHERS, 0]);
    }

    #[test]
    fn names_may_hold_parentheses_and_workers_of_the_kernel_count_together() {
        assert_eq!(name_in("42 (my) (sql d) S 1"), Some("my) (sql d"));
        assert_eq!(name_in("42"), None);
        assert_eq!(shown_as(1, "kworker/u8:2-ext4".to_owned()), "kworker");
        assert_eq!(shown_as(1, "weighin-0a1b".to_owned()), "weighin");
        assert_eq!(shown_as(std::process::id(), "exe".to_owned()), "weighin");
        assert_eq!(shown_as(u32::MAX, "exe".to_owned()), "exe");
    }
}
