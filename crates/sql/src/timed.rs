//! Statements whose time is taken: a session that runs them.

use crate::tables::{lend, take_again};
use crate::{Control, ControlError};
use model::{
    BuiltInChange, Change, Failure, FailureKind, Oltp, Query, SchemaChange, Statement,
    TimedStatement, Workload,
};
use std::marker::PhantomData;
use std::time::Duration;
use system::{Login, ServerKind, SessionCounts, StatementSession};
use workload::oltp::{analytic, name_of};

/// What is particular to one kind of server.
pub trait TimedKind: ServerKind<Connection: Control> {
    /// Logs in; the session's transactions are read-only unless the statements may write. What ends
    /// statements that take long is the study's to say.
    ///
    /// # Errors
    /// When the server cannot be reached or refuses.
    fn open(login: &Login, statement: &Statement) -> Result<Self::Connection, Failure>;

    /// Runs a statement, however long its answer is, and returns how many rows it had.
    ///
    /// # Errors
    /// When the server refuses, the connection breaks, or the last row has not arrived within `limit`.
    fn count_rows(
        connection: &mut Self::Connection,
        sql: &str,
        limit: Duration,
    ) -> Result<u64, <Self::Connection as Control>::Error>;

    /// What the server's refusal of a statement means, where that is not as of any other.
    fn refusal(
        session: &TimedSession<Self>,
        timed: &TimedStatement,
        error: &<Self::Connection as Control>::Error,
    ) -> Option<Failure>;

    /// Ends what the connection runs, over another that does not end at a stop.
    ///
    /// # Errors
    /// When it may still be running.
    fn end(login: &Login, connection: &Self::Connection) -> Result<(), Failure>;

    /// What the server counts of a session.
    ///
    /// # Errors
    /// When it does not answer.
    fn counts(connection: &mut Self::Connection) -> Result<SessionCounts, Failure>;

    /// The statement that makes a change of the schema, to `table` where it is one of weighin's own.
    ///
    /// # Errors
    /// `NotOffered` for an algorithm that the server does not have.
    fn change(change: &SchemaChange, table: &str) -> Result<String, Failure>;

    /// What bounds how long the session waits for a lock.
    fn lock_limit(limit: Duration) -> String;

    /// Takes one of weighin's own changes back, whether it was `made` or failed.
    ///
    /// # Errors
    /// When the server refuses.
    fn take_back(
        connection: &mut Self::Connection,
        change: BuiltInChange,
        table: &str,
        made: bool,
    ) -> Result<(), Failure>;
}

/// The column or index that a change of weighin's own adds.
pub const ADDED: &str = "weighin_added";

/// A session that runs statements.
pub struct TimedSession<K: TimedKind> {
    connection: K::Connection,
    login: Login,
    data: Option<Workload>,
    timeout: Duration,
    kind: PhantomData<K>,
}

impl<K: TimedKind> TimedSession<K> {
    /// Logs in.
    ///
    /// # Errors
    /// When the server cannot be reached or refuses.
    pub fn open(login: &Login, statement: &Statement) -> Result<Self, Failure> {
        let connection = K::open(login, statement)?;
        let (login, data, timeout) = (login.clone(), statement.data.clone(), statement.timeout);
        Ok(Self { connection, login, data, timeout, kind: PhantomData })
    }

    pub fn login(&self) -> &Login {
        &self.login
    }

    /// The test tables, where the test has any.
    pub fn tables(&self) -> Option<&Oltp> {
        self.data.as_ref().and_then(|data| data.oltp().ok())
    }

    fn sql(&self, query: &Query) -> Result<String, Failure> {
        match (query, self.data.as_ref().map(Workload::oltp)) {
            (Query::Own(sql), _) => Ok(sql.clone()),
            (Query::Change(change), _) => match change.change {
                Change::BuiltIn(built_in) => {
                    K::change(change, &name_of(self.tables_of(built_in)?, CHANGED))
                }
                Change::Own { .. } => K::change(change, ""),
            },
            (Query::BuiltIn(query), Some(tables)) => Ok(analytic(*query, tables?)),
            (Query::BuiltIn(query), None) => Err(needs_tables("query", query.name())),
        }
    }

