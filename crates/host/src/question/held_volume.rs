//! What weighin asks of a volume that it holds on a machine.

use engine::storage::{FileSpec, Filling};
use model::{Failure, Stop, VolumeLayout, VolumePlace};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt::Debug;

/// The virtual machines of a load that have their data on one volume.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Share {
    /// The number of the volume, from 0.
    pub volume: u32,
    /// Their numbers.
    pub vms: Vec<u32>,
    /// How much of the volume they take.
    pub layout: VolumeLayout,
}

/// A volume that is held for weighin alone. Dropping it lets it go.
pub trait HeldVolume: Debug + Send {
    fn facts(&self) -> &VolumeFacts;

    /// Makes sure that its path still leads to it.
    ///
    /// # Errors
    /// `VolumeFailed` where it does not.
    fn check_same(&self) -> Result<(), Failure>;

    /// Says whether blocks may be written, as the study and (`consented`) the command line have it,
    /// and have room. Reads all that will be written, unless it may be erased. Returns what was
    /// looked at and found, in words; `None` of a directory, where weighin has a folder of its own.
    ///
    /// # Errors
    /// `ForeignData` where something is there and not both allow to overwrite it; `DiskFull` where
    /// there is too little room; [`Failure::stopped`].
    fn check_contents(
        &mut self,
        place: &VolumePlace,
        consented: bool,
        layout: VolumeLayout,
        looking: Looking<'_>,
    ) -> Result<Option<String>, Failure>;

    /// What a directory has of its file system; `None` of blocks.
    ///
    /// # Errors
    /// When the operating system does not tell.
    fn space(&self) -> Result<Option<Space>, Failure>;

    /// Where the data of virtual machines is.
    ///
    /// # Errors
    /// When its machine does not answer.
    fn files(&self, share: &Share) -> Result<Vec<FileSpec>, Failure>;

    /// Whether all of that data is there: it was written once.
    ///
    /// # Errors
    /// As [`Self::files`].
    fn is_filled(&self, share: &Share) -> Result<bool, Failure>;

    /// Writes all of it.
    ///
    /// # Errors
    /// When it cannot be written; [`Failure::stopped`].
    fn fill(&mut self, share: &Share, filling: Filling<'_>) -> Result<(), Failure>;
}

/// How long reading what a volume holds may go on, and who is told how far it is.
pub struct Looking<'a> {
    /// Ends it.
    pub stop: &'a Stop,
    /// Told bytes read so far, and bytes to read in all.
    pub progress: &'a mut dyn FnMut(u64, u64),
}

/// What a volume is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VolumeFacts {
    /// A device or a file, and no directory.
    pub is_blocks: bool,
    /// What it stands on; `None` where that is no block device of the machine, or not known.
    pub under: Option<Volume>,
}

/// The block devices that a directory stands on, by their kernel names as in `/proc/diskstats`. A
/// partition is named by its disk, whose figures hold those of all its partitions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Volume {
    /// Type of the file system, such as `ext4`.
    pub file_system: String,
    /// What the file system is on: one device, or all those that btrfs spreads itself over.
    pub devices: BTreeSet<String>,
    /// The devices that do the work: an array's or a mapped device's members in place of it, and
    /// theirs in place of them. Their figures add up to the volume's, and count nothing twice.
    pub members: BTreeSet<String>,
    /// What the files are on that stand in for members (loop devices); likewise down to the devices
    /// that do the work. Empty when no member is a loop device. What they count is the volume's work
    /// a second time, and whatever else goes on on these disks.
    pub beneath: BTreeSet<String>,
}

/// What a directory has of its file system. Of one that holds no volume, `own` is 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Space {
    /// Which file system.
    pub device: u64,
    /// Bytes that are free there.
    pub free: u64,
    /// Bytes in weighin's own files, which make room for new ones.
    pub own: u64,
}
