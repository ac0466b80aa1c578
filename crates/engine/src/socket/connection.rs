use super::tls::{TlsLayer, TlsUpgrade};
use super::{option, stamp};
use crate::Nanos;
use mio::event::Source;
use mio::net::{TcpStream, UnixStream};
use mio::{Interest, Registry, Token};
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::time::Duration;

/// Where a server listens, names resolved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Address {
    /// TCP.
    Tcp(SocketAddr),
    /// Unix socket.
    Unix(PathBuf),
}

impl Address {
    /// That of a network; `None` of a socket of this host.
    pub fn network(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp(address) => Some(*address),
            Self::Unix(_) => None,
        }
    }

    /// Whether a server at this address runs on this host, or something that passes its bytes on.
    pub(crate) fn is_on_this_host(&self) -> bool {
        match self {
            Self::Tcp(address) => address.ip().is_loopback(),
            Self::Unix(_) => true,
        }
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tcp(address) => address.fmt(f),
            Self::Unix(path) => path.display().fmt(f),
        }
    }
}

#[derive(Debug)]
enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// One connection: its socket, its encryption, and what could not be sent at once.
#[derive(Debug)]
pub(super) struct Connection {
    stream: Stream,
    tls: Option<TlsLayer>,
    /// Bytes that the socket would not take yet.
    unsent: Vec<u8>,
    /// The start of a message whose rest has not come yet.
    pub(super) carry: Vec<u8>,
    established: bool,
    /// When its client must have logged in.
    login_by: Nanos,
    /// Whether the kernel notes when data arrives.
    stamped: bool,
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match &self.stream {
            Stream::Tcp(stream) => stream.as_fd(),
            Stream::Unix(stream) => stream.as_fd(),
        }
    }
}

impl Connection {
    /// Starts to connect. The token's first event says that the outcome is known.
    pub(super) fn open(
        address: &Address,
        registry: &Registry,
        token: Token,
        login_by: Nanos,
    ) -> io::Result<Self> {
        let local = address.is_on_this_host();
        let mut stream = match address {
            Address::Tcp(address) => {
                let stream = TcpStream::connect(*address)?;
                if local {
                    option::send_plainly(stream.as_raw_fd());
                }
                Stream::Tcp(stream)
            }
            Address::Unix(path) => Stream::Unix(UnixStream::connect(path)?),
        };
        stream.source().register(registry, token, Interest::READABLE | Interest::WRITABLE)?;
        Ok(Self {
            stream,
            tls: None,
            unsent: Vec::new(),
            carry: Vec::new(),
            established: false,
            login_by,
            stamped: false,
        })
    }

    /// When its client must have logged in.
    pub(super) fn login_by(&self) -> Nanos {
        self.login_by
    }

    pub(super) fn is_established(&self) -> bool {
        self.established
    }

    /// Whether the connection stands. From then on only readable events are asked for: on a Unix
    /// socket every read by the peer would be a writable event.
    pub(super) fn establish(&mut self, registry: &Registry, token: Token) -> io::Result<bool> {
        if self.established {
            return Ok(true);
        }
        let connected = match &self.stream {
            Stream::Tcp(stream) => {
                if let Some(error) = stream.take_error()? {
                    return Err(error);
                }
                stream.peer_addr().map(drop)
            }
            Stream::Unix(stream) => {
                if let Some(error) = stream.take_error()? {
                    return Err(error);
                }
                stream.peer_addr().map(drop)
            }
        };
        match connected {
            Err(e) if e.kind() == io::ErrorKind::NotConnected => return Ok(false),
            other => other?,
        }
        if let Stream::Tcp(stream) = &self.stream {
            stream.set_nodelay(true)?;
        }
        self.stream.source().reregister(registry, token, Interest::READABLE)?;
        self.established = true;
        Ok(true)
    }

    /// The bare socket, no longer watched; `None` when there is more to it than that.
    pub(super) fn into_socket(mut self, registry: &Registry) -> Option<OwnedFd> {
        if self.tls.is_some() || !self.unsent.is_empty() || !self.carry.is_empty() {
            return None;
        }
        self.stream.source().deregister(registry).ok()?;
        Some(match self.stream {
            Stream::Tcp(stream) => stream.into(),
            Stream::Unix(stream) => stream.into(),
        })
    }

