//! Moving bytes by readiness: every login, and loads where io_uring cannot be had.

use super::connection::{Address, Connection};
use super::goodbye::Goodbye;
use super::stamp::Stamps;
use super::timer::Timer;
use super::tls::TlsUpgrade;
use crate::error::LoadError;
use crate::pool::Next;
use crate::{Clock, Nanos, Pool, Session, SessionError};
use mio::{Events, Poll, Token, Waker};
use model::ErrorClass;
use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

/// Bytes read at a time.
const BUFFER: usize = 256 * 1024;
/// Tokens that are no client's number.
const WAKER: Token = Token(usize::MAX);
const TIMER: Token = Token(usize::MAX - 1);
/// How often one connection is read from before the others have their turn: a server that never
/// stops sending must not keep the thread.
const READS_AT_ONCE: usize = 16;
/// How long a client may take from connecting to the end of its login, prepared statements included.
/// A server whose login hangs, as one behind an address that has moved may, is then tried anew.
const LOGIN_LIMIT: Duration = Duration::from_secs(30);
/// How long after a failed attempt to connect the next one is made.
const RETRY_AFTER: Duration = Duration::from_millis(20);
/// How long before the load a server without room for all clients may take to find it: it still counts the
/// connections of a load before this one while it ends them.
const ROOM_LIMIT: Duration = Duration::from_secs(30);
/// How long after it had no room it is asked again: what it needs is time.
const ROOM_AFTER: Duration = Duration::from_millis(500);

/// The connections that are watched by readiness.
pub(super) struct Epoll {
    /// By client.
    addresses: Vec<Address>,
    tls: Option<TlsUpgrade>,
    clock: Clock,
    poll: Poll,
    events: Events,
    timer: Timer,
    connections: Vec<Option<Connection>>,
    /// How many of them there are: asked at every turn, when hardly ever one is here.
    held: usize,
    buffer: Vec<u8>,
    /// Scratch for what came in clear from an encrypted or carried-over read.
    clear: Vec<u8>,
    out: Vec<u8>,
    stamps: Stamps,
    /// Clients that have just logged in.
    ready: Vec<usize>,
    /// Clients to connect, not before that moment.
    to_open: Vec<(Nanos, usize)>,
    /// Until when clients must have logged in, in this order; some have by now.
    logins: VecDeque<(Nanos, usize)>,
    /// Connections with more to read than they had their turn for.
    unread: Vec<usize>,
    /// Whether any connection was made anew.
    opened_again: bool,
    /// Until when the server has to have room for all clients, once it had none.
    room_by: Option<Nanos>,
}

impl Epoll {
    pub(super) fn new(
        addresses: Vec<Address>,
        tls: Option<TlsUpgrade>,
        clock: Clock,
    ) -> io::Result<Self> {
        let poll = Poll::new()?;
        let timer = Timer::new(poll.registry(), TIMER)?;
        Ok(Self {
            connections: addresses.iter().map(|_| None).collect(),
            addresses,
            tls,
            clock,
            poll,
            events: Events::with_capacity(1024),
            timer,
            held: 0,
            buffer: vec![0; BUFFER],
            clear: Vec::new(),
            out: Vec::new(),
            stamps: Stamps::new(),
            ready: Vec::new(),
            to_open: Vec::new(),
            logins: VecDeque::new(),
            unread: Vec::new(),
            opened_again: false,
            room_by: None,
        })
    }

    /// A way to wake this worker from another thread.
    pub(super) fn waker(&self) -> io::Result<Waker> {
        Waker::new(self.poll.registry(), WAKER)
    }

    pub(super) fn stamps(&mut self) -> &mut Stamps {
        &mut self.stamps
    }

    /// Starts to connect a client. A full backlog of a Unix socket is [`io::ErrorKind::WouldBlock`].
    pub(super) fn open(&mut self, id: usize) -> io::Result<()> {
        let login_by = self.clock.now().plus(LOGIN_LIMIT);
        let registry = self.poll.registry();
        let connection = Connection::open(&self.addresses[id], registry, Token(id), login_by)?;
        self.connections[id] = Some(connection);
        self.logins.push_back((login_by, id));
        self.held += 1;
        Ok(())
    }

