//! The probe of a failover: its table, its writes, and what is there of them afterwards.

use crate::client::{ClientError, Connection};
use crate::tables::{OwnTable, check_room, drop_own, make_own};
use model::{Failure, Stop};
use std::time::Duration;
use system::client::Limits;
use system::{Login, NotAcknowledged, ProbedServer, Writer};

/// The table that the probe writes to.
const TABLE: &str = "weighin_failover";
const PROBE_TABLE: OwnTable = OwnTable {
    name: TABLE,
    columns: "id bigint NOT NULL PRIMARY KEY, \
              written_at timestamptz NOT NULL DEFAULT clock_timestamp()",
    purpose: "writes of a failover probe",
};
/// What a server says that takes no writes: one in recovery, or whose transactions are read-only.
const READ_ONLY: &str = "25006";
/// Rows that are read at a time.
const ROWS_AT_ONCE: usize = 50_000;

/// A server that a probe writes to.
#[derive(Debug)]
pub(super) struct Probed {
    login: Login,
}

impl Probed {
    pub(super) fn new(login: Login) -> Self {
        Self { login }
    }

    fn open(&self, limit: Duration, stop: &Stop) -> Result<Connection, Failure> {
        let limits = Limits { connect: limit, login: limit, answer: limit, ..Limits::default() };
        Connection::open_within(self.login.address(), self.login.credentials(), limits, stop)
    }

    fn control(&self, stop: &Stop) -> Result<Connection, Failure> {
        self.open(Limits::default().connect, stop)
    }
}

impl ProbedServer for Probed {
    fn name(&self) -> String {
        self.login.address().endpoint.to_string()
    }

    fn connect(&self, limit: Duration, stop: &Stop) -> Result<Box<dyn Writer>, Failure> {
        Ok(Box::new(ProbeWriter(self.open(limit, stop)?)))
    }

    /// A server in recovery calls every transaction read-only.
    fn is_read_only(&self, stop: &Stop) -> Result<bool, Failure> {
        let rows = self.control(stop)?.query("SHOW transaction_read_only");
        let rows = rows.map_err(|e| e.failure("cannot ask whether the server is read-only"))?.rows;
        Ok(rows.into_iter().flatten().flatten().next().is_none_or(|value| value != "off"))
    }

    fn takes_writes(&self, stop: &Stop) -> Result<bool, Failure> {
        // It changes nothing, and is refused where writes are.
        match self.control(stop)?.execute(&format!("DELETE FROM {TABLE} WHERE id = 0")) {
            Ok(_) => Ok(true),
            Err(error) if error.sql_state() == Some(READ_ONLY) => Ok(false),
            Err(error) => Err(error.failure(&format!(
                "{} does not have the table that the probe writes to",
                self.name()
            ))),
        }
    }

    fn check_room(&self, stop: &Stop) -> Result<(), Failure> {
        check_room(&mut self.control(stop)?, &self.login.address().database, &PROBE_TABLE)
    }

    fn make_table(&self, stop: &Stop) -> Result<(), Failure> {
        let database = &self.login.address().database;
        make_own(&mut self.control(stop)?, database, &PROBE_TABLE)
    }

    fn ids(&self, limit: Duration) -> Result<Vec<u64>, Failure> {
        let mut connection = self.open(limit, self.login.stop())?;
        let mut ids: Vec<u64> = Vec::new();
        loop {
            let after = ids.last().copied().unwrap_or(0);
            let sql = format!(
                "SELECT id FROM {TABLE} WHERE id > {after} ORDER BY id LIMIT {ROWS_AT_ONCE}"
            );
            let rows =
                connection.query(&sql).map_err(|e| e.failure("cannot read the writes back"))?.rows;
            let read = rows.len();
            ids.extend(
                rows.into_iter().flatten().flatten().filter_map(|id| id.parse::<u64>().ok()),
            );
            if read < ROWS_AT_ONCE {
                return Ok(ids);
            }
        }
    }

    fn drop_table(&self, limit: Duration) -> Result<(), Failure> {
        drop_own(&mut self.open(limit, self.login.stop())?, TABLE)
    }
}

struct ProbeWriter(Connection);

impl Writer for ProbeWriter {
    fn write(&mut self, id: u64) -> Result<(), NotAcknowledged> {
        match self.0.execute(&format!("INSERT INTO {TABLE} (id) VALUES ({id})")) {
            Ok(_) => Ok(()),
            Err(error @ ClientError::Server(_)) => Err(NotAcknowledged::Refused(error.to_string())),
            Err(error) => Err(NotAcknowledged::Lost(error.to_string())),
        }
    }
}
