use super::error::Broken;
use super::failure::connect_failure;
use super::line::{Limits, Line};
use super::transport::Transport;
use host::Ends;
use model::{Endpoint, Failure, Stop};
use std::io;
use std::time::Duration;

/// Why there is no answer.
#[derive(Debug)]
pub enum ReceiveError<P> {
    /// The connection is of no use any more.
    Broken(Broken),
    /// The server there broke the protocol.
    Protocol(Endpoint, P),
}

/// A connection to a server on which one exchange of questions and answers follows another, whatever the
/// protocol. An error after which nobody knows where the next answer starts is its last.
#[derive(Debug)]
pub struct Channel {
    transport: Transport,
    endpoint: Endpoint,
    limits: Limits,
    /// Received and not yet used.
    input: Vec<u8>,
    broken: bool,
}

impl Channel {
    /// A connection on which the server let one in; `input` has what it has sent since.
    pub fn new(transport: Transport, endpoint: &Endpoint, limits: Limits, input: Vec<u8>) -> Self {
        Self { transport, endpoint: endpoint.clone(), limits, input, broken: false }
    }

    /// Connects, and begins the exchange of the login.
    ///
    /// # Errors
    /// When the server cannot be reached; [`Failure::stopped`].
    pub fn line(endpoint: &Endpoint, limits: &Limits, stop: &Stop) -> Result<Line, Failure> {
        let line = Line::connect(endpoint, limits, stop);
        let mut line = line.map_err(|error| connect_failure(&error, endpoint))?;
        line.begin(limits.login);
        Ok(line)
    }

    /// Where the connection leads.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// What it connects.
    ///
    /// # Errors
    /// When the connection is gone.
    pub fn ends(&self) -> io::Result<Ends> {
        self.transport.ends()
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Sets how long an answer may take from now on, but for those to statements that go through the data.
    pub fn set_answer_limit(&mut self, limit: Duration) {
        self.limits.answer = limit;
    }

    /// Begins an exchange, which must be over within that time.
    ///
    /// # Errors
    /// When the connection was given up.
    pub fn begin(&mut self, limit: Duration) -> Result<(), Broken> {
        self.usable()?.begin(limit);
        Ok(())
    }

    /// Begins an exchange of any number of bytes.
    ///
    /// # Errors
    /// As [`Self::begin`].
    pub fn begin_unbounded(&mut self, limit: Duration) -> Result<(), Broken> {
        self.usable()?.begin_unbounded(limit);
        Ok(())
    }

    /// Begins the last exchange: a short one that takes place although somebody asked to stop.
    ///
    /// # Errors
    /// As [`Self::begin`].
    pub fn begin_farewell(&mut self) -> Result<(), Broken> {
        self.usable()?.begin_farewell();
        Ok(())
    }

    fn usable(&mut self) -> Result<&mut Line, Broken> {
        match self.broken {
            true => Err(Broken::given_up(&self.endpoint)),
            false => Ok(self.transport.line()),
        }
    }

    /// There is no other exchange after this.
    pub fn give_up(&mut self) {
        self.broken = true;
    }

    /// Sends all of it.
    ///
    /// # Errors
    /// When the connection breaks.
    pub fn send(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        let sent = self.transport.send(bytes);
        sent.map_err(|error| self.broken_by(error))
    }

    /// Waits for as much as `read` makes an answer of. It says how many bytes it took each time.
    ///
    /// # Errors
    /// When the connection breaks; what `read` finds wrong.
    pub fn receive<T, P>(
        &mut self,
        mut read: impl FnMut(&[u8]) -> Result<(usize, Option<T>), P>,
    ) -> Result<T, ReceiveError<P>> {
        loop {
            let (consumed, answer) = read(&self.input).map_err(|error| {
                self.broken = true;
                ReceiveError::Protocol(self.endpoint.clone(), error)
            })?;
            self.input.drain(..consumed);
            if let Some(answer) = answer {
                return Ok(answer);
            }
            let received = self.transport.receive(&mut self.input);
            received.map_err(|error| ReceiveError::Broken(self.broken_by(error)))?;
        }
    }

    fn broken_by(&mut self, error: io::Error) -> Broken {
        self.broken = true;
        Broken::new(error, &self.endpoint)
    }
}
