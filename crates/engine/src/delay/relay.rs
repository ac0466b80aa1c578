//! The thread through which delayed connections pass. It forwards their bytes unchanged, each half of a
//! round trip after it came in, in the order in which they came.

use super::flow::{Flow, Later};
use super::meter::Meter;
use crate::socket::Timer;
use crate::usage::set_niceness;
use crate::{Clock, Nanos};
use mio::event::Event;
use mio::net::{TcpListener, TcpStream};
use mio::{Events, Interest, Poll, Token, Waker};
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

const TIMER: Token = Token(usize::MAX);
const WAKER: Token = Token(usize::MAX - 1);

/// Bytes of one direction that may be on their way: more wait in the sockets, as on a network.
const WINDOW: usize = 4 << 20;
/// Read at once.
const BUFFER: usize = 64 << 10;
/// How long it waits at most before it looks whether it is to end.
const LONGEST_WAIT: Duration = Duration::from_millis(100);
/// Before something is due, the poll's own limit ends that much earlier, and the timer does the rest.
const FINE: Duration = Duration::from_millis(40);
/// Connections for which the relay weighs as much as a thread of the server for each.
const CONNECTIONS: usize = 64;

/// The two ends of a connection that passes through: that of the client, and that of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Client,
    Server,
}

impl End {
    fn other(self) -> Self {
        match self {
            Self::Client => Self::Server,
            Self::Server => Self::Client,
        }
    }
}

/// A connection that passes through.
struct Passing {
    /// Whether it is of the load.
    counts: bool,
    /// Which of those that had its place.
    number: u64,
    client: TcpStream,
    /// Once that was opened.
    server: Option<TcpStream>,
    /// Whether it is there.
    is_open: bool,
    /// Whether there may be something to read at either end.
    readable: [bool; 2],
    /// Whether either end says no more: what is left is read to its end, of which nothing is told again.
    closing: [bool; 2],
    /// Bytes that came in at either end.
    flows: [Flow; 2],
    /// Whether the last that was said came from the client.
    client_spoke: bool,
}

impl Passing {
    fn stream(&mut self, end: End) -> Option<&mut TcpStream> {
        match end {
            End::Client => Some(&mut self.client),
            End::Server if self.is_open => self.server.as_mut(),
            End::Server => None,
        }
    }

    fn is_over(&self) -> bool {
        self.flows.iter().all(Flow::is_through)
    }
}

/// Something that is due later.
#[derive(Clone, Copy)]
struct Due {
    place: usize,
    number: u64,
    /// Where the bytes came in, and how many; none is the end.
    from: End,
    count: usize,
}

/// What passes bytes on.
pub(super) struct Relay {
    poll: Poll,
    timer: Timer,
    /// Where it listens, and where that leads.
    routes: Vec<(TcpListener, SocketAddr)>,
    /// The first so many of them are for the load.
    load_routes: usize,
    passing: Vec<Option<Passing>>,
    free: Vec<usize>,
    next_number: u64,
    bytes_due: Later<Due>,
    connects_due: Later<(usize, u64, SocketAddr)>,
    /// Half of the round-trip time.
    one_way: Duration,
    buffer: Vec<u8>,
    meter: Arc<Meter>,
}

