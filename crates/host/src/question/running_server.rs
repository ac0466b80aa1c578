//! A server that runs on a machine already, and how its process is found.

use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::path::PathBuf;

/// The two ends of a connection to a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ends {
    Tcp {
        own: SocketAddr,
        /// The address that answered.
        peer: SocketAddr,
    },
    Unix {
        /// The process that listens; `None` where it does not show here.
        listener: Option<u32>,
    },
    /// Something between changes the addresses, so that the machine of the server knows others.
    Translated,
}

impl Ends {
    /// The address that answered; `None` for a Unix socket.
    pub fn peer(&self) -> Option<SocketAddr> {
        match self {
            Self::Tcp { peer, .. } => Some(*peer),
            Self::Unix { .. } | Self::Translated => None,
        }
    }

    /// Whether both ends are on one machine.
    pub fn on_one_machine(&self) -> bool {
        match self {
            Self::Tcp { own, peer } => own.ip().to_canonical() == peer.ip().to_canonical(),
            Self::Unix { .. } => true,
            Self::Translated => false,
        }
    }
}

/// What a server says of its own process: a proxy that answers in its place is another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProcessClue {
    /// Its working directory, by the path that it has for the process.
    WorkingDirectory(PathBuf),
    /// Its number, in the process namespace that it is in.
    Number(u32),
    /// Nothing: whatever answers is meant, such as a proxy.
    Any,
}

/// The process of a server that weighin did not start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningServer {
    pub pid: u32,
    /// Whether its paths are those of the machine: it is in no container with files of its own.
    pub shares_files: bool,
    /// The disks under its working directory, by kernel name; none where they are not known.
    pub disks: Vec<String>,
    /// The control groups that it is in, one of each hierarchy, as paths from their roots.
    pub control_groups: Vec<String>,
}
