//! Statements whose time is taken: a session that runs them, and what the server counts meanwhile.

use crate::changes;
use crate::client::connect;
use crate::client::{ClientError, Connection};
use model::{Failure, FailureKind, Oltp, Query, Statement, TimedStatement, Workload};
use std::time::Duration;
use system::{Login, SessionCounts, StatementSession};
use workload::oltp::analytic;

/// A limit of the server's own, an administrator, or weighin itself has ended a statement.
const CANCELLED: &str = "57014";
/// A lock was not had within `lock_timeout`.
const LOCK_NOT_AVAILABLE: &str = "55P03";
/// The first version that counts at once what a session did.
const COUNTS_AT_ONCE: u32 = 15;

pub(super) struct Session {
    connection: Connection,
    data: Option<Workload>,
    timeout: Duration,
}

impl Session {
    /// Logs in; the session's transactions are read-only unless the statements may write. What ends
    /// statements that take long is the study's to say.
    pub(super) fn open(login: &Login, statement: &Statement) -> Result<Self, Failure> {
        let mut connection = connect(login)?;
        let read_only = if statement.writes { "off" } else { "on" };
        for sql in [
            format!("SET default_transaction_read_only = {read_only}"),
            "SET statement_timeout = 0".to_owned(),
        ] {
            let done = connection.execute(&sql);
            done.map_err(|error| error.failure("cannot set the session up"))?;
        }
        Ok(Self { connection, data: statement.data.clone(), timeout: statement.timeout })
    }

    fn tables(&self) -> Option<&Oltp> {
        self.data.as_ref().and_then(|data| data.oltp().ok())
    }

    fn sql(&self, query: &Query) -> Result<String, Failure> {
        match (query, self.data.as_ref().map(Workload::oltp)) {
            (Query::Own(sql), _) => Ok(sql.clone()),
            (Query::BuiltIn(query), Some(tables)) => Ok(analytic(*query, tables?)),
            (Query::BuiltIn(query), None) => Err(Failure::new(
                FailureKind::NotPermitted,
                format!("the query {} needs the test tables", query.name()),
                "add a line like table_size = 100000 to the test",
            )),
            (Query::Change(change), _) => changes::sql(change, self.tables()),
        }
    }

    fn failure(&self, timed: &TimedStatement, error: &ClientError) -> Failure {
        let doing = format!("the statement {} failed", timed.name);
        if error.sql_state() == Some(LOCK_NOT_AVAILABLE) {
            return Failure::new(
                FailureKind::TimedOut,
                format!("{doing}: it gave up waiting for a lock: {error}"),
                "raise `lock_timeout` in the test, or find out who holds the lock (pg_locks)",
            );
        }
        if error.sql_state() == Some(CANCELLED) {
            return Failure::new(
                FailureKind::ServerLost,
                format!("{doing}: {error}"),
                "see who ended it, in the server's log or among its users",
            );
        }
        let failure = error.failure(&doing);
        let given_up = matches!(failure.kind, FailureKind::TimedOut | FailureKind::Stopped);
        if error.sql_state().is_some() || !given_up {
            return failure;
        }
        // A server notices that nobody waits any more only when it has rows to send.
        let ended = self.connection.canceller().cancel();
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

impl StatementSession for Session {
    fn run(&mut self, timed: &TimedStatement) -> Result<u64, Failure> {
        let sql = self.sql(&timed.query)?;
        let counted = self.connection.count_rows(&sql, self.timeout);
        counted.map_err(|error| self.failure(timed, &error))
    }

    fn prepare(&mut self, timed: &TimedStatement) -> Result<(), Failure> {
        let Query::Change(change) = &timed.query else { return Ok(()) };
        let tables = self.data.as_ref().and_then(|data| data.oltp().ok());
        changes::begin(&mut self.connection, change, tables)
    }

    fn undo(&mut self, timed: &TimedStatement, made: bool) -> Result<(), Failure> {
        let Query::Change(change) = &timed.query else { return Ok(()) };
        let tables = self.data.as_ref().and_then(|data| data.oltp().ok());
        changes::undo(&mut self.connection, change, tables, made)
    }

    /// Of the whole database: no session has temporary files of its own in the server's statistics.
    fn counts(&mut self) -> Result<SessionCounts, Failure> {
        let failed = |error: ClientError| error.failure("cannot read the counters of the database");
        if crate::counters::major(self.connection.server_version()) >= COUNTS_AT_ONCE {
            self.connection.query("SELECT pg_stat_force_next_flush()").map_err(failed)?;
        }
        let sql = "SELECT temp_files, temp_bytes FROM pg_stat_database \
                   WHERE datname = current_database()";
        let rows = self.connection.query(sql).map_err(failed)?.rows;
        let row = rows.into_iter().next().unwrap_or_default();
        let number = |place: usize| row.get(place)?.as_ref()?.parse::<u64>().ok();
        let names = ["temporary_files", "temporary_bytes_written"];
        let counts = names.into_iter().enumerate();
        Ok(SessionCounts {
            counts: counts.filter_map(|(place, name)| Some((name, number(place)?))).collect(),
            temporary_bytes: None,
            spills: number(0).unwrap_or(0),
        })
    }
}
