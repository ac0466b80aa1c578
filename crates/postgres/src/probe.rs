//! The probe of a failover: when a server takes no writes.

use crate::Postgres;
use crate::client::{ClientError, Connection};
use model::Failure;
use sql::ProbeKind;

/// What a server says that takes no writes: one in recovery, or whose transactions are read-only.
const READ_ONLY: &str = "25006";

impl ProbeKind for Postgres {
    const COLUMNS: &'static str = "id bigint NOT NULL PRIMARY KEY, \
         written_at timestamptz NOT NULL DEFAULT clock_timestamp()";

    /// A server in recovery calls every transaction read-only.
    fn is_read_only(connection: &mut Connection) -> Result<bool, Failure> {
        let rows = connection.query("SHOW transaction_read_only");
        let rows = rows.map_err(|e| e.failure("cannot ask whether the server is read-only"))?.rows;
        Ok(rows.into_iter().flatten().flatten().next().is_none_or(|value| value != "off"))
    }

    fn takes_none(error: &ClientError) -> bool {
        error.sql_state() == Some(READ_ONLY)
    }
}