    pub(super) fn start_tls(&mut self, upgrade: &TlsUpgrade) -> Result<(), rustls::Error> {
        self.tls = Some(TlsLayer::new(upgrade)?);
        Ok(())
    }

    /// As [`TlsLayer::new_certificate`].
    #[inline]
    pub(super) fn new_certificate(&mut self) -> Option<&[u8]> {
        self.tls.as_mut()?.new_certificate()
    }

    pub(super) fn is_encrypted(&self) -> bool {
        self.tls.is_some()
    }

    /// Reads once into `buffer`: how many bytes, and when the kernel had the last of them, where
    /// it says so; `None` when nothing is there.
    #[inline]
    pub(super) fn read(
        &mut self,
        buffer: &mut [u8],
    ) -> io::Result<Option<(usize, Option<Duration>)>> {
        let read = match &mut self.stream {
            Stream::Tcp(stream) if self.stamped => stamp::receive(stream.as_raw_fd(), buffer),
            Stream::Tcp(stream) => stream.read(buffer).map(|read| (read, None)),
            Stream::Unix(stream) => stream.read(buffer).map(|read| (read, None)),
        };
        match read {
            Ok(read) => Ok(Some(read)),
            Err(e)
                if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) =>
            {
                Ok(None)
            }
            Err(e) => Err(e),
        }
    }

    /// Lets the kernel note when data arrives, where it can. What is encrypted arrives in records
    /// whose stamps say little of the reply in them.
    pub(super) fn enable_stamps(&mut self) {
        if let (Stream::Tcp(stream), None) = (&self.stream, &self.tls) {
            self.stamped = option::note_arrivals(stream.as_raw_fd());
        }
    }

    /// Takes the encryption off what [`Self::read`] gave.
    pub(super) fn decrypt(&mut self, encrypted: &[u8], clear: &mut Vec<u8>) -> io::Result<()> {
        match &mut self.tls {
            Some(tls) => tls.decrypt(encrypted, clear),
            None => {
                clear.extend_from_slice(encrypted);
                Ok(())
            }
        }
    }

    /// Sends bytes of the session (none: only what encryption has to say). What the socket does
    /// not take now is sent when it can.
    #[inline]
    pub(super) fn send(
        &mut self,
        clear: &[u8],
        registry: &Registry,
        token: Token,
    ) -> io::Result<()> {
        if self.tls.is_none() && self.unsent.is_empty() {
            let sent = write_once(&mut self.stream, clear)?;
            if sent == clear.len() {
                return Ok(());
            }
            self.unsent.extend_from_slice(&clear[sent..]);
            return self.stream.source().reregister(
                registry,
                token,
                Interest::READABLE | Interest::WRITABLE,
            );
        }
        match &mut self.tls {
            Some(tls) => tls.encrypt(clear, &mut self.unsent)?,
            None => self.unsent.extend_from_slice(clear),
        }
        self.flush(registry, token)
    }

    /// Goes on sending what the socket did not take before.
    pub(super) fn flush(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        if self.unsent.is_empty() {
            return Ok(());
        }
        let sent = write_once(&mut self.stream, &self.unsent)?;
        self.unsent.drain(..sent);
        let interest = if self.unsent.is_empty() {
            Interest::READABLE
        } else {
            Interest::READABLE | Interest::WRITABLE
        };
        self.stream.source().reregister(registry, token, interest)
    }
}

/// Writes what the socket takes now.
fn write_once(stream: &mut Stream, bytes: &[u8]) -> io::Result<usize> {
    let written = match stream {
        Stream::Tcp(stream) => stream.write(bytes),
        Stream::Unix(stream) => stream.write(bytes),
    };
    match written {
        Err(e) if matches!(e.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted) => {
            Ok(0)
        }
        other => other,
    }
}

impl Stream {
    fn source(&mut self) -> &mut dyn Source {
        match self {
            Self::Tcp(stream) => stream,
            Self::Unix(stream) => stream,
        }
    }
}
