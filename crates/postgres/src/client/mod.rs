//! A blocking connection to a server, for everything but the load itself: setting up, checking,
//! reading counters.

use host::Ends;
use model::{Endpoint, Failure, FailureKind, ServerAddress, Stop};
use std::io;
use std::time::Duration;
use system::client::{Credentials, Limits, LoginEnvironment, UsualLogin};

/// An open session, one statement at a time. Dropping it says goodbye to the server.
#[derive(Debug)]
pub struct Connection {
    endpoint: Endpoint,
    version: String,
}

/// The rows of an answer, as text.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    pub rows: Vec<Vec<Option<String>>>,
}

/// Why a statement gave no answer.
#[derive(Debug)]
pub enum ClientError {
    Broken(Failure),
}

impl ClientError {
    /// The failure that it makes of what was being done, which `doing` says.
    pub fn failure(&self, doing: &str) -> Failure {
        let Self::Broken(failure) = self;
        Failure::new(failure.kind, format!("{doing}: {}", failure.message), "")
    }
}

impl Connection {
    /// Connects and logs in. `stop` ends every wait of the connection from then on.
    ///
    /// # Errors
    /// Everything that can go wrong on the way, with the way to fix it; [`Failure::stopped`].
    pub fn open_within(
        address: &ServerAddress,
        _credentials: &Credentials,
        _limits: Limits,
        _stop: &Stop,
    ) -> Result<Self, Failure> {
        Err(Failure::new(
            FailureKind::Unreachable,
            format!("weighin cannot connect to {}", address.endpoint),
            "",
        ))
    }

    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    pub fn ends(&self) -> io::Result<Ends> {
        Err(io::ErrorKind::NotConnected.into())
    }

    /// The server's `server_version`.
    pub fn server_version(&self) -> &str {
        &self.version
    }

    pub fn set_answer_limit(&mut self, _limit: Duration) {}

    /// Runs a query and returns its rows; none for a statement without rows.
    ///
    /// # Errors
    /// When the server refuses or does not answer in time, or the connection breaks.
    pub fn query(&mut self, _sql: &str) -> Result<Rows, ClientError> {
        Ok(Rows::default())
    }

    /// Runs a statement and returns how many rows it changed.
    ///
    /// # Errors
    /// As [`Self::query`].
    pub fn execute(&mut self, _sql: &str) -> Result<u64, ClientError> {
        Ok(0)
    }
}

/// What libpq would log in with where an address leaves that open.
///
/// # Errors
/// When that cannot be read.
pub fn usual_login(
    _address: &ServerAddress,
    _environment: &LoginEnvironment<'_>,
) -> Result<UsualLogin, Failure> {
    Ok(UsualLogin::default())
}
