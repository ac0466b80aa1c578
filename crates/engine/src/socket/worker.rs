use super::connection::Address;
use super::epoll::Epoll;
use super::option;
use super::stamp::Stamps;
use super::tls::TlsUpgrade;
use super::uring::Uring;
use crate::coordinator::{Control, Report};
use crate::error::LoadError;
use crate::recorder::Ended;
use crate::result::CpuWindow;
use crate::usage::{set_niceness, thread_cpu, wake_in_turn};
use crate::{Clock, Nanos, Pool, Schedule, ServedBy, Session};
use mio::Waker;
use model::{IoMethod, Packets};
use std::io;
use std::sync::Arc;
use std::time::Duration;

/// Logins that one worker has under way at once: servers queue only so many.
const LOGINS_AT_ONCE: usize = 64;
/// How long a worker waits at most before it looks around.
const LONGEST_WAIT: Duration = Duration::from_millis(100);
/// How long it waits at most while connections are being made anew beside the ring.
const OPENING_WAIT: Duration = Duration::from_millis(2);

/// What a worker needs to know.
#[derive(Clone, Debug)]
pub(crate) struct WorkerSpec {
    /// Where each client of the worker connects to.
    pub(crate) addresses: Vec<Address>,
    pub(crate) tls: Option<TlsUpgrade>,
    /// How to move bytes; the best that is permitted when absent.
    pub(crate) io: Option<IoMethod>,
    pub(crate) schedule: Schedule,
    /// How long to wait for replies after the last operation began.
    pub(crate) drain_limit: Duration,
    pub(crate) clock: Clock,
    pub(crate) control: Arc<Control>,
}

/// One thread's connections.
pub(crate) struct Worker<S> {
    spec: WorkerSpec,
    pool: Pool<S>,
    epoll: Epoll,
    uring: Option<Uring>,
    /// Connections not yet opened: those from here on.
    next_to_open: usize,
}

impl<S: Session> Worker<S> {
    pub(crate) fn new(spec: WorkerSpec, pool: Pool<S>) -> io::Result<Self> {
        let epoll = Epoll::new(spec.addresses.clone(), spec.tls.clone(), spec.clock)?;
        Ok(Self { spec, pool, epoll, uring: None, next_to_open: 0 })
    }

    /// A way to wake this worker from another thread.
    pub(crate) fn waker(&self) -> io::Result<Waker> {
        self.epoll.waker()
    }

    /// Connects and logs in every client.
    pub(crate) fn connect(&mut self) -> Result<(), LoadError> {
        while !self.pool.is_complete() {
            self.open_more()?;
            self.turn(LONGEST_WAIT)?;
        }
        self.epoll.take_ready();
        Ok(())
    }

    /// Waits for the start, runs the load to its end, and says goodbye. `intervals` is given
    /// every interval soon after it ended.
    pub(crate) fn work(
        mut self,
        mut intervals: impl FnMut(Ended),
    ) -> Result<Report<()>, LoadError> {
        self.choose_io()?;
        let clients = self.pool.len();
        set_niceness(match S::SERVED_BY {
            ServedBy::Threads(threads) => threads.min(clients),
            ServedBy::ThreadOfEach | ServedBy::ProcessOfEach => clients,
        });
        wake_in_turn(clients);
        let packets_before = self.packets();
        let start = self.wait_for_start()?;
        let begun_late = self.spec.clock.now().since(start);
        self.pool.start(start);
        for id in 0..self.pool.len() {
            self.begin(id)?;
        }
        let mut cpu = CpuWindow::new(self.spec.schedule, start, thread_cpu);
        let mut measures = false;
        let mut max_lag = Duration::ZERO;
        let mut now = self.spec.clock.now();
        while !self.pool.is_finished(now) {
            while let Some(id) = self.pool.dispatch(now) {
                self.begin(id)?;
            }
            if let Some(error) = self.pool.take_error() {
                return Err(error.into());
            }
            let woke = self.turn(self.longest_wait(now))?;
            now = self.spec.clock.now();
            max_lag = max_lag.max(now.since(woke));
            self.pool.tick(now);
            cpu.look(now);
            if cpu.has_begun() && !std::mem::replace(&mut measures, true) {
                self.stamps().restart();
            }
            if self.pool.has_turn(now) {
                for id in 0..self.pool.len() {
                    self.begin(id)?;
                }
            }
            if now >= self.pool.gives_up_at(self.spec.drain_limit) {
                self.pool.give_up(now);
            }
            self.pool.take_intervals().into_iter().for_each(&mut intervals);
        }
        let cpu = cpu.used();
        let receive_delays = self.stamps().delays().clone();
        let io = if self.uring.is_some() { IoMethod::IoUring } else { IoMethod::Epoll };
        let packets = self.packets_since(packets_before);
        self.close_connections();
        let mut recorder = self.pool.close(now).ok_or(LoadError::Stopped)?;
        recorder.intervals.drain(..).for_each(&mut intervals);
        Ok(Report {
            recorded: recorder,
            cpu,
            max_lag,
            io,
            receive_delays,
            packets,
            begun_late,
            extra: (),
        })
    }

