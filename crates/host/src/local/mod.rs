//! The machine that weighin itself runs on.

pub mod child;
mod command;
pub(crate) mod groups;
pub mod os;
pub mod processors;
pub mod sample;
pub mod sandbox;
mod size;
pub mod storage;
pub mod volume;

pub use self::command::command;
