//! A number of processors for some of weighin's threads, kept by the kernel's control groups
//! (cgroups(7)): what the hosts of virtual machines have for these, where their virtual processors are
//! oversubscribed.
//!
//! The kernel counts the processor time of all threads of a group together, and lets none of them run
//! any further in a period when the group has used up its share of it. In version 1 the group is one
//! of the controller `cpu`, and another of `cpuacct` where that has a hierarchy of its own; in version
//! 2 it is a threaded group within the one that weighin runs in. Threads that are started by a member
//! are members as well.
//!
//! Its files are written by path, as root too: the kernel keeps no links in its trees of groups, and
//! only root and the one to whom a part of a tree was delegated can make directories there.
//!
//! A group is gone with the value that stands for it, and a guardian removes it where weighin is killed.
//! Its name says which process made it: where the guardians were killed too, the next to make a group
//! removes it.

mod left;
mod place;

use self::left::Name;
use self::place::Place;
use crate::local::groups::{grouped, lists};
use crate::local::sample::group_count;
use crate::supervise::{Charge, Guardian};
use model::{Failure, ProcessorCount};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// The kernel's usual period of accounting.
const PERIOD: Duration = Duration::from_millis(100);

/// What a group weighs with the scheduler, relative to what a thread or a group usually does: as much
/// as a thread of the highest priority (sched(7)). Within the group threads keep the priorities that
/// they have, and as a whole it is not to stand behind everything else.
const WEIGHT: u32 = 100;

/// A group whose threads share so many processors. Dropping it removes it; its members
/// must have ended by then.
#[derive(Debug)]
pub struct Processors {
    count: f64,
    /// Its directories: one, or one that limits and one that counts.
    directories: Vec<PathBuf>,
    /// The file in these that lists members.
    members: &'static str,
    /// Where the controller was passed on for this group alone. It stays passed on where another
    /// weighin's group is there when this one goes: that one does not know that it was not always so.
    passed_on: Option<PathBuf>,
    /// `None` where it could not be had; the next weighin removes the groups then.
    guardian: Option<Guardian>,
}

/// Whether so many processors can be held, and what threads do with them be counted; holds none.
///
/// # Errors
/// `NotPermitted` where they cannot.
pub(super) fn check(count: f64) -> Result<(), Failure> {
    check_counted(&Processors::hold(count)?)
}

/// Whether what threads do with processors that are held for them can be read, as it will be at both
/// ends of measuring.
fn check_counted(held: &dyn engine::storage::Processors) -> Result<(), Failure> {
    let uncounted =
        |source: io::Error| engine::storage::StorageError::Uncounted { reason: source.to_string() };
    held.did().map(drop).map_err(|source| Failure::from(&uncounted(source)))
}

impl Processors {
    /// Makes a group for so many processors, above 0.
    ///
    /// # Errors
    /// `NotPermitted` when this machine or its permissions don't allow it, with what would.
    pub fn hold(count: f64) -> Result<Self, Failure> {
        let place = Place::of_this_process()?;
        Self::in_place(&place, count).map_err(|error| place.refusal(&error))
    }

    fn in_place(place: &Place, count: f64) -> io::Result<Self> {
        let within: Vec<&Path> = match place {
            Place::First { cpu, account } if cpu == account => vec![cpu],
            Place::First { cpu, account } => vec![cpu, account],
            Place::Second(own) => vec![own],
        };
        let name = Name::next()?.to_string();
        let members = match place {
            Place::First { .. } => "tasks",
            Place::Second(_) => "cgroup.threads",
        };
        // What is made before something fails goes with this.
        let directories: Vec<PathBuf> = within.iter().map(|parent| parent.join(&name)).collect();
        let guardian = Guardian::watch(Charge::Groups(&directories)).ok();
        let mut held = Self { count, directories: Vec::new(), members, passed_on: None, guardian };
        for parent in within {
            left::remove(parent);
            let directory = parent.join(&name);
            fs::create_dir(&directory)?;
            held.directories.push(directory);
        }
        match place {
            Place::First { .. } => held.limit_first()?,
            Place::Second(own) => held.limit_second(own)?,
        }
        Ok(held)
    }

    /// Processor time that the members may use in a period, in microseconds.
    fn quota(&self) -> u64 {
        (self.count * PERIOD.as_micros() as f64).round() as u64
    }

    fn limit_first(&self) -> io::Result<()> {
        self.write("cpu.cfs_period_us", &PERIOD.as_micros().to_string())?;
        self.write("cpu.cfs_quota_us", &self.quota().to_string())?;
        self.write("cpu.shares", &(1024 * WEIGHT).to_string())
    }

    fn limit_second(&mut self, own: &Path) -> io::Result<()> {
        self.write("cgroup.type", "threaded")?;
        let passed_on = own.join("cgroup.subtree_control");
        if !lists(&passed_on, "cpu") {
            // Before it is: whoever is killed in between writes it once too often.
            if let Some((guardian, file)) = self.guardian.as_mut().zip(passed_on.to_str()) {
                guardian.tell(file)?;
            }
            fs::write(&passed_on, "+cpu")?;
            self.passed_on = Some(passed_on);
        }
        self.write("cpu.max", &format!("{} {}", self.quota(), PERIOD.as_micros()))?;
        self.write("cpu.weight", &(100 * WEIGHT).to_string())
    }

    /// Writes to a file of the directory that limits.
    fn write(&self, name: &str, text: &str) -> io::Result<()> {
        fs::write(self.limited().join(name), text)
    }

    fn limited(&self) -> &Path {
        self.directories.first().map_or(Path::new(""), PathBuf::as_path)
    }

    /// The same command, run in the group from its beginning.
    pub fn grouped(&self, command: &Command) -> Command {
        grouped(command, &self.limited().join(self.members))
    }

    /// The file in which the kernel counts periods, in version 2 processor time as well, and that in
    /// which version 1 counts processor time (which is not there in version 2).
    fn counters(&self) -> (PathBuf, PathBuf) {
        let counting = self.directories.last().map_or(Path::new(""), PathBuf::as_path);
        (self.limited().join("cpu.stat"), counting.join("cpuacct.usage"))
    }
}

impl engine::storage::Processors for Processors {
    fn count(&self) -> f64 {
        self.count
    }

    fn period(&self) -> Duration {
        PERIOD
    }

    fn join(&self) -> io::Result<()> {
        // 0 stands for who writes it.
        self.directories
            .iter()
            .try_for_each(|directory| fs::write(directory.join(self.members), "0"))
    }

    fn did(&self) -> io::Result<ProcessorCount> {
        let (stat, usage) = self.counters();
        group_count(&stat, &usage)
    }
}

impl Drop for Processors {
    fn drop(&mut self) {
        self.directories.iter().for_each(|directory| left::remove_when_empty(directory));
        // Another weighin may have found it passed on and rely on that.
        if let Some(mut guardian) = self.guardian.take() {
            let _ = guardian.tell("");
            guardian.leave();
        }
        if let Some(passed_on) = self.passed_on.take()
            && !passed_on.parent().is_some_and(left::has_any)
        {
            let _ = fs::write(passed_on, "-cpu");
        }
    }
}

#[cfg(test)]
mod tests;
