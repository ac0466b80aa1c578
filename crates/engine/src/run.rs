use crate::account::{Account, Assembly};
use crate::part::{Part, PartProgress, run_part, work};
use crate::socket::{Address, GOODBYE_LIMIT, TlsUpgrade};
use crate::storage::StorageError;
use crate::{Clock, ErrorPolicy, Nanos, OpenLoop, Schedule, Session, SessionError};
use model::{ErrorCount, Interval, IoMethod, LoadResult, RequestTally, Stop};
use serde::{Deserialize, Serialize};
use std::io::{self, ErrorKind};
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

/// One load to run. What it is encrypted with does not travel: a process that is told of a load sets
/// TLS up for itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoadSpec {
    /// The servers, at least one, to which clients are dealt in turns.
    pub addresses: Vec<Address>,
    /// How to encrypt, where sessions ask for it.
    #[serde(skip)]
    pub tls: Option<TlsUpgrade>,
    /// Connections; at least 1.
    pub clients: u32,
    /// Threads of each process that drive them, at least 1; as many as suit the clients, the server's
    /// place and the processors when absent.
    pub workers: Option<u32>,
    /// How to move bytes; the best that is permitted when absent.
    pub io: Option<IoMethod>,
    /// Warm-up, measuring and end.
    pub schedule: Schedule,
    /// Arrivals at a rate; a closed loop when absent.
    pub open: Option<OpenLoop>,
    /// After how many operations a client makes a new connection, at the expense of the operation that
    /// comes next: its latency begins before. Never when absent.
    pub reconnect_after: Option<NonZeroU32>,
    /// Which errors are survived, and how.
    pub policy: ErrorPolicy,
    /// Longest time in which all clients must have logged in.
    pub connect_limit: Duration,
    /// How long to wait for replies after the last operation began; what is unanswered then
    /// counts as timed out.
    pub drain_limit: Duration,
    /// Whether the load fails where nothing at all was answered any more to its end, as long as was
    /// waited for that. Else that is in its account, as operations that timed out.
    pub fails_unanswered: bool,
    /// Requested when enough was measured: no operation begins any more. It takes a schedule with
    /// [`crate::Limit::LastReply`].
    #[serde(skip)]
    pub enough: Stop,
}

impl LoadSpec {
    /// Those of a load with it.
    pub fn timing(&self) -> Timing<'_> {
        Timing {
            schedule: self.schedule,
            open_loop: self.open.as_ref(),
            ready_limit: self.connect_limit,
            drain_limit: self.drain_limit,
            fails_unanswered: self.fails_unanswered,
            goodbye_limit: GOODBYE_LIMIT,
            enough: Some(&self.enough),
        }
    }

    /// Where a client connects to, numbered from 0 over all parts.
    pub(crate) fn address_of(&self, client: u32) -> &Address {
        &self.addresses[client as usize % self.addresses.len()]
    }
}

/// The virtual machines of a load on volumes, over all parts.
#[derive(Clone, Copy, Debug)]
pub struct FleetSize {
    pub vms: usize,
    /// Their volumes are numbered from 0 to below this.
    pub volumes: u32,
}

/// When a load begins and ends, and how long it may take over that.
pub struct Timing<'a> {
    pub schedule: Schedule,
    /// Arrivals at a rate; a closed loop when absent.
    pub open_loop: Option<&'a OpenLoop>,
    /// Longest time in which a part must be ready to begin.
    pub ready_limit: Duration,
    /// How long a part waits for what is under way after its last operation began.
    pub drain_limit: Duration,
    /// Whether it fails where nothing at all was answered any more to its end.
    pub fails_unanswered: bool,
    /// How long a part says nothing after that, while it ends its connections.
    pub goodbye_limit: Duration,
    /// What ends the load in good order when enough was measured; absent where nothing can.
    pub enough: Option<&'a Stop>,
}

/// A load that one process can do, or several in parts.
pub trait RunLoad: Sync {
    fn timing(&self) -> Timing<'_>;

    /// What it has of virtual machines; absent for loads on servers.
    fn fleet(&self) -> Option<FleetSize> {
        None
    }

    /// Does one part: gets ready, waits until `start` says when all parts begin, and returns its
    /// account. `start` is asked again and again once the part is ready.
    ///
    /// # Errors
    /// When the part could not run to its end; nothing is left running.
    fn run_part(
        &self,
        part: Part,
        stop: &Stop,
        start: &mut dyn FnMut() -> Option<Nanos>,
        progress: &mut dyn FnMut(PartProgress),
    ) -> Result<Account, LoadError>;

