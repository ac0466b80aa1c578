use crate::{redis, sql};
use model::{Endpoint, Failure, FailureKind, ServerCounters, ServerFacts, Workload};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use target::client::Connection;
use target::client::redis::RedisConnection;

/// An open connection to a target's server, for everything but the load.
#[derive(Debug)]
pub enum Control {
    /// MariaDB or MySQL.
    Sql(Box<Connection>),
    /// Redis and its kin.
    Redis(Box<RedisConnection>),
}

impl Control {
    /// The connection, where the server is one of SQL.
    ///
    /// # Errors
    /// `NotPermitted` where it is another.
    pub fn sql(&mut self) -> Result<&mut Connection, Failure> {
        match self {
            Self::Sql(connection) => Ok(connection),
            Self::Redis(connection) => Err(misfit(connection.endpoint(), "SQL")),
        }
    }

    /// The connection, where the server is one of keys and values.
    ///
    /// # Errors
    /// `NotPermitted` where it is another.
    pub fn redis(&mut self) -> Result<&mut RedisConnection, Failure> {
        match self {
            Self::Redis(connection) => Ok(connection),
            Self::Sql(connection) => Err(misfit(connection.endpoint(), "keys and values")),
        }
    }

    /// The address that the host's name led to; `None` for a Unix socket.
    ///
    /// # Errors
    /// When the connection is gone.
    pub fn peer(&self) -> io::Result<Option<SocketAddr>> {
        match self {
            Self::Sql(connection) => connection.peer(),
            Self::Redis(connection) => connection.peer(),
        }
    }

    /// Sets how long an answer may take from now on.
    pub(crate) fn set_answer_limit(&mut self, limit: Duration) {
        match self {
            Self::Sql(connection) => connection.set_answer_limit(limit),
            Self::Redis(connection) => connection.set_answer_limit(limit),
        }
    }

    /// Reads the server's counters; `None` where it does not give them.
    pub(crate) fn counters(&mut self) -> Option<ServerCounters> {
        match self {
            Self::Sql(connection) => sql::counters::read(connection).ok(),
            Self::Redis(connection) => redis::counters::read(connection).ok(),
        }
    }

    /// Reads what the server says of itself.
    ///
    /// # Errors
    /// When it does not answer, or is none that can be measured.
    pub(crate) fn facts(&mut self) -> Result<ServerFacts, Failure> {
        match self {
            Self::Sql(connection) => sql::facts::server_facts(connection),
            Self::Redis(connection) => redis::facts::server_facts(connection),
        }
    }
}

/// Checks that the server allows as many connections, and whatever else it limits, as `clients` of
/// the workload need.
///
/// # Errors
/// `TooFewConnections`, with the setting to change.
pub fn check_limits(
    control: &mut Control,
    workload: &Workload,
    clients: u32,
) -> Result<(), Failure> {
    match workload {
        Workload::KeyValue(_) => redis::limits::check_limits(control.redis()?, clients),
        Workload::Oltp(_) | Workload::Storage(_) => {
            sql::limits::check_limits(control.sql()?, workload.oltp()?, clients)
        }
    }
}

fn misfit(endpoint: &Endpoint, needed: &str) -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        format!("the workload needs a server of {needed}, and the one at {endpoint} is another"),
        "choose a workload that suits the server: key_value for Redis, oltp_... for MariaDB and MySQL",
    )
}
