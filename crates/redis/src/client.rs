//! A blocking connection to a server that speaks the protocol of Redis.

use crate::protocol::{RespError, Value, ValueReader, write_command};
use model::{Endpoint, Failure, FailureKind, ServerAddress, Stop, Tls};
use std::ops::{Deref, DerefMut};
use system::client::{Broken, Channel, How, Limits, ReceiveError, Secret, Transport, broken_login};

/// Why a command did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum RedisError {
    /// The server refused it; the connection is as good as before.
    #[error("{0}")]
    Server(String),
    /// The connection is of no use any more.
    #[error(transparent)]
    Broken(#[from] Broken),
    /// The server broke the protocol.
    #[error("unexpected bytes from {0}: {1}")]
    Protocol(Endpoint, RespError),
}

impl From<ReceiveError<RespError>> for RedisError {
    fn from(error: ReceiveError<RespError>) -> Self {
        match error {
            ReceiveError::Broken(broken) => Self::Broken(broken),
            ReceiveError::Protocol(endpoint, error) => Self::Protocol(endpoint, error),
        }
    }
}

impl RedisError {
    /// The failure that it makes of what was being done, which `doing` says.
    pub fn failure(&self, doing: &str) -> Failure {
        let (kind, remedy) = match self {
            Self::Server(line) => refusal(line),
            Self::Broken(broken) => {
                return broken.failure(doing, "see with SLOWLOG GET what keeps the server");
            }
            Self::Protocol(..) => (FailureKind::Other, "check that a Redis server listens there"),
        };
        Failure::new(kind, format!("{doing}: {self}"), remedy)
    }
}

/// What kind of trouble an error line of the server is, and how to fix it.
pub fn refusal(line: &str) -> (FailureKind, &'static str) {
    match line.split(' ').next().unwrap_or_default() {
        "NOAUTH" => {
            (FailureKind::AccessDenied, "give the password with password_env or password_file")
        }
        "WRONGPASS" => (FailureKind::AccessDenied, "check user and password with redis-cli"),
        "ERR" if line.contains("password") || line.contains("AUTH") => {
            (FailureKind::AccessDenied, "check user and password with redis-cli")
        }
        "NOPERM" => (
            FailureKind::AccessDenied,
            "as an administrator, give the account what the message names: ACL SETUSER NAME +COMMAND \
             for a command, ~weighin* for keys; ACL GETUSER NAME shows what it may",
        ),
        "DENIED" => {
            (FailureKind::AccessDenied, "set a password on the server: it is in protected mode")
        }
        "READONLY" => (FailureKind::NotPermitted, "name the primary: this server is a replica"),
        "MOVED" | "ASK" | "CLUSTERDOWN" | "CROSSSLOT" => {
            (FailureKind::NotPermitted, "name a server that is not part of a cluster")
        }
        "LOADING" => (FailureKind::Unreachable, "wait until the server has loaded its data"),
        "OOM" => (
            FailureKind::DiskFull,
            "raise maxmemory, let the server evict keys (maxmemory-policy), or use fewer or \
             smaller keys",
        ),
        "MISCONF" => (
            FailureKind::DiskFull,
            "see in the server's log why it cannot save its data, and free space on its disk",
        ),
        _ => (FailureKind::Statement, "look into the server's log"),
    }
}

/// An open connection, one command at a time.
#[derive(Debug)]
pub struct RedisConnection {
    channel: Channel,
    /// The account that is logged in.
    user: String,
    output: Vec<u8>,
}

impl Deref for RedisConnection {
    type Target = Channel;

    fn deref(&self) -> &Channel {
        &self.channel
    }
}

impl DerefMut for RedisConnection {
    fn deref_mut(&mut self) -> &mut Channel {
        &mut self.channel
    }
}

impl RedisConnection {
    /// Connects, encrypts where the address says so, logs in with the password unless it is empty,
    /// and selects the database; with the default [`Limits`], and nobody to stop it.
    ///
    /// # Errors
    /// Everything that can go wrong on the way, with the way to fix it.
    pub fn open(address: &ServerAddress, password: &Secret) -> Result<Self, Failure> {
        Self::open_within(address, password, Limits::default(), &Stop::default())
    }

