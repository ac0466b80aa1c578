//! What keeps a results file of a stranger from holding weighin, or from having it do anything.
//!
//! Of a file that anybody may have made weighin runs no code: no trigger, no view, and no function in
//! an expression of its tables. SQLite can be interrupted between two steps of a statement, and not
//! within a function; a search in a long text takes hours in a single step. So functions are taken
//! away, and steps are ended by a [`TimeLimit`] when the time of the budget of the file is over.

use model::ReadBudget;
use rusqlite::config::DbConfig;
use rusqlite::functions::FunctionFlags;
use rusqlite::limits::Limit;
use rusqlite::{Connection, Error};
use rustix::time::{ClockId, clock_gettime};
use std::cell::Cell;
use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The longest text or blob that a store may hold, in bytes: many times what a study file, a message
/// or a histogram can have.
const LONGEST_VALUE: i32 = 64 << 20;
/// The longest statement, in bytes, and so the longest declaration of a table: many times what weighin's
/// have.
const LONGEST_STATEMENT: i32 = 64 << 10;
/// Statements that are kept for a trial to write or read, its digest included.
pub(crate) const STATEMENTS: usize = 128;

/// Functions that weighin's own statements use.
const FUNCTIONS: [&str; 3] = ["coalesce", "count", "max"];

/// Steps of SQLite's virtual machine between two looks at the time.
const STEPS: c_int = 500;
/// Looks while SQLite reads its schema, a few steps for each table, view, index and trigger: room for
/// ten times as many as weighin's.
const LOOKS_AT_SCHEMA: u64 = 20;

const NEVER: u64 = u64::MAX;

/// Trusts nothing that a file says: it may come from anybody.
pub(crate) fn harden(connection: &mut Connection, limit: &TimeLimit) -> rusqlite::Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false)?;
    // Without it a statement is planned anew for every value that it is bound to.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LONGEST_VALUE)?;
    connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, LONGEST_STATEMENT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    take_functions(connection)?;
    let state = Arc::clone(&limit.0);
    connection.progress_handler(STEPS, Some(move || state.is_over()))
}

/// Puts one that fails in the place of every function of SQLite but [`FUNCTIONS`]. It is taken for
/// harmless, so that it may stand in the declaration of a table that nobody reads.
fn take_functions(connection: &Connection) -> rusqlite::Result<()> {
    // Of another connection: the query would have SQLite read the file.
    let builtin = Connection::open_in_memory()?;
    let mut statement = builtin.prepare("SELECT DISTINCT name, narg FROM pragma_function_list")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (name, arguments): (String, c_int) = (row.get(0)?, row.get(1)?);
        if FUNCTIONS.contains(&name.as_str()) {
            continue;
        }
        let flags = FunctionFlags::SQLITE_UTF8
            | FunctionFlags::SQLITE_DETERMINISTIC
            | FunctionFlags::SQLITE_INNOCUOUS;
        // Below that SQLite keeps how many they must be at least.
        let arguments = arguments.max(-1);
        connection.create_scalar_function(name.as_str(), arguments, flags, |_| {
            Err::<i64, _>(Error::UserFunctionError("weighin calls no such function".into()))
        })?;
    }
    Ok(())
}

/// Ends a statement of SQLite where the time of a budget is over.
#[derive(Clone, Debug)]
pub(crate) struct TimeLimit(Arc<State>);

#[derive(Debug)]
struct State {
    /// The clock of the budgets.
    clock: fn() -> Duration,
    /// When the time is over, in nanoseconds by that clock.
    until: AtomicU64,
    /// Looks that are left.
    looks: AtomicU64,
}

/// A file that is open, and what ends statements that take too long.
#[derive(Debug)]
pub(crate) struct Opened {
    pub connection: Connection,
    pub limit: TimeLimit,
}

/// While it is there, the limit holds.
#[derive(Debug)]
pub(crate) struct Limited<'a>(&'a State);

impl TimeLimit {
    pub fn by(clock: fn() -> Duration) -> Self {
        let (until, looks) = (AtomicU64::new(NEVER), AtomicU64::new(NEVER));
        Self(Arc::new(State { clock, until, looks }))
    }

    /// Holds statements to the time that is left of a budget, as long as the guard is there.
    pub fn begin(&self, budget: &ReadBudget) -> Limited<'_> {
        let until = budget.ends().and_then(|ends| u64::try_from(ends.as_nanos()).ok());
        self.0.until.store(until.unwrap_or(NEVER), Ordering::Relaxed);
        Limited(&self.0)
    }

    /// The same for a statement that has SQLite read its schema.
    pub fn begin_schema(&self, budget: &ReadBudget) -> Limited<'_> {
        self.0.looks.store(LOOKS_AT_SCHEMA, Ordering::Relaxed);
        self.begin(budget)
    }
}

impl State {
    fn is_over(&self) -> bool {
        let looks = self.looks.load(Ordering::Relaxed);
        if looks != NEVER {
            self.looks.store(looks.saturating_sub(1), Ordering::Relaxed);
        }
        let until = self.until.load(Ordering::Relaxed);
        looks == 0 || (until != NEVER && (self.clock)().as_nanos() > u128::from(until))
    }
}

