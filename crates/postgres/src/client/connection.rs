use super::error::ClientError;
use super::session::{log_in, login_options};
use crate::protocol::ServerError;
use crate::protocol::{
    Answer, AnswerReader, BackendKey, LoginOptions, PrepareAnswer, PrepareReader, SessionInfo,
    TextAnswer, TextReader, TextRows, write_cancel_request, write_copy_data, write_copy_done,
    write_copy_fail, write_describe, write_prepare, write_query, write_sync, write_terminate,
};
use model::{Endpoint, Failure, FailureKind, ServerAddress, Stop, Tls};
use std::ops::{Deref, DerefMut};
use std::time::Duration;
use system::Login;
use system::client::{Channel, Credentials, Limits, connect_failure};

/// An open session, one statement at a time. Dropping it says goodbye to the server.
#[derive(Debug)]
pub struct Connection {
    channel: Channel,
    session: SessionInfo,
    address: ServerAddress,
    output: Vec<u8>,
    /// Whether it is in a transaction in which it reads counters again and again.
    pub(crate) samples: bool,
    /// How often it has read them between two loads.
    pub(crate) readings: u32,
}

impl Deref for Connection {
    type Target = Channel;

    fn deref(&self) -> &Channel {
        &self.channel
    }
}

impl DerefMut for Connection {
    fn deref_mut(&mut self) -> &mut Channel {
        &mut self.channel
    }
}

/// What kept a server from letting one in, encrypted or not.
fn both(first: Failure, second: Failure) -> Failure {
    match second.kind {
        FailureKind::Tls | FailureKind::AccessDenied => Failure::new(
            second.kind,
            format!("{}; and then {}", first.message, second.message),
            second.remedy,
        ),
        _ => second,
    }
}

/// Appends the next piece of the data of a COPY, and says whether there is more.
pub(crate) type Fill<'a> = &'a mut dyn FnMut(&mut Vec<u8>) -> bool;

impl Connection {
    /// Connects and logs in. `stop` ends every wait of the connection from then on.
    ///
    /// # Errors
    /// Everything that can go wrong on the way, with the way to fix it; [`Failure::stopped`].
    pub fn open_within(
        address: &ServerAddress,
        credentials: &Credentials,
        limits: Limits,
        stop: &Stop,
    ) -> Result<Self, Failure> {
        let attempts = match address.endpoint {
            Endpoint::Socket(_) => vec![Tls::Off],
            _ => address.tls.attempts(),
        };
        let mut refused: Option<Failure> = None;
        for tls in attempts {
            let attempt = ServerAddress { tls, ..address.clone() };
            let options = login_options(&attempt, credentials);
            let failure = match Self::open_as(attempt, credentials, options, limits, stop) {
                Ok(connection) => return Ok(connection),
                Err(failure) => failure,
            };
            let may_differ = matches!(failure.kind, FailureKind::Tls | FailureKind::AccessDenied);
            refused = Some(match refused {
                None => failure,
                Some(first) => both(first, failure),
            });
            if !may_differ {
                break;
            }
        }
        Err(refused.unwrap_or_else(Failure::stopped))
    }

    /// Opens one that the server lets change nothing, as loads that only read do, where the address says
    /// for certain how it is encrypted.
    ///
    /// # Errors
    /// As [`Self::open_within`].
    pub(crate) fn open_to_read(login: &Login) -> Result<Self, Failure> {
        let (address, credentials) = (login.address(), login.credentials());
        let options = LoginOptions { read_only: true, ..login_options(address, credentials) };
        Self::open_as(address.clone(), credentials, options, Limits::default(), login.stop())
    }

    /// Connects encrypted or not, as the address says for certain.
    fn open_as(
        address: ServerAddress,
        credentials: &Credentials,
        options: LoginOptions,
        limits: Limits,
        stop: &Stop,
    ) -> Result<Self, Failure> {
        let line = Channel::line(&address.endpoint, &limits, stop)?;
        let (transport, session, input) = log_in(line, &address, credentials, options)?;
        let channel = Channel::new(transport, &address.endpoint, limits, input);
        let (samples, readings) = (false, 0);
        Ok(Self { channel, session, address, output: Vec::new(), samples, readings })
    }

