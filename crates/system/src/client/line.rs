//! A socket that is waited for with limits: every exchange has a deadline and a number of bytes as a
//! whole, and all waiting ends soon after somebody asks to stop.

use host::{Ends, Waiting};
use model::{Endpoint, Stop};
use rustix::net::sockopt::socket_peercred;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// How long a wait goes on before it is looked whether it is to end.
const SLICE: Duration = Duration::from_millis(50);
/// How long the other side may take nothing of what is sent to it.
const STALL: Duration = Duration::from_secs(120);
/// How long quitting, or cleaning up after a stop, may take.
const QUIT_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a connection for control work waits, and how much it takes from the server. Each is for
/// an exchange as a whole, however the other side divides it.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Looking up the host's name, and connecting to one of its addresses.
    pub connect: Duration,
    /// TLS and login.
    pub login: Duration,
    /// From sending a question to the end of its answer.
    pub answer: Duration,
    /// The same for statements that go through the data: they fill tables, build indexes, or count
    /// rows.
    pub work: Duration,
    /// Bytes received in a login or an answer.
    pub bytes: u64,
}

impl Default for Limits {
    /// 10 seconds to connect and 10 to log in, half a minute for an answer and an hour for work;
    /// 64 MiB, where the largest answers to what weighin asks have one or two.
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            login: Duration::from_secs(10),
            answer: Duration::from_secs(30),
            work: Duration::from_secs(3600),
            bytes: 64 << 20,
        }
    }
}

/// Why an exchange ended before it was over. It travels inside an [`io::Error`], through TLS too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Cut {
    #[error("stopped")]
    Stopped,
    #[error("it was not over within {} s", .0.as_secs_f64())]
    TimedOut(Duration),
    #[error("more than {0} bytes came")]
    TooMuch(u64),
}

