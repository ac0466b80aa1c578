use super::error::ClientError;
use super::session::{log_in, login_options};
use crate::protocol::{
    Answer, AnswerReader, BackendKey, LoginOptions, PrepareAnswer, PrepareReader, SessionInfo,
    TextAnswer, TextReader, TextRows, write_cancel_request, write_copy_data, write_copy_done,
    write_copy_fail, write_describe, write_prepare, write_query, write_sync, write_terminate,
};
use host::Ends;
use model::{Endpoint, Failure, FailureKind, ServerAddress, Stop, Tls};
use std::io;
use std::time::Duration;
use system::Login;
use system::client::{Broken, Credentials, Limits, Line, Transport, connect_failure};

/// An open session, one statement at a time. Dropping it says goodbye to the server.
#[derive(Debug)]
pub struct Connection {
    transport: Transport,
    session: SessionInfo,
    address: ServerAddress,
    limits: Limits,
    /// Received and not yet used.
    input: Vec<u8>,
    output: Vec<u8>,
    /// Set by an error after which nobody knows where the next answer starts.
    broken: bool,
    /// Whether it is in a transaction in which it reads counters again and again.
    pub(crate) samples: bool,
    /// How often it has read them between two loads.
    pub(crate) readings: u32,
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
        let endpoint = &address.endpoint;
        let mut line = Line::connect(endpoint, &limits, stop)
            .map_err(|error| connect_failure(&error, endpoint))?;
        line.begin(limits.login);
        let (transport, session, input) = log_in(line, &address, credentials, options)?;
        let (output, broken) = (Vec::new(), false);
        let (samples, readings) = (false, 0);
        Ok(Self { transport, session, address, limits, input, output, broken, samples, readings })
    }

    /// Where the connection leads.
    pub fn endpoint(&self) -> &Endpoint {
        &self.address.endpoint
    }

    /// How it is encrypted.
    pub fn tls(&self) -> &Tls {
        &self.address.tls
    }

    /// What it connects.
    ///
    /// # Errors
    /// When the connection is gone.
    pub fn ends(&self) -> io::Result<Ends> {
        self.transport.ends()
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

    /// Sets how long the answer to a query or statement may take from now on, but for those that
    /// [`Self::query_long`] and [`Self::execute_long`] run.
    pub fn set_answer_limit(&mut self, limit: Duration) {
        self.limits.answer = limit;
    }

    /// Runs a query and returns its rows; none and no columns for a statement without rows. Of
    /// several statements in one, the last that gave rows counts.
    ///
    /// # Errors
    /// When the server refuses or does not answer in time, or the connection breaks.
    pub fn query(&mut self, sql: &str) -> Result<TextRows, ClientError> {
        Ok(self.run(sql, self.limits.answer, None)?.0)
    }

    /// The same for a query that goes through the data, which takes as long as there is data.
    ///
    /// # Errors
    /// As [`Self::query`].
    pub fn query_long(&mut self, sql: &str) -> Result<TextRows, ClientError> {
        Ok(self.run(sql, self.limits.work, None)?.0)
    }

    /// Runs a statement and returns how many rows it changed.
    ///
    /// # Errors
    /// As [`Self::query`].
    pub fn execute(&mut self, sql: &str) -> Result<u64, ClientError> {
        Ok(self.run(sql, self.limits.answer, None)?.1)
    }

    /// The same for a statement that goes through the data, or may wait for others that do.
    ///
    /// # Errors
    /// As [`Self::query`].
    pub fn execute_long(&mut self, sql: &str) -> Result<u64, ClientError> {
        Ok(self.run(sql, self.limits.work, None)?.1)
    }

    /// Runs a `COPY … FROM STDIN`: `fill` is called to append the next piece of the data, and says
    /// whether there is more after it. Returns how many rows came in.
    ///
    /// # Errors
    /// When the server refuses, or the connection breaks.
    pub fn copy_in(&mut self, sql: &str, fill: Fill<'_>) -> Result<u64, ClientError> {
        Ok(self.run(sql, self.limits.work, Some(fill))?.1)
    }

    /// Runs a statement, however long its answer is, and returns how many rows it had. They are
    /// counted as they arrive and not kept.
    ///
    /// # Errors
    /// As [`Self::query`], where the last row has not arrived within `limit`.
    pub fn count_rows(&mut self, sql: &str, limit: Duration) -> Result<u64, ClientError> {
        if self.broken {
            return Err(Broken::given_up(self.endpoint()).into());
        }
        self.transport.line().begin_unbounded(limit);
        let result = self.count(sql);
        self.note_state(&result);
        result
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
        write_prepare(name, sql, &mut self.output);
        self.describe()
    }

    /// Asks for a statement that was prepared under that name.
    ///
    /// # Errors
    /// As [`Self::query`]; the server's error where it is not there.
    pub(crate) fn find_prepared(&mut self, name: &str) -> Result<(), ClientError> {
        write_describe(name, &mut self.output);
        self.describe()
    }

    fn describe(&mut self) -> Result<(), ClientError> {
        if self.broken {
            self.output.clear();
            return Err(Broken::given_up(self.endpoint()).into());
        }
        self.transport.line().begin(self.limits.answer);
        write_sync(&mut self.output);
        let result = self.described();
        self.note_state(&result);
        result
    }

    fn described(&mut self) -> Result<(), ClientError> {
        self.send()?;
        let (mut reader, mut refused) = (PrepareReader::default(), None);
        loop {
            let (consumed, answer) = reader
                .receive(&self.input)
                .map_err(|error| ClientError::Protocol(self.endpoint().clone(), error))?;
            self.input.drain(..consumed);
            match (answer, refused.take()) {
                (None, before) => {
                    refused = before;
                    self.wait()?;
                }
                (Some(PrepareAnswer::Refused(error)), _) => refused = Some(error),
                (Some(PrepareAnswer::Ready), Some(error)) => {
                    return Err(ClientError::of_server(error, self.endpoint()));
                }
                (Some(PrepareAnswer::Ready), None) => return Ok(()),
                (Some(PrepareAnswer::Prepared(_)), before) => refused = before,
            }
        }
    }

    fn note_state<T>(&mut self, result: &Result<T, ClientError>) {
        let good =
            matches!(result, Ok(_) | Err(ClientError::Server(_) | ClientError::UnwantedCopy));
        self.broken = !good;
    }

    fn count(&mut self, sql: &str) -> Result<u64, ClientError> {
        write_query(sql.as_bytes(), &mut self.output);
        self.send()?;
        let mut reader = AnswerReader::default();
        loop {
            let (consumed, answer) = reader
                .receive(&self.input, None)
                .map_err(|error| ClientError::Protocol(self.endpoint().clone(), error))?;
            self.input.drain(..consumed);
            match answer {
                Some(Answer::Done { rows, .. }) => return Ok(rows),
                Some(Answer::Failed(error, _)) => {
                    return Err(ClientError::of_server(error, self.endpoint()));
                }
                None => self.wait()?,
            }
        }
    }

    /// Asks whether the server is there, outside any transaction: it counts none.
    ///
    /// # Errors
    /// As [`Self::query`].
    pub fn ping(&mut self) -> Result<(), ClientError> {
        if self.broken {
            return Err(Broken::given_up(self.endpoint()).into());
        }
        self.transport.line().begin(self.limits.answer);
        write_sync(&mut self.output);
        let result = self.converse(None);
        self.note_state(&result);
        result.map(drop)
    }

    fn run(
        &mut self,
        sql: &str,
        limit: Duration,
        fill: Option<Fill<'_>>,
    ) -> Result<(TextRows, u64), ClientError> {
        if self.broken {
            return Err(Broken::given_up(self.endpoint()).into());
        }
        self.transport.line().begin(limit);
        write_query(sql.as_bytes(), &mut self.output);
        let result = self.converse(fill);
        self.note_state(&result);
        result
    }

    fn converse(&mut self, mut fill: Option<Fill<'_>>) -> Result<(TextRows, u64), ClientError> {
        self.send()?;
        let mut reader = TextReader::default();
        let mut unwanted_copy = false;
        loop {
            match self.receive(&mut reader)? {
                TextAnswer::Done { rows, affected_rows } => return Ok((rows, affected_rows)),
                TextAnswer::Failed(_) if unwanted_copy => return Err(ClientError::UnwantedCopy),
                TextAnswer::Failed(error) => {
                    return Err(ClientError::of_server(error, self.endpoint()));
                }
                TextAnswer::CopyIn => match fill.take() {
                    Some(fill) => self.send_data(fill)?,
                    None => {
                        unwanted_copy = true;
                        write_copy_fail("weighin has no data for it", &mut self.output);
                        self.send()?;
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
            self.send()?;
        }
        write_copy_done(&mut self.output);
        self.send()
    }

    fn send(&mut self) -> Result<(), ClientError> {
        let sent = self.transport.send(&self.output);
        self.output.clear();
        sent.map_err(|error| Broken::new(error, self.endpoint()).into())
    }

    fn receive(&mut self, reader: &mut TextReader) -> Result<TextAnswer, ClientError> {
        loop {
            let (consumed, answer) = reader
                .receive(&self.input)
                .map_err(|error| ClientError::Protocol(self.endpoint().clone(), error))?;
            self.input.drain(..consumed);
            match answer {
                Some(answer) => return Ok(answer),
                None => self.wait()?,
            }
        }
    }

    fn wait(&mut self) -> Result<(), ClientError> {
        let received = self.transport.receive(&mut self.input);
        received.map_err(|error| Broken::new(error, self.endpoint()).into())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if !self.broken {
            self.transport.line().begin_farewell();
            write_terminate(&mut self.output);
            // The server notices the closed socket as well; it only writes a line to its log then.
            let _ = self.send();
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
        let limits = Limits::default();
        let failed = |error: &io::Error| connect_failure(error, endpoint);
        let line = Line::connect(endpoint, &limits, &Stop::default());
        let mut line = line.map_err(|error| failed(&error))?;
        line.begin(limits.login);
        let mut transport = super::session::encrypted(line, &self.address)?;
        let mut request = Vec::new();
        write_cancel_request(self.key, &mut request);
        transport.send(&request).map_err(|error| failed(&error))?;
        // The server has taken it when it closes the connection.
        while transport.receive(&mut request).is_ok() {}
        Ok(())
    }
}