    /// Waits until it is known when the load starts, and then until that moment.
    fn wait_for_start(&mut self) -> Result<Nanos, LoadError> {
        loop {
            let left = match self.spec.control.begun(self.spec.clock.now(), LONGEST_WAIT) {
                Ok(start) => return Ok(start),
                Err(left) => left,
            };
            self.spec.control.check()?;
            self.epoll.turn(&mut self.pool, left)?;
        }
    }

    /// Hands the connections over to io_uring, if that is possible and not forbidden.
    fn choose_io(&mut self) -> Result<(), LoadError> {
        // Logins go by readiness, and connections that do not last are mostly logins.
        if self.spec.io != Some(IoMethod::Epoll)
            && self.epoll.is_plain()
            && !self.pool.renews_connections()
        {
            match Uring::new(self.pool.len(), self.spec.clock) {
                Ok(uring) => return self.move_to(uring),
                Err(error) if self.spec.io == Some(IoMethod::IoUring) => {
                    return Err(LoadError::ring(error));
                }
                // Old kernels and containers do not have it; epoll serves as well, for more.
                Err(_) => {}
            }
        }
        self.epoll.enable_stamps();
        Ok(())
    }

    fn move_to(&mut self, mut uring: Uring) -> Result<(), LoadError> {
        for id in 0..self.pool.len() {
            let socket = self.epoll.release(id).ok_or_else(unreleased)?;
            uring.adopt(id, socket).map_err(LoadError::System)?;
        }
        self.uring = Some(uring);
        Ok(())
    }

    fn begin(&mut self, id: usize) -> Result<(), LoadError> {
        let now = self.spec.clock.now();
        match &mut self.uring {
            Some(uring) => uring.begin(&mut self.pool, id, now),
            None => self.epoll.begin(&mut self.pool, id, now),
        }
    }

    /// Waits once, handles everything that is there, and looks after lost connections. Returns
    /// when the wait ended.
    fn turn(&mut self, timeout: Duration) -> Result<Nanos, LoadError> {
        self.spec.control.check()?;
        let Some(uring) = &mut self.uring else {
            let woke = self.epoll.turn(&mut self.pool, timeout)?;
            for id in self.epoll.take_ready() {
                self.begin(id)?;
            }
            return Ok(woke);
        };
        let woke = uring.turn(&mut self.pool, timeout)?;
        let lost = uring.take_lost();
        for (id, how) in lost {
            // A session that ended with an answer is offline already, and is in the recorder.
            if self.pool.is_online(id) && !self.pool.lost(id, self.spec.clock.now(), &how) {
                return Err(LoadError::Lost(how));
            }
            self.epoll.open_again(id);
        }
        if self.epoll.is_opening() {
            self.epoll.turn(&mut self.pool, Duration::ZERO)?;
            for id in self.epoll.take_ready() {
                let socket = self.epoll.release(id).ok_or_else(unreleased)?;
                if let Some(uring) = &mut self.uring {
                    uring.adopt(id, socket).map_err(LoadError::System)?;
                }
                self.begin(id)?;
            }
        }
        Ok(woke)
    }

    /// How long nothing needs attention but what the connections bring.
    fn longest_wait(&self, now: Nanos) -> Duration {
        let opening = self.uring.is_some() && self.epoll.is_opening();
        let longest = if opening { OPENING_WAIT } else { LONGEST_WAIT };
        let due = self.pool.next_due().unwrap_or(Nanos::NEVER);
        // The ends of turns and of the load are met exactly too: nothing may begin after them.
        longest.min(due.min(self.pool.turns_at(now)).since(now))
    }

    /// What all connections have sent and received; `None` where the kernel does not count that.
    fn packets(&self) -> Option<Packets> {
        let of = |id| match &self.uring {
            Some(uring) => option::packets(uring.socket(id)?),
            None => option::packets(self.epoll.socket(id)?),
        };
        (0..self.pool.len()).map(of).fold(Some(Packets::default()), Packets::together)
    }

    /// The same since then, where all of them are those of then.
    fn packets_since(&self, before: Option<Packets>) -> Option<Packets> {
        let before = before.filter(|_| !self.epoll.has_opened_again())?;
        Some(self.packets()?.since(before))
    }

    fn stamps(&mut self) -> &mut Stamps {
        match &mut self.uring {
            Some(uring) => uring.stamps(),
            None => self.epoll.stamps(),
        }
    }

    /// Starts connections until enough logins are under way.
    fn open_more(&mut self) -> Result<(), LoadError> {
        let opened = self.next_to_open;
        let online = (0..opened).filter(|&id| self.pool.is_online(id)).count();
        let mut under_way = opened - online;
        while under_way < LOGINS_AT_ONCE && self.next_to_open < self.pool.len() {
            match self.epoll.open(self.next_to_open) {
                Ok(()) => {}
                // The backlog of a Unix socket is full: later.
                Err(e) if e.kind() == io::ErrorKind::WouldBlock && under_way > 0 => break,
                Err(e) => return Err(self.epoll.unreachable(self.next_to_open, e)),
            }
            self.next_to_open += 1;
            under_way += 1;
        }
        Ok(())
    }

    fn close_connections(&mut self) {
        if let Some(uring) = &mut self.uring {
            uring.close(&mut self.pool);
        }
        self.epoll.close(&mut self.pool);
    }
}

fn unreleased() -> LoadError {
    LoadError::Tls("a connection that should be unencrypted is not".to_owned())
}
