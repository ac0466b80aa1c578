use super::crew::FleetPart;
use model::{Fleet, Verified, VmAccount, VolumeAccount};
use std::time::Duration;

/// What the workers' virtual machines did, by virtual machine and by volume.
pub(super) fn fleet(parts: Vec<FleetPart>, in_flight: u32) -> Fleet {
    let held: Duration = parts.iter().map(|part| part.held).sum();
    let mut verified: Option<Verified> = None;
    for part in parts.iter().filter_map(|part| part.verified) {
        *verified.get_or_insert_default() += part;
    }
    let mut all: Vec<_> = parts.into_iter().flat_map(|part| part.vms).collect();
    all.sort_by_key(|(spec, ..)| spec.number);
    let last = all.iter().map(|(spec, ..)| spec.volume).max().unwrap_or(0);
    let mut volumes = vec![VolumeAccount::default(); last as usize + 1];
    let vms = all.iter().map(|(spec, reads, writes)| {
        let volume = &mut volumes[spec.volume as usize];
        volume.vms += 1;
        volume.reads += reads;
        volume.writes += writes;
        VmAccount { volume: spec.volume, reads: reads.figures(), writes: writes.figures() }
    });
    let vms = vms.collect();
    Fleet { in_flight, held_seconds: held.as_secs_f64(), vms, volumes, verified, processors: None }
}
