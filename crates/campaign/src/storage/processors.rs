//! The processors that the virtual machines of a load have among them.

use engine::storage::Processors;
use model::{Failure, FailureKind, Oversubscription, ProcessorCount, Storage};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use target::processors::{PERIOD, Processors as Group};

/// A control group, and what the kernel counts for it.
#[derive(Debug)]
struct Held(Group);

impl Processors for Held {
    fn count(&self) -> f64 {
        self.0.count()
    }

    fn period(&self) -> Duration {
        PERIOD
    }

    fn join(&self) -> io::Result<()> {
        self.0.join()
    }

    fn did(&self) -> io::Result<ProcessorCount> {
        let (stat, usage) = self.0.counters();
        sample::group_count(&stat, &usage)
    }
}

/// What holds the threads of a load to the processors of its virtual machines, where these are
/// oversubscribed. It goes with the last who has it.
///
/// # Errors
/// As [`check`].
pub(super) fn hold(storage: &Storage) -> Result<Option<Arc<dyn Processors>>, Failure> {
    let Some(group) = group(storage)? else { return Ok(None) };
    Ok(Some(Arc::new(Held(group))))
}

/// The same for processes.
///
/// # Errors
/// As [`check`].
pub(crate) fn group(storage: &Storage) -> Result<Option<Group>, Failure> {
    let Some(shared) = storage.oversubscription else { return Ok(None) };
    fits(shared, storage.vms, available())?;
    Group::hold(shared.processors(storage.vms)).map(Some)
}

/// Whether the virtual machines of a load can be held to their processors here.
///
/// # Errors
/// `NotPermitted` when this host has fewer, or does not permit it.
pub(super) fn check(storage: &Storage) -> Result<(), Failure> {
    group(storage).map(drop)
}

/// Threads that drive the virtual machines of a load, where nobody has said how many: enough for all
/// processors that these have.
pub(super) fn workers(storage: &Storage, otherwise: u32) -> u32 {
    // No more than this host has.
    storage.processors().map_or(otherwise, |count| otherwise.max(count.ceil() as u32))
}

/// Processors that weighin may run on.
fn available() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

fn fits(shared: Oversubscription, vms: u32, available: usize) -> Result<(), Failure> {
    let count = shared.processors(vms);
    let there = available as f64;
    if count <= there {
        return Ok(());
    }
    let Oversubscription { vcpus, ratio } = shared;
    let plural = |many: bool| if many { "s" } else { "" };
    let message = format!(
        "{vms} virtual machine{} × {vcpus} virtual processor{} ÷ {ratio} need {} processors, and \
         weighin may use {available} here",
        plural(vms > 1),
        plural(vcpus > 1),
        (count * 100.0).round() / 100.0,
    );
    let most = (there * ratio / f64::from(vcpus)).floor();
    let fewer =
        if most >= 1.0 { format!("{most} virtual machines at most, or ") } else { String::new() };
    // Two decimals, and not a little less than it takes.
    let least = (f64::from(vms) * f64::from(vcpus) / there * 100.0).ceil() / 100.0;
    let remedy = format!("take {fewer}a `cpu_oversubscription` of {least} at least");
    Err(Failure::new(FailureKind::NotPermitted, message, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_processors_than_there_are_is_said_with_the_arithmetic() {
        let shared = Oversubscription { vcpus: 4, ratio: 3.0 };
        assert_eq!(fits(shared, 3, 4), Ok(()));
        let failure = fits(shared, 5, 4).unwrap_err();
        assert_eq!(
            failure.message,
            "5 virtual machines × 4 virtual processors ÷ 3 need 6.67 processors, and weighin may \
             use 4 here"
        );
        assert_eq!(
            failure.remedy,
            "take 3 virtual machines at most, or a `cpu_oversubscription` of 5 at least"
        );
        let one = fits(Oversubscription { vcpus: 8, ratio: 1.5 }, 1, 2).unwrap_err();
        assert_eq!(one.remedy, "take a `cpu_oversubscription` of 4 at least");
    }
}
