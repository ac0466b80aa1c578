//! Targets that are loaded at once on this machine: that they can be kept apart there.

use super::Diagnostics;
use model::{BuiltVolume, Failure, FailureKind, Place, Study, Target};
use system::Hosts;

/// Whether there are processors for each target of such a study, and what they share all the same.
///
/// # Errors
/// [`Failure::stopped`] alone.
pub(super) fn check(study: &Study, hosts: &Hosts, found: &mut Diagnostics) -> Result<(), Failure> {
    if !study.duet {
        return Ok(());
    }
    let Some(divided) = found.keep(hosts.load.divide_processors(study.servers().count()))? else {
        return Ok(());
    };
    let limited = study
        .servers()
        .find(|target| volume(target).is_some_and(|volume| !volume.limits.is_none()));
    let moves = divided.sets().iter().any(|set| set.takes_from_other_groups());
    drop(divided);
    if let Some(target) = limited.filter(|_| moves) {
        found.error(Failure::new(
            FailureKind::NotPermitted,
            format!(
                "the server of {} cannot be in one control group for its processors and in another for \
                 the limits of its volume: this machine has those of version 2",
                target.name
            ),
            "leave the limits of the volume out, or use `slices` in place of `duet`",
        ));
    }
    let sharing: Vec<&str> = study
        .servers()
        .filter(|target| volume(target).is_none())
        .map(|target| target.name.as_str())
        .collect();
    if !sharing.is_empty() {
        found.note(
            format!(
                "targets that are loaded at once have processors of their own; {} share the disk of their \
                 data and the memory of the machine with the others, and what one writes the others may \
                 wait for",
                sharing.join(", ")
            ),
            "keep their data smaller than memory, and give each a `volume` where they write much; the A/A \
             control (`noise_floor`) says what sharing costs",
        );
    }
    Ok(())
}

/// The volume that is built for a target's data.
fn volume(target: &Target) -> Option<BuiltVolume> {
    match &target.place {
        Place::Sandbox(spec) => spec.volume,
        Place::Server(_) | Place::Storage(_) | Place::Imported => None,
    }
}