    /// The socket of a client that has a connection here.
    pub(super) fn socket(&self, id: usize) -> Option<BorrowedFd<'_>> {
        self.connections.get(id)?.as_ref().map(AsFd::as_fd)
    }

    /// Whether any connection was made anew.
    pub(super) fn has_opened_again(&self) -> bool {
        self.opened_again
    }

    /// Connects a client that lost its connection, as often as it takes.
    pub(super) fn open_again(&mut self, id: usize) {
        self.opened_again = true;
        self.take(id);
        self.to_open.push((self.clock.now().plus(RETRY_AFTER), id));
    }

    /// Gives a connection up for a new one, which is made at the next turn: what else there is to read
    /// in this one is not its.
    fn renew(&mut self, id: usize) {
        self.opened_again = true;
        self.out.clear();
        self.take(id);
        self.to_open.push((self.clock.now(), id));
    }

    /// Whether there are clients between losing a connection and being logged in again.
    pub(super) fn is_opening(&self) -> bool {
        self.held > 0 || !self.to_open.is_empty()
    }

    /// Clients that have logged in since the last call.
    pub(super) fn take_ready(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.ready)
    }

    /// Hands over a connection, if there is nothing to it but its socket.
    pub(super) fn release(&mut self, id: usize) -> Option<OwnedFd> {
        self.take(id)?.into_socket(self.poll.registry())
    }

    fn take(&mut self, id: usize) -> Option<Connection> {
        let connection = self.connections[id].take()?;
        self.held -= 1;
        Some(connection)
    }

    /// Whether every connection is nothing but its socket.
    pub(super) fn is_plain(&self) -> bool {
        self.tls.is_none()
    }

    /// Lets TCP connections be time-stamped by the kernel.
    pub(super) fn enable_stamps(&mut self) {
        self.connections.iter_mut().flatten().for_each(Connection::enable_stamps);
    }

    /// Lets a client begin.
    pub(super) fn begin<S: Session>(
        &mut self,
        pool: &mut Pool<S>,
        id: usize,
        now: Nanos,
    ) -> Result<(), LoadError> {
        let next = pool.begin(id, now, &mut self.out);
        let sent = self.send(id);
        if next == Next::Renew {
            self.renew(id);
            return Ok(());
        }
        self.survive(pool, id, sent)
    }

    /// Waits once and handles everything that is there. Returns when the wait ended.
    pub(super) fn turn<S: Session>(
        &mut self,
        pool: &mut Pool<S>,
        timeout: Duration,
    ) -> Result<Nanos, LoadError> {
        self.open_due(pool)?;
        let unread = std::mem::take(&mut self.unread);
        let timeout = if unread.is_empty() { timeout } else { Duration::ZERO };
        self.timer.set(timeout).map_err(LoadError::System)?;
        // The timer is finer than what epoll can wait for.
        let coarse = timeout + Duration::from_millis(1);
        let mut events = std::mem::replace(&mut self.events, Events::with_capacity(0));
        match self.poll.poll(&mut events, Some(coarse)) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => events.clear(),
            other => other.map_err(LoadError::System)?,
        }
        let woke = self.stamps.wake(&self.clock);
        for event in &events {
            let id = event.token().0;
            if event.token() == WAKER || event.token() == TIMER {
                continue;
            }
            if event.is_writable() {
                let outcome = self.writable(pool, id);
                self.survive(pool, id, outcome)?;
            }
            if event.is_readable() || event.is_read_closed() {
                self.readable(pool, id, event.is_read_closed())?;
            }
        }
        self.events = events;
        for id in unread {
            self.readable(pool, id, true)?;
        }
        if self.logins.front().is_some_and(|(by, _)| *by <= woke) {
            self.give_up_logins(pool, woke)?;
        }
        Ok(woke)
    }

    fn readable<S: Session>(
        &mut self,
        pool: &mut Pool<S>,
        id: usize,
        to_the_end: bool,
    ) -> Result<(), LoadError> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let outcome = self.read_all(pool, id, &mut buffer, to_the_end);
        self.buffer = buffer;
        self.survive(pool, id, outcome)
    }

    /// Gives up connections that should have logged in by now and have not.
    fn give_up_logins<S: Session>(
        &mut self,
        pool: &mut Pool<S>,
        now: Nanos,
    ) -> Result<(), LoadError> {
        while let Some(&(by, id)) = self.logins.front()
            && by <= now
        {
            self.logins.pop_front();
            let same = self.connections[id].as_ref().is_some_and(|c| c.login_by() == by);
            if same && !pool.is_online(id) {
                let late = Err(LoadError::LoginTimeout { limit: LOGIN_LIMIT });
                self.survive(pool, id, late)?;
            }
        }
        Ok(())
    }

    fn open_due<S: Session>(&mut self, pool: &mut Pool<S>) -> Result<(), LoadError> {
        if self.to_open.is_empty() {
            return Ok(());
        }
        let now = self.clock.now();
        let (due, later): (Vec<_>, Vec<_>) = self.to_open.drain(..).partition(|(at, _)| *at <= now);
        self.to_open = later;
        for (_, id) in due {
            let opened = self.open(id).map_err(|source| self.unreachable(id, source));
            self.survive(pool, id, opened)?;
        }
        Ok(())
    }

    /// What goes wrong with one connection ends the load, unless the pool makes it anew.
    fn survive<S: Session>(
        &mut self,
        pool: &mut Pool<S>,
        id: usize,
        outcome: Result<(), LoadError>,
    ) -> Result<(), LoadError> {
        let Err(error) = outcome else { return Ok(()) };
        self.out.clear();
        if error.is_about_room() && !pool.has_started() {
            let now = self.clock.now();
            if now < *self.room_by.get_or_insert(now.plus(ROOM_LIMIT)) {
                self.take(id);
                self.to_open.push((now.plus(ROOM_AFTER), id));
                return Ok(());
            }
        }
        if error.is_about_a_connection() && pool.lost(id, self.clock.now(), &error.to_string()) {
            self.open_again(id);
            return Ok(());
        }
        Err(error)
    }

    fn writable<S: Session>(&mut self, pool: &mut Pool<S>, id: usize) -> Result<(), LoadError> {
        let address = &self.addresses[id];
        let registry = self.poll.registry();
        let Some(connection) = &mut self.connections[id] else { return Ok(()) };
        if !connection.is_established() {
            let unreachable = |source| LoadError::Connect { address: address.clone(), source };
            if connection.establish(registry, Token(id)).map_err(unreachable)? {
                if let (true, Some(upgrade)) = (S::ENCRYPTED_AT_ONCE, &self.tls) {
                    connection.start_tls(upgrade).map_err(|e| LoadError::Tls(e.to_string()))?;
                }
                pool.opened(id, &mut self.out);
                return self.send(id);
            }
            return Ok(());
        }
        connection.flush(registry, Token(id)).map_err(LoadError::lost)
    }

    /// Reads what is there. Where `to_the_end` says so, a short read does not end it: the end of the
    /// connection is behind it, and is told only once.
    fn read_all<S: Session>(
        &mut self,
        pool: &mut Pool<S>,
        id: usize,
        buffer: &mut [u8],
        to_the_end: bool,
    ) -> Result<(), LoadError> {
        for _ in 0..READS_AT_ONCE {
            let Some(connection) = &mut self.connections[id] else { return Ok(()) };
            let Some((read, stamp)) = connection.read(buffer).map_err(LoadError::lost)? else {
                return Ok(());
            };
            if read == 0 {
                return Err(LoadError::Lost("the server closed the connection".to_owned()));
            }
            let arrived = self.stamps.arrived(stamp);
            if connection.carry.is_empty() && !connection.is_encrypted() {
                self.deliver(pool, id, &buffer[..read], arrived)?;
            } else {
                let mut clear = std::mem::take(&mut self.clear);
                clear.clear();
                clear.append(&mut connection.carry);
                connection.decrypt(&buffer[..read], &mut clear).map_err(LoadError::tls)?;
                if let Some(certificate) = connection.new_certificate() {
                    pool.peer_certificate(id, certificate);
                }
                let delivered = self.deliver(pool, id, &clear, arrived);
                self.clear = clear;
                delivered?;
            }
            // A short read has emptied the socket: asking again would only cost a call.
            if read < buffer.len() && !to_the_end {
                return Ok(());
            }
        }
        self.unread.push(id);
        Ok(())
    }

    /// Gives bytes in clear to the pool and sends what it answers.
    #[inline]
    fn deliver<S: Session>(
        &mut self,
        pool: &mut Pool<S>,
        id: usize,
        input: &[u8],
        arrived: Nanos,
    ) -> Result<(), LoadError> {
        let now = self.clock.now();
        let (used, next) = pool.receive(id, input, arrived, now, &mut self.out)?;
        if next == Next::Reconnect {
            self.out.clear();
            self.open_again(id);
            return Ok(());
        }
        let sent = self.send(id);
        if next == Next::Renew {
            // Nothing is lost where the goodbye is not heard.
            self.renew(id);
            return Ok(());
        }
        sent?;
        let rest = &input[used..];
        match next {
            Next::StartTls => return self.start_tls(pool, id, rest),
            Next::Ready => self.ready.push(id),
            Next::Continue | Next::Reconnect | Next::Renew => {}
        }
        if let (false, Some(connection)) = (rest.is_empty(), &mut self.connections[id]) {
            connection.carry.extend_from_slice(rest);
        }
        Ok(())
    }

    fn start_tls<S: Session>(
        &mut self,
        pool: &mut Pool<S>,
        id: usize,
        rest: &[u8],
    ) -> Result<(), LoadError> {
        let (Some(connection), Some(upgrade)) = (&mut self.connections[id], &self.tls) else {
            return Err(LoadError::Tls("the session asks for TLS, and none is set up".to_owned()));
        };
        if !rest.is_empty() {
            return Err(LoadError::Tls("the server sent data before TLS began".to_owned()));
        }
        connection.start_tls(upgrade).map_err(|e| LoadError::Tls(e.to_string()))?;
        pool.tls_started(id, &mut self.out);
        self.send(id)
    }

    #[inline]
    fn send(&mut self, id: usize) -> Result<(), LoadError> {
        let Some(connection) = &mut self.connections[id] else { return Ok(()) };
        if !self.out.is_empty() || connection.is_encrypted() {
            let sent = connection.send(&self.out, self.poll.registry(), Token(id));
            self.out.clear();
            sent.map_err(LoadError::lost)?;
        }
        Ok(())
    }

    /// Says goodbye on every connection, as far as the sockets take it, and waits until the server has
    /// closed them.
    pub(super) fn close<S: Session>(&mut self, pool: &mut Pool<S>) {
        let mut told = Vec::new();
        for (id, connection) in self.connections.iter_mut().enumerate() {
            if let Some(connection) = connection {
                pool.close_session(id, &mut self.out);
                // The server has answered everything: nothing is lost where this is not heard.
                let sent = connection.send(&self.out, self.poll.registry(), Token(id));
                if sent.is_ok() && !self.out.is_empty() {
                    told.push(&*connection);
                }
                self.out.clear();
            }
        }
        let mut goodbye = Goodbye::begin(self.clock);
        told.into_iter().for_each(|connection| goodbye.wait_for(connection));
    }

    pub(super) fn unreachable(&self, id: usize, source: io::Error) -> LoadError {
        LoadError::Connect { address: self.addresses[id].clone(), source }
    }
}

impl LoadError {
    /// Whether the server may have room later for what it has none for now.
    fn is_about_room(&self) -> bool {
        match self {
            Self::Session(SessionError::NoRoom(_)) => true,
            Self::Session(SessionError::Prepare { error, .. }) => {
                error.class == ErrorClass::Resource
            }
            _ => false,
        }
    }

    /// Whether making the connection anew may help.
    fn is_about_a_connection(&self) -> bool {
        match self {
            Self::Connect { .. } | Self::LoginTimeout { .. } | Self::Lost(_) | Self::Tls(_) => true,
            Self::Session(error) => {
                matches!(
                    error,
                    SessionError::Login(_) | SessionError::NoRoom(_) | SessionError::Prepare { .. }
                )
            }
            Self::ConnectTimeout { .. }
            | Self::Unanswered { .. }
            | Self::Storage(_)
            | Self::NoRing(_)
            | Self::System(_)
            | Self::Stopped => false,
        }
    }
}