impl Cut {
    /// What cut an exchange short, if it was not the connection itself.
    pub fn find_in(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

impl From<Cut> for io::Error {
    fn from(cut: Cut) -> Self {
        Self::other(cut)
    }
}

/// A connected socket.
#[derive(Debug)]
enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Socket {
    fn ends(&self) -> io::Result<Ends> {
        Ok(match self {
            Self::Tcp(stream) => Ends::Tcp { own: stream.local_addr()?, peer: stream.peer_addr()? },
            Self::Unix(stream) => Ends::Unix { listener: listener(stream) },
        })
    }

    /// Bounds each read and each write.
    fn set_timeout(&self, timeout: Duration) -> io::Result<()> {
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

/// The process that listens on the other end; `None` where it does not show here.
fn listener(stream: &UnixStream) -> Option<u32> {
    let listener = socket_peercred(stream).ok()?.pid.as_raw_nonzero().get();
    u32::try_from(listener).ok()
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

/// A connected socket, with the limits of the exchange under way.
#[derive(Debug)]
pub struct Line {
    socket: Socket,
    /// Where it leads, for messages.
    name: String,
    stop: Stop,
    limit: Duration,
    deadline: Instant,
    most: u64,
    left: u64,
}

impl Line {
    /// Connects. For a host of several addresses the first that answers is taken, and all of them
    /// share the time.
    ///
    /// # Errors
    /// [`Cut`], or what kept every address from being connected to.
    pub fn connect(endpoint: &Endpoint, limits: &Limits, stop: &Stop) -> io::Result<Self> {
        let (limit, place) = (limits.connect, endpoint.clone());
        let (deadline, name) = (Instant::now() + limit, endpoint.to_string());
        let mut waiting = None;
        let (sender, connected) = sync_channel(1);
        // Neither looking up a name nor connecting to a Unix socket whose queue is full can be
        // interrupted. A thread that is still at it when nobody waits any more ends by itself.
        std::thread::Builder::new().name("connect".to_owned()).spawn(move || {
            // Nobody may be waiting any more.
            let _ = sender.send(connect(&place, deadline));
        })?;
        let socket = loop {
            if stop.is_requested() {
                return Err(Cut::Stopped.into());
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match connected.recv_timeout(left.min(SLICE)) {
                Ok(outcome) => break outcome?,
                Err(RecvTimeoutError::Timeout) if left.is_zero() => {
                    return Err(Cut::TimedOut(limit).into());
                }
                Err(RecvTimeoutError::Timeout) => {
                    waiting
                        .get_or_insert_with(|| Waiting::for_the(format!("a connection to {name}")));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(io::Error::other("the attempt to connect ended without a result"));
                }
            }
        };
        socket.set_timeout(SLICE)?;
        let (stop, most) = (stop.clone(), limits.bytes);
        Ok(Self { socket, name, stop, limit, deadline, most, left: 0 })
    }

    /// Begins an exchange, which must be over within that time.
    pub fn begin(&mut self, limit: Duration) {
        self.limit = limit;
        self.deadline = Instant::now() + limit;
        self.left = self.most;
    }

    /// Begins an exchange of any number of bytes, of which nobody keeps more than a piece.
    pub fn begin_unbounded(&mut self, limit: Duration) {
        self.begin(limit);
        self.left = u64::MAX;
    }

    /// Begins the last exchange: a short one that takes place although somebody asked to stop.
    pub fn begin_farewell(&mut self) {
        self.stop = Stop::default();
        self.begin(QUIT_TIMEOUT);
    }

    pub fn ends(&self) -> io::Result<Ends> {
        self.socket.ends()
    }

    /// Does something with the socket again and again until it is done, or must not go on.
    fn repeat(
        &mut self,
        timeout: Duration,
        mut act: impl FnMut(&mut Socket) -> io::Result<usize>,
    ) -> io::Result<usize> {
        let began = Instant::now();
        let mut waiting = None;
        loop {
            let now = Instant::now();
            if self.stop.is_requested() {
                return Err(Cut::Stopped.into());
            }
            if now >= self.deadline {
                return Err(Cut::TimedOut(self.limit).into());
            }
            if now.duration_since(began) >= timeout {
                return Err(Cut::TimedOut(timeout).into());
            }
            match act(&mut self.socket) {
                Err(error) if is_to_repeat(&error) => {
                    let name = &self.name;
                    waiting.get_or_insert_with(|| Waiting::for_the(format!("{name} to answer")));
                }
                other => return other,
            }
        }
    }
}

impl Read for Line {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.repeat(Duration::MAX, |socket| socket.read(buffer))?;
        self.left = self.left.checked_sub(read as u64).ok_or(Cut::TooMuch(self.most))?;
        Ok(read)
    }
}

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.repeat(STALL, |socket| socket.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether nothing happened within a slice; which kind of error that is depends on the system.
fn is_to_repeat(error: &io::Error) -> bool {
    use ErrorKind::{Interrupted, TimedOut, WouldBlock};
    // A connection that the kernel gave up has a number, and is lost.
    let gave_up = error.raw_os_error() == Some(libc::ETIMEDOUT);
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted) && !gave_up
}

fn connect(endpoint: &Endpoint, deadline: Instant) -> io::Result<Socket> {
    let (host, port) = match endpoint {
        Endpoint::Socket(path) => return UnixStream::connect(path).map(Socket::Unix),
        Endpoint::Tcp { host, port } => (host.as_str(), *port),
        Endpoint::NotUp => return Err(io::Error::new(ErrorKind::NotConnected, "it is not up")),
    };
    let addresses: Vec<SocketAddr> = (host, port).to_socket_addrs()?.collect();
    let mut failed = None;
    for (tried, address) in addresses.iter().enumerate() {
        let left = deadline.saturating_duration_since(Instant::now());
        // What an address does not use is there for those after it.
        let share = left / (addresses.len() - tried) as u32;
        if share.is_zero() {
            break;
        }
        match TcpStream::connect_timeout(address, share) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                return Ok(Socket::Tcp(stream));
            }
            Err(error) => failed = Some(error),
        }
    }
    Err(failed.unwrap_or_else(|| ErrorKind::AddrNotAvailable.into()))
}
