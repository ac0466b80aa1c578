//! Sessions that speak the MySQL protocol.

mod classify;
mod oltp;
mod statements;
mod text;

pub use classify::classify;
pub use oltp::OltpSession;
pub use statements::OltpStatements;