impl Relay {
    /// One that listens on loopback, at a port for each of these addresses, of which the last `beside`
    /// are not for the load.
    pub(super) fn bind(
        to: &[SocketAddr],
        beside: usize,
        round_trip: Duration,
        meter: Arc<Meter>,
    ) -> io::Result<Self> {
        let poll = Poll::new()?;
        let timer = Timer::new(poll.registry(), TIMER)?;
        let mut routes = Vec::with_capacity(to.len());
        for (place, &address) in to.iter().enumerate() {
            let mut listener = TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, 0).into())?;
            poll.registry().register(&mut listener, Token(place), Interest::READABLE)?;
            routes.push((listener, address));
        }
        Ok(Self {
            poll,
            timer,
            load_routes: routes.len() - beside,
            routes,
            passing: Vec::new(),
            free: Vec::new(),
            next_number: 0,
            bytes_due: Later::default(),
            connects_due: Later::default(),
            one_way: round_trip / 2,
            buffer: vec![0; BUFFER],
            meter,
        })
    }

    /// Where it listens, in the order of the addresses that it leads to.
    pub(super) fn addresses(&self) -> io::Result<Vec<SocketAddr>> {
        self.routes.iter().map(|(listener, _)| listener.local_addr()).collect()
    }

    /// A way to wake it.
    pub(super) fn waker(&self) -> io::Result<Waker> {
        Waker::new(self.poll.registry(), WAKER)
    }

    /// Passes bytes on until it is told to end.
    ///
    /// # Errors
    /// When the system gives it no more connections.
    pub(super) fn run(mut self) -> io::Result<()> {
        set_niceness(CONNECTIONS);
        let mut events = Events::with_capacity(1024);
        while !self.meter.is_over() {
            self.wait(&mut events)?;
            let now = Clock.now();
            self.meter.look(now);
            for event in &events {
                match event.token() {
                    TIMER | WAKER => {}
                    Token(place) if place < self.routes.len() => self.accept(place, now)?,
                    token => {
                        let (place, end) = self.end_of(token);
                        self.note(place, end, event);
                        if event.is_writable() {
                            self.open(place, end);
                            self.send(place, end.other());
                        }
                        self.receive(place, end, now);
                    }
                }
            }
            self.pass_on(Clock.now());
        }
        self.meter.look(Nanos::NEVER);
        Ok(())
    }

    /// Waits for something to come in or to fall due.
    fn wait(&mut self, events: &mut Events) -> io::Result<()> {
        let next = self.bytes_due.next().min(self.connects_due.next());
        let left = next.since(Clock.now()).min(LONGEST_WAIT + FINE);
        self.timer.set(left)?;
        let limit = if left < FINE { LONGEST_WAIT } else { left - FINE };
        match self.poll.poll(events, Some(limit)) {
            Err(error) if error.kind() == ErrorKind::Interrupted => Ok(()),
            polled => polled,
        }
    }

    fn token(&self, place: usize, end: End) -> Token {
        Token(self.routes.len() + 2 * place + end as usize)
    }

    fn end_of(&self, Token(token): Token) -> (usize, End) {
        let of = token - self.routes.len();
        (of / 2, if of.is_multiple_of(2) { End::Client } else { End::Server })
    }

    /// Takes new connections in. A client of a network has its connection after one round trip, and
    /// what it says next is at the server half of one later: then the server gets its own.
    fn accept(&mut self, route: usize, now: Nanos) -> io::Result<()> {
        loop {
            let (listener, address) = &self.routes[route];
            let mut client = match listener.accept() {
                Ok((client, _)) => client,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error)
                    if matches!(
                        error.kind(),
                        ErrorKind::Interrupted | ErrorKind::ConnectionAborted
                    ) =>
                {
                    continue;
                }
                Err(error) => return Err(error),
            };
            let address = *address;
            // Without it small pieces would wait for each other; nothing else depends on it.
            let _ = client.set_nodelay(true);
            let place = self.free.pop().unwrap_or_else(|| {
                self.passing.push(None);
                self.passing.len() - 1
            });
            let token = self.token(place, End::Client);
            let both = Interest::READABLE | Interest::WRITABLE;
            self.poll.registry().register(&mut client, token, both)?;
            let number = self.next_number;
            self.next_number += 1;
            self.passing[place] = Some(Passing {
                counts: route < self.load_routes,
                number,
                client,
                server: None,
                is_open: false,
                readable: [true; 2],
                closing: [false; 2],
                flows: [Flow::default(), Flow::default()],
                client_spoke: false,
            });
            self.connects_due.put(now.plus(3 * self.one_way), (place, number, address));
        }
    }

    /// Notes that there may be something to read.
    fn note(&mut self, place: usize, end: End, event: &Event) {
        let Some(Some(passing)) = self.passing.get_mut(place) else { return };
        passing.closing[end as usize] |= event.is_read_closed() || event.is_error();
        passing.readable[end as usize] |= event.is_readable() || passing.closing[end as usize];
    }

    /// The connection to the server that was begun is there, or failed.
    fn open(&mut self, place: usize, end: End) {
        let Some(Some(passing)) = self.passing.get_mut(place) else { return };
        let Some(server) = passing.server.as_mut().filter(|_| end == End::Server) else { return };
        if passing.is_open {
            return;
        }
        let failed = !matches!(server.take_error(), Ok(None));
        if failed || server.peer_addr().is_err_and(|error| error.kind() != ErrorKind::NotConnected)
        {
            return self.close(place);
        }
        if server.peer_addr().is_ok() {
            let _ = server.set_nodelay(true);
            passing.is_open = true;
        }
    }

    /// Takes in what came in at an end.
    fn receive(&mut self, place: usize, end: End, now: Nanos) {
        loop {
            let Some(Some(passing)) = self.passing.get_mut(place) else { return };
            let flow = &passing.flows[end as usize];
            if !passing.readable[end as usize] || flow.has_ended() || flow.len() >= WINDOW {
                return;
            }
            let Some(stream) = passing.stream(end) else { return };
            let count = match stream.read(&mut self.buffer) {
                Ok(count) => count,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) if error.kind() == ErrorKind::WouldBlock => {
                    passing.readable[end as usize] = false;
                    return;
                }
                Err(_) => return self.close(place),
            };
            let flow = &mut passing.flows[end as usize];
            match count {
                0 => flow.end(),
                _ => flow.take_in(&self.buffer[..count]),
            }
            // A short read has left nothing behind, and what comes next is told.
            let is_short = count < self.buffer.len();
            passing.readable[end as usize] = !is_short || passing.closing[end as usize];
            if count > 0 {
                let speaks = end == End::Client;
                if speaks && !passing.client_spoke && passing.counts {
                    self.meter.count_round_trip();
                }
                passing.client_spoke = speaks;
            }
            let due = Due { place, number: passing.number, from: end, count };
            self.bytes_due.put(now.plus(self.one_way), due);
            if count == 0 {
                return;
            }
        }
    }

    /// Passes on what is due.
    fn pass_on(&mut self, now: Nanos) {
        while let Some((place, number, address)) = self.connects_due.take(now) {
            if self.is_there(place, number) {
                self.connect(place, address);
            }
        }
        while let Some(Due { place, number, from, count }) = self.bytes_due.take(now) {
            if !self.is_there(place, number) {
                continue;
            }
            if let Some(Some(passing)) = self.passing.get_mut(place) {
                passing.flows[from as usize].fall_due(count);
            }
            self.send(place, from);
            // There may be room again for what waits in the socket.
            self.receive(place, from, now);
        }
    }

    fn is_there(&self, place: usize, number: u64) -> bool {
        matches!(self.passing.get(place), Some(Some(passing)) if passing.number == number)
    }

    fn connect(&mut self, place: usize, address: SocketAddr) {
        let token = self.token(place, End::Server);
        let both = Interest::READABLE | Interest::WRITABLE;
        let begun = TcpStream::connect(address).and_then(|mut server| {
            self.poll.registry().register(&mut server, token, both)?;
            Ok(server)
        });
        match (begun, self.passing.get_mut(place)) {
            (Ok(server), Some(Some(passing))) => passing.server = Some(server),
            _ => self.close(place),
        }
    }

    /// Sends what is due of what came in at an end to the other one.
    fn send(&mut self, place: usize, from: End) {
        loop {
            let Some(Some(passing)) = self.passing.get_mut(place) else { return };
            let to = match from {
                End::Client if !passing.is_open => return,
                End::Client => passing.server.as_mut(),
                End::Server => Some(&mut passing.client),
            };
            let Some(to) = to else { return };
            let flow = &mut passing.flows[from as usize];
            if flow.ready().is_empty() {
                if flow.is_through() {
                    // The other end may be gone already.
                    let _ = to.shutdown(Shutdown::Write);
                    if passing.is_over() {
                        self.close(place);
                    }
                }
                return;
            }
            match to.write(flow.ready()) {
                Ok(count) => flow.went_out(count),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => return self.close(place),
            }
        }
    }

    fn close(&mut self, place: usize) {
        if self.passing.get_mut(place).and_then(Option::take).is_some() {
            self.free.push(place);
        }
    }
}
