//! The probe of a failover: its table, its writes, and what is there of them afterwards.

use super::connect;
use super::tables::{OwnTable, check_room, drop_own, make_own};
use crate::client::{ClientError, Connection};
use crate::private::CLIENT_HOSTS;
use host::random_hex;
use model::{Failure, FailureKind, Stop};
use std::time::Duration;
use system::Login;
use system::client::Limits;
use system::{NotAcknowledged, ProbedServer, Writer};

/// The table that the probe writes to.
const TABLE: &str = "weighin_failover";
const PROBE_TABLE: OwnTable = OwnTable {
    name: TABLE,
    columns: "id BIGINT UNSIGNED NOT NULL PRIMARY KEY, \
              written_at TIMESTAMP(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6)",
    purpose: "writes of a failover probe",
};
/// What servers say that take no writes: a read-only server, one that is a replica, a member of a
/// group that is not the primary, and a read-only transaction.
const READ_ONLY: [u16; 4] = [1290, 1792, 1836, 3100];
/// What servers say of an account that `DROP USER` does not find (`ER_CANNOT_USER`).
const NO_SUCH_ACCOUNT: u16 = 1396;
/// What servers say of a table that `DROP TABLE` does not find (`ER_BAD_TABLE_ERROR`).
const NO_SUCH_TABLE: u16 = 1051;
/// Rows that are read at a time.
const ROWS_AT_ONCE: usize = 50_000;

/// The account of the probe on private servers.
const USER: &str = "weighin_probe";

/// Makes the account of the probe on a private server, outside the binary log: every member has its
/// own.
///
/// # Errors
/// Whatever the server says.
pub(super) fn make_account(administrator: &Login) -> Result<Login, Failure> {
    let random = |error| Failure::new(FailureKind::Other, format!("no random bytes: {error}"), "");
    let password = random_hex(16).map_err(random)?;
    let mut connection = connect(administrator)?;
    let database = &administrator.address().database;
    let accounts = CLIENT_HOSTS.map(|host| format!("{USER}@'{host}'"));
    // A statement may hold the password: it is not shown.
    let refused = |error: ClientError| error.failure("cannot make the account of the probe");
    connection.execute("SET SESSION sql_log_bin = 0").map_err(refused)?;
    for account in accounts {
        // Before 5.7 MySQL does not know IF EXISTS here.
        match connection.execute(&format!("DROP USER {account}")) {
            Err(error) if error.code() != Some(NO_SUCH_ACCOUNT) => return Err(refused(error)),
            _ => {}
        }
        for sql in [
            format!("CREATE USER {account} IDENTIFIED BY '{password}'"),
            format!("GRANT SELECT, INSERT, DELETE, CREATE, DROP ON {database}.* TO {account}"),
        ] {
            connection.execute(&sql).map_err(refused)?;
        }
    }
    Ok(administrator.with_account(USER, &password))
}

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

    fn is_read_only(&self, stop: &Stop) -> Result<bool, Failure> {
        let rows = self.control(stop)?.query("SELECT @@global.read_only");
        let rows = rows.map_err(|e| e.failure("cannot ask whether the server is read-only"))?.rows;
        let value = rows.into_iter().flatten().flatten().next().unwrap_or_default();
        if matches!(value.as_slice(), b"0" | b"OFF") {
            return Ok(false);
        }
        // Some accounts write to a read-only server. It looks for the table only where it would drop one.
        let random =
            |error| Failure::new(FailureKind::Other, format!("no random bytes: {error}"), "");
        let none = format!("DROP TABLE weighin_none_{}", random_hex(8).map_err(random)?);
        let dropped = self.control(stop)?.execute(&none);
        Ok(!matches!(dropped, Err(error) if error.code() == Some(NO_SUCH_TABLE)))
    }

    fn takes_writes(&self, stop: &Stop) -> Result<bool, Failure> {
        // It changes nothing, and is refused where writes are.
        let sql = format!("DELETE FROM {TABLE} WHERE id = 0");
        match self.control(stop)?.execute(&sql) {
            Ok(_) => Ok(true),
            Err(error) if error.code().is_some_and(|code| READ_ONLY.contains(&code)) => Ok(false),
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
            let id = |cell: Vec<u8>| std::str::from_utf8(&cell).ok()?.parse::<u64>().ok();
            ids.extend(rows.into_iter().flatten().flatten().filter_map(id));
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
            Err(ClientError::Server(error)) => Err(NotAcknowledged::Refused(error.to_string())),
            Err(error) => Err(NotAcknowledged::Lost(error.to_string())),
        }
    }
}
