//! The protocol of Redis and of servers that speak it too, such as Valkey and KeyDB: RESP2, and
//! of RESP3 whatever a server may send without being asked to.
//!
//! Requests are arrays of byte strings. [`write_command`] encodes one; [`CommandTemplate`] encodes
//! one once, to be copied and patched. [`ReplyReader`] passes over replies as fast as they come and
//! keeps nothing; [`ValueReader`] keeps one, for control work.

mod command;
mod reply;
mod value;

pub use command::{CommandTemplate, write_command};
pub use reply::{Reply, ReplyReader, RespError};
pub use value::{Value, ValueReader};
