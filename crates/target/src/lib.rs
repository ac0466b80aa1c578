//! What a trial runs against, and how it is brought to the state that the trial starts from.

pub mod client;
pub mod os;
pub mod sandbox;
pub mod storage;
pub mod volume;
