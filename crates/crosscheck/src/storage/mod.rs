//! Tools that read and write blocks: fio, run on the files of weighin's virtual machines, and the
//! command lines of fio and DiskSpd that mean the same, for who wants to repeat a load.

mod diskspd;
pub(crate) mod fio;
mod jobs;
mod order;

pub use diskspd::{DiskspdLine, diskspd};
pub use fio::{Fio, IoEngine, fio_line, unsupported};
pub use order::{Data, StorageOrder};
