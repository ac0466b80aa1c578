use super::line::Line;
use rustls::{ClientConnection, StreamOwned};
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// How much is read at once, in bytes.
const READ_SIZE: usize = 64 * 1024;

/// A connected socket.
#[derive(Debug)]
pub(super) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Socket {
    /// The address that answered; `None` for a Unix socket.
    pub(super) fn peer(&self) -> io::Result<Option<SocketAddr>> {
        match self {
            Self::Tcp(stream) => stream.peer_addr().map(Some),
            Self::Unix(_) => Ok(None),
        }
    }

    /// Bounds each read and each write.
    pub(super) fn set_timeout(&self, timeout: Duration) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => {
                stream.set_read_timeout(Some(timeout))?;
                stream.set_write_timeout(Some(timeout))
            }
            Self::Unix(stream) => {
                stream.set_read_timeout(Some(timeout))?;
                stream.set_write_timeout(Some(timeout))
            }
        }
    }
}

impl Read for Socket {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(buffer),
            Self::Unix(stream) => stream.read(buffer),
        }
    }
}

impl Write for Socket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What a connection reads from and writes to.
#[derive(Debug)]
pub(super) enum Transport {
    Plain(Line),
    Tls(Box<StreamOwned<ClientConnection, Line>>),
}

impl Transport {
    /// Encrypts a line: the whole TLS handshake happens here.
    pub(super) fn encrypt(mut line: Line, mut session: ClientConnection) -> io::Result<Self> {
        while session.is_handshaking() {
            session.complete_io(&mut line)?;
        }
        Ok(Self::Tls(Box::new(StreamOwned::new(session, line))))
    }

    pub(super) fn line(&mut self) -> &mut Line {
        match self {
            Self::Plain(line) => line,
            Self::Tls(stream) => &mut stream.sock,
        }
    }

    /// The address that answered; `None` for a Unix socket.
    pub(super) fn peer(&self) -> io::Result<Option<SocketAddr>> {
        match self {
            Self::Plain(line) => line.peer(),
            Self::Tls(stream) => stream.sock.peer(),
        }
    }

    /// Sends all of it.
    pub(super) fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(line) => line.write_all(bytes),
            Self::Tls(stream) => {
                stream.write_all(bytes)?;
                stream.flush()
            }
        }
    }

    /// Appends what the other side sends next; waits for it.
    pub(super) fn receive(&mut self, input: &mut Vec<u8>) -> io::Result<()> {
        let start = input.len();
        input.resize(start + READ_SIZE, 0);
        let received = match self {
            Self::Plain(line) => line.read(&mut input[start..]),
            Self::Tls(stream) => stream.read(&mut input[start..]),
        };
        input.truncate(start + *received.as_ref().unwrap_or(&0));
        match received? {
            0 => Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the server closed the connection",
            )),
            _ => Ok(()),
        }
    }
}
