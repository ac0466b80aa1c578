use super::credentials::Credentials;
use super::error::ClientError;
use super::failure::connect_failure;
use super::session::{is_timeout, log_in, read_more};
use super::transport::{Socket, Transport};
use model::{Endpoint, Failure, ServerAddress};
use protocol::mysql::{
    SessionInfo, TextReader, TextReply, TextRows, write_infile_chunk, write_infile_end,
    write_query, write_quit,
};
use std::io::{self, ErrorKind, Write};
use std::net::SocketAddr;
use std::time::Duration;

/// How long a connection waits.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// For the socket to connect (per address of the host), and for each answer of the login.
    pub connect: Duration,
    /// For each answer afterwards; `None` waits for ever.
    pub read: Option<Duration>,
}

impl Default for Timeouts {
    /// 10 seconds for connecting; 10 minutes for an answer, since building an index takes long.
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), read: Some(Duration::from_secs(600)) }
    }
}

/// An open session, one statement at a time. Dropping it says goodbye to the server.
#[derive(Debug)]
pub struct Connection {
    transport: Transport,
    session: SessionInfo,
    endpoint: Endpoint,
    read_timeout: Option<Duration>,
    /// Received and not yet used.
    input: Vec<u8>,
    output: Vec<u8>,
    /// Set by an error after which nobody knows where the next answer starts.
    broken: bool,
}

impl Connection {
    /// Connects and logs in, with the default [`Timeouts`]. An address whose database is empty
    /// opens a session without one.
    ///
    /// # Errors
    /// Everything that can go wrong on the way, with the way to mend it.
    pub fn open(address: &ServerAddress, credentials: &Credentials) -> Result<Self, Failure> {
        Self::open_within(address, credentials, Timeouts::default())
    }

