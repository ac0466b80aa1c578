//! The probe of a failover: its table, its writes, and what is there of them afterwards.

use crate::tables::OwnTable;
use crate::{Control, ControlError};
use model::{Failure, Stop};
use std::marker::PhantomData;
use std::time::Duration;
use system::client::Limits;
use system::{Login, NotAcknowledged, ProbedServer, ServerKind, Writer};

/// The table that the probe writes to.
const TABLE: &str = "weighin_failover";
/// Rows that are read at a time.
const ROWS_AT_ONCE: usize = 50_000;

/// What is particular to one kind of server.
pub trait ProbeKind: ServerKind<Connection: Control> {
    /// Its columns: `id`, and `written_at`, which is the moment of the write.
    const COLUMNS: &'static str;

    /// Whether the server is read-only for this account, as far as it says before there is a table.
    ///
    /// # Errors
    /// When it does not answer.
    fn is_read_only(connection: &mut Self::Connection) -> Result<bool, Failure>;

    /// Whether a write was refused because the server takes none.
    fn takes_none(error: &<Self::Connection as Control>::Error) -> bool;
}

/// A server that a probe writes to.
#[derive(Debug)]
pub struct Probed<K> {
    login: Login,
    kind: PhantomData<K>,
}

impl<K: ProbeKind> Probed<K> {
    const TABLE: OwnTable =
        OwnTable { name: TABLE, columns: K::COLUMNS, purpose: "writes of a failover probe" };

    pub fn new(login: Login) -> Self {
        Self { login, kind: PhantomData }
    }

    fn open(
        &self,
        login: Duration,
        answer: Duration,
        stop: &Stop,
    ) -> Result<K::Connection, Failure> {
        let limits = Limits { connect: login, login, answer, ..Limits::default() };
        K::open_within(&self.login, limits, stop)
    }

    fn control(&self, stop: &Stop) -> Result<K::Connection, Failure> {
        let limit = Limits::default().connect;
        self.open(limit, limit, stop)
    }

    fn database(&self) -> &str {
        &self.login.address().database
    }
}

impl<K: ProbeKind> ProbedServer for Probed<K> {
    fn name(&self) -> String {
        self.login.address().endpoint.to_string()
    }

    fn connect(
        &self,
        login: Duration,
        answer: Duration,
        stop: &Stop,
    ) -> Result<Box<dyn Writer>, Failure> {
        Ok(Box::new(ProbeWriter(self.open(login, answer, stop)?)))
    }

    fn is_read_only(&self, stop: &Stop) -> Result<bool, Failure> {
        K::is_read_only(&mut self.control(stop)?)
    }

    fn takes_writes(&self, stop: &Stop) -> Result<bool, Failure> {
        // It changes nothing, and is refused where writes are.
        match self.control(stop)?.execute(&format!("DELETE FROM {TABLE} WHERE id = 0")) {
            Ok(_) => Ok(true),
            Err(error) if K::takes_none(&error) => Ok(false),
            Err(error) => Err(error.failure(&format!(
                "{} does not have the table that the probe writes to",
                self.name()
            ))),
        }
    }

    fn check_room(&self, stop: &Stop) -> Result<(), Failure> {
        Self::TABLE.check_room(&mut self.control(stop)?, self.database())
    }

    fn make_table(&self, stop: &Stop) -> Result<(), Failure> {
        Self::TABLE.make(&mut self.control(stop)?, self.database())
    }

    fn ids(&self, limit: Duration) -> Result<Vec<u64>, Failure> {
        let mut connection = self.open(limit, limit, self.login.stop())?;
        let mut ids: Vec<u64> = Vec::new();
        loop {
            let after = ids.last().copied().unwrap_or(0);
            let sql = format!(
                "SELECT id FROM {TABLE} WHERE id > {after} ORDER BY id LIMIT {ROWS_AT_ONCE}"
            );
            let rows =
                connection.rows(&sql).map_err(|e| e.failure("cannot read the writes back"))?;
            let read = rows.len();
            let id = |cell: Vec<u8>| std::str::from_utf8(&cell).ok()?.parse::<u64>().ok();
            ids.extend(rows.into_iter().flatten().flatten().filter_map(id));
            if read < ROWS_AT_ONCE {
                return Ok(ids);
            }
        }
    }

    fn drop_table(&self, limit: Duration) -> Result<(), Failure> {
        Self::TABLE.remove(&mut self.open(limit, limit, self.login.stop())?)
    }
}

struct ProbeWriter<C>(C);

impl<C: Control + Send> Writer for ProbeWriter<C> {
    fn write(&mut self, id: u64) -> Result<(), NotAcknowledged> {
        match self.0.execute(&format!("INSERT INTO {TABLE} (id) VALUES ({id})")) {
            Ok(_) => Ok(()),
            Err(error) if error.is_answer() => Err(NotAcknowledged::Refused(error.to_string())),
            Err(error) => Err(NotAcknowledged::Lost(error.to_string())),
        }
    }
}