    /// That nothing succeeded any more from then on, counted from the start of the load.
    fn lost(&self, since: Duration, errors: &[ErrorCount]) -> LoadError;
}

/// A load on a server, with what makes the session of each client, numbered from 0 over all parts.
pub struct SocketLoad<'a, F> {
    pub spec: &'a LoadSpec,
    pub session: F,
}

impl<S: Session, F: Fn(u32) -> S + Sync> RunLoad for SocketLoad<'_, F> {
    fn timing(&self) -> Timing<'_> {
        self.spec.timing()
    }

    fn run_part(
        &self,
        part: Part,
        stop: &Stop,
        start: &mut dyn FnMut() -> Option<Nanos>,
        progress: &mut dyn FnMut(PartProgress),
    ) -> Result<Account, LoadError> {
        run_part(self.spec, part, &self.session, work, stop, start, progress)
    }

    fn lost(&self, since: Duration, _: &[ErrorCount]) -> LoadError {
        LoadError::lost_since(since)
    }
}

/// What is going on in a load.
#[derive(Debug)]
pub enum Progress<'a> {
    /// All clients are logged in and the load begins at that moment.
    Started(Instant),
    /// An interval ended on all workers, with so many requests acknowledged in it.
    Interval(&'a Interval, &'a RequestTally),
    /// No operation begins any more, and answers to those under way are waited for, so long at most.
    Waiting(Duration),
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
    #[error("fewer than {clients} clients could log in within {} s", limit.as_secs())]
    ConnectTimeout {
        /// How many should have.
        clients: u32,
        /// Time allowed.
        limit: Duration,
    },
    /// A client could not log in in time.
    #[error("accepted a connection but did not complete its login within {} s", limit.as_secs())]
    LoginTimeout {
        /// Time allowed.
        limit: Duration,
    },
    /// A connection was lost in the middle.
    #[error("lost a connection: {0}")]
    Lost(String),
    /// Nothing was answered any more to the end of the load.
    #[error(
        "nothing was answered any more from {:.1} s into the load on: {operations} under way waited \
         for up to {:.1} s, until they were given up {:.0} s after the time of the load was over",
        since.as_secs_f64(), longest.as_secs_f64(), waited.as_secs_f64()
    )]
    Unanswered {
        /// The last answer, counted from the start of the load.
        since: Duration,
        /// Operations that were given up.
        operations: u64,
        /// How long the longest of them had waited.
        longest: Duration,
        /// How long was waited for answers after the time of the load was over.
        waited: Duration,
    },
    /// Encryption failed.
    #[error("TLS: {0}")]
    Tls(String),
    /// Storage cannot be used, or failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// There is no io_uring here, or it is not permitted, and it was asked for by name.
    #[error("this host has no io_uring, or does not permit it: {0}")]
    NoRing(io::Error),
    /// The operating system refused something.
    #[error(transparent)]
    System(io::Error),
    /// Somebody asked to stop.
    #[error("stopped")]
    Stopped,
}

impl LoadError {
    /// All connections were lost for good, so long after the load began.
    pub fn lost_since(since: Duration) -> Self {
        Self::Lost(format!(
            "connections were lost {:.1} s into the load, and nothing succeeded after that",
            since.as_secs_f64()
        ))
    }

    pub(crate) fn lost(error: io::Error) -> Self {
        Self::Lost(error.to_string())
    }

    /// What kept io_uring from being set up.
    pub(crate) fn ring(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::PermissionDenied | ErrorKind::Unsupported => Self::NoRing(error),
            _ => Self::System(error),
        }
    }

    pub(crate) fn tls(error: io::Error) -> Self {
        Self::Tls(error.to_string())
    }
}

/// Runs a load of which this process does all, and returns the merged account.
///
/// # Errors
/// When the load could not run to its end; nothing is left running.
pub fn run(
    load: &dyn RunLoad,
    stop: &Stop,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<LoadResult, LoadError> {
    let mut assembly = Assembly::new(1);
    let whole = {
        let progress = std::cell::RefCell::new(&mut *progress);
        let mut begin = || {
            let now = Clock.now();
            progress.borrow_mut()(Progress::Started(Clock.instant(now)));
            Some(now)
        };
        load.run_part(Part::WHOLE, stop, &mut begin, &mut |event| match event {
            PartProgress::Ready => {}
            PartProgress::Interval(ended) => assembly.interval(*ended, *progress.borrow_mut()),
            PartProgress::Waiting => {
                progress.borrow_mut()(Progress::Waiting(load.timing().drain_limit));
            }
        })?
    };
    assembly.ended(0, whole);
    assembly.finish(load, progress)
}
