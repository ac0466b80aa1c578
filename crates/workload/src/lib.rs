//! Operation sources: what the clients of a test ask for, one step after another.
//!
//! Pure and seeded: the same seed gives the same operations on every machine. Nothing here knows
//! a wire format, a socket or a clock.

pub mod data;
mod distribution;
pub mod draft;
pub mod key_value;
pub mod oltp;
pub mod own;
pub mod program;
pub mod script;
pub mod storage;
mod stream;

pub use distribution::Keys;
pub use stream::Stream;