    /// How it is encrypted.
    pub fn tls(&self) -> &Tls {
        &self.address.tls
    }

    /// The server's `server_version`.
    pub fn server_version(&self) -> &str {
        &self.session.server_version
    }

    /// The number of the server's process that serves the connection, as `pg_terminate_backend`
    /// takes it. Behind a pooler it is a number of the pooler's.
    pub fn backend_process(&self) -> u32 {
        self.session.key.process
    }

    /// Runs a query and returns its rows; none and no columns for a statement without rows. Of
    /// several statements in one, the last that gave rows counts.
    ///
    /// # Errors
    /// When the server refuses or does not answer in time, or the connection breaks.
    pub fn query(&mut self, sql: &str) -> Result<TextRows, ClientError> {
        Ok(self.run(sql, self.limits().answer, None)?.0)
    }

    /// The same for a query that goes through the data, which takes as long as there is data.
    ///
    /// # Errors
    /// As [`Self::query`].
    pub fn query_long(&mut self, sql: &str) -> Result<TextRows, ClientError> {
        Ok(self.run(sql, self.limits().work, None)?.0)
    }

    /// Runs a statement and returns how many rows it changed.
    ///
    /// # Errors
    /// As [`Self::query`].
    pub fn execute(&mut self, sql: &str) -> Result<u64, ClientError> {
        Ok(self.run(sql, self.limits().answer, None)?.1)
    }

    /// The same for a statement that goes through the data, or may wait for others that do.
    ///
    /// # Errors
    /// As [`Self::query`].
    pub fn execute_long(&mut self, sql: &str) -> Result<u64, ClientError> {
        Ok(self.run(sql, self.limits().work, None)?.1)
    }

    /// Runs a `COPY … FROM STDIN`: `fill` is called to append the next piece of the data, and says
    /// whether there is more after it. Returns how many rows came in.
    ///
    /// # Errors
    /// When the server refuses, or the connection breaks.
    pub fn copy_in(&mut self, sql: &str, fill: Fill<'_>) -> Result<u64, ClientError> {
        Ok(self.run(sql, self.limits().work, Some(fill))?.1)
    }

    /// Runs a statement, however long its answer is, and returns how many rows it had. They are
    /// counted as they arrive and not kept.
    ///
    /// # Errors
    /// As [`Self::query`], where the last row has not arrived within `limit`.
    pub fn count_rows(&mut self, sql: &str, limit: Duration) -> Result<u64, ClientError> {
        self.channel.begin_unbounded(limit)?;
        write_query(sql.as_bytes(), &mut self.output);
        self.send_output()?;
        let mut reader = AnswerReader::default();
        match self.channel.receive(|input| reader.receive(input, None))? {
            Answer::Done { rows, .. } => Ok(rows),
            Answer::Failed(error, _) => Err(self.refused(error)),
        }
    }

    /// What asks the server, on another connection, to end what it does for this one.
    pub fn canceller(&self) -> Canceller {
        Canceller { key: self.session.key, address: self.address.clone() }
    }

    /// Prepares a statement under a name.
    ///
    /// # Errors
    /// As [`Self::query`].
    pub(crate) fn prepare(&mut self, name: &str, sql: &str) -> Result<(), ClientError> {
        self.channel.begin(self.limits().answer)?;
        write_prepare(name, sql, &mut self.output);
        self.describe()
    }

    /// Asks for a statement that was prepared under that name.
    ///
    /// # Errors
    /// As [`Self::query`]; the server's error where it is not there.
    pub(crate) fn find_prepared(&mut self, name: &str) -> Result<(), ClientError> {
        self.channel.begin(self.limits().answer)?;
        write_describe(name, &mut self.output);
        self.describe()
    }

