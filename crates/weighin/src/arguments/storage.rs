//! Options of loads on storage, as typed.

use super::bounds::whole;
use clap::Args;
use model::bounds::{MAX_IOPS, MAX_SYNC_EVERY, MAX_VCPUS, MAX_VMS};
use std::path::PathBuf;
use study::StoragePattern;

/// What is read and written on a volume.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of storage")]
pub(crate) struct StorageArguments {
    /// Threads, reads and writes that each keeps in flight, and size of blocks, of each virtual
    /// machine; or `redo log` [default: t1 o32 b4k]
    #[arg(long, value_parser = study::parse_pattern)]
    pub(crate) pattern: Option<StoragePattern>,
    /// Reads among all reads and writes, in percent [default: 100]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u8).range(0..=100))]
    pub(crate) reads: Option<u8>,
    /// Read and write one block after another, and not at random
    #[arg(long)]
    pub(crate) sequential: bool,
    /// An fdatasync after every so many writes of a virtual machine
    #[arg(long, value_name = "WRITES", value_parser = whole(1..=MAX_SYNC_EVERY))]
    pub(crate) sync_every: Option<u32>,
    /// Reads and writes a second to which each virtual machine is held
    #[arg(long, value_name = "IOPS", value_parser = whole(1..=MAX_IOPS))]
    pub(crate) iops_limit: Option<u32>,
    /// Write every block with a checksum, its place and its generation, and check them when it is
    /// read
    #[arg(long)]
    pub(crate) verify: bool,
    /// Hold the virtual machines to the processors of a host that has one for so many virtual
    /// processors, such as 4 [default: as many processors as there are]
    #[arg(long, value_name = "RATIO")]
    pub(crate) cpu_oversubscription: Option<f64>,
    /// Virtual processors of each virtual machine [default: 1]
    #[arg(long, requires = "cpu_oversubscription", value_parser = whole(1..=MAX_VCPUS))]
    pub(crate) vcpus: Option<u32>,
    /// Search for the highest rate at which the processors are busy for no more than so much of
    /// their time, with --cpu-oversubscription those of the virtual machines; with --slo both must
    /// be kept
    #[arg(long, value_name = "PERCENT", group = "open", conflicts_with_all = ["rate", "events"], value_parser = clap::value_parser!(u8).range(1..=99))]
    pub(crate) cpu_limit: Option<u8>,
    #[command(flatten)]
    pub(crate) data: DataArguments,
}

/// How much data there is on a volume.
#[derive(Debug, Args)]
#[command(next_help_heading = "Options of storage")]
pub(crate) struct DataArguments {
    /// Virtual machines, each with data of its own [default: 1]
    #[arg(long, value_parser = whole(1..=MAX_VMS))]
    pub(crate) vms: Option<u32>,
    /// Data of each virtual machine, such as 40GiB [default: 1GiB]
    #[arg(long, value_name = "SIZE", value_parser = study::parse_data)]
    pub(crate) data: Option<u64>,
    /// Overwrite this device or file although it holds something: the same path once more
    #[arg(long, value_name = "PATH")]
    pub(crate) erase: Vec<PathBuf>,
}
