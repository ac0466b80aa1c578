//! Targets without a server: weighin's own files on their volumes, and the load on these.

mod cross_check;
mod devices;
mod each;
mod load;
mod processors;
mod target;
mod volumes;

pub use self::target::VolumeSystem;
pub use self::volumes::{Taking, Volumes};

/// Devices, files and directories as a system.
pub static SYSTEM: VolumeSystem = VolumeSystem;