    fn tables_of(&self, change: BuiltInChange) -> Result<&Oltp, Failure> {
        self.tables().ok_or_else(|| needs_tables("change", change.name()))
    }

    fn failure(
        &self,
        timed: &TimedStatement,
        error: &<K::Connection as Control>::Error,
    ) -> Failure {
        if let Some(failure) = K::refusal(self, timed, error) {
            return failure;
        }
        let failure = error.failure(&format!("the statement {} failed", timed.name));
        let given_up = matches!(failure.kind, FailureKind::TimedOut | FailureKind::Stopped);
        if error.is_answer() || !given_up {
            return failure;
        }
        // A server notices that nobody waits any more only when it has rows to send.
        let ended = K::end(&self.login, &self.connection);
        if failure.is_stop() {
            return failure;
        }
        let and = match ended {
            Ok(()) => "it was ended on the server".to_owned(),
            Err(error) => format!("it may still be running on the server: {error}"),
        };
        Failure::new(
            FailureKind::TimedOut,
            format!(
                "the statement {} did not end within {} s; {and}",
                timed.name,
                self.timeout.as_secs_f64()
            ),
            "raise `timeout` in the test, or find out what the statement waits for",
        )
    }
}

impl<K: TimedKind> StatementSession for TimedSession<K> {
    fn run(&mut self, timed: &TimedStatement) -> Result<u64, Failure> {
        let sql = self.sql(&timed.query)?;
        let counted = K::count_rows(&mut self.connection, &sql, self.timeout);
        counted.map_err(|error| self.failure(timed, &error))
    }

    /// Makes sure that weighin made the table that one of its own changes is made to, and marks it as
    /// unfinished: were it never taken back, the table would be made anew. Bounds the wait for locks.
    fn prepare(&mut self, timed: &TimedStatement) -> Result<(), Failure> {
        let Query::Change(change) = &timed.query else { return Ok(()) };
        if let Change::BuiltIn(built_in) = change.change {
            let tables = self.tables_of(built_in)?.clone();
            lend(&mut self.connection, &tables, CHANGED)?;
        }
        let Some(limit) = change.lock_timeout else { return Ok(()) };
        let set = self.connection.execute(&K::lock_limit(limit)).map(drop);
        set.map_err(|error| error.failure("cannot bound the wait for locks"))
    }

    fn undo(&mut self, timed: &TimedStatement, made: bool) -> Result<(), Failure> {
        let Query::Change(change) = &timed.query else { return Ok(()) };
        match &change.change {
            Change::Own { undo, .. } if made => take_back(&mut self.connection, undo),
            Change::Own { .. } => Ok(()),
            Change::BuiltIn(built_in) => {
                let tables = self.tables_of(*built_in)?.clone();
                let table = name_of(&tables, CHANGED);
                K::take_back(&mut self.connection, *built_in, &table, made)?;
                take_again(&mut self.connection, &tables, CHANGED)
            }
        }
    }

    fn counts(&mut self) -> Result<SessionCounts, Failure> {
        K::counts(&mut self.connection)
    }
}

/// The number of the test table that changes are made to.
const CHANGED: u32 = 1;

/// Runs what takes a change back.
///
/// # Errors
/// When the server refuses.
pub fn take_back<C: Control>(connection: &mut C, sql: &str) -> Result<(), Failure> {
    connection.execute_long(sql).map(drop).map_err(|error| {
        let failure = error.failure("the change could not be taken back");
        Failure { remedy: format!("take it back by hand: {sql}"), ..failure }
    })
}

/// That a built-in query or change is of the test tables, and the test has none.
fn needs_tables(what: &str, name: &str) -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        format!("the {what} {name} needs the test tables"),
        "add a line like table_size = 100000 to the test",
    )
}
