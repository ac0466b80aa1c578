//! Statements whose time is taken: how these servers refuse and end them, and what they count.

use super::{changes, connect};
use crate::Mysql;
use crate::client::{ClientError, Connection};
use crate::protocol::ServerError;
use model::{
    BuiltInChange, Failure, FailureKind, Query, SchemaChange, Statement, Stop, TimedStatement,
};
use sql::{TimedKind, TimedSession};
use std::time::Duration;
use system::{Login, SessionCounts};

/// Errors that say that the server gave the connection up: it shuts down, or somebody killed it.
const GIVEN_UP: [u16; 3] = [1053, 1317, 1927];
/// Errors that say that the server ended the statement at a limit of its own.
const ENDED_BY_SERVER: [u16; 2] = [1969, 3024];
/// More was changed meanwhile than the server keeps for a change of the schema.
const ROW_LOG_FULL: u16 = 1799;
/// There is no connection of that number any more.
const NO_SUCH_THREAD: u16 = 1094;

/// Status variables of a session, with the names that their figures have.
const COUNTED: [(&str, &str); 3] = [
    ("Created_tmp_tables", "temporary_tables"),
    ("Created_tmp_disk_tables", "temporary_disk_tables"),
    ("Sort_merge_passes", "sort_merge_passes"),
];
/// Those of them that grow only where the session wrote to temporary files.
const SPILLS: [&str; 2] = ["Created_tmp_disk_tables", "Sort_merge_passes"];
/// MariaDB from 11.5 on.
const MAX_BYTES: &str = "Max_tmp_space_used";

impl TimedKind for Mysql {
    fn open(login: &Login, statement: &Statement) -> Result<Connection, Failure> {
        let mut connection = connect(login)?;
        if !statement.writes {
            let sql = "SET SESSION TRANSACTION READ ONLY";
            connection.execute(sql).map_err(|e| e.failure("cannot make the session read-only"))?;
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
        session: &TimedSession<Self>,
        timed: &TimedStatement,
        error: &ClientError,
    ) -> Option<Failure> {
        let code = error.code()?;
        let doing = format!("the statement {} failed", timed.name);
        if GIVEN_UP.contains(&code) {
            return Some(Failure::new(
                FailureKind::ServerLost,
                format!("{doing}: {error}"),
                "see who ended it, in the server's error log or among its users",
            ));
        }
        let failure = match ENDED_BY_SERVER.contains(&code) {
            true => Failure::new(
                FailureKind::TimedOut,
                format!("{doing}: {error}"),
                "raise the server's own limit (max_statement_time, or max_execution_time)",
            ),
            false => error.failure(&doing),
        };
        Some(match &timed.query {
            Query::Change(change) => failed_change(session, change, code, failure),
            _ => failure,
        })
    }

    /// Kills the connection.
    fn end(login: &Login, connection: &Connection) -> Result<(), Failure> {
        let mut other = connect(&login.clone().stopped_by(&Stop::default()))?;
        let sql = format!("KILL CONNECTION {}", connection.connection_id());
        match other.execute(&sql) {
            // It ended by itself meanwhile.
            Err(ClientError::Server(ServerError { code: NO_SUCH_THREAD, .. })) | Ok(_) => Ok(()),
            Err(error) => Err(error.failure("KILL was refused")),
        }
    }

    fn counts(connection: &mut Connection) -> Result<SessionCounts, Failure> {
        let names = COUNTED.map(|(variable, _)| format!("'{variable}'")).join(", ");
        let sql = format!("SHOW SESSION STATUS WHERE Variable_name IN ({names}, '{MAX_BYTES}')");
        let rows = connection
            .query(&sql)
            .map_err(|e| e.failure("cannot read the counters of the session"))?
            .rows;
        let value = |name: &str| -> Option<u64> {
            let is_it = |row: &&Vec<Option<Vec<u8>>>| {
                row.first().is_some_and(|cell| cell.as_deref() == Some(name.as_bytes()))
            };
            let cell = rows.iter().find(is_it)?.get(1)?.as_deref()?;
            std::str::from_utf8(cell).ok()?.parse().ok()
        };
        let counts = COUNTED.iter().filter_map(|(variable, name)| Some((*name, value(variable)?)));
        Ok(SessionCounts {
            counts: counts.collect(),
            temporary_bytes: value(MAX_BYTES),
            spills: SPILLS.iter().filter_map(|name| value(name)).sum(),
        })
    }

    fn change(change: &SchemaChange, table: &str) -> Result<String, Failure> {
        changes::sql(change, table)
    }

    fn lock_limit(limit: Duration) -> String {
        format!("SET SESSION lock_wait_timeout = {}", limit.as_secs_f64().ceil().max(1.0))
    }

    fn take_back(
        connection: &mut Connection,
        change: BuiltInChange,
        table: &str,
        made: bool,
    ) -> Result<(), Failure> {
        changes::take_back(connection, change, table, made)
    }
}

/// A change that the server did not make: with the space that it would have needed where that was
/// the reason.
fn failed_change(
    session: &TimedSession<Mysql>,
    change: &SchemaChange,
    code: u16,
    failure: Failure,
) -> Failure {
    if changes::is_not_offered(code) {
        return Failure::new(
            FailureKind::NotOffered,
            failure.message,
            "compare the algorithms that it offers",
        );
    }
    if code == ROW_LOG_FULL {
        return Failure::new(
            FailureKind::DiskFull,
            failure.message,
            "raise innodb_online_alter_log_max_size, or change the table at a time of fewer \
             writes",
        );
    }
    if failure.kind != FailureKind::DiskFull {
        return failure;
    }
    let other = connect(session.login());
    let needed = other
        .ok()
        .and_then(|mut other| changes::space_needed(&mut other, change, session.tables()));
    match needed {
        Some(needed) => Failure::new(
            FailureKind::DiskFull,
            format!("{}; it needs {needed}", failure.message),
            "make that much room there, or take an algorithm that needs less",
        ),
        None => failure,
    }
}
