//! What a trial runs against, and how it is brought to the state that the trial starts from.

pub mod client;
#[doc(hidden)]
pub mod fuzzing;
mod groups;
pub mod os;
pub mod processors;
pub mod sandbox;
mod size;
pub mod storage;
pub mod volume;
