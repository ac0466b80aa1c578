use super::connection::{Address, Connection};
use super::tls::TlsUpgrade;
use crate::books::Closed;
use crate::crew::Next;
use crate::run::LoadError;
use crate::usage::thread_cpu;
use crate::{Clock, Crew, Nanos, Schedule, Session};
use mio::{Events, Poll, Token, Waker};
use model::Interval;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Logins that one worker has under way at once: servers queue only so many.
const LOGINS_AT_ONCE: usize = 64;
/// Bytes read at a time.
const BUFFER: usize = 256 * 1024;
/// How long a worker waits at most before it looks around.
const LONGEST_WAIT: Duration = Duration::from_millis(100);
/// The token of the waker; connections count from 0.
const WAKER: Token = Token(usize::MAX);

/// What the coordinator tells all workers.
#[derive(Debug, Default)]
pub(crate) struct Control {
    /// When the load begins; 0 until that is known.
    start: AtomicU64,
    /// Whether to end at once.
    abort: AtomicBool,
}

impl Control {
    pub(crate) fn start_at(&self, at: Nanos) {
        self.start.store(at.0.max(1), Ordering::Release);
    }

    pub(crate) fn abort(&self) {
        self.abort.store(true, Ordering::Release);
    }

    fn started(&self) -> Option<Nanos> {
        match self.start.load(Ordering::Acquire) {
            0 => None,
            at => Some(Nanos(at)),
        }
    }
}

/// What a worker needs to know.
#[derive(Clone, Debug)]
pub(crate) struct WorkerSpec {
    pub(crate) address: Address,
    pub(crate) tls: Option<TlsUpgrade>,
    pub(crate) schedule: Schedule,
    /// How long to wait for replies after the last operation began.
    pub(crate) drain_limit: Duration,
    pub(crate) clock: Clock,
    pub(crate) control: Arc<Control>,
}

/// What a worker did.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) books: Closed,
    /// Processor time of this thread in the measured phase.
    pub(crate) cpu: Duration,
    /// Longest time between two waits.
    pub(crate) max_lag: Duration,
}

/// One thread's connections.
pub(crate) struct Worker<S> {
    spec: WorkerSpec,
    crew: Crew<S>,
    poll: Poll,
    connections: Vec<Option<Connection>>,
    /// Connections not yet opened: those from here on.
    next_to_open: usize,
    buffer: Vec<u8>,
    /// Scratch for what came in clear from an encrypted or carried-over read.
    clear: Vec<u8>,
    out: Vec<u8>,
}

impl<S: Session> Worker<S> {
    pub(crate) fn new(spec: WorkerSpec, crew: Crew<S>) -> io::Result<Self> {
        Ok(Self {
            spec,
            poll: Poll::new()?,
            connections: (0..crew.len()).map(|_| None).collect(),
            crew,
            next_to_open: 0,
            buffer: vec![0; BUFFER],
            clear: Vec::new(),
            out: Vec::new(),
        })
    }

    /// A way to wake this worker from another thread.
    pub(crate) fn waker(&self) -> io::Result<Waker> {
        Waker::new(self.poll.registry(), WAKER)
    }

    /// Connects and logs in every client.
    pub(crate) fn connect(&mut self) -> Result<(), LoadError> {
        let mut events = Events::with_capacity(1024);
        while !self.crew.is_ready() {
            self.open_more()?;
            self.turn(&mut events, Some(LONGEST_WAIT))?;
        }
        Ok(())
    }

    /// Waits for the start, runs the load to its end, and says goodbye. `intervals` is given
    /// every interval soon after it ended.
    pub(crate) fn work(mut self, mut intervals: impl FnMut(Interval)) -> Result<Report, LoadError> {
        let mut events = Events::with_capacity(1024);
        let start = loop {
            if let Some(start) = self.spec.control.started() {
                break start;
            }
            self.turn(&mut events, Some(LONGEST_WAIT))?;
        };
        self.begin_all(start)?;
        let measure_from = self.spec.schedule.measure_from(start);
        let window_end = self.spec.schedule.window_end(start);
        let (mut cpu_before, mut cpu_after) = (None, None);
        let mut max_lag = Duration::ZERO;
        let mut now = self.spec.clock.now();
        while !self.crew.is_finished(now) {
            let woke = self.turn(&mut events, Some(LONGEST_WAIT))?;
            now = self.spec.clock.now();
            max_lag = max_lag.max(now.since(woke));
            self.crew.tick(now);
            if now >= measure_from {
                cpu_before.get_or_insert_with(thread_cpu);
            }
            if now >= window_end {
                cpu_after.get_or_insert_with(thread_cpu);
            }
            if now >= self.crew.last_begin().plus(self.spec.drain_limit) {
                self.crew.give_up(now);
            }
            self.crew.take_intervals().into_iter().for_each(&mut intervals);
        }
        let cpu_after = cpu_after.unwrap_or_else(thread_cpu);
        self.say_goodbye();
        let mut books = self.crew.close(now).ok_or(LoadError::Stopped)?;
        books.intervals.drain(..).for_each(&mut intervals);
        Ok(Report { books, cpu: cpu_after - cpu_before.unwrap_or(cpu_after), max_lag })
    }

    fn begin_all(&mut self, start: Nanos) -> Result<(), LoadError> {
        self.crew.start(start);
        for id in 0..self.connections.len() {
            self.crew.begin(id, self.spec.clock.now(), &mut self.out);
            self.send(id)?;
        }
        Ok(())
    }

