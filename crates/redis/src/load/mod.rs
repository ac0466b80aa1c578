//! Sessions that speak the protocol of Redis.

mod classify;
mod commands;
mod session;

pub use classify::operation_error;
pub use commands::KeyValueCommands;
pub use session::{KeyValueSession, RedisLogin};