    /// Connects and logs in.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_within(
        address: &ServerAddress,
        credentials: &Credentials,
        timeouts: Timeouts,
    ) -> Result<Self, Failure> {
        let endpoint = &address.endpoint;
        let socket = Socket::connect(endpoint, timeouts.connect)
            .and_then(|socket| socket.set_timeout(Some(timeouts.connect)).map(|()| socket))
            .map_err(|error| connect_failure(&error, endpoint))?;
        let (transport, session, input) = log_in(socket, address, credentials)?;
        let mut connection = Self {
            transport,
            session,
            endpoint: endpoint.clone(),
            read_timeout: None,
            input,
            output: Vec::new(),
            broken: false,
        };
        connection
            .set_read_timeout(timeouts.read)
            .map_err(|error| connect_failure(&error, endpoint))?;
        Ok(connection)
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

    /// The server's version as `VERSION()` gives it.
    pub fn server_version(&self) -> &str {
        &self.session.server_version
    }

    /// The server's number for the connection, as `KILL` takes it.
    pub fn connection_id(&self) -> u32 {
        self.session.connection_id
    }

    /// Sets how long to wait for each answer from now on; `None` waits for ever.
    ///
    /// # Errors
    /// When the operating system refuses, as it does for a length of zero.
    pub fn set_read_timeout(&mut self, timeout: Option<Duration>) -> io::Result<()> {
        self.transport.socket().set_timeout(timeout)?;
        self.read_timeout = timeout;
        Ok(())
    }

    /// Runs a query and returns its rows; none and no columns for a statement without rows. Of
    /// several statements in one, the last that gave rows counts.
    ///
    /// # Errors
    /// When the server refuses, or the connection breaks.
    pub fn query(&mut self, sql: &str) -> Result<TextRows, ClientError> {
        Ok(self.run(sql, None)?.rows)
    }

    /// Runs a statement and returns how many rows it changed.
    ///
    /// # Errors
    /// When the server refuses, or the connection breaks.
    pub fn execute(&mut self, sql: &str) -> Result<u64, ClientError> {
        Ok(self.run(sql, None)?.affected_rows)
    }

    /// Runs a `LOAD DATA LOCAL INFILE` statement, whatever file it names: `fill` is called to
    /// append the next piece of the data, and says whether there is more after it. Returns how
    /// many rows were loaded.
    ///
    /// # Errors
    /// When the server refuses (it must have `local_infile` on), or the connection breaks.
    pub fn load_local(
        &mut self,
        sql: &str,
        fill: &mut dyn FnMut(&mut Vec<u8>) -> bool,
    ) -> Result<u64, ClientError> {
        let outcome = self.run(sql, Some(fill))?;
        match outcome.files {
            0 => Err(ClientError::Infile("the server did not ask for the data to load")),
            _ => Ok(outcome.affected_rows),
        }
    }

    fn run(&mut self, sql: &str, fill: Option<Fill<'_>>) -> Result<Outcome, ClientError> {
        if self.broken {
            let reason = "it was given up after an earlier error";
            return Err(ClientError::Lost(io::Error::new(ErrorKind::NotConnected, reason)));
        }
        let result = self.converse(sql, fill);
        self.broken = matches!(
            result,
            Err(ClientError::Lost(_) | ClientError::TimedOut(_) | ClientError::Protocol(_))
        );
        result
    }

    fn converse(&mut self, sql: &str, mut fill: Option<Fill<'_>>) -> Result<Outcome, ClientError> {
        let sequence = write_query(sql, &mut self.output);
        let sent = self.send();
        let mut reader = TextReader::new(self.session.dialect, sequence);
        if let Err(lost) = sent {
            return Err(self.last_words(&mut reader).unwrap_or(lost));
        }
        let mut outcome = Outcome::default();
        let mut unwanted_file = false;
        loop {
            let more = match self.receive(&mut reader)? {
                TextReply::Ok { affected_rows, more_results } => {
                    outcome.affected_rows += affected_rows;
                    more_results
                }
                TextReply::Rows { rows, more_results } => {
                    outcome.rows = rows;
                    more_results
                }
                TextReply::LocalInfile { sequence, .. } => {
                    outcome.files += 1;
                    // A server may ask for a file whatever the statement was; it gets none.
                    unwanted_file |= fill.is_none();
                    let after = self.send_file(sequence, fill.take())?;
                    reader = TextReader::new(self.session.dialect, after);
                    true
                }
                TextReply::Err(error) => return Err(ClientError::Server(*error)),
            };
            if !more {
                break;
            }
        }
        match unwanted_file {
            true => Err(ClientError::Infile("the server asked for a local file; it got none")),
            false => Ok(outcome),
        }
    }

    /// Sends what `fill` gives; returns the sequence number of the reply.
    fn send_file(&mut self, mut sequence: u8, fill: Option<Fill<'_>>) -> Result<u8, ClientError> {
        if let Some(fill) = fill {
            let mut piece = Vec::new();
            let mut more = true;
            while more {
                piece.clear();
                more = fill(&mut piece);
                sequence = write_infile_chunk(sequence, &piece, &mut self.output);
                self.send()?;
            }
        }
        let sequence = write_infile_end(sequence, &mut self.output);
        self.send()?;
        Ok(sequence)
    }

    /// What the server said before it closed the connection on a statement that it would not
    /// read to the end, as it does when `max_allowed_packet` is exceeded.
    fn last_words(&mut self, reader: &mut TextReader) -> Option<ClientError> {
        match self.receive(reader) {
            Ok(TextReply::Err(error)) => Some(ClientError::Server(*error)),
            _ => None,
        }
    }

    fn send(&mut self) -> Result<(), ClientError> {
        let sent = self.transport.write_all(&self.output).and_then(|()| self.transport.flush());
        self.output.clear();
        sent.map_err(|error| self.broke(error))
    }

    fn receive(&mut self, reader: &mut TextReader) -> Result<TextReply, ClientError> {
        loop {
            let (consumed, reply) = reader.receive(&self.input)?;
            self.input.drain(..consumed);
            if let Some(reply) = reply {
                return Ok(reply);
            }
            read_more(&mut self.transport, &mut self.input).map_err(|error| self.broke(error))?;
        }
    }

    fn broke(&self, error: io::Error) -> ClientError {
        match self.read_timeout {
            Some(timeout) if is_timeout(&error) => ClientError::TimedOut(timeout),
            _ => ClientError::Lost(error),
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if !self.broken {
            write_quit(&mut self.output);
            // The server notices the closed socket as well; it only counts an aborted client then.
            let _ = self.send();
        }
    }
}

/// Appends the next piece of a file, and says whether there is more.
type Fill<'a> = &'a mut dyn FnMut(&mut Vec<u8>) -> bool;

/// What all results of one query add up to.
#[derive(Default)]
struct Outcome {
    affected_rows: u64,
    rows: TextRows,
    /// How many files the server asked for.
    files: u32,
}
