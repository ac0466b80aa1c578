//! Targets without a server: weighin's own files on their volumes, and the load on these.

mod devices;
mod directory;
mod measure;
mod processors;
mod room;
mod volumes;

pub(crate) use measure::measure;
pub(crate) use processors::group;
pub(crate) use room::check_room;
pub(crate) use volumes::loads;
pub use volumes::{Taking, Volumes, cleanup};
