//! Statements whose time is taken: a session that runs them, and what the server counts for it.

use super::{changes, connect};
use crate::client::{ClientError, Connection};
use crate::protocol::ServerError;
use model::{
    Failure, FailureKind, Oltp, Query, SchemaChange, Statement, Stop, TimedStatement, Workload,
};
use std::time::Duration;
use system::Login;
use system::{SessionCounts, StatementSession};
use workload::oltp::analytic;

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

pub(super) struct Session {
    connection: Connection,
    login: Login,
    data: Option<Workload>,
    timeout: Duration,
}

impl Session {
    /// Logs in; the session's transactions are read-only unless the statements may write.
    pub(super) fn open(login: &Login, statement: &Statement) -> Result<Self, Failure> {
        let mut connection = connect(login)?;
        if !statement.writes {
            let sql = "SET SESSION TRANSACTION READ ONLY";
            connection.execute(sql).map_err(|e| e.failure("cannot make the session read-only"))?;
        }
        let (login, data, timeout) = (login.clone(), statement.data.clone(), statement.timeout);
        Ok(Self { connection, login, data, timeout })
    }

    fn tables(&self) -> Option<&Oltp> {
        self.data.as_ref().and_then(|data| data.oltp().ok())
    }

    fn sql(&self, query: &Query) -> Result<String, Failure> {
        match (query, self.data.as_ref().map(Workload::oltp)) {
            (Query::Own(sql), _) => Ok(sql.clone()),
            (Query::Change(change), _) => changes::sql(change, self.tables()),
            (Query::BuiltIn(query), Some(tables)) => Ok(analytic(*query, tables?)),
            (Query::BuiltIn(query), None) => Err(Failure::new(
                FailureKind::NotPermitted,
                format!("the query {} needs the test tables", query.name()),
                "add a line like table_size = 100000 to the test",
            )),
        }
    }

    fn failure(&self, timed: &TimedStatement, error: &ClientError) -> Failure {
        let doing = format!("the statement {} failed", timed.name);
        if error.code().is_some_and(|code| GIVEN_UP.contains(&code)) {
            return Failure::new(
                FailureKind::ServerLost,
                format!("{doing}: {error}"),
                "see who ended it, in the server's error log or among its users",
            );
        }
        let failure = match error.code() {
            Some(code) if ENDED_BY_SERVER.contains(&code) => Failure::new(
                FailureKind::TimedOut,
                format!("{doing}: {error}"),
                "raise the server's own limit (max_statement_time, or max_execution_time)",
            ),
            _ => error.failure(&doing),
        };
        if let (Query::Change(change), Some(code)) = (&timed.query, error.code()) {
            return self.failed_change(change, code, failure);
        }
        if error.code().is_some() {
            return failure;
        }
        if !matches!(failure.kind, FailureKind::TimedOut | FailureKind::Stopped) {
            return failure;
        }
        // A server notices that nobody waits any more only when it has rows to send.
        let ended = self.end_on_server();
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

    /// A change that the server did not make: with the space that it would have needed where that was
    /// the reason.
    fn failed_change(&self, change: &SchemaChange, code: u16, failure: Failure) -> Failure {
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
        let other = connect(&self.login);
        let needed = other
            .ok()
            .and_then(|mut other| changes::space_needed(&mut other, change, self.tables()));
        match needed {
            Some(needed) => Failure::new(
                FailureKind::DiskFull,
                format!("{}; it needs {needed}", failure.message),
                "make that much room there, or take an algorithm that needs less",
            ),
            None => failure,
        }
    }

    /// Kills the connection, over another that does not end at a stop.
    fn end_on_server(&self) -> Result<(), Failure> {
        let mut other = connect(&self.login.clone().stopped_by(&Stop::default()))?;
        let sql = format!("KILL CONNECTION {}", self.connection.connection_id());
        match other.execute(&sql) {
            // It ended by itself meanwhile.
            Err(ClientError::Server(ServerError { code: NO_SUCH_THREAD, .. })) | Ok(_) => Ok(()),
            Err(error) => Err(error.failure("KILL was refused")),
        }
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

    fn counts(&mut self) -> Result<SessionCounts, Failure> {
        let names = COUNTED.map(|(variable, _)| format!("'{variable}'")).join(", ");
        let sql = format!("SHOW SESSION STATUS WHERE Variable_name IN ({names}, '{MAX_BYTES}')");
        let rows = self
            .connection
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
}
