use super::line::Cut;
use model::{Endpoint, Failure, FailureKind};
use std::io;
use std::time::Duration;

/// Why a connection for control work is of no use any more. It is closed then: what was asked for
/// might still come.
#[derive(Debug)]
pub struct Broken {
    /// Where it led.
    pub endpoint: Endpoint,
    /// What happened.
    pub how: How,
}

/// What happened to a connection.
#[derive(Debug)]
pub enum How {
    /// It broke, or had been given up after an earlier error.
    Lost(io::Error),
    /// The answer was not complete in that time.
    TimedOut(Duration),
    /// More than so many bytes came in answer.
    TooMuch(u64),
    /// Somebody asked to stop.
    Stopped,
}

impl std::error::Error for Broken {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.how {
            How::Lost(error) => Some(error),
            _ => None,
        }
    }
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let endpoint = &self.endpoint;
        match &self.how {
            How::Lost(error) => write!(f, "lost the connection to {endpoint}: {error}"),
            How::TimedOut(limit) => {
                write!(f, "{endpoint} did not answer within {} s", limit.as_secs_f64())
            }
            How::TooMuch(most) => {
                write!(f, "{endpoint} sent more than {} MiB in answer", most >> 20)
            }
            How::Stopped => f.write_str("stopped"),
        }
    }
}

impl Broken {
    /// What an error of the transport means.
    pub fn new(error: io::Error, endpoint: &Endpoint) -> Self {
        let how = match Cut::find_in(&error) {
            Some(Cut::Stopped) => How::Stopped,
            Some(Cut::TimedOut(limit)) => How::TimedOut(limit),
            Some(Cut::TooMuch(most)) => How::TooMuch(most),
            None => How::Lost(error),
        };
        Self { endpoint: endpoint.clone(), how }
    }

    /// A connection that is not used again after an error.
    pub fn given_up(endpoint: &Endpoint) -> Self {
        let reason = "the connection was given up after an earlier error";
        let how = How::Lost(io::Error::new(io::ErrorKind::NotConnected, reason));
        Self { endpoint: endpoint.clone(), how }
    }

    /// The failure that it makes of what was being done, which `doing` says. `look` says where to
    /// see what a slow server is busy with.
    pub fn failure(&self, doing: &str, look: &str) -> Failure {
        let (kind, remedy) = match self.how {
            How::Lost(_) => (
                FailureKind::ServerLost,
                "see whether the server runs, and look into its error log",
            ),
            How::TimedOut(_) => (FailureKind::TimedOut, look),
            How::TooMuch(_) => (
                FailureKind::Other,
                "check that the address is that of the server, and connect without a proxy",
            ),
            How::Stopped => return Failure::stopped(),
        };
        Failure::new(kind, format!("{doing}: {self}"), remedy)
    }
}
