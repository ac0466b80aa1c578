use serde::{Deserialize, Serialize};

/// A volume that weighin builds out of files for the data of a private server, and removes with it.
///
/// Sizes and limits are those of each of its devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuiltVolume {
    /// How many devices the data is striped over; 1 without striping.
    pub devices: u32,
    /// Size of each device, in bytes.
    pub device_bytes: u64,
    /// Bytes that go to one device before the next has its turn; absent with a single device.
    pub chunk_bytes: Option<u64>,
    /// What is made on the devices.
    pub file_system: FileSystem,
    /// What each device is limited to.
    pub limits: IoLimits,
}

impl BuiltVolume {
    /// Bytes of all devices together: what its files take.
    pub fn bytes(&self) -> u64 {
        self.device_bytes.saturating_mul(self.devices.into())
    }
}

/// A file system that a volume can have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileSystem {
    /// Striped by the kernel's md.
    #[default]
    Ext4,
    /// Striped by the kernel's md.
    Xfs,
    /// Stripes by itself, always by [`FileSystem::BTRFS_CHUNK`].
    Btrfs,
}

impl FileSystem {
    /// All of them, the usual one first.
    pub const ALL: [Self; 3] = [Self::Ext4, Self::Xfs, Self::Btrfs];

    /// Bytes that btrfs writes to one device before the next: `BTRFS_STRIPE_LEN` of the kernel.
    pub const BTRFS_CHUNK: u64 = 64 << 10;

    /// Its name, as `mount` and study files have it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ext4 => "ext4",
            Self::Xfs => "xfs",
            Self::Btrfs => "btrfs",
        }
    }
}

/// What a device is limited to, each per second; unlimited where absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IoLimits {
    /// Reads.
    pub read_iops: Option<u64>,
    /// Writes, including flushes.
    pub write_iops: Option<u64>,
    /// Bytes read.
    pub read_bytes: Option<u64>,
    /// Bytes written.
    pub write_bytes: Option<u64>,
}

impl IoLimits {
    /// Whether nothing is limited.
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}
