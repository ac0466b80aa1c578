//! The processors that the virtual machines of a load share.

use engine::storage::{Processors, StorageError};
use host::Host;
use model::{Failure, FailureKind, Oversubscription, Storage};
use std::io;
use std::sync::Arc;

/// What holds the threads of a load to the processors of its virtual machines, where these are
/// oversubscribed. It goes with the last who has it.
///
/// # Errors
/// As [`check`].
pub(super) fn hold(
    host: &dyn Host,
    storage: &Storage,
) -> Result<Option<Arc<dyn Processors>>, Failure> {
    let Some(shared) = storage.oversubscription else { return Ok(None) };
    fits(shared, storage.vms, host.processors() as usize)?;
    host.hold_processors(shared.processors(storage.vms)).map(Some)
}

/// Whether the virtual machines of a load can be limited to their processors there.
///
/// # Errors
/// `NotPermitted` when that machine has fewer, does not permit it, or does not count what they do.
pub(super) fn check(host: &dyn Host, storage: &Storage) -> Result<(), Failure> {
    hold(host, storage)?.map_or(Ok(()), |held| counts(held.as_ref()))
}

/// Whether what the virtual machines do with their processors can be read, as it will be at both
/// ends of measuring.
fn counts(held: &dyn Processors) -> Result<(), Failure> {
    let uncounted = |source: io::Error| StorageError::Uncounted { reason: source.to_string() };
    held.did().map(drop).map_err(|source| Failure::from(&uncounted(source)))
}

/// Threads that drive the virtual machines of a load, where nobody has said how many: enough for all
/// processors that these have.
pub(super) fn workers(storage: &Storage, otherwise: u32) -> u32 {
    let shared = storage.oversubscription;
    // No more than this host has.
    shared.map_or(otherwise, |shared| otherwise.max(shared.whole_processors(storage.vms)))
}

/// Whether this many processors, which weighin may use, are as many as the virtual machines have.
fn fits(shared: Oversubscription, vms: u32, available: usize) -> Result<(), Failure> {
    if shared.fits(vms, available) {
        return Ok(());
    }
    let Oversubscription { vcpus, ratio } = shared;
    let counted =
        |number: u32, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
    let message = format!(
        "{} × {} ÷ {ratio} need {} processors, and weighin may use {available} here",
        counted(vms, "virtual machine"),
        counted(vcpus, "virtual processor"),
        // Rounded down it could be as many as there are.
        (shared.processors(vms) * 100.0).ceil() / 100.0,
    );
    let fewer = match shared.max_vms(available) {
        0 => String::new(),
        most => format!("{} at most, or ", counted(most, "virtual machine")),
    };
    let least = shared.min_ratio(vms, available);
    let remedy = format!("take {fewer}a `cpu_oversubscription` of {least} at least");
    Err(Failure::new(FailureKind::NotPermitted, message, remedy))
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::ProcessorCount;
    use std::time::Duration;

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

    #[test]
    fn what_is_needed_is_never_said_to_be_there() {
        let shared = Oversubscription { vcpus: 1, ratio: 1.4 };
        assert_eq!(fits(shared, 21, 15), Ok(()), "15.000000000000002 are 15");
        // 15.0007 processors.
        let failure = fits(Oversubscription { vcpus: 1, ratio: 1.399_93 }, 21, 15).unwrap_err();
        assert!(failure.message.contains("need 15.01 processors"), "{failure}");
        let failure = fits(Oversubscription { vcpus: 2, ratio: 2.5 }, 2, 1).unwrap_err();
        assert_eq!(
            failure.remedy,
            "take 1 virtual machine at most, or a `cpu_oversubscription` of 4 at least"
        );
    }

    /// Processors whose counters cannot be read.
    #[derive(Debug)]
    struct Uncounted;

    impl Processors for Uncounted {
        fn count(&self) -> f64 {
            1.0
        }

        fn period(&self) -> Duration {
            Duration::from_millis(100)
        }

        fn join(&self) -> io::Result<()> {
            Ok(())
        }

        fn did(&self) -> io::Result<ProcessorCount> {
            Err(io::Error::other("cpu.stat has no nr_periods"))
        }
    }

    #[test]
    fn counters_that_cannot_be_read_are_found_by_the_check_with_the_reason() {
        let failure = counts(&Uncounted).unwrap_err();
        assert_eq!(failure.kind, FailureKind::NotPermitted);
        assert!(failure.message.ends_with(": cpu.stat has no nr_periods"), "{failure}");
        assert!(failure.remedy.contains("leave `cpu_oversubscription` out"), "{failure}");
    }
}
