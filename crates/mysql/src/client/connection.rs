use super::error::ClientError;
use super::session::log_in;
use crate::protocol::{
    Reply, ResponseReader, SessionInfo, TextReader, TextReply, TextRows, write_infile_chunk,
    write_infile_end, write_ping, write_query, write_quit,
};
use model::{Failure, ServerAddress, Stop};
use std::ops::{Deref, DerefMut};
use std::time::Duration;
use system::client::{Channel, Credentials, Limits};

/// The sequence number of the reply to a command of one packet.
const AFTER_FIRST: u8 = 1;

/// An open session, one statement at a time. Dropping it says goodbye to the server.
#[derive(Debug)]
pub struct Connection {
    channel: Channel,
    session: SessionInfo,
    output: Vec<u8>,
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

impl Connection {
    /// Connects and logs in, with the default [`Limits`], and nobody to stop it. An address whose
    /// database is empty opens a session without one.
    ///
    /// # Errors
    /// Everything that can go wrong on the way, with the way to fix it.
    pub fn open(address: &ServerAddress, credentials: &Credentials) -> Result<Self, Failure> {
        Self::open_within(address, credentials, Limits::default(), &Stop::default())
    }

    /// Connects and logs in. `stop` ends every wait of the connection from then on.
    ///
    /// # Errors
    /// As [`Self::open`]; [`Failure::stopped`] when asked to stop.
    pub fn open_within(
        address: &ServerAddress,
        credentials: &Credentials,
        limits: Limits,
        stop: &Stop,
    ) -> Result<Self, Failure> {
        let line = Channel::line(&address.endpoint, &limits, stop)?;
        let (transport, session, input) = log_in(line, address, credentials)?;
        let channel = Channel::new(transport, &address.endpoint, limits, input);
        Ok(Self { channel, session, output: Vec::new() })
    }

    /// The server's version as `VERSION()` gives it.
    pub fn server_version(&self) -> &str {
        &self.session.server_version
    }

    /// The server's number for the connection, as `KILL` takes it.
    pub fn connection_id(&self) -> u32 {
        self.session.connection_id
    }

    /// Runs a query and returns its rows; none and no columns for a statement without rows. Of
    /// several statements in one, the last that gave rows counts.
    ///
    /// # Errors
    /// When the server refuses or does not answer in time, or the connection breaks.
    pub fn query(&mut self, sql: &str) -> Result<TextRows, ClientError> {
        Ok(self.run(sql, self.limits().answer, None)?.rows)
    }

    /// The same for a query that goes through the data, which takes as long as there is data.
    ///
    /// # Errors
    /// As [`Self::query`].
    pub fn query_long(&mut self, sql: &str) -> Result<TextRows, ClientError> {
        Ok(self.run(sql, self.limits().work, None)?.rows)
    }

    /// Runs a statement and returns how many rows it changed.
    ///
    /// # Errors
    /// As [`Self::query`].
    pub fn execute(&mut self, sql: &str) -> Result<u64, ClientError> {
        Ok(self.run(sql, self.limits().answer, None)?.affected_rows)
    }

    /// The same for a statement that goes through the data, or may wait for others that do.
    ///
    /// # Errors
    /// As [`Self::query`].
    pub fn execute_long(&mut self, sql: &str) -> Result<u64, ClientError> {
        Ok(self.run(sql, self.limits().work, None)?.affected_rows)
    }

    /// Runs a statement, however long its answer is, and returns how many rows it had. They are
    /// counted as they arrive and not kept.
    ///
    /// # Errors
    /// As [`Self::query`], where the last row has not arrived within `limit`.
    pub fn count_rows(&mut self, sql: &str, limit: Duration) -> Result<u64, ClientError> {
        self.channel.begin_unbounded(limit)?;
        let mut reader = ResponseReader::new(self.session.dialect);
        reader.expect_sequence(write_query(sql, &mut self.output));
        self.send_output()?;
        let mut total = 0;
        loop {
            let more = match self.channel.receive(|input| reader.receive(input))? {
                Reply::Ok { more_results, .. } => more_results,
                Reply::Rows { rows, more_results } => {
                    total += rows;
                    more_results
                }
                Reply::Err(error) => return Err(ClientError::Server(*error)),
                Reply::LocalInfile { sequence, .. } => {
                    self.send_file(sequence, None)?;
                    self.channel.give_up();
                    return Err(ClientError::Infile(
                        "the server asked for a local file; it got none",
                    ));
                }
            };
            if !more {
                return Ok(total);
            }
        }
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
        let outcome = self.run(sql, self.limits().work, Some(fill))?;
        match outcome.files {
            0 => Err(ClientError::Infile("the server did not ask for the data to load")),
            _ => Ok(outcome.affected_rows),
        }
    }

    /// Asks whether the server is there.
    ///
    /// # Errors
    /// As [`Self::query`].
    pub fn ping(&mut self) -> Result<(), ClientError> {
        self.channel.begin(self.limits().answer)?;
        write_ping(&mut self.output);
        self.converse(AFTER_FIRST, None).map(drop)
    }

    fn run(
        &mut self,
        sql: &str,
        limit: Duration,
        fill: Option<Fill<'_>>,
    ) -> Result<Outcome, ClientError> {
        self.channel.begin(limit)?;
        let sequence = write_query(sql, &mut self.output);
        self.converse(sequence, fill)
    }

    fn converse(
        &mut self,
        sequence: u8,
        mut fill: Option<Fill<'_>>,
    ) -> Result<Outcome, ClientError> {
        let sent = self.send_output();
        let mut reader = TextReader::new(self.session.dialect, sequence);
        if let Err(lost) = sent {
            return Err(self.error_before_close(&mut reader).unwrap_or(lost));
        }
        let mut outcome = Outcome::default();
        let mut unwanted_file = false;
        loop {
            let more = match self.channel.receive(|input| reader.receive(input))? {
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
                self.send_output()?;
            }
        }
        let sequence = write_infile_end(sequence, &mut self.output);
        self.send_output()?;
        Ok(sequence)
    }

    /// What the server said before it closed the connection on a statement that it would not
    /// read to the end, as it does when `max_allowed_packet` is exceeded.
    fn error_before_close(&mut self, reader: &mut TextReader) -> Option<ClientError> {
        match self.channel.receive(|input| reader.receive(input)) {
            Ok(TextReply::Err(error)) => Some(ClientError::Server(*error)),
            _ => None,
        }
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
            write_quit(&mut self.output);
            // The server notices the closed socket as well; it only counts an aborted client then.
            let _ = self.send_output();
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
