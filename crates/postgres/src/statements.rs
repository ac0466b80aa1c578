//! Statements whose time is taken: how these servers refuse and end them, and what they count.

use crate::Postgres;
use crate::changes;
use crate::client::connect;
use crate::client::{ClientError, Connection};
use model::{BuiltInChange, Failure, FailureKind, SchemaChange, Statement, TimedStatement};
use sql::{TimedKind, TimedSession};
use std::time::Duration;
use system::{Login, SessionCounts};

/// A limit of the server's own, an administrator, or weighin itself has ended a statement.
const CANCELLED: &str = "57014";
/// A lock was not had within `lock_timeout`.
const LOCK_NOT_AVAILABLE: &str = "55P03";
/// The first version that counts at once what a session did.
const COUNTS_AT_ONCE: u32 = 15;

impl TimedKind for Postgres {
    fn open(login: &Login, statement: &Statement) -> Result<Connection, Failure> {
        let mut connection = connect(login)?;
        let read_only = if statement.writes { "off" } else { "on" };
        for sql in [
            format!("SET default_transaction_read_only = {read_only}"),
            "SET statement_timeout = 0".to_owned(),
        ] {
            let done = connection.execute(&sql);
            done.map_err(|error| error.failure("cannot set the session up"))?;
        }
        Ok(connection)
    }

    fn count_rows(
        connection: &mut Connection,
        sql: &str,
        limit: Duration,
    ) -> Result<u64, ClientError> {
        connection.count_rows(sql, limit)
    }

    fn refusal(
        _: &TimedSession<Self>,
        timed: &TimedStatement,
        error: &ClientError,
    ) -> Option<Failure> {
        let doing = format!("the statement {} failed", timed.name);
        if error.sql_state() == Some(LOCK_NOT_AVAILABLE) {
            return Some(Failure::new(
                FailureKind::TimedOut,
                format!("{doing}: it gave up waiting for a lock: {error}"),
                "raise `lock_timeout` in the test, or find out who holds the lock (pg_locks)",
            ));
        }
        if error.sql_state() == Some(CANCELLED) {
            return Some(Failure::new(
                FailureKind::ServerLost,
                format!("{doing}: {error}"),
                "see who ended it, in the server's log or among its users",
            ));
        }
        None
    }

    fn end(_: &Login, connection: &Connection) -> Result<(), Failure> {
        connection.canceller().cancel()
    }

    /// Of the whole database: no session has temporary files of its own in the server's statistics.
    fn counts(connection: &mut Connection) -> Result<SessionCounts, Failure> {
        let failed = |error: ClientError| error.failure("cannot read the counters of the database");
        if crate::counters::major(connection.server_version()) >= COUNTS_AT_ONCE {
            connection.query("SELECT pg_stat_force_next_flush()").map_err(failed)?;
        }
        let sql = "SELECT temp_files, temp_bytes FROM pg_stat_database \
                   WHERE datname = current_database()";
        let rows = connection.query(sql).map_err(failed)?.rows;
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

    fn change(change: &SchemaChange, table: &str) -> Result<String, Failure> {
        changes::sql(change, table)
    }

    fn lock_limit(limit: Duration) -> String {
        // 0 would stand for no limit.
        format!("SET lock_timeout = {}", limit.as_millis().max(1))
    }

    fn take_back(
        connection: &mut Connection,
        change: BuiltInChange,
        table: &str,
        _made: bool,
    ) -> Result<(), Failure> {
        changes::take_back(connection, change, table)
    }
}