    /// Starts connections until enough logins are under way.
    fn open_more(&mut self) -> Result<(), LoadError> {
        let opened = self.next_to_open;
        let logged_in = (0..opened).filter(|&id| self.crew.is_logged_in(id)).count();
        let mut under_way = opened - logged_in;
        while under_way < LOGINS_AT_ONCE && self.next_to_open < self.connections.len() {
            let id = self.next_to_open;
            let registry = self.poll.registry();
            match Connection::open(&self.spec.address, registry, Token(id)) {
                Ok(connection) => self.connections[id] = Some(connection),
                // The backlog of a Unix socket is full: later.
                Err(e) if e.kind() == io::ErrorKind::WouldBlock && under_way > 0 => break,
                Err(e) => return Err(self.unreachable(e)),
            }
            self.next_to_open += 1;
            under_way += 1;
        }
        Ok(())
    }

    /// Waits once and handles everything that is there. Returns when the wait ended.
    fn turn(&mut self, events: &mut Events, timeout: Option<Duration>) -> Result<Nanos, LoadError> {
        match self.poll.poll(events, timeout) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => events.clear(),
            other => other.map_err(LoadError::System)?,
        }
        if self.spec.control.abort.load(Ordering::Acquire) {
            return Err(LoadError::Stopped);
        }
        let woke = self.spec.clock.now();
        for event in events.iter().filter(|event| event.token() != WAKER) {
            let id = event.token().0;
            if event.is_writable() {
                self.writable(id)?;
            }
            if event.is_readable() || event.is_read_closed() {
                self.readable(id, woke)?;
            }
        }
        Ok(woke)
    }

    fn writable(&mut self, id: usize) -> Result<(), LoadError> {
        let address = &self.spec.address;
        let registry = self.poll.registry();
        let Some(connection) = &mut self.connections[id] else { return Ok(()) };
        let unreachable = |source| LoadError::Connect { address: address.clone(), source };
        if !self.crew.is_logged_in(id) && connection.carry.is_empty() {
            let fresh = !connection.is_established();
            if !connection.establish(registry, Token(id)).map_err(unreachable)? {
                return Ok(());
            }
            if fresh {
                self.crew.opened(id, &mut self.out);
                return self.send(id);
            }
        }
        connection.flush(registry, Token(id)).map_err(LoadError::lost)
    }

    fn readable(&mut self, id: usize, arrived: Nanos) -> Result<(), LoadError> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let result = self.read_all(id, arrived, &mut buffer);
        self.buffer = buffer;
        result
    }

    fn read_all(&mut self, id: usize, arrived: Nanos, buffer: &mut [u8]) -> Result<(), LoadError> {
        loop {
            let Some(connection) = &mut self.connections[id] else { return Ok(()) };
            let Some(read) = connection.read(buffer).map_err(LoadError::lost)? else {
                return Ok(());
            };
            if read == 0 {
                return Err(LoadError::Lost("the server closed the connection".to_owned()));
            }
            if connection.carry.is_empty() && !connection.is_encrypted() {
                self.deliver(id, &buffer[..read], arrived)?;
            } else {
                let mut clear = std::mem::take(&mut self.clear);
                clear.clear();
                clear.append(&mut connection.carry);
                connection.decrypt(&buffer[..read], &mut clear).map_err(LoadError::tls)?;
                let delivered = self.deliver(id, &clear, arrived);
                self.clear = clear;
                delivered?;
            }
            // A short read has emptied the socket: asking again would only cost a call.
            if read < buffer.len() {
                return Ok(());
            }
        }
    }

    /// Gives bytes in clear to the crew and sends what it answers.
    #[inline]
    fn deliver(&mut self, id: usize, input: &[u8], arrived: Nanos) -> Result<(), LoadError> {
        let now = self.spec.clock.now();
        let (used, next) = self.crew.receive(id, input, arrived, now, &mut self.out)?;
        self.send(id)?;
        let rest = &input[used..];
        if next == Next::StartTls {
            return self.start_tls(id, rest);
        }
        if let (false, Some(connection)) = (rest.is_empty(), &mut self.connections[id]) {
            connection.carry.extend_from_slice(rest);
        }
        Ok(())
    }

    fn start_tls(&mut self, id: usize, rest: &[u8]) -> Result<(), LoadError> {
        let (Some(connection), Some(upgrade)) = (&mut self.connections[id], &self.spec.tls) else {
            return Err(LoadError::Tls("the session asks for TLS, and none is set up".to_owned()));
        };
        if !rest.is_empty() {
            return Err(LoadError::Tls("the server sent data before TLS began".to_owned()));
        }
        connection.start_tls(upgrade).map_err(|e| LoadError::Tls(e.to_string()))?;
        self.crew.tls_started(id, &mut self.out);
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

    /// Closes every session politely, as far as the sockets take it: the server has answered
    /// everything, so nothing is lost where one does not.
    fn say_goodbye(&mut self) {
        for (id, connection) in self.connections.iter_mut().enumerate() {
            if let Some(connection) = connection {
                self.crew.close_session(id, &mut self.out);
                let _ = connection.send(&self.out, self.poll.registry(), Token(id));
                self.out.clear();
            }
        }
    }

    fn unreachable(&self, source: io::Error) -> LoadError {
        LoadError::Connect { address: self.spec.address.clone(), source }
    }
}
