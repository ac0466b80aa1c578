use crate::arrivals::Arrivals;
use crate::books::{Closed, Ended};
use crate::crew::{Quota, Rules};
use crate::result::{CpuWindow, Intervals, result};
use crate::socket::{Address, Control, Report, TlsUpgrade, Worker, WorkerSpec, notice};
use crate::usage::{cpus_allowed, peak_rss_bytes};
use crate::{Clock, Crew, ErrorPolicy, Nanos, OpenLoop, Schedule, Session, SessionError};
use mio::Waker;
use model::{ClientCost, Interval, IoMethod, Latencies, LoadResult, Phase, StatementCounts};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How often the coordinator looks whether it is to stop.
const GLANCE: Duration = Duration::from_millis(50);

/// One load to run.
#[derive(Clone, Debug)]
pub struct LoadSpec {
    /// The server.
    pub address: Address,
    /// How to encrypt, where sessions ask for it.
    pub tls: Option<TlsUpgrade>,
    /// Connections; at least 1.
    pub clients: u32,
    /// Threads that drive them; at least 1. [`crate::available_workers`] is a good number.
    pub workers: u32,
    /// How to move bytes; the best that is permitted when absent.
    pub io: Option<IoMethod>,
    /// Warm-up, measuring and end.
    pub schedule: Schedule,
    /// Arrivals at a rate; a closed loop when absent.
    pub open: Option<OpenLoop>,
    /// Which errors are survived, and how.
    pub policy: ErrorPolicy,
    /// Longest time in which all clients must have logged in.
    pub connect_limit: Duration,
    /// How long to wait for replies after the last operation began; what is unanswered then
    /// counts as timed out.
    pub drain_limit: Duration,
}

/// Asks a running load to end early. Clones ask the same load.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Asks.
    pub fn request(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether somebody asked.
    pub fn is_requested(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// What is going on in a load.
#[derive(Debug)]
pub enum Progress<'a> {
    /// All clients are logged in and the load begins at that moment.
    Started(Instant),
    /// An interval ended on all workers, with so many statements acknowledged in it.
    Interval(&'a Interval, &'a StatementCounts),
}

/// Why a load did not run to its end.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// No connection.
    #[error("cannot connect to {address}: {source}")]
    Connect {
        /// Where to.
        address: Address,
        /// Why not.
        source: io::Error,
    },
    /// A login, a preparation or the protocol failed.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// Not all clients could log in in time.
    #[error("the server let in fewer than {clients} clients within {} s", limit.as_secs())]
    ConnectTimeout {
        /// How many should have.
        clients: u32,
        /// Time allowed.
        limit: Duration,
    },
    /// A connection was lost in the middle.
    #[error("lost a connection: {0}")]
    Lost(String),
    /// Encryption failed.
    #[error("TLS: {0}")]
    Tls(String),
    /// The operating system refused something.
    #[error(transparent)]
    System(io::Error),
    /// Somebody asked to stop.
    #[error("stopped")]
    Stopped,
}

impl LoadError {
    pub(crate) fn lost(error: io::Error) -> Self {
        Self::Lost(error.to_string())
    }

    pub(crate) fn tls(error: io::Error) -> Self {
        Self::Tls(error.to_string())
    }
}

/// What a worker tells the coordinator.
enum Message {
    Ready(Waker),
    Interval(Ended),
    Ended(Box<Result<Report, LoadError>>),
}