impl Drop for Limited<'_> {
    fn drop(&mut self) {
        self.0.until.store(NEVER, Ordering::Relaxed);
        self.0.looks.store(NEVER, Ordering::Relaxed);
    }
}

/// How far behind [`thread_time`] may be, beside a tick of the kernel's.
const BEHIND: Duration = Duration::from_millis(1);

/// Processor time of this thread so far, as the clock of a [`model::ReadLimit`]: that a machine is busy
/// with other things, or its disk slow, is not the file's doing.
///
/// It may be some milliseconds behind. Whoever reads a file asks for each element of it, and the kernel
/// takes fifty times as long to tell processor time as when its last tick was, than which it grows no
/// faster.
pub fn thread_time() -> Duration {
    thread_local! {
        /// What was told last, and when.
        static TOLD: Cell<Option<(Duration, Duration)>> = const { Cell::new(None) };
    }
    let of = |clock| Duration::try_from(clock_gettime(clock)).unwrap_or_default();
    let now = of(ClockId::MonotonicCoarse);
    match TOLD.get() {
        Some((told, at)) if now.saturating_sub(at) < BEHIND => told,
        _ => {
            let time = of(ClockId::ThreadCPUTime);
            TOLD.set(Some((time, now)));
            time
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StoreError;
    use crate::error::Access;
    use model::ReadLimit;
    use rusqlite::ErrorCode;
    use std::path::Path;

    const ENDLESS: &str =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";

    fn hardened(limit: &TimeLimit) -> Connection {
        let mut connection = Connection::open_in_memory().unwrap();
        harden(&mut connection, limit).unwrap();
        connection
    }

    fn run(connection: &Connection, query: &str) -> rusqlite::Result<i64> {
        connection.query_row(query, [], |row| row.get(0))
    }

    #[test]
    fn the_time_of_a_thread_is_hardly_behind() {
        let of = |clock| Duration::try_from(clock_gettime(clock)).unwrap();
        let exact = || of(ClockId::ThreadCPUTime);
        for _ in 0..50_000 {
            let ticked = of(ClockId::MonotonicCoarse);
            let before = exact();
            let told = thread_time();
            // Ticks come late where another virtual machine has the processor that counts them.
            let tick = of(ClockId::Monotonic) - ticked;
            assert!(told + BEHIND + tick >= before && told <= exact(), "{told:?} {before:?}");
        }
    }

    #[test]
    fn a_query_without_end_ends_while_a_limit_holds() {
        let limit = TimeLimit::by(thread_time);
        let connection = hardened(&limit);
        let of = |time| ReadLimit { time, clock: thread_time, ..ReadLimit::NONE }.budget();
        for _ in 0..3 {
            let limited = limit.begin(&of(Duration::from_millis(20)));
            let error = run(&connection, ENDLESS).unwrap_err();
            assert_eq!(error.sqlite_error_code(), Some(ErrorCode::OperationInterrupted));
            let error = StoreError::from_sqlite(Path::new("a.weighin"), Access::Read, error);
            assert!(error.to_string().contains("raise the limit with --read-time"), "{error}");
            drop(limited);
        }
        // What takes longer than that is not limited by itself.
        let long = ENDLESS.replace("FROM n)", "FROM n WHERE i < 200000)");
        assert_eq!(run(&connection, &long), Ok(200_000));
        let _schema = limit.begin_schema(&of(Duration::MAX));
        assert!(run(&connection, &long).is_err(), "a schema of so many steps");
    }

    /// A search in a text takes as long as its length times that of what is looked for, in one step.
    #[test]
    fn no_function_is_called_but_those_that_weighin_uses() {
        let limit = TimeLimit::by(thread_time);
        let connection = hardened(&limit);
        for function in ["coalesce(1, 1)", "count(1)", "max(1)", "max(1, 1)"] {
            run(&connection, &format!("SELECT {function}")).unwrap();
        }
        for expression in [
            "replace('aaa', 'a', 'b')",
            "instr('aaa', 'a')",
            "'a' LIKE '%a%'",
            "'a' GLOB '*a*'",
            "zeroblob(1000000000)",
            "hex(a)",
            "printf('%.*c', 100, 'x')",
            "json_array(1) -> 0",
            "trim('a', 'a')",
        ] {
            let file = tempfile::NamedTempFile::new().unwrap();
            let table = format!("CREATE TABLE t (a TEXT, b AS ({expression}))");
            let insert = "INSERT INTO t (a) VALUES ('a')";
            let foreign = Connection::open(file.path()).unwrap();
            foreign.execute_batch(&format!("{table}; {insert}")).unwrap();
            let mut connection = Connection::open(file.path()).unwrap();
            harden(&mut connection, &limit).unwrap();
            // It does no harm where it is not asked for.
            assert_eq!(run(&connection, "SELECT count(a) FROM t"), Ok(1), "{expression}");
            assert!(run(&connection, "SELECT count(b) FROM t").is_err(), "{expression}");
            assert!(run(&connection, &format!("SELECT {expression} FROM t")).is_err());
        }
    }
}
