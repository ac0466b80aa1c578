//! Sessions that speak the MySQL protocol.

mod classify;
mod oltp;
mod statements;
mod text;
#[cfg(test)]
mod wire;

pub use classify::operation_error;
pub use oltp::{OltpSession, REQUEST_KINDS};
pub use statements::OltpStatements;