/// Runs a load: connects all clients, lets them begin together, and returns the merged account.
/// `session` makes the session of each client, numbered from 0.
///
/// # Errors
/// When the load could not run to its end; nothing is left running.
pub fn run<S: Session>(
    spec: &LoadSpec,
    session: impl Fn(u32) -> S + Sync,
    stop: &Stop,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<LoadResult, LoadError> {
    let clock = Clock::start();
    let control = Arc::new(Control::default());
    let quota = Quota::new(spec.schedule.events());
    let workers = spec.workers.clamp(1, spec.clients.max(1));
    let worker_spec = WorkerSpec {
        address: spec.address.clone(),
        tls: spec.tls.clone(),
        io: spec.io,
        schedule: spec.schedule,
        drain_limit: spec.drain_limit,
        clock,
        control: control.clone(),
    };
    std::thread::scope(|scope| {
        let (sender, messages) = mpsc::channel();
        for index in 0..workers {
            let sender = sender.clone();
            let (worker_spec, session) = (worker_spec.clone(), &session);
            let rules = Rules {
                schedule: spec.schedule,
                quota: quota.clone(),
                policy: spec.policy.clone(),
                arrivals: spec.open.as_ref().map(|open| {
                    let waiting = open.max_waiting.div_ceil(workers as usize);
                    (Arrivals::new(open, index, workers), waiting)
                }),
            };
            let clients = (index..spec.clients).step_by(workers as usize);
            std::thread::Builder::new()
                .name(format!("load-{index}"))
                .spawn_scoped(scope, move || {
                    let sessions = clients.map(session).collect();
                    let crew = Crew::new(sessions, rules);
                    let ended = work(worker_spec, crew, &sender);
                    // The coordinator may have given up listening.
                    let _ = sender.send(Message::Ended(Box::new(ended)));
                })
                .map_err(LoadError::System)?;
        }
        drop(sender);
        let requests = S::REQUESTS;
        let coordinator =
            Coordinator { spec, requests, workers, clock, control: &control, messages, stop };
        let result = coordinator.run(progress);
        control.abort();
        result
    })
}

fn work<S: Session>(
    spec: WorkerSpec,
    crew: Crew<S>,
    sender: &mpsc::Sender<Message>,
) -> Result<Report, LoadError> {
    let mut worker = Worker::new(spec, crew).map_err(LoadError::System)?;
    worker.connect()?;
    let _ = sender.send(Message::Ready(worker.waker().map_err(LoadError::System)?));
    worker.work(|interval| {
        let _ = sender.send(Message::Interval(interval));
    })
}

struct Coordinator<'a> {
    spec: &'a LoadSpec,
    /// What the sessions tell apart.
    requests: &'static [&'static str],
    workers: u32,
    clock: Clock,
    control: &'a Control,
    messages: mpsc::Receiver<Message>,
    stop: &'a Stop,
}

impl Coordinator<'_> {
    fn run(self, progress: &mut dyn FnMut(Progress<'_>)) -> Result<LoadResult, LoadError> {
        let wakers = self.wait_until_ready()?;
        let start = self.clock.now();
        let connect_time = start.since(Nanos(0));
        progress(Progress::Started(self.clock.instant(start)));
        self.control.start_at(start);
        for waker in wakers {
            waker.wake().map_err(LoadError::System)?;
        }

        let mut cpu = CpuWindow::new(self.spec.schedule, start);
        let mut intervals = Intervals::new(self.workers);
        let mut books: Option<Closed> = None;
        let mut client = ClientCost {
            workers: self.workers,
            cpus_allowed: cpus_allowed(),
            ..ClientCost::default()
        };
        let mut busiest = Duration::ZERO;
        let mut delays = Latencies::new();
        let mut ended = 0;
        while ended < self.workers {
            let message = self.next_message()?;
            cpu.look(self.clock.now());
            match message {
                None | Some(Message::Ready(_)) => {}
                Some(Message::Interval(interval)) => intervals.add(interval, progress),
                Some(Message::Ended(report)) => {
                    let report = (*report)?;
                    ended += 1;
                    busiest = busiest.max(report.cpu);
                    client.io = report.io;
                    delays.merge(&report.notice);
                    client.max_loop_lag = client.max_loop_lag.max(report.max_lag);
                    match &mut books {
                        None => books = Some(report.books),
                        Some(books) => books.add(report.books),
                    }
                }
            }
        }
        let books = books.ok_or(LoadError::Stopped)?;
        let measured = books.elapsed(Phase::Measure).as_secs_f64();
        client.cpu_seconds = cpu.used().as_secs_f64();
        client.busiest_worker = if measured > 0.0 { busiest.as_secs_f64() / measured } else { 0.0 };
        client.peak_rss_bytes = peak_rss_bytes();
        client.turnaround_seconds = books.turnaround.as_secs_f64();
        client.notice = notice(&delays);
        let intervals = intervals.finish(progress);
        let result = result(self.spec, self.requests, connect_time, books, intervals, client);
        match result.outages.last() {
            Some(outage) if outage.first_success.is_none() => Err(LoadError::Lost(format!(
                "connections were lost {:.1} s into the load, and nothing succeeded after that",
                outage.first_error.as_secs_f64()
            ))),
            _ => Ok(result),
        }
    }

    fn wait_until_ready(&self) -> Result<Vec<Waker>, LoadError> {
        let mut ready = Vec::new();
        while ready.len() < self.workers as usize {
            let limit = self.spec.connect_limit;
            if self.clock.now() >= Nanos(0).plus(limit) {
                let clients = self.spec.clients;
                return Err(LoadError::ConnectTimeout { clients, limit });
            }
            match self.next_message()? {
                Some(Message::Ready(waker)) => ready.push(waker),
                Some(Message::Ended(result)) => {
                    (*result)?;
                }
                Some(Message::Interval(_)) | None => {}
            }
        }
        Ok(ready)
    }

    fn next_message(&self) -> Result<Option<Message>, LoadError> {
        if self.stop.is_requested() {
            return Err(LoadError::Stopped);
        }
        match self.messages.recv_timeout(GLANCE) {
            Ok(message) => Ok(Some(message)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(LoadError::Stopped),
        }
    }
}
