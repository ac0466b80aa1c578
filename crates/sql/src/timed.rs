//! Statements whose time is taken: a session that runs them.

use crate::{Control, ControlError};
use model::{Failure, FailureKind, Oltp, Query, SchemaChange, Statement, TimedStatement, Workload};
use std::marker::PhantomData;
use std::time::Duration;
use system::{Login, SessionCounts, StatementSession};
use workload::oltp::analytic;

/// What is particular to one kind of server.
pub trait TimedKind: Send + Sized + 'static {
    type Connection: Control + Send + 'static;

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

    /// The statement that makes a change of the schema. `tables` are those of the test, of which the first
    /// is changed.
    ///
    /// # Errors
    /// `NotPermitted` without tables, `NotOffered` for an algorithm that the server does not have.
    fn change(change: &SchemaChange, tables: Option<&Oltp>) -> Result<String, Failure>;

    /// Gets ready for a change.
    ///
    /// # Errors
    /// `ForeignTables` for a table that weighin did not make.
    fn begin_change(
        connection: &mut Self::Connection,
        change: &SchemaChange,
        tables: Option<&Oltp>,
    ) -> Result<(), Failure>;

    /// Takes a change back, whether it was `made` or failed.
    ///
    /// # Errors
    /// When the server refuses.
    fn undo_change(
        connection: &mut Self::Connection,
        change: &SchemaChange,
        tables: Option<&Oltp>,
        made: bool,
    ) -> Result<(), Failure>;
}

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
            (Query::Change(change), _) => K::change(change, self.tables()),
            (Query::BuiltIn(query), Some(tables)) => Ok(analytic(*query, tables?)),
            (Query::BuiltIn(query), None) => Err(needs_tables("query", query.name())),
        }
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

    fn prepare(&mut self, timed: &TimedStatement) -> Result<(), Failure> {
        let Query::Change(change) = &timed.query else { return Ok(()) };
        let tables = self.data.as_ref().and_then(|data| data.oltp().ok());
        K::begin_change(&mut self.connection, change, tables)
    }

    fn undo(&mut self, timed: &TimedStatement, made: bool) -> Result<(), Failure> {
        let Query::Change(change) = &timed.query else { return Ok(()) };
        let tables = self.data.as_ref().and_then(|data| data.oltp().ok());
        K::undo_change(&mut self.connection, change, tables, made)
    }

    fn counts(&mut self) -> Result<SessionCounts, Failure> {
        K::counts(&mut self.connection)
    }
}

/// That a built-in query or change is of the test tables, and the test has none.
pub fn needs_tables(what: &str, name: &str) -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        format!("the {what} {name} needs the test tables"),
        "add a line like table_size = 100000 to the test",
    )
}
