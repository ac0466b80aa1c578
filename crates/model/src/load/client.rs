use serde::{Deserialize, Serialize};
use std::time::Duration;

/// How bytes are moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum IoMethod {
    /// Readiness by epoll, a system call for each send and each receive.
    #[default]
    Epoll,
    /// Batches through io_uring.
    IoUring,
    /// Reads and writes of storage that block, each in a thread of its own.
    Threads,
}

impl IoMethod {
    /// The name that results and the command line use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Epoll => "epoll",
            Self::IoUring => "io_uring",
            Self::Threads => "threads",
        }
    }
}

/// How late replies were noticed: from the kernel's receive time stamp to the moment at which the
/// engine woke up and took them. Latencies end at the kernel's time stamp, so this is no part of
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ReceiveDelay {
    /// Replies with a time stamp.
    pub replies: u64,
    /// Median in milliseconds.
    pub p50_ms: f64,
    /// 99th percentile in milliseconds.
    pub p99_ms: f64,
    /// Longest in milliseconds.
    pub max_ms: f64,
}

/// Packets of TCP with or without data, both ways.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packets {
    pub sent: u64,
    pub received: u64,
}

impl Packets {
    /// Both together; what is not known of one is not known of both.
    pub fn together(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        let (one, other) = one.zip(other)?;
        Some(Self { sent: one.sent + other.sent, received: one.received + other.received })
    }

    /// What came on top of an earlier count.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            sent: self.sent.saturating_sub(earlier.sent),
            received: self.received.saturating_sub(earlier.received),
        }
    }
}

/// Operations a second that a load generator did for a moment, on threads of this host that answer at
/// once, with as many clients as the load has.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkersTried {
    /// With few workers, as for many clients.
    pub few_per_second: f64,
    /// With a worker on each processor.
    pub each_per_second: f64,
}

impl WorkersTried {
    /// How much more a worker on each processor has to do: less is noise of so short a trial.
    const GAIN: f64 = 1.03;

    pub fn suits_each_processor(&self) -> bool {
        self.each_per_second > Self::GAIN * self.few_per_second
    }
}

/// What the load generator itself used in the measured phase; where several processes made the
/// load, all of them together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClientCost {
    /// Threads that drive connections.
    pub workers: u32,
    /// By what their number was chosen, where both ways were tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workers_tried: Option<WorkersTried>,
    /// Processors that the load generator may use.
    pub cpus_allowed: u32,
    /// User and system time of the process, in seconds.
    pub cpu_seconds: f64,
    /// CPU time of the busiest worker over the length of the phase: 1 is a saturated thread.
    pub busiest_worker: f64,
    /// Highest resident set of the process so far, in bytes.
    pub peak_rss_bytes: u64,
    /// Longest time between two waits of an event loop: replies could go unnoticed for so long.
    pub max_loop_lag: Duration,
    /// How bytes were moved.
    pub io: IoMethod,
    /// How late replies were noticed; absent where the kernel gives no receive time stamps (Unix
    /// sockets, TLS).
    pub receive_delay: Option<ReceiveDelay>,
    /// Packets of TCP that its connections sent and received after the last of them had logged in, over
    /// all phases, as the kernel counted them for each. Absent where connections are of Unix sockets, or
    /// one was made anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub packets: Option<Packets>,
    /// Closed loop: time from a reply to the next request of the same client, in seconds, summed
    /// over the measured phase. Unwanted think time: clients = throughput × (latency + this ÷
    /// transactions).
    pub client_delay_seconds: f64,
    /// Time for which clients paused by their own will (`think_time`, `\sleep`), in seconds, summed over
    /// them and the measured phase: part of the load that was asked for.
    pub paused_seconds: f64,
}
