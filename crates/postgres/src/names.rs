//! Names that several parts of this crate have in common.

/// What sessions are called in the server's lists.
pub(crate) const APPLICATION_NAME: &str = "weighin";
/// Those of the clients of a load.
pub(crate) const LOAD_NAME: &str = "weighin load";

/// The one that reads counters, in a transaction that stays open and writes nothing.
pub(crate) const COUNTERS_NAME: &str = "weighin counters";

/// What servers count of a load: transactions that have ended, those of one statement among them.
pub const TRANSACTIONS: &str = "transactions";
/// How many of these, at most, were work of the server's own.
pub(crate) const TRANSACTIONS_BY_ITSELF: &str = "transactions_by_itself";
/// Scans of the user's tables: each statement of the sbtest family that looks for a row, or for a range
/// of rows, begins one.
pub(crate) const TABLE_SCANS: &str = "table_scans";
/// Rows that were inserted into the user's tables.
pub(crate) const ROWS_INSERTED: &str = "rows_inserted";
