//! Targets without a server: weighin's own files on their volumes, and the load on these.

mod cross_check;
mod devices;
mod each;
mod processors;
mod room;
mod target;
mod volumes;

pub(crate) use self::processors::hold as hold_processors;
pub(crate) use self::room::Rooms;
pub(crate) use self::target::VolumeSystem;
pub use self::volumes::{Taking, Volumes};
pub(super) use crate::failure::local_load_failure as load_failure;
