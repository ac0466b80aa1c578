//! What a load is: all that its parts, and whoever puts them together, have to know of it.

use crate::account::Account;
use crate::part::PartRun;
use crate::socket::{Address, GOODBYE_LIMIT, TlsUpgrade};
use crate::{ErrorPolicy, LoadError, OpenLoop, Schedule};
use model::{ErrorCount, Interval, IoMethod, RequestTally, Stop};
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;
use std::time::{Duration, Instant};

/// One load to run. What it is encrypted with does not travel: a process that is told of a load sets
/// TLS up for itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoadSpec {
    /// The servers, at least one, to which clients are dealt in turns.
    pub addresses: Vec<Address>,
    /// By how much each round trip to them is to be longer.
    #[serde(default)]
    pub delay: Option<Duration>,
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

    /// Does one part: gets ready, waits until it is known when all parts begin, and returns its
    /// account.
    ///
    /// # Errors
    /// When the part could not run to its end; nothing is left running.
    fn run_part(&self, run: &mut PartRun<'_>) -> Result<Account, LoadError>;

    /// That nothing succeeded any more from then on, counted from the start of the load.
    fn lost(&self, since: Duration, _errors: &[ErrorCount]) -> LoadError {
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
