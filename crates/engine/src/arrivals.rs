use crate::Nanos;
use model::{ArrivalProcess, RateStretch};
use serde::{Deserialize, Serialize};
use std::time::Duration;
use workload::Stream;

/// An open loop: operations arrive at a rate, whether or not the server keeps up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OpenLoop {
    /// Operations per second; greater than 0. Over the measured phase where there is a `course`.
    pub rate: f64,
    /// How many are offered over time, where that changes: in order, from the start of the load on. After
    /// the last it stays as that ends.
    pub course: Vec<RateStretch>,
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
    course: Option<Course>,
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
            course: Course::new(&open.course, workers),
            stream: Stream::new(open.seed, "arrivals", u64::from(index)),
            next: 0.0,
            taken: (Nanos(0), 0),
        };
        match open.process {
            // Workers take turns.
            ArrivalProcess::Uniform => arrivals.go_on(f64::from(index) / f64::from(workers)),
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
        let distances = match self.process {
            ArrivalProcess::Uniform => 1.0,
            // Distances of a Poisson process are exponential: −ln(1 − u) × mean.
            ArrivalProcess::Poisson => -(1.0 - self.stream.unit()).ln(),
        };
        self.go_on(distances);
    }

    /// Moves the next arrival on by so many mean distances.
    fn go_on(&mut self, distances: f64) {
        self.next = match &mut self.course {
            None => self.next + distances * self.mean,
            Some(course) => course.after(self.next, distances),
        };
    }
}

/// One worker's share of a rate that changes, as the mean distances that pass: a Poisson process of
/// a changing rate is one of rate 1 in that time (E. Çinlar, *Introduction to Stochastic Processes*, 1975).
#[derive(Debug)]
struct Course {
    /// Ascending; the last has no end.
    stretches: Vec<Share>,
    /// The one that the next arrival is in.
    now: usize,
}

/// Of a stretch, in nanoseconds since the start of the load and arrivals a nanosecond.
#[derive(Debug)]
struct Share {
    begin: f64,
    end: f64,
    rate: f64,
    slope: f64,
}

impl Course {
    fn new(course: &[RateStretch], workers: u32) -> Option<Self> {
        let share = |rate: f64| rate / f64::from(workers) / 1e9;
        let mut begin = 0.0;
        let mut stretches: Vec<Share> = course
            .iter()
            .map(|stretch| {
                let end = stretch.until.as_nanos() as f64;
                let (rate, to) = (share(stretch.from), share(stretch.to));
                let slope = if end > begin { (to - rate) / (end - begin) } else { 0.0 };
                let share = Share { begin, end, rate, slope };
                begin = end;
                share
            })
            .collect();
        let rate = share(course.last()?.to);
        stretches.push(Share { begin, end: f64::INFINITY, rate, slope: 0.0 });
        Some(Self { stretches, now: 0 })
    }

    /// The moment so many mean distances after another; none comes after an end at rate 0.
    fn after(&mut self, mut at: f64, mut distances: f64) -> f64 {
        while let Some(share) = self.stretches.get(self.now) {
            let rate = share.rate + share.slope * (at - share.begin);
            // Where the integral of the rate reaches the distances: the root of a quadratic equation, in the
            // form that also holds without a slope.
            let square = rate * rate + 2.0 * share.slope * distances;
            let further = 2.0 * distances / (rate + square.max(0.0).sqrt());
            if square >= 0.0 && at + further <= share.end {
                return at + further;
            }
            distances -= (rate + share.slope * (share.end - at) / 2.0) * (share.end - at);
            distances = distances.max(0.0);
            at = share.end;
            self.now += 1;
        }
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(process: ArrivalProcess) -> OpenLoop {
        OpenLoop {
            rate: 1_000.0,
            course: Vec::new(),
            process,
            max_waiting: 10,
            drops_late: false,
            seed: 5,
        }
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

    /// 100/s for ten seconds, up to 1,000/s in four, there for ten, nothing for two, 50/s from then on.
    fn changing(process: ArrivalProcess) -> OpenLoop {
        let stretch =
            |seconds, from, to| RateStretch { until: Duration::from_secs(seconds), from, to };
        let course = vec![
            stretch(10, 100.0, 100.0),
            stretch(14, 100.0, 1_000.0),
            stretch(24, 1_000.0, 1_000.0),
            stretch(26, 0.0, 0.0),
            stretch(30, 50.0, 50.0),
        ];
        OpenLoop { course, ..open(process) }
    }

    #[test]
    fn a_rate_that_changes_is_offered_as_it_changes() {
        let asked = [(0, 10, 1_000), (10, 14, 2_200), (14, 24, 10_000), (24, 26, 0), (26, 40, 700)];
        for (process, workers) in [
            (ArrivalProcess::Uniform, 1),
            (ArrivalProcess::Uniform, 3),
            (ArrivalProcess::Poisson, 1),
            (ArrivalProcess::Poisson, 2),
        ] {
            let times = times(&changing(process), workers, 40_000_000_000);
            for (from, until, count) in asked {
                let within = (from * 1_000_000_000)..(until * 1_000_000_000_u64);
                let seen = times.iter().filter(|at| within.contains(at)).count() as f64;
                let by_chance = match process {
                    ArrivalProcess::Uniform => f64::from(workers) + 1.0,
                    ArrivalProcess::Poisson => 4.0 * f64::sqrt(f64::from(count)),
                };
                let off = (seen - f64::from(count)).abs();
                assert!(off <= by_chance, "{process:?} by {workers}, {from} to {until}: {seen}");
            }
        }
    }

    #[test]
    fn nothing_comes_after_an_end_at_rate_zero() {
        let stretch = |seconds, rate| RateStretch {
            until: Duration::from_secs(seconds),
            from: rate,
            to: rate,
        };
        let course = vec![stretch(1, 10.0), stretch(2, 0.0)];
        let open = OpenLoop { course, ..open(ArrivalProcess::Uniform) };
        let count = times(&open, 1, u64::MAX - 1).len();
        assert!((10..=11).contains(&count), "{count}");
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
