use super::failure::broken_login;
use super::line::Line;
use super::tls;
use host::Ends;
use model::{Failure, FailureKind, ServerAddress};
use rustls::{ClientConnection, StreamOwned};
use std::io::{self, BufRead, BufReader, Write};

/// How much is read at once, in bytes.
const READ_SIZE: usize = 64 * 1024;

/// What a connection reads from and writes to.
#[derive(Debug)]
pub enum Transport {
    Plain(BufReader<Line>),
    Tls(Box<StreamOwned<ClientConnection, Line>>),
}

impl Transport {
    pub fn plain(line: Line) -> Self {
        Self::Plain(BufReader::with_capacity(READ_SIZE, line))
    }

    /// Encrypts a line: the whole TLS handshake happens here.
    pub fn encrypt(mut line: Line, mut session: ClientConnection) -> io::Result<Self> {
        while session.is_handshaking() {
            session.complete_io(&mut line)?;
        }
        Ok(Self::Tls(Box::new(StreamOwned::new(session, line))))
    }

    /// Encrypts a plain line as the address asks.
    ///
    /// # Errors
    /// When TLS cannot be set up, or the other side is not who it should be.
    pub fn start_tls(self, address: &ServerAddress) -> Result<Self, Failure> {
        let endpoint = &address.endpoint;
        let (Self::Plain(line), Some(config)) = (self, tls::client_config(&address.tls)?) else {
            return Err(Failure::new(
                FailureKind::Tls,
                "TLS was started twice, or not asked for",
                "",
            ));
        };
        let session = ClientConnection::new(config, tls::server_name(endpoint)?)
            .map_err(|error| tls::failure(&error, endpoint))?;
        Self::encrypt(line.into_inner(), session).map_err(|error| {
            match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
                Some(error) => tls::failure(error, endpoint),
                None => broken_login(&error, endpoint),
            }
        })
    }

    pub fn line(&mut self) -> &mut Line {
        match self {
            Self::Plain(line) => line.get_mut(),
            Self::Tls(stream) => &mut stream.sock,
        }
    }

    pub fn ends(&self) -> io::Result<Ends> {
        match self {
            Self::Plain(line) => line.get_ref().ends(),
            Self::Tls(stream) => stream.sock.ends(),
        }
    }

    /// The certificate that the other side has shown, in DER; `None` without encryption.
    pub fn peer_certificate(&self) -> Option<&[u8]> {
        match self {
            Self::Plain(_) => None,
            Self::Tls(stream) => Some(stream.conn.peer_certificates()?.first()?),
        }
    }

    /// Sends all of it.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(line) => line.get_mut().write_all(bytes),
            Self::Tls(stream) => {
                stream.write_all(bytes)?;
                stream.flush()
            }
        }
    }

    /// Appends what the other side sends next; waits for it.
    pub fn receive(&mut self, input: &mut Vec<u8>) -> io::Result<()> {
        let stream: &mut dyn BufRead = match self {
            Self::Plain(line) => line,
            Self::Tls(stream) => stream,
        };
        let piece = stream.fill_buf()?;
        input.extend_from_slice(piece);
        let received = piece.len();
        stream.consume(received);
        match received {
            0 => Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the server closed the connection",
            )),
            _ => Ok(()),
        }
    }
}
