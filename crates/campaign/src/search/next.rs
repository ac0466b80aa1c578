//! Which load a search tries next.
//!
//! Latency grows with load by factors, and near the end of capacity steeply; so loads lie on a
//! geometric scale. The search goes up, or down, until one load met the bound and a higher one did
//! not, and then halves what lies between. A load whose figure is near the bound is decided by
//! little more than chance: it is tried a second time, and both runs count together. So is, at the
//! end, the lowest load that did not meet the bound, if it was tried only once: early in the search
//! a stall that has nothing to do with the load would otherwise decide the answer.

use model::{Bound, SearchAnswer, SearchOver, SearchStep, StepVerdict};

/// Most steps of a search.
pub(crate) const MAX_STEPS: usize = 16;
/// The search ends where the lowest load that missed the bound is at most this many times the
/// highest that met it.
const FINE: f64 = 1.05;
/// A figure within this factor of the bound, or a rate not achieved by less, is repeated. In a
/// step of some thousand transactions near the end of capacity, percentiles scatter by about this.
const NEAR: f64 = 1.15;
/// Shares of processor time within this factor of their bound are, too: they scatter by less.
const NEAR_BUSY: f64 = 1.05;
/// Below this share of the capacity no rate is tried.
const LOWEST_SHARE: f64 = 0.01;
/// Shares that go down to the lowest do it by these factors, the last one as often as it takes.
const DESCENT: [f64; 3] = [2.0, 4.0, 8.0];

/// Where a search may go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SearchRange {
    over: SearchOver,
    lowest: f64,
    start: f64,
    highest: f64,
    /// By how much to go up while every load meets the bound.
    ascent: f64,
}

impl SearchRange {
    /// Rates, for a server that gave so many transactions per second in a closed loop; `highest`
    /// is what the load generator can offer at most.
    pub(crate) fn rates(capacity: f64, highest: f64) -> Self {
        let ascent = std::f64::consts::SQRT_2;
        Self {
            over: SearchOver::Rate,
            lowest: rounded(SearchOver::Rate, (capacity * LOWEST_SHARE).min(highest)),
            start: rounded(SearchOver::Rate, (capacity / ascent).min(highest)),
            highest,
            ascent,
        }
    }

    /// Numbers of clients from 1 to `most`.
    pub(crate) fn clients(most: u32) -> Self {
        let highest = f64::from(most.max(1));
        let start = rounded(SearchOver::Clients, highest.sqrt());
        Self { over: SearchOver::Clients, lowest: 1.0, start, highest, ascent: 2.0 }
    }

    /// The load to try after these steps; `None` when the search is over.
    pub(crate) fn next(&self, bound: &Bound, steps: &[SearchStep]) -> Option<f64> {
        let Some(last) = steps.last() else { return Some(self.start) };
        if steps.len() >= MAX_STEPS {
            return None;
        }
        if !last.repeated && is_near(self.over, bound, last) {
            return Some(last.load);
        }
        let SearchAnswer { met, missed } = SearchAnswer::from_steps(steps);
        let wanted = match (met, missed) {
            (Some(met), Some(missed)) if self.is_fine(met, missed) => {
                let once = steps.iter().filter(|step| step.load == missed).count() < 2;
                return once.then_some(missed);
            }
            (Some(met), Some(missed)) => (met * missed).sqrt(),
            (Some(met), None) => (met * self.ascent).min(self.highest),
            (None, Some(missed)) => (missed / descent(steps)).max(self.lowest),
            (None, None) => self.start,
        };
        let load = rounded(self.over, wanted);
        // At an end there is nothing new left to try.
        (Some(load) != met && Some(load) != missed).then_some(load)
    }

    fn is_fine(&self, met: f64, missed: f64) -> bool {
        missed <= met * FINE || (self.over == SearchOver::Clients && missed <= met + 1.0)
    }
}

/// By how much to go down after these steps, none of which met the bound.
fn descent(steps: &[SearchStep]) -> f64 {
    let tried = steps.iter().filter(|step| !step.repeated).count();
    DESCENT[tried.clamp(1, DESCENT.len()) - 1]
}

/// Whether chance may have decided the step.
fn is_near(over: SearchOver, bound: &Bound, step: &SearchStep) -> bool {
    let within =
        |value: f64, limit: f64, factor: f64| value <= limit * factor && value >= limit / factor;
    let near = |value, limit| within(value, limit, NEAR);
    match step.verdict {
        StepVerdict::FellBehind => over == SearchOver::Rate && near(step.achieved, step.load),
        StepVerdict::Disturbed => true,
        StepVerdict::Met | StepVerdict::Missed | StepVerdict::TooBusy | StepVerdict::Lagging => {
            let latency = step.figure_ms.zip(bound.slo);
            let busy = step.cpu_busy.zip(bound.cpu_percent);
            let lag = step.lag_ms.zip(bound.replica_lag_ms);
            latency.is_some_and(|(figure, slo)| near(figure, slo.bound_ms))
                || lag.is_some_and(|(lag, most)| near(lag, most as f64))
                || busy.is_some_and(|(share, percent)| {
                    within(share * 100.0, percent.into(), NEAR_BUSY)
                })
        }
    }
}

