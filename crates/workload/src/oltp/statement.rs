use super::row::{C_LENGTH, PAD_LENGTH};
use super::schema::table_name;
use model::OltpMix;

/// The statements that transactions are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Statement {
    /// Starts a transaction.
    Begin,
    /// Ends it.
    Commit,
    /// One row by primary key.
    PointSelect,
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
}

/// What a statement does, as the server counts it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StatementKind {
    /// `Com_select`.
    Select,
    /// `Com_insert`.
    Insert,
    /// `Com_update`.
    Update,
    /// `Com_delete`.
    Delete,
    /// `Com_begin`.
    Begin,
    /// `Com_commit`.
    Commit,
}

/// A parameter of a prepared statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// [`super::Step::first`].
    First,
    /// [`super::Step::second`].
    Second,
    /// A fresh value of column `c`.
    C,
    /// A fresh value of column `pad`.
    Pad,
}

impl Parameter {
    /// Length of a string parameter in bytes; `None` for a number.
    pub fn length(self) -> Option<usize> {
        match self {
            Self::First | Self::Second => None,
            Self::C => Some(C_LENGTH),
            Self::Pad => Some(PAD_LENGTH),
        }
    }
}

impl Statement {
    /// All statements.
    pub const ALL: [Self; 11] = [
        Self::Begin,
        Self::Commit,
        Self::PointSelect,
        Self::SimpleRange,
        Self::SumRange,
        Self::OrderRange,
        Self::DistinctRange,
        Self::IndexUpdate,
        Self::NonIndexUpdate,
        Self::Delete,
        Self::Insert,
    ];

    /// The statements of a mix, in the order in which sysbench prepares them.
    pub fn of(mix: OltpMix) -> &'static [Self] {
        const READ: [Statement; 7] = [
            Statement::Begin,
            Statement::Commit,
            Statement::PointSelect,
            Statement::SimpleRange,
            Statement::SumRange,
            Statement::OrderRange,
            Statement::DistinctRange,
        ];
        const WRITE: [Statement; 6] = [
            Statement::Begin,
            Statement::Commit,
            Statement::IndexUpdate,
            Statement::NonIndexUpdate,
            Statement::Delete,
            Statement::Insert,
        ];
        match mix {
            OltpMix::ReadWrite => &Self::ALL,
            OltpMix::ReadOnly => &READ,
            OltpMix::WriteOnly => &WRITE,
            OltpMix::PointSelect => &[Self::PointSelect],
        }
    }

    /// Whether there is one for each table; `BEGIN` and `COMMIT` belong to none.
    pub fn is_per_table(self) -> bool {
        !matches!(self, Self::Begin | Self::Commit)
    }

    /// The text to prepare. `table` counts from 1 and is ignored where the statement has none.
    pub fn sql(self, table: u32) -> String {
        let table = table_name(table);
        match self {
            Self::Begin => "BEGIN".to_owned(),
            Self::Commit => "COMMIT".to_owned(),
            Self::PointSelect => format!("SELECT c FROM {table} WHERE id=?"),
            Self::SimpleRange => format!("SELECT c FROM {table} WHERE id BETWEEN ? AND ?"),
            Self::SumRange => format!("SELECT SUM(k) FROM {table} WHERE id BETWEEN ? AND ?"),
            Self::OrderRange => {
                format!("SELECT c FROM {table} WHERE id BETWEEN ? AND ? ORDER BY c")
            }
            Self::DistinctRange => {
                format!("SELECT DISTINCT c FROM {table} WHERE id BETWEEN ? AND ? ORDER BY c")
            }
            Self::IndexUpdate => format!("UPDATE {table} SET k=k+1 WHERE id=?"),
            Self::NonIndexUpdate => format!("UPDATE {table} SET c=? WHERE id=?"),
            Self::Delete => format!("DELETE FROM {table} WHERE id=?"),
            Self::Insert => format!("INSERT INTO {table} (id, k, c, pad) VALUES (?, ?, ?, ?)"),
        }
    }

    /// Its parameters, in order.
    pub fn parameters(self) -> &'static [Parameter] {
        use Parameter::{C, First, Pad, Second};
        match self {
            Self::Begin | Self::Commit => &[],
            Self::PointSelect | Self::IndexUpdate | Self::Delete => &[First],
            Self::SimpleRange | Self::SumRange | Self::OrderRange | Self::DistinctRange => {
                &[First, Second]
            }
            Self::NonIndexUpdate => &[C, First],
            Self::Insert => &[First, Second, C, Pad],
        }
    }

    /// What it does, as the server counts it.
    #[inline]
    pub fn kind(self) -> StatementKind {
        match self {
            Self::Begin => StatementKind::Begin,
            Self::Commit => StatementKind::Commit,
            Self::PointSelect
            | Self::SimpleRange
            | Self::SumRange
            | Self::OrderRange
            | Self::DistinctRange => StatementKind::Select,
            Self::IndexUpdate | Self::NonIndexUpdate => StatementKind::Update,
            Self::Delete => StatementKind::Delete,
            Self::Insert => StatementKind::Insert,
        }
    }
}
