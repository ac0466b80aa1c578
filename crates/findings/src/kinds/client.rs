//! Whether the load generator was the bottleneck.

use crate::Severity;
use serde::Serialize;
use std::time::Duration;
use crate::kind::{FindingKind, Group};
use crate::numbers::{count, duration, figure, list, percents};

/// Check 3: the client used too much of the processor time that it may use.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClientBusy {
    /// CPU time of the busiest worker over the length of the phase.
    pub busiest_worker: f64,
    /// Share of the processors allowed to the client that it used.
    pub share_of_allowed: f64,
    /// Longest time between two waits of an event loop.
    pub max_loop_lag: Duration,
}

impl ClientBusy {
    /// Share of the processor time that the client may use, of one thread or of all that it may run
    /// on, above which it may have been the client that was measured.
    pub const BUSY: f64 = 0.8;
}

impl FindingKind for ClientBusy {
    const HEADING: &'static str = "Busy load generator";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let lag = found.iter().map(|busy| busy.max_loop_lag).max().unwrap_or_default();
        let busiest = found.range(|busy| busy.busiest_worker);
        let of_allowed = found.range(|busy| busy.share_of_allowed);
        let (threads, all) = (percents(busiest), percents(of_allowed));
        // It was held up while it had processors to spare: something else kept it from running.
        if busiest.1 <= ClientBusy::BUSY && of_allowed.1 <= ClientBusy::BUSY {
            return format!(
                "the load generator was held up: a reply may have waited up to {} before it was read, \
                 although its busiest thread used only {threads} of a processor",
                duration(lag),
            );
        }
        format!(
            "the load generator may have been the bottleneck: its busiest thread used {threads} of a \
             processor, all its threads used {all} of the processors allowed to it, and a reply may \
             have waited up to {} before it was read",
            duration(lag),
        )
    }
}

/// How far apart the parts of a load on several machines began.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StartSpread {
    /// From the first to the last of them, in seconds, by their clocks.
    pub seconds: f64,
    /// By how much that may be wrong, in seconds: as much as two of the clocks may be.
    pub uncertainty_seconds: f64,
}

/// Check 3: another machine that makes the load had too little processor time left.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LoadHostBusy {
    /// By its name in the study.
    pub host: String,
    /// Mean share of all its processors' time in use, 0 to 1.
    pub busy: f64,
}

impl FindingKind for LoadHostBusy {
    const HEADING: &'static str = "Busy load host";
    const TOGETHER: bool = true;

    fn is_like(&self, other: &Self) -> bool {
        self.host == other.host
    }

    fn say(found: &Group<'_, Self>) -> String {
        format!(
            "the load host {} may have been the bottleneck: {} of its processors were in use",
            found.first.host,
            percents(found.range(|host| host.busy)),
        )
    }
}

/// Check 3: parts of a load on several machines may have begun too far apart to be one load.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct UnevenStart {
    #[serde(flatten)]
    pub spread: StartSpread,
    /// How long was measured, in seconds.
    pub measured_seconds: f64,
}

impl FindingKind for UnevenStart {
    const HEADING: &'static str = "Uneven start";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let most = found.most(|start| start.spread.seconds + start.spread.uncertainty_seconds);
        format!(
            "the load hosts may have begun up to {} ms apart: for that long at the beginning and \
             at the end, the load was lighter than the test specifies",
            figure(most * 1e3),
        )
    }
}

/// Load hosts that the study does not require made no part of a load, because they were not there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MadeWithout {
    /// As the study calls them.
    pub hosts: Vec<String>,
}

impl FindingKind for MadeWithout {
    const HEADING: &'static str = "Absent load host";
    const TOGETHER: bool = true;

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn is_like(&self, other: &Self) -> bool {
        self.hosts == other.hosts
    }

    fn say(found: &Group<'_, Self>) -> String {
        let hosts = &found.first.hosts;
        let were = if hosts.len() == 1 { "was" } else { "were" };
        format!(
            "the load was made without {}, which {were} not there; the other load hosts had all clients",
            list(hosts),
        )
    }
}

/// Closed loop: the client took so long to its next requests that the load was lighter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ClientDelay {
    /// Share of the time of all clients that went by between a reply and the next request.
    pub share: f64,
    /// Mean time from a reply to the next request, in milliseconds.
    pub mean_ms: f64,
}

impl FindingKind for ClientDelay {
    const HEADING: &'static str = "Client delay";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        format!(
            "client delay, the time from a reply to the next request, took {} of each cycle (up to \
             {} ms on average), so the load was lighter than the test specifies",
            percents(found.range(|delay| delay.share)),
            figure(found.most(|delay| delay.mean_ms)),
        )
    }
}

/// Check 3: a load generator whose share of the load was not the one that it should have had.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct UnevenLoad {
    /// Its number, from 1.
    pub generator: u32,
    pub generators: u32,
    /// Transactions that succeeded in the measured phase over its connections.
    pub transactions: u64,
    /// How many would have been its share.
    pub fair: f64,
}

impl FindingKind for UnevenLoad {
    const HEADING: &'static str = "Uneven load";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let share = percents(found.range(|load| load.transactions as f64 / load.fair));
        let Self { generator, generators, transactions, .. } = found.first;
        let (who, how_many) = if found.is_one() {
            let number = count(*transactions);
            (format!("load generator {generator} of {generators}"), format!(" ({number})"))
        } else {
            ("one of the load generators".to_owned(), String::new())
        };
        format!(
            "{who} completed {share} of its share of the {}{how_many}, so the load was uneven; the \
             test specifies clients that are all alike",
            found.counted.many,
        )
    }
}
