//! Sessions that speak the protocol of PostgreSQL.

mod classify;
mod pipeline;
mod prepared;
#[cfg(test)]
mod tests;
mod wire;

use model::System;
use sql::Reader;
use workload::oltp::Wording;

pub use crate::names::TRANSACTIONS;
pub use classify::{Duplicates, operation_error};
pub use wire::PostgresWire;
pub(crate) use wire::quote;

/// How workloads are read that run here.
pub(crate) const READER: Reader = Reader {
    system: System::Postgres,
    wording: Wording { begin: "BEGIN", omits_given_ids: true },
    quote,
};

/// One client of a load.
pub type ProgramSession<const BY_STATEMENT: bool = false> =
    sql::ProgramSession<PostgresWire, BY_STATEMENT>;