/// Loads that read well: whole clients, rates of three digits.
fn rounded(over: SearchOver, load: f64) -> f64 {
    match over {
        SearchOver::Clients => load.round().max(1.0),
        SearchOver::Rate => {
            // Dividing by a power of ten is exact where multiplying by its inverse is not.
            let digits = 2 - load.log10().floor() as i32;
            let scale = 10_f64.powi(digits.abs());
            if digits >= 0 {
                (load * scale).round() / scale
            } else {
                (load / scale).round() * scale
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::Latencies;
    use std::time::Duration;
    use workload::Stream;

    const SECONDS: f64 = 4.0;

    /// A queue with one server: arrivals and services at random, so that p95 of the time in it is
    /// ln 20 ÷ (capacity − rate).
    struct Queue {
        capacity: f64,
        stream: Stream,
    }

    impl Queue {
        fn new(capacity: f64, seed: u64) -> Self {
            Self { capacity, stream: Stream::new(seed, "queue", 0) }
        }

        fn exponential(&mut self, mean: f64) -> f64 {
            -(1.0 - self.stream.unit()).ln() * mean
        }

        /// Offers a rate after a second of warm-up: the response times, and the share of those due
        /// in the window that were answered in it.
        fn offer(&mut self, rate: f64) -> (Latencies, f64) {
            let (mut now, mut free_at) = (-1.0, -1.0_f64);
            let mut latencies = Latencies::new();
            let (mut due, mut in_time) = (0_u32, 0_u32);
            loop {
                now += self.exponential(1.0 / rate);
                if now >= SECONDS {
                    return (latencies, f64::from(in_time) / f64::from(due.max(1)));
                }
                free_at = free_at.max(now) + self.exponential(1.0 / self.capacity);
                if now >= 0.0 {
                    due += 1;
                    in_time += u32::from(free_at < SECONDS);
                    latencies.record(Duration::from_secs_f64(free_at - now));
                }
            }
        }

        /// A whole search.
        fn search(&mut self, bound: &Bound, range: &SearchRange) -> Vec<SearchStep> {
            let slo = bound.slo.unwrap();
            let mut steps: Vec<SearchStep> = Vec::new();
            let mut results: Vec<Latencies> = Vec::new();
            while let Some(load) = range.next(bound, &steps) {
                let earlier = steps.iter().position(|step| step.load == load);
                let repeated = earlier.is_some();
                let (mut latencies, share) = self.offer(load);
                let figure_ms = slo.figure.value_in(&latencies);
                if let Some(earlier) = earlier {
                    latencies.merge(&results[earlier]);
                }
                let met = slo.figure.value_in(&latencies).is_some_and(|ms| slo.is_met_by(ms));
                let verdict = match (share >= 0.98, met) {
                    (false, _) => StepVerdict::FellBehind,
                    (true, true) => StepVerdict::Met,
                    (true, false) => StepVerdict::Missed,
                };
                let measured = Duration::from_secs_f64(SECONDS);
                let achieved = load * share;
                let cpu_busy = None;
                steps.push(SearchStep {
                    load,
                    achieved,
                    figure_ms,
                    cpu_busy,
                    cpu_others: None,
                    lag_ms: None,
                    repeated,
                    verdict,
                    measured,
                });
                results.push(latencies);
            }
            steps
        }
    }

    fn slo(text: &str) -> Bound {
        Bound::latency(text.parse().unwrap())
    }

    #[test]
    fn the_answer_is_right_and_the_steps_are_few_over_many_seeds() {
        const SEEDS: u64 = 200;
        let slo = slo("p95 < 20ms");
        let capacity = 1_000.0;
        let truth = capacity - 20_f64.ln() / 0.020;
        let (mut near, mut steps_of_all) = (0, 0);
        for seed in 0..SEEDS {
            let mut queue = Queue::new(capacity, seed);
            // What a closed loop says of the capacity is off by up to a fifth.
            let seen = capacity * (0.8 + 0.4 * queue.stream.unit());
            let steps = queue.search(&slo, &SearchRange::rates(seen, 1e7));
            assert!(steps.len() <= MAX_STEPS);
            steps_of_all += steps.len();
            let answer = SearchAnswer::from_steps(&steps);
            let (middle, _) = answer.middle(SearchOver::Rate).expect("both ends are in reach");
            assert!(answer.missed <= answer.met.map(|met| met * FINE) || steps.len() == 16);
            near += u64::from((middle / truth - 1.0).abs() < 0.06);
        }
        let mean_steps = steps_of_all as f64 / SEEDS as f64;
        assert!(near as f64 >= 0.9 * SEEDS as f64, "{near} of {SEEDS} within 6 %");
        assert!(mean_steps < 10.0, "{mean_steps} steps on average");
    }

    #[test]
    fn one_stall_at_a_load_that_keeps_the_bound_does_not_decide_the_answer() {
        let slo = slo("p95 < 20ms");
        let range = SearchRange::rates(1_000.0, 1e7);
        let mut steps = Vec::new();
        let first = range.next(&slo, &steps).unwrap();
        let step = |load, figure, repeated, verdict| SearchStep {
            load,
            achieved: load,
            figure_ms: Some(figure),
            cpu_busy: None,
            cpu_others: None,
            lag_ms: None,
            repeated,
            verdict,
            measured: Duration::from_secs(1),
        };
        steps.push(step(first, 90.0, false, StepVerdict::Missed));
        while let Some(load) = range.next(&slo, &steps) {
            let repeated = load == first;
            steps.push(step(load, 5.0, repeated, StepVerdict::Met));
            if repeated {
                break;
            }
        }
        assert!(steps.last().is_some_and(|last| last.repeated), "{steps:?}");
        assert!(range.next(&slo, &steps).is_some_and(|next| next > first));
    }

    #[test]
    fn a_bound_that_no_load_keeps_ends_soon_at_the_lowest() {
        let slo = slo("p95 < 1ms");
        let steps = Queue::new(1_000.0, 1).search(&slo, &SearchRange::rates(1_000.0, 1e7));
        assert_eq!(
            SearchAnswer::from_steps(&steps),
            SearchAnswer { met: None, missed: Some(10.0) }
        );
        assert!(steps.len() <= 6, "{steps:?}");
    }

    #[test]
    fn a_bound_that_every_load_keeps_ends_at_the_highest() {
        let slo = slo("p95 < 1s");
        let steps = Queue::new(100_000.0, 1).search(&slo, &SearchRange::rates(5_000.0, 8_000.0));
        assert_eq!(
            SearchAnswer::from_steps(&steps),
            SearchAnswer { met: Some(8_000.0), missed: None }
        );
    }

    #[test]
    fn clients_are_found_to_the_very_number() {
        let slo = slo("mean <= 10ms");
        for most_that_meet in [1, 2, 7, 16, 17, 100, 128] {
            let mut steps: Vec<SearchStep> = Vec::new();
            let range = SearchRange::clients(128);
            while let Some(load) = range.next(&slo, &steps) {
                // A step from one number to the next, as with a limit of the server.
                let met = load <= f64::from(most_that_meet);
                steps.push(SearchStep {
                    load,
                    achieved: load,
                    figure_ms: Some(if met { 5.0 } else { 20.0 }),
                    cpu_busy: None,
                    cpu_others: None,
                    lag_ms: None,
                    repeated: steps.iter().any(|step| step.load == load),
                    verdict: if met { StepVerdict::Met } else { StepVerdict::Missed },
                    measured: Duration::from_secs(1),
                });
            }
            let answer = SearchAnswer::from_steps(&steps);
            let met = answer.met.expect("one client meets the bound");
            let most_that_meet = f64::from(most_that_meet);
            assert!(met <= most_that_meet && met * FINE >= most_that_meet, "{answer:?}");
            assert_eq!(answer.missed.is_none(), most_that_meet == 128.0);
            assert!(steps.len() <= MAX_STEPS, "{steps:?}");
        }
    }

    #[test]
    fn a_step_near_the_bound_is_repeated_once_and_no_more() {
        let slo = slo("p95 < 10ms");
        let range = SearchRange::rates(1_414.2, 1e7);
        let step = |repeated, figure| SearchStep {
            load: 1_000.0,
            achieved: 1_000.0,
            figure_ms: Some(figure),
            cpu_busy: None,
            cpu_others: None,
            lag_ms: None,
            repeated,
            verdict: StepVerdict::Met,
            measured: Duration::from_secs(1),
        };
        assert_eq!(range.next(&slo, &[]), Some(1_000.0));
        assert_eq!(range.next(&slo, &[step(false, 9.5)]), Some(1_000.0));
        assert_eq!(range.next(&slo, &[step(false, 9.5), step(true, 9.5)]), Some(1_410.0));
        assert_eq!(range.next(&slo, &[step(false, 5.0)]), Some(1_410.0));
    }

    #[test]
    fn a_limit_of_processor_time_alone_is_searched_for_as_well() {
        let bound = Bound { cpu_percent: Some(60), ..Bound::default() };
        let range = SearchRange::rates(10_000.0, 1e7);
        let mut steps: Vec<SearchStep> = Vec::new();
        while let Some(load) = range.next(&bound, &steps) {
            // Every thousand takes a tenth of the processors.
            let busy = (load / 10_000.0).min(1.0);
            let verdict = match bound.allows_busy(busy) {
                true => StepVerdict::Met,
                false => StepVerdict::TooBusy,
            };
            steps.push(SearchStep {
                load,
                achieved: load,
                figure_ms: Some(0.2),
                cpu_busy: Some(busy),
                cpu_others: None,
                lag_ms: None,
                repeated: steps.iter().any(|step| step.load == load),
                verdict,
                measured: Duration::from_secs(1),
            });
        }
        let answer = SearchAnswer::from_steps(&steps);
        assert!(answer.met.is_some_and(|met| met <= 6_000.0 && met * FINE >= 6_000.0));
        assert!(steps.len() <= MAX_STEPS, "{steps:?}");
    }
}