    /// The same with other limits. `stop` ends every wait of the connection from then on.
    ///
    /// # Errors
    /// As [`Self::open`]; [`Failure::stopped`] when asked to stop.
    pub fn open_within(
        address: &ServerAddress,
        password: &Secret,
        limits: Limits,
        stop: &Stop,
    ) -> Result<Self, Failure> {
        let line = Channel::line(&address.endpoint, &limits, stop)?;
        let mut transport = Transport::plain(line);
        if address.tls != Tls::Off {
            transport = transport.start_tls(address)?;
        }
        let mut connection = Self {
            channel: Channel::new(transport, &address.endpoint, limits, Vec::new()),
            user: match &address.user {
                Some(user) if !password.bytes().is_empty() => user.clone(),
                _ => "default".to_owned(),
            },
            output: Vec::new(),
        };
        connection.log_in(address, password)?;
        Ok(connection)
    }

    /// The account that is logged in.
    pub fn user(&self) -> &str {
        &self.user
    }

    fn log_in(&mut self, address: &ServerAddress, password: &Secret) -> Result<(), Failure> {
        let doing = format!("cannot log in at {}", self.endpoint());
        let endpoint = self.endpoint().clone();
        let failed = |error: RedisError| match error {
            RedisError::Broken(Broken { how: How::Lost(lost), .. }) => {
                broken_login(&lost, &endpoint)
            }
            RedisError::Protocol(..) => Failure::new(
                FailureKind::Unreachable,
                format!("what listens there does not speak Redis's protocol: {error}"),
                "check the port: Redis listens at 6379 unless told otherwise",
            ),
            RedisError::Server(_) | RedisError::Broken(_) => error.failure(&doing),
        };
        // One exchange with the TLS handshake: its limits have begun.
        if !password.bytes().is_empty() {
            let answer = match &address.user {
                Some(user) => self.ask(&[b"AUTH", user.as_bytes(), password.bytes()]),
                None => self.ask(&[b"AUTH", password.bytes()]),
            };
            answer.map_err(&failed)?;
        }
        let database = if address.database.is_empty() { "0" } else { &address.database };
        self.ask(&[b"SELECT", database.as_bytes()]).map_err(&failed)?;
        Ok(())
    }

    /// Runs a command and returns its answer.
    ///
    /// # Errors
    /// When the server refuses or does not answer in time, or the connection breaks.
    pub fn command(&mut self, arguments: &[&[u8]]) -> Result<Value, RedisError> {
        self.channel.begin(self.limits().answer)?;
        self.ask(arguments)
    }

    /// Runs a last command that tidies up, which gets a second although somebody asked to stop.
    ///
    /// # Errors
    /// As [`Self::command`].
    pub fn last_command(&mut self, arguments: &[&[u8]]) -> Result<Value, RedisError> {
        self.channel.begin_farewell()?;
        self.ask(arguments)
    }

    /// Sends commands that are encoded already, and reads that many answers, all within the time
    /// for one.
    ///
    /// # Errors
    /// With the first refusal, after all answers were read; or when the connection breaks.
    pub fn send_all(&mut self, commands: &[u8], answers: usize) -> Result<(), RedisError> {
        self.channel.begin(self.limits().answer)?;
        self.channel.send(commands)?;
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

    fn ask(&mut self, arguments: &[&[u8]]) -> Result<Value, RedisError> {
        self.output.clear();
        write_command(arguments, &mut self.output);
        self.channel.send(&self.output)?;
        self.answer()
    }

    fn answer(&mut self) -> Result<Value, RedisError> {
        let mut reader = ValueReader::default();
        match self.channel.receive(|input| reader.receive(input))? {
            Value::Error(line) => Err(RedisError::Server(line)),
            value => Ok(value),
        }
    }
}
