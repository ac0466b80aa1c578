//! A blocking connection to a server that speaks the protocol of Redis.

use super::credentials::Secret;
use super::failure::connect_failure;
use super::session::{broken_login, is_timeout, read_more, start_tls};
use super::transport::{Socket, Transport};
use model::{Endpoint, Failure, FailureKind, ServerAddress, Tls};
use protocol::redis::{RespError, Value, write_command};
use std::io::{self, Write};
use std::net::SocketAddr;
use std::time::Duration;

/// How long a connection waits for the socket, and for each answer.
const PATIENCE: Duration = Duration::from_secs(10);

/// Why a command did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum RedisError {
    /// The server refused it; the connection is as good as before.
    #[error("{0}")]
    Server(String),
    /// The connection broke, or did not answer in time.
    #[error("lost the connection to the server: {0}")]
    Lost(#[from] io::Error),
    /// The server broke the protocol.
    #[error("unexpected bytes from the server: {0}")]
    Protocol(#[from] RespError),
}

impl RedisError {
    /// The failure that it makes of what was being done, which `doing` says.
    pub fn failure(&self, doing: &str) -> Failure {
        let (kind, remedy) = match self {
            Self::Server(line) => refusal(line),
            Self::Lost(error) if is_timeout(error) => {
                (FailureKind::TimedOut, "see with SLOWLOG GET what keeps the server")
            }
            Self::Lost(_) => {
                (FailureKind::ServerLost, "see whether the server runs, and look into its log")
            }
            Self::Protocol(_) => (FailureKind::Other, "check that a Redis server listens there"),
        };
        Failure::new(kind, format!("{doing}: {self}"), remedy)
    }
}

/// What kind of trouble an error line of the server is, and how to mend it.
pub fn refusal(line: &str) -> (FailureKind, &'static str) {
    match line.split(' ').next().unwrap_or_default() {
        "NOAUTH" => {
            (FailureKind::AccessDenied, "give the password with password_env or password_file")
        }
        "WRONGPASS" => (FailureKind::AccessDenied, "check user and password with redis-cli"),
        "ERR" if line.contains("password") || line.contains("AUTH") => {
            (FailureKind::AccessDenied, "check user and password with redis-cli")
        }
        "NOPERM" => (FailureKind::AccessDenied, "give the ACL user the rights: ACL SETUSER"),
        "DENIED" => {
            (FailureKind::AccessDenied, "set a password on the server: it is in protected mode")
        }
        "READONLY" => (FailureKind::NotPermitted, "name the primary: this server is a replica"),
        "MOVED" | "ASK" | "CLUSTERDOWN" | "CROSSSLOT" => {
            (FailureKind::NotPermitted, "name a server that is not part of a cluster")
        }
        "LOADING" => (FailureKind::Unreachable, "wait until the server has loaded its data"),
        "OOM" => (FailureKind::DiskFull, "raise maxmemory, or use fewer or smaller keys"),
        "MISCONF" => {
            (FailureKind::DiskFull, "see in the server's log why it cannot save, and free space")
        }
        _ => (FailureKind::Statement, "look into the server's log"),
    }
}

/// An open connection, one command at a time.
#[derive(Debug)]
pub struct RedisConnection {
    transport: Transport,
    endpoint: Endpoint,
    /// Received and not yet used.
    input: Vec<u8>,
    output: Vec<u8>,
}

impl RedisConnection {
    /// Connects, encrypts where the address says so, logs in with the password unless it is empty,
    /// and selects the database.
    ///
    /// # Errors
    /// Everything that can go wrong on the way, with the way to mend it.
    pub fn open(address: &ServerAddress, password: &Secret) -> Result<Self, Failure> {
        let endpoint = &address.endpoint;
        let socket = Socket::connect(endpoint, PATIENCE)
            .and_then(|socket| socket.set_timeout(Some(PATIENCE)).map(|()| socket))
            .map_err(|error| connect_failure(&error, endpoint))?;
        let mut transport = Transport::Plain(socket);
        if address.tls != Tls::Off {
            transport = start_tls(transport, address)?;
        }
        let mut connection =
            Self { transport, endpoint: endpoint.clone(), input: Vec::new(), output: Vec::new() };
        connection.log_in(address, password)?;
        Ok(connection)
    }

    fn log_in(&mut self, address: &ServerAddress, password: &Secret) -> Result<(), Failure> {
        let doing = format!("cannot log in at {}", self.endpoint);
        let failed = |error: RedisError, endpoint: &Endpoint| match &error {
            RedisError::Lost(lost) => broken_login(lost, endpoint),
            RedisError::Protocol(_) => Failure::new(
                FailureKind::Unreachable,
                format!("what listens at {endpoint} does not speak Redis's protocol: {error}"),
                "check the port: Redis listens at 6379 unless told otherwise",
            ),
            RedisError::Server(_) => error.failure(&doing),
        };
        if !password.bytes().is_empty() {
            let answer = match &address.user {
                Some(user) => self.command(&[b"AUTH", user.as_bytes(), password.bytes()]),
                None => self.command(&[b"AUTH", password.bytes()]),
            };
            answer.map_err(|error| failed(error, &self.endpoint))?;
        }
        let database = if address.database.is_empty() { "0" } else { &address.database };
        self.command(&[b"SELECT", database.as_bytes()])
            .map_err(|error| failed(error, &self.endpoint))?;
        Ok(())
    }

    /// Where the connection leads.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// The address that the host's name led to; `None` for a Unix socket.
    ///
    /// # Errors
    /// When the connection is gone.
    pub fn peer(&self) -> io::Result<Option<SocketAddr>> {
        self.transport.socket().peer()
    }

    /// Sets how long to wait for each answer from now on; `None` waits for ever.
    ///
    /// # Errors
    /// When the operating system refuses, as it does for a length of zero.
    pub fn set_patience(&mut self, patience: Option<Duration>) -> io::Result<()> {
        self.transport.socket().set_timeout(patience)
    }

    /// Runs a command and returns its answer.
    ///
    /// # Errors
    /// When the server refuses, or the connection breaks.
    pub fn command(&mut self, arguments: &[&[u8]]) -> Result<Value, RedisError> {
        self.output.clear();
        write_command(arguments, &mut self.output);
        self.transport.write_all(&self.output)?;
        self.transport.flush()?;
        self.answer()
    }

    /// Sends commands that are encoded already, and reads that many answers.
    ///
    /// # Errors
    /// With the first refusal, after all answers were read; or when the connection breaks.
    pub fn send_all(&mut self, commands: &[u8], answers: usize) -> Result<(), RedisError> {
        self.transport.write_all(commands)?;
        self.transport.flush()?;
        let mut refused = Ok(());
        for _ in 0..answers {
            match self.answer() {
                Err(error @ RedisError::Server(_)) => refused = refused.and(Err(error)),
                other => {
                    other?;
                }
            }
        }
        refused
    }

    fn answer(&mut self) -> Result<Value, RedisError> {
        loop {
            if let Some((length, value)) = Value::parse(&self.input)? {
                self.input.drain(..length);
                return match value {
                    Value::Error(line) => Err(RedisError::Server(line)),
                    value => Ok(value),
                };
            }
            read_more(&mut self.transport, &mut self.input)?;
        }
    }
}
