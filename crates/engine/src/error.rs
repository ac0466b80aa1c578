//! Why a load does not run.

use crate::SessionError;
use crate::socket::Address;
use crate::storage::StorageError;
use std::io::{self, ErrorKind};
use std::time::Duration;

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
