//! The processors that the virtual machines of a load share.

use engine::storage::Processors;
use host::Host;
use model::{Failure, FailureKind, Oversubscription, Storage};
use std::sync::Arc;

/// What holds the threads of a load to the processors of so many of its virtual machines, where these
/// are oversubscribed. It goes with the last who has it.
///
/// # Errors
/// As [`check`].
pub(crate) fn hold(
    host: &dyn Host,
    storage: &Storage,
    vms: u32,
) -> Result<Option<Arc<dyn Processors>>, Failure> {
    let Some(shared) = storage.oversubscription else { return Ok(None) };
    fits(shared, vms, host)?;
    host.hold_processors(shared.processors(vms)).map(Some)
}

/// Whether so many virtual machines of a load can be limited to their processors there.
///
/// # Errors
/// `NotPermitted` when that machine has fewer, does not permit it, or does not count what they do.
pub(super) fn check(host: &dyn Host, storage: &Storage, vms: u32) -> Result<(), Failure> {
    let Some(shared) = storage.oversubscription else { return Ok(()) };
    fits(shared, vms, host)?;
    host.check_processors(shared.processors(vms))
}

/// Whether the processors that weighin may use there are as many as the virtual machines have.
fn fits(shared: Oversubscription, vms: u32, host: &dyn Host) -> Result<(), Failure> {
    let said = fits_in(shared, vms, host.processors() as usize);
    said.map_err(|failure| match host.name() {
        own if own == host::this_machine().name() => failure,
        other => Failure { message: format!("{other}: {}", failure.message), ..failure },
    })
}

/// The same of that many.
fn fits_in(shared: Oversubscription, vms: u32, available: usize) -> Result<(), Failure> {
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

    #[test]
    fn more_processors_than_there_are_is_said_with_the_arithmetic() {
        let shared = Oversubscription { vcpus: 4, ratio: 3.0 };
        assert_eq!(fits_in(shared, 3, 4), Ok(()));
        let failure = fits_in(shared, 5, 4).unwrap_err();
        assert_eq!(
            failure.message,
            "5 virtual machines × 4 virtual processors ÷ 3 need 6.67 processors, and weighin may \
             use 4 here"
        );
        assert_eq!(
            failure.remedy,
            "take 3 virtual machines at most, or a `cpu_oversubscription` of 5 at least"
        );
        let one = fits_in(Oversubscription { vcpus: 8, ratio: 1.5 }, 1, 2).unwrap_err();
        assert_eq!(one.remedy, "take a `cpu_oversubscription` of 4 at least");
    }

    #[test]
    fn what_is_needed_is_never_said_to_be_there() {
        let shared = Oversubscription { vcpus: 1, ratio: 1.4 };
        assert_eq!(fits_in(shared, 21, 15), Ok(()), "15.000000000000002 are 15");
        // 15.0007 processors.
        let failure = fits_in(Oversubscription { vcpus: 1, ratio: 1.399_93 }, 21, 15).unwrap_err();
        assert!(failure.message.contains("need 15.01 processors"), "{failure}");
        let failure = fits_in(Oversubscription { vcpus: 2, ratio: 2.5 }, 2, 1).unwrap_err();
        assert_eq!(
            failure.remedy,
            "take 1 virtual machine at most, or a `cpu_oversubscription` of 4 at least"
        );
    }
}
