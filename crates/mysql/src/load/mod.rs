//! Sessions that speak the MySQL protocol.

mod classify;
#[cfg(test)]
mod digests;
mod packets;
mod program;
mod reading;
pub(crate) mod sample;
#[cfg(test)]
mod scripts;
mod text;
mod wire;

pub use classify::operation_error;
pub(crate) use program::{program, reader};
pub(crate) use sample::SampleStatement;
pub use wire::MysqlWire;

/// One client of a load.
pub type ProgramSession<const BY_STATEMENT: bool = false> =
    sql::ProgramSession<MysqlWire, BY_STATEMENT>;
