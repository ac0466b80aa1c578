use crate::Nanos;
use model::ArrivalProcess;
use serde::{Deserialize, Serialize};
use std::time::Duration;
use workload::Stream;

/// An open loop: operations arrive at a rate, whether or not the server keeps up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenLoop {
    /// Operations per second; greater than 0.
    pub rate: f64,
    /// How arrivals are spread in time.
    pub process: ArrivalProcess,
    /// How many operations may wait for a free client, over all workers; later ones are dropped.
    pub max_waiting: usize,
    /// Whether those that still wait when the time of the load is over are dropped; otherwise they
    /// begin as clients become free. Loads on storage always go on.
    pub drops_late: bool,
    /// Seeds the arrivals.
    pub seed: u64,
}

/// The moments at which one worker's operations arrive.
#[derive(Debug)]
pub(crate) struct Arrivals {
    process: ArrivalProcess,
    drops_late: bool,
    /// Mean distance of this worker's arrivals, in nanoseconds.
    mean: f64,
    stream: Stream,
    /// The next arrival, in nanoseconds since the start of the load. Kept as a fraction, so that
    /// rounding does not add up to another rate.
    next: f64,
    /// When arrivals were last taken in, and how many of them then.
    taken: (Nanos, u32),
}

/// Most arrivals that are taken in at one moment. A worker that fell behind its rate takes in the
/// rest at its next looks, between which it sees replies, and whether it is to stop.
const MAX_AT_ONCE: u32 = 100_000;

impl Arrivals {
    /// The share of worker number `index` of `workers`.
    pub(crate) fn new(open: &OpenLoop, index: u32, workers: u32) -> Self {
        let mean = 1e9 * f64::from(workers) / open.rate;
        let mut arrivals = Self {
            process: open.process,
            drops_late: open.drops_late,
            mean,
            stream: Stream::new(open.seed, "arrivals", u64::from(index)),
            next: 0.0,
            taken: (Nanos(0), 0),
        };
        match open.process {
            // Workers take turns.
            ArrivalProcess::Uniform => arrivals.next = 1e9 * f64::from(index) / open.rate,
            // The sum of independent Poisson processes is one.
            ArrivalProcess::Poisson => arrivals.advance(),
        }
        arrivals
    }

    /// The next arrival of a load that began at `start`.
    pub(crate) fn next(&self, start: Nanos) -> Nanos {
        Nanos(start.0.saturating_add(self.next as u64))
    }

    /// How long the load will have run at the next arrival.
    pub(crate) fn next_run(&self) -> Duration {
        Duration::from_nanos(self.next as u64)
    }

    /// Counts an arrival that is to be taken in at `now`; false when that would be one too many for
    /// this moment.
    pub(crate) fn may_take(&mut self, now: Nanos) -> bool {
        if self.taken.0 != now {
            self.taken = (now, 0);
        }
        self.taken.1 += 1;
        self.taken.1 <= MAX_AT_ONCE
    }

    /// Whether what waits at the end is dropped.
    pub(crate) fn drop_late(&self) -> bool {
        self.drops_late
    }

    /// Whether they are at random.
    pub(crate) fn are_random(&self) -> bool {
        self.process == ArrivalProcess::Poisson
    }

    /// The next arrival has been dealt with.
    pub(crate) fn advance(&mut self) {
        self.next += match self.process {
            ArrivalProcess::Uniform => self.mean,
            // Distances of a Poisson process are exponential: −ln(1 − u) × mean.
            ArrivalProcess::Poisson => -(1.0 - self.stream.unit()).ln() * self.mean,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(process: ArrivalProcess) -> OpenLoop {
        OpenLoop { rate: 1_000.0, process, max_waiting: 10, drops_late: false, seed: 5 }
    }

    fn times(open: &OpenLoop, workers: u32, until_ns: u64) -> Vec<u64> {
        let mut times: Vec<u64> = (0..workers)
            .flat_map(|index| {
                let mut arrivals = Arrivals::new(open, index, workers);
                std::iter::from_fn(move || {
                    let at = arrivals.next(Nanos(0)).0;
                    arrivals.advance();
                    (at < until_ns).then_some(at)
                })
            })
            .collect();
        times.sort_unstable();
        times
    }

    #[test]
    fn a_worker_far_behind_takes_in_a_part_at_each_look() {
        let mut arrivals = Arrivals::new(&open(ArrivalProcess::Uniform), 0, 1);
        for look in 1..3 {
            let taken = (0..2 * MAX_AT_ONCE).filter(|_| arrivals.may_take(Nanos(look))).count();
            assert_eq!(taken, MAX_AT_ONCE as usize);
        }
    }

    #[test]
    fn uniform_arrivals_are_equally_far_apart_also_with_several_workers() {
        for workers in [1, 3] {
            let times = times(&open(ArrivalProcess::Uniform), workers, 1_000_000_000);
            assert_eq!(times.len(), 1_000);
            assert!(times.windows(2).all(|pair| pair[1].abs_diff(pair[0] + 1_000_000) <= 1));
        }
    }

    #[test]
    fn poisson_arrivals_have_the_rate_and_the_scatter_of_a_poisson_process() {
        let times = times(&open(ArrivalProcess::Poisson), 2, 100_000_000_000);
        assert!((times.len() as f64 - 100_000.0).abs() < 1_000.0, "{}", times.len());
        let gaps: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        // The standard deviation of an exponential distribution is its mean.
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.03);
    }
}
