use super::schema::name_of;
use crate::program::StatementKind;
use model::{Oltp, OltpDialect, OltpTransaction};

/// In what servers differ that run the family.
#[derive(Clone, Copy, Debug)]
pub struct Wording {
    /// What begins a transaction.
    pub begin: &'static str,
    /// Whether a row whose number the server gives is inserted without one; else with the number 0.
    pub omits_given_ids: bool,
}

impl Wording {
    /// Not BEGIN, which opens a block of statements where sql_mode has ORACLE.
    pub const START_TRANSACTION: Self = Self { begin: "START TRANSACTION", omits_given_ids: false };

    pub(super) fn omits_id(&self, workload: &Oltp) -> bool {
        self.omits_given_ids && workload.schema.auto_increment
    }
}

impl Default for Wording {
    fn default() -> Self {
        Self::START_TRANSACTION
    }
}

/// The statements that transactions are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Statement {
    /// Starts a transaction.
    Begin,
    /// Ends it.
    Commit,
    /// Column `c` of one row by primary key.
    PointSelect,
    /// Column `pad` of one row by primary key.
    PadSelect,
    /// A range of rows.
    SimpleRange,
    /// The sum over a range.
    SumRange,
    /// A range, sorted.
    OrderRange,
    /// The distinct values of a range, sorted.
    DistinctRange,
    /// Changes an indexed column.
    IndexUpdate,
    /// Changes a column without index.
    NonIndexUpdate,
    /// Removes a row.
    Delete,
    /// Puts a row back.
    Insert,
    /// Adds a new row.
    InsertRow,
    /// Rows by a list of values of `k`.
    RandomPoints,
    /// Counts the rows in several ranges of `k`.
    RandomRanges,
    /// Adds many small rows ([`super::BulkSource`]).
    BulkInsert,
}

impl Statement {
    /// All statements.
    pub const ALL: [Self; 16] = [
        Self::Begin,
        Self::Commit,
        Self::PointSelect,
        Self::PadSelect,
        Self::SimpleRange,
        Self::SumRange,
        Self::OrderRange,
        Self::DistinctRange,
        Self::IndexUpdate,
        Self::NonIndexUpdate,
        Self::Delete,
        Self::Insert,
        Self::InsertRow,
        Self::RandomPoints,
        Self::RandomRanges,
        Self::BulkInsert,
    ];

    /// The statements of a transaction, in the order of [`Self::ALL`].
    pub fn all_of(transaction: &OltpTransaction) -> Vec<Self> {
        Self::ALL.into_iter().filter(|statement| statement.is_in(transaction)).collect()
    }

    fn is_in(self, transaction: &OltpTransaction) -> bool {
        match self {
            Self::Begin | Self::Commit => transaction.explicit,
            Self::PointSelect => transaction.point_selects > 0,
            Self::PadSelect => transaction.pad_selects > 0,
            Self::SimpleRange => transaction.simple_ranges > 0,
            Self::SumRange => transaction.sum_ranges > 0,
            Self::OrderRange => transaction.order_ranges > 0,
            Self::DistinctRange => transaction.distinct_ranges > 0,
            Self::IndexUpdate => transaction.index_updates > 0,
            Self::NonIndexUpdate => transaction.non_index_updates > 0,
            Self::Delete => transaction.deletes + transaction.delete_inserts > 0,
            Self::Insert => transaction.delete_inserts > 0,
            Self::InsertRow => transaction.inserts > 0,
            Self::RandomPoints => transaction.random_points > 0,
            Self::RandomRanges => transaction.random_ranges > 0,
            Self::BulkInsert => transaction.bulk_inserts > 0,
        }
    }

    /// Whether there is one for each table. `BEGIN` and `COMMIT` belong to none, and some
    /// statements only ever use the first.
    pub fn is_per_table(self) -> bool {
        !matches!(
            self,
            Self::Begin | Self::Commit | Self::RandomPoints | Self::RandomRanges | Self::BulkInsert
        )
    }

