//! What lies on the way from a load to its server because a study wants it there.

use crate::Endpoint;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display};
use std::time::Duration;

/// The way of a target's loads. Control connections go directly.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetworkPath {
    /// By how much each round trip is longer: half of it in either direction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Duration>,
    /// A pooler or proxy before the server, which the loads go through.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<Proxy>,
    /// Whether the connections are encrypted; as the login says when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tls: Option<bool>,
}

/// What loads go through.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Proxy {
    /// It runs already, and listens there.
    Running(Endpoint),
    /// Weighin starts one before a private server.
    Private(ProxyProgram),
}

impl Display for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Running(endpoint) => endpoint.fmt(f),
            Self::Private(program) => program.name().fmt(f),
        }
    }
}

/// A program that weighin starts before a private server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProxyProgram {
    /// Shares few sessions of PostgreSQL among many clients, each for a transaction at a time.
    PgBouncer,
    /// Forwards TCP connections, each by one of its own.
    HaProxy,
}

impl ProxyProgram {
    pub const ALL: [Self; 2] = [Self::PgBouncer, Self::HaProxy];

    pub fn name(self) -> &'static str {
        match self {
            Self::PgBouncer => "PgBouncer",
            Self::HaProxy => "HAProxy",
        }
    }

    /// As a study names it.
    pub fn key(self) -> &'static str {
        match self {
            Self::PgBouncer => "pgbouncer",
            Self::HaProxy => "haproxy",
        }
    }
}

impl NetworkPath {
    /// The label of targets that differ in their delay.
    pub const DELAY: &str = "delay";
    /// That of targets that differ in their pooler or proxy.
    pub const PROXY: &str = "proxy";
    /// That of targets of which some are encrypted.
    pub const TLS: &str = "TLS";

    /// Longest delay: around the world and back by satellite, twice.
    pub const LONGEST_DELAY: Duration = Duration::from_secs(2);
}

/// What was measured of a delay on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DelayMeasured {
    /// The round-trip time that was asked for.
    pub asked: Duration,
    /// By how much a round trip of one byte was longer because of it, before the load: the median.
    pub before_ms: Option<f64>,
    /// The same beside the load while that was measured: the mean, and the 95th percentile. Absent
    /// where the load was too short for any.
    pub beside_ms: Option<f64>,
    pub beside_p95_ms: Option<f64>,
    /// Round trips of one byte while the load was measured.
    pub echoes: u64,
    /// How often a client of the load asked in the measured phase after it had an answer: requests that
    /// are sent together are one round trip.
    pub round_trips: u64,
    /// Processor time of what delayed, in the measured phase, in seconds. It is no part of the load
    /// generator's.
    pub cpu_seconds: f64,
}

impl DelayMeasured {
    /// By how much round trips were longer, as far as that is known.
    pub fn added_ms(&self) -> Option<f64> {
        self.beside_ms.or(self.before_ms)
    }
}
