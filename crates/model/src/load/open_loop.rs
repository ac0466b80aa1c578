use super::{LoadResult, RateStretch};
use crate::Latencies;
use serde::{Deserialize, Serialize};

/// How operations arrive in an open loop.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum ArrivalProcess {
    /// At random, independently of each other, as from many users.
    #[default]
    Poisson,
    /// At equal intervals.
    Uniform,
}

impl ArrivalProcess {
    /// Both, in the order in which help texts list them.
    pub const ALL: [Self; 2] = [Self::Poisson, Self::Uniform];

    /// The name that study files and the command line use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Poisson => "poisson",
            Self::Uniform => "uniform",
        }
    }
}

/// What an open loop adds to a result. The result's latencies are response times then: from the
/// scheduled start to the reply, of every operation scheduled in the measured phase, whenever it
/// was answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenLoopResult {
    /// Operations per second that were asked for; over the measured phase where they follow a profile.
    pub rate: f64,
    /// How they were spread in time.
    pub process: ArrivalProcess,
    /// Operations scheduled in the measured phase.
    pub scheduled: u64,
    /// Of those, how many were answered without error, whenever that was.
    pub answered: u64,
    /// Service times of those: from sending the first byte to receiving the last.
    pub service_times: Latencies,
    /// How late those began: from the scheduled start to sending the first byte.
    pub schedule_lags: Latencies,
    /// How many operations may wait for a client before more are dropped.
    pub max_waiting: u64,
    /// How many waited at most.
    pub most_waiting: u64,
    /// What was asked for over time, in order, where that followed a profile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub course: Vec<RateStretch>,
}

/// Share of the offered operations that must be answered for a rate to count as achieved.
const ACHIEVED: f64 = 0.99;

/// Standard deviations of a Poisson variable by which the operations under way at one moment may
/// lie above their mean by chance.
const STANDARD_DEVIATIONS: f64 = 3.0;

/// Mean service times after which as much is under way as ever at a rate that is kept up with.
const SETTLED: f64 = 3.0;

impl LoadResult {
    /// Whether the server fell behind the offered rate: fewer than 99 % of the operations of the
    /// measured phase were answered within it. Never in a closed loop.
    ///
    /// An operation that is under way when the phase ends is no sign of falling behind, and where
    /// few are measured such operations alone may be more than 1 %. So the shortfall must also
    /// exceed what may be under way at one moment: on average L = rate × mean service time (Little's
    /// law), no more than there are connections; by chance up to L + 3 √L, as of a Poisson variable,
    /// rounded up to whole operations.
    ///
    /// A server that is behind has much in hand because it is behind, which would excuse it. So it
    /// is also held to what it finished in the phase, whenever that began: where it keeps up, as
    /// much is under way at the end as at the beginning, give or take the difference of two Poisson
    /// variables with the mean L, 3 √(2 L). At the beginning as much is under way as ever after a
    /// warm-up of several service times; after a shorter one it may be nothing, and L more are
    /// excused, provided that the phase itself lasts for several service times.
    pub fn is_overloaded(&self) -> bool {
        self.open.as_ref().is_some_and(|open| {
            let finished = self.measure.transactions;
            let behind = |done: u64, excused: f64| {
                let tolerated = (1.0 - ACHIEVED) * open.scheduled as f64;
                open.scheduled.saturating_sub(done) as f64 > tolerated.max(excused.ceil())
            };
            let service_seconds = open.service_times.mean_ms().unwrap_or(0.0) / 1e3;
            let in_hand = (open.rate * service_seconds).min(self.clients.into());
            let several = SETTLED * service_seconds;
            let settled = self.warmup.elapsed.as_secs_f64() >= several;
            let long = self.measure.elapsed.as_secs_f64() >= several;
            let missing_at_first = if !settled && long { in_hand } else { 0.0 };
            behind(finished.min(open.answered), in_hand + STANDARD_DEVIATIONS * in_hand.sqrt())
                || behind(finished, missing_at_first + STANDARD_DEVIATIONS * (2.0 * in_hand).sqrt())
        })
    }
}