    /// Whether a workload prepares it; otherwise it travels as text with its values in it.
    pub fn is_prepared(self, workload: &Oltp) -> bool {
        match self {
            Self::BulkInsert => false,
            // Only generation 0.4 prepared it.
            Self::InsertRow => workload.prepared && workload.dialect == OltpDialect::Sysbench04,
            _ => workload.prepared,
        }
    }

    /// Whether it reads the rows from one number to another.
    pub(super) fn is_range(self) -> bool {
        matches!(self, Self::SimpleRange | Self::SumRange | Self::OrderRange | Self::DistinctRange)
    }

    /// Its text with `?` for each value. `table` counts from 1 and is ignored where the statement has
    /// none.
    pub fn text(self, workload: &Oltp, wording: &Wording, table: u32) -> String {
        let t = name_of(workload, table);
        // The generations differ in details that a server tells apart: in the digests of its
        // statements, and in how often it has to parse.
        let newer = workload.dialect == OltpDialect::Sysbench10;
        let sum = if newer { "SUM(k)" } else { "SUM(K)" };
        // Generation 0.5 lets the server add the width of the range.
        let range = match workload.dialect {
            OltpDialect::Sysbench05 => {
                format!("WHERE id BETWEEN ? AND ?+{}", workload.range_size - 1)
            }
            _ => "WHERE id BETWEEN ? AND ?".to_owned(),
        };
        match self {
            Self::Begin => wording.begin.to_owned(),
            Self::Commit => "COMMIT".to_owned(),
            Self::PointSelect => format!("SELECT c FROM {t} WHERE id=?"),
            Self::PadSelect => format!("SELECT pad FROM {t} WHERE id=?"),
            Self::SimpleRange => format!("SELECT c FROM {t} {range}"),
            Self::SumRange => format!("SELECT {sum} FROM {t} {range}"),
            Self::OrderRange => format!("SELECT c FROM {t} {range} ORDER BY c"),
            Self::DistinctRange => format!("SELECT DISTINCT c FROM {t} {range} ORDER BY c"),
            Self::IndexUpdate => format!("UPDATE {t} SET k=k+1 WHERE id=?"),
            Self::NonIndexUpdate => format!("UPDATE {t} SET c=? WHERE id=?"),
            Self::Delete => format!("DELETE FROM {t} WHERE id=?"),
            Self::Insert if workload.dialect == OltpDialect::Sysbench04 => format!(
                "INSERT INTO {t} values(?,0,' ',\
                 'aaaaaaaaaaffffffffffrrrrrrrrrreeeeeeeeeeyyyyyyyyyy')"
            ),
            Self::InsertRow if wording.omits_id(workload) => {
                format!("INSERT INTO {t} (k, c, pad) VALUES (?, ?, ?)")
            }
            Self::Insert | Self::InsertRow => {
                format!("INSERT INTO {t} (id, k, c, pad) VALUES (?, ?, ?, ?)")
            }
            Self::RandomPoints => {
                let list = vec!["?"; workload.points as usize].join(", ");
                format!("SELECT id, k, c, pad FROM {} WHERE k IN ({list})", name_of(workload, 1))
            }
            Self::RandomRanges => {
                let list = vec!["k BETWEEN ? AND ?"; workload.ranges as usize].join(" OR ");
                format!("SELECT count(k) FROM {} WHERE {list}", name_of(workload, 1))
            }
            // Its text is made by its source.
            Self::BulkInsert => "?".to_owned(),
        }
    }

    /// What it does, as the server counts it.
    #[inline]
    pub fn kind(self) -> StatementKind {
        match self {
            Self::Begin => StatementKind::Begin,
            Self::Commit => StatementKind::Commit,
            Self::PointSelect
            | Self::PadSelect
            | Self::SimpleRange
            | Self::SumRange
            | Self::OrderRange
            | Self::DistinctRange
            | Self::RandomPoints
            | Self::RandomRanges => StatementKind::Select,
            Self::IndexUpdate | Self::NonIndexUpdate => StatementKind::Update,
            Self::Delete => StatementKind::Delete,
            Self::Insert | Self::InsertRow | Self::BulkInsert => StatementKind::Insert,
        }
    }
}
