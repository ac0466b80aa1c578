use model::{Fleet, FleetProcessors, IoAccount, Verified, VmAccount, VolumeAccount};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// What virtual machines did, besides the record of those that drove them.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct FleetPart {
    /// Reads and writes that each kept under way.
    pub(super) queue_depth: u32,
    pub(super) vms: Vec<VmDone>,
    /// Time in which limits kept them from going on, summed over all slots.
    pub(super) held: Duration,
    pub(super) verified: Option<Verified>,
    pub(super) processors: Option<FleetProcessors>,
}

/// What one virtual machine did in the measured phase.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct VmDone {
    pub(super) number: u32,
    pub(super) volume: u32,
    pub(super) reads: IoAccount,
    pub(super) writes: IoAccount,
}

impl FleetPart {
    /// Adds what others did beside these.
    pub(crate) fn add(&mut self, other: Self) {
        self.queue_depth = self.queue_depth.max(other.queue_depth);
        self.vms.extend(other.vms);
        self.held += other.held;
        if let Some(theirs) = other.verified {
            *self.verified.get_or_insert_default() += theirs;
        }
        match (&mut self.processors, other.processors) {
            (Some(own), Some(theirs)) => *own += theirs,
            (own, theirs) => *own = own.take().or(theirs),
        }
    }

    /// The account by virtual machine and by volume.
    pub(crate) fn whole(mut self) -> Fleet {
        self.vms.sort_by_key(|vm| vm.number);
        let last = self.vms.iter().map(|vm| vm.volume).max().unwrap_or(0);
        let mut volumes = vec![VolumeAccount::default(); last as usize + 1];
        let vms = self.vms.iter().map(|vm| {
            let volume = &mut volumes[vm.volume as usize];
            volume.vms += 1;
            volume.reads += &vm.reads;
            volume.writes += &vm.writes;
            VmAccount { volume: vm.volume, reads: vm.reads.figures(), writes: vm.writes.figures() }
        });
        let vms = vms.collect();
        Fleet {
            queue_depth: self.queue_depth,
            blocked_seconds: self.held.as_secs_f64(),
            vms,
            volumes,
            verified: self.verified,
            processors: self.processors,
        }
    }
}
