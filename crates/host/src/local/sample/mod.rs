//! Host and server sampling while a trial runs: processors, disks (iostat's figures), the server
//! process, weighin itself, and the server's own counters. All of it is read from `/proc` and
//! `/sys`; what can't be read is absent.

mod account;
mod companions;
mod counters;
mod cpu;
mod disk;
mod facts;
#[doc(hidden)]
pub mod fuzzing;
mod grid;
mod group;
mod host;
mod mounts;
mod process;
mod processes;
mod sampler;
mod temporary;
mod threads;
mod volume;

pub use account::OpenAccount;
pub use cpu::CpuTimes;
pub use facts::host_facts;
pub use group::group_count;
pub use host::{HostReader, HostReading, rates};
pub use process::{ProcessReader, ProcessReading, own_usage};
pub(crate) use processes::boot;
pub use sampler::{Sampled, Sampler};
pub use temporary::SpaceWatch;
pub use volume::{device_of, volume_of};
