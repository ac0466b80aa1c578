//! Sessions that speak the MySQL protocol.

mod classify;
mod packets;
mod reading;
#[cfg(test)]
mod tests;
mod text;
mod wire;

use model::System;
use sql::Reader;
use workload::oltp::Wording;

pub use classify::operation_error;
use text::quote;
pub use wire::MysqlWire;

/// How workloads are read that run here.
pub(crate) const READER: Reader =
    Reader { system: System::Mysql, wording: Wording::START_TRANSACTION, quote };

/// One client of a load.
pub type ProgramSession<const BY_STATEMENT: bool = false> =
    sql::ProgramSession<MysqlWire, BY_STATEMENT>;
