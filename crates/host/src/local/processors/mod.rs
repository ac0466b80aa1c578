//! Processors for some threads and processes, kept by the kernel's control groups (cgroups(7)): a
//! number of them, which is what the hosts of virtual machines have for these, where their virtual
//! processors are oversubscribed; or [some of the machine's](DividedProcessors) and no others, which
//! targets have that are loaded at once.
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

mod group;
mod holding;
mod left;
mod own_group;
mod place;
mod set;
mod topology;

use self::group::Group;
pub use self::holding::Holding;
use self::place::Place;
pub use self::set::{DividedProcessors, ProcessorSet};
use crate::local::groups::grouped;
use crate::local::sample::group_count;
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
    /// One that limits, or one that limits and one that counts.
    group: Group,
    /// The file in these that lists members.
    members: &'static str,
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
        let members = match place {
            Place::First { .. } => "tasks",
            Place::Second(_) => "cgroup.threads",
        };
        let mut held = Self { count, group: Group::make(&within)?, members };
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
        self.group.write("cpu.cfs_period_us", &PERIOD.as_micros().to_string())?;
        self.group.write("cpu.cfs_quota_us", &self.quota().to_string())?;
        self.group.write("cpu.shares", &(1024 * WEIGHT).to_string())
    }

    fn limit_second(&mut self, own: &Path) -> io::Result<()> {
        self.group.pass_on(own, "cpu")?;
        self.group.write("cpu.max", &format!("{} {}", self.quota(), PERIOD.as_micros()))?;
        self.group.write("cpu.weight", &(100 * WEIGHT).to_string())
    }

    /// The same command, run in the group from its beginning.
    pub fn grouped(&self, command: &Command) -> Command {
        grouped(command, &self.group.directory().join(self.members))
    }

    /// The file in which the kernel counts periods, in version 2 processor time as well, and that in
    /// which version 1 counts processor time (which is not there in version 2).
    fn counters(&self) -> (PathBuf, PathBuf) {
        let counting = self.group.directories().last().map_or(Path::new(""), PathBuf::as_path);
        (self.group.directory().join("cpu.stat"), counting.join("cpuacct.usage"))
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
        self.group
            .directories()
            .iter()
            .try_for_each(|directory| fs::write(directory.join(self.members), "0"))
    }

    fn did(&self) -> io::Result<ProcessorCount> {
        let (stat, usage) = self.counters();
        group_count(&stat, &usage)
    }
}

#[cfg(test)]
mod tests;
