use model::Storage;
use std::path::PathBuf;
use std::time::Duration;

/// A load on storage that another tool is to run.
#[derive(Clone, Debug)]
pub struct StorageOrder<'a> {
    /// What is asked for.
    pub storage: &'a Storage,
    /// The data of each virtual machine, as many as the workload has.
    pub data: &'a [Data],
    /// Reads and writes that each virtual machine keeps under way; a multiple of its threads.
    pub queue_depth: u32,
    /// How long the load runs before it is measured.
    pub warmup: Duration,
    /// How long it is measured.
    pub duration: Duration,
}

/// Where the data of a virtual machine is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Data {
    /// A file or block device.
    pub path: PathBuf,
    /// Where its part of that begins, in bytes.
    pub offset: u64,
    /// How long that part is, in bytes.
    pub length: u64,
}

impl StorageOrder<'_> {
    /// What each thread of a virtual machine keeps under way; at least 1.
    pub(super) fn depth(&self) -> u32 {
        (self.queue_depth / self.storage.threads.max(1)).max(1)
    }
}