    fn describe(&mut self) -> Result<(), ClientError> {
        write_sync(&mut self.output);
        self.send_output()?;
        let (mut reader, mut refused) = (PrepareReader::default(), None);
        loop {
            match self.channel.receive(|input| reader.receive(input))? {
                PrepareAnswer::Refused(error) => refused = Some(error),
                PrepareAnswer::Prepared(_) => {}
                PrepareAnswer::Ready => {
                    return refused.map_or(Ok(()), |error| Err(self.refused(error)));
                }
            }
        }
    }

    /// What the server says against a statement, which may be its last word.
    fn refused(&mut self, error: Box<ServerError>) -> ClientError {
        if error.is_last_word() {
            self.channel.give_up();
        }
        ClientError::of_server(error, self.endpoint())
    }

    /// Asks whether the server is there, outside any transaction: it counts none.
    ///
    /// # Errors
    /// As [`Self::query`].
    pub fn ping(&mut self) -> Result<(), ClientError> {
        self.channel.begin(self.limits().answer)?;
        write_sync(&mut self.output);
        self.converse(None).map(drop)
    }

    fn run(
        &mut self,
        sql: &str,
        limit: Duration,
        fill: Option<Fill<'_>>,
    ) -> Result<(TextRows, u64), ClientError> {
        self.channel.begin(limit)?;
        write_query(sql.as_bytes(), &mut self.output);
        self.converse(fill)
    }

    fn converse(&mut self, mut fill: Option<Fill<'_>>) -> Result<(TextRows, u64), ClientError> {
        self.send_output()?;
        let mut reader = TextReader::default();
        let mut unwanted_copy = false;
        loop {
            match self.channel.receive(|input| reader.receive(input))? {
                TextAnswer::Done { rows, affected_rows } => return Ok((rows, affected_rows)),
                TextAnswer::Failed(_) if unwanted_copy => return Err(ClientError::UnwantedCopy),
                TextAnswer::Failed(error) => return Err(self.refused(error)),
                TextAnswer::CopyIn => match fill.take() {
                    Some(fill) => self.send_data(fill)?,
                    None => {
                        unwanted_copy = true;
                        write_copy_fail("weighin has no data for it", &mut self.output);
                        self.send_output()?;
                    }
                },
            }
        }
    }

    fn send_data(&mut self, fill: Fill<'_>) -> Result<(), ClientError> {
        let mut piece = Vec::new();
        let mut more = true;
        while more {
            piece.clear();
            more = fill(&mut piece);
            write_copy_data(&piece, &mut self.output);
            self.send_output()?;
        }
        write_copy_done(&mut self.output);
        self.send_output()
    }

    fn send_output(&mut self) -> Result<(), ClientError> {
        let sent = self.channel.send(&self.output);
        self.output.clear();
        Ok(sent?)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if self.channel.begin_farewell().is_ok() {
            write_terminate(&mut self.output);
            // The server notices the closed socket as well; it only writes a line to its log then.
            let _ = self.send_output();
        }
    }
}

/// Asks a server to end what it does for a connection.
#[derive(Clone, Debug)]
pub struct Canceller {
    key: BackendKey,
    address: ServerAddress,
}

impl Canceller {
    /// Asks. The server answers nothing: the statement ends with an error where it was still running.
    ///
    /// # Errors
    /// When the server cannot be reached.
    pub fn cancel(&self) -> Result<(), Failure> {
        let endpoint = &self.address.endpoint;
        let line = Channel::line(endpoint, &Limits::default(), &Stop::default())?;
        let mut transport = super::session::encrypted(line, &self.address)?;
        let mut request = Vec::new();
        write_cancel_request(self.key, &mut request);
        transport.send(&request).map_err(|error| connect_failure(&error, endpoint))?;
        // The server has taken it when it closes the connection.
        while transport.receive(&mut request).is_ok() {}
        Ok(())
    }
}
