//! The data of a workload of the user's own, on servers that speak SQL: made from scripts, files and
//! generators, known again by a register that stands beside it, checked and counted.
//!
//! What servers say differently is [`SqlServer`], which each system has of its own.

mod answers;
mod file;
mod fill;
mod make;
mod register;
mod script;
mod source;
mod state;
mod work;

pub use self::answers::answers;
pub(crate) use self::make::may_not_undo;
pub use self::make::{OwnDataOrder, check, dry_run, prepare, undo};
pub use self::register::{REGISTER, clean_up, mark_used};
pub use self::state::{check_invariants, table_sizes};
use crate::Login;
use model::{Failure, FailureKind, SqlSyntax, TableSize};
use std::fmt::Debug;
use workload::data::{Cell, ObjectKind, ScriptSyntax};

/// Why a server did not do what a statement asks for.
#[derive(Clone, Debug)]
pub struct SqlError {
    pub failure: Failure,
    /// Whether another transaction was in the way, and the same statement may succeed the next time.
    pub is_conflict: bool,
}

impl From<Failure> for SqlError {
    fn from(failure: Failure) -> Self {
        Self { failure, is_conflict: false }
    }
}

/// Rows of an answer, values as text; `None` is NULL.
pub type SqlRows = Vec<Vec<Option<Vec<u8>>>>;

/// A connection that runs one statement at a time, for as long as each takes.
pub trait SqlConnection: Debug + Send {
    /// Runs a statement, and returns how many rows it changed.
    ///
    /// # Errors
    /// What the server has against it.
    fn execute(&mut self, sql: &str) -> Result<u64, SqlError>;

    /// Runs a query; the names of its columns, and its rows.
    ///
    /// # Errors
    /// What the server has against it, and an answer that is too large to be kept.
    fn answer(&mut self, sql: &str) -> Result<(Vec<String>, SqlRows), SqlError>;

    /// The rows alone.
    ///
    /// # Errors
    /// As [`Self::answer`].
    fn query(&mut self, sql: &str) -> Result<SqlRows, SqlError> {
        self.answer(sql).map(|(_, rows)| rows)
    }
}

/// Something that a database holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataObject {
    /// `None` of what no setup makes.
    pub kind: Option<ObjectKind>,
    pub name: String,
    /// Whether it carries weighin's mark.
    pub is_marked: bool,
}

/// A database of a server, with what differs from one kind of server to another.
pub trait SqlServer: Sync {
    /// What leads to it.
    fn login(&self) -> &Login;

    fn database(&self) -> &str {
        &self.login().address().database
    }

    /// # Errors
    /// When it cannot be reached.
    fn connect(&self) -> Result<Box<dyn SqlConnection>, Failure>;

    fn syntax(&self) -> ScriptSyntax {
        ScriptSyntax::for_sql(
            self.login().system().facts().sql.copied().unwrap_or(SqlSyntax::STANDARD),
        )
    }

    /// A statement after which a session writes nothing.
    fn read_only(&self) -> &'static str;

    /// A name as statements have it.
    fn quoted(&self, name: &str) -> String;

    /// Appends a value as statements have it.
    fn write_cell(&self, cell: Cell<'_>, out: &mut Vec<u8>);

    /// All that the database holds.
    ///
    /// # Errors
    /// When the server does not tell.
    fn objects(&self, connection: &mut dyn SqlConnection) -> Result<Vec<DataObject>, Failure>;

    /// How large the server says that the tables of the database are: rows as it estimates them.
    ///
    /// # Errors
    /// When the server does not tell.
    fn table_sizes(
        &self,
        connection: &mut dyn SqlConnection,
    ) -> Result<Vec<(String, TableSize)>, Failure>;

    /// The names of all databases that a statement could name besides this one.
    ///
    /// # Errors
    /// When the server does not tell.
    fn other_databases(&self, connection: &mut dyn SqlConnection) -> Result<Vec<String>, Failure>;

    /// Makes a table with these columns, and weighin's mark on it.
    fn make_marked_table(&self, name: &str, columns: &str, note: &str) -> Vec<String>;

    /// Puts weighin's mark on a table.
    fn mark_table(&self, name: &str, note: &str) -> String;

    /// What is to be done with a table once it is filled, so that the server does not do it while a load is
    /// measured.
    fn settle_table(&self, _name: &str) -> Option<String> {
        None
    }

    /// Drops these, whichever of them refer to others.
    fn drop_objects(&self, objects: &[(ObjectKind, String)]) -> Vec<String>;

    /// Bytes of all tables and indexes of the database.
    ///
    /// # Errors
    /// When the server does not tell.
    fn bytes(&self, connection: &mut dyn SqlConnection) -> Result<u64, Failure>;
}

/// Adds to a failure what was done when it happened.
fn while_doing(what: &str, failure: Failure) -> Failure {
    if failure.is_stop() {
        return failure;
    }
    let remedy = match failure.kind {
        FailureKind::MissingTables => {
            "see what the table is called; where the study makes the data, `setup` has to make it"
                .to_owned()
        }
        _ => failure.remedy,
    };
    Failure::new(failure.kind, format!("{what}: {}", failure.message), remedy)
}

/// The first words of a statement, on one line.
fn shortened(sql: &str) -> String {
    const LONGEST: usize = 80;
    let line = sql.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
