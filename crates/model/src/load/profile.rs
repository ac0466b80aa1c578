//! An open loop whose rate changes while it is measured, and how long a target takes until it serves each
//! new rate.

use super::{Interval, LoadResult, Phase};
use crate::Latencies;
use latency::PackedSum;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Rates that follow one another in the measured phase of one trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadProfile {
    /// At least one.
    pub stages: Vec<ProfileStage>,
}

/// A rate that is offered for some time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProfileStage {
    /// Operations per second; at least 0.
    pub rate: f64,
    /// In whole seconds, how long the rate takes to come there from that of the stage before, evenly.
    pub ramp: Duration,
    /// In whole seconds, how long it stays.
    pub hold: Duration,
}

/// A part of an open loop in which the rate changes evenly, or stays.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RateStretch {
    /// When it ends, counted from the start of the load.
    pub until: Duration,
    /// Operations per second when it begins; at least 0.
    pub from: f64,
    /// Operations per second when it ends; at least 0.
    pub to: f64,
}

impl LoadProfile {
    /// The most stages.
    pub const MAX_STAGES: usize = 1_000;

    pub fn duration(&self) -> Duration {
        self.stages.iter().map(|stage| stage.ramp + stage.hold).sum()
    }

    /// Operations per second over all of it.
    pub fn mean_rate(&self) -> f64 {
        let offered: f64 =
            pieces(&self.stretches(Duration::ZERO)).map(|piece| piece.offered()).sum();
        offered / self.duration().as_secs_f64()
    }

    /// The highest rate.
    pub fn highest(&self) -> f64 {
        self.stages.iter().map(|stage| stage.rate).fold(0.0, f64::max)
    }

    /// What a load offers that warms up so long at the first rate, and then runs it.
    pub fn stretches(&self, warmup: Duration) -> Vec<RateStretch> {
        let mut before = self.stages.first().map_or(0.0, |stage| stage.rate);
        let mut until = warmup;
        let mut stretches = vec![RateStretch { until, from: before, to: before }];
        for stage in &self.stages {
            if !stage.ramp.is_zero() {
                until += stage.ramp;
                stretches.push(RateStretch { until, from: before, to: stage.rate });
            }
            until += stage.hold;
            stretches.push(RateStretch { until, from: stage.rate, to: stage.rate });
            before = stage.rate;
        }
        stretches.retain(|stretch| !stretch.until.is_zero());
        stretches
    }
}

/// A stretch with its begin.
#[derive(Clone, Copy)]
struct Piece {
    begin: f64,
    end: f64,
    from: f64,
    to: f64,
}

fn pieces(stretches: &[RateStretch]) -> impl Iterator<Item = Piece> {
    stretches.iter().scan(0.0, |begin, stretch| {
        let end = stretch.until.as_secs_f64();
        let piece = Piece { begin: *begin, end, from: stretch.from, to: stretch.to };
        *begin = end;
        Some(piece)
    })
}

impl Piece {
    fn offered(&self) -> f64 {
        self.offered_in(self.begin, self.end)
    }

    /// Operations that are offered on average in a part of it, and of the time before and after nothing.
    fn offered_in(&self, from: f64, until: f64) -> f64 {
        let (from, until) = (from.max(self.begin), until.min(self.end));
        if until <= from {
            return 0.0;
        }
        let slope = (self.to - self.from) / (self.end - self.begin);
        let rate = |at: f64| self.from + slope * (at - self.begin);
        (rate(from) + rate(until)) / 2.0 * (until - from)
    }
}

/// What became of one stretch of the measured phase.
#[derive(Clone, Debug, PartialEq)]
pub struct StretchResult {
    pub stretch: RateStretch,
    pub length: Duration,
    /// Operations offered per second, on average.
    pub offered: f64,
    /// Operations that succeeded, per second.
    pub served: f64,
    /// Operations that failed.
    pub errors: u64,
    /// Response times of those that succeeded in it.
    pub latencies: Latencies,
    /// Of a rate that stays: from its begin until it was served, in whole intervals. Absent where that never
    /// happened, and while the rate changes.
    pub served_after: Option<Duration>,
    /// Operations that failed until then, or in all of it.
    pub errors_until_served: u64,
    /// Whether less succeeded in its last quarter than was offered.
    pub falls_short: bool,
}

impl StretchResult {
    /// Whether the rate stays.
    pub fn holds(&self) -> bool {
        self.stretch.from == self.stretch.to
    }

    /// Whether it fell behind its rate, and had not recovered when it ended.
    pub fn fell_behind(&self) -> bool {
        self.falls_short || (self.holds() && self.served_after.is_none())
    }

    /// For how long a rate that stays was not served; zero for one that changes.
    pub fn unserved(&self) -> Duration {
        match self.served_after {
            Some(after) => after,
            None if self.holds() => self.length,
            None => Duration::ZERO,
        }
    }
}

/// Share of what is offered that has to be answered, and may fail.
const ANSWERED: f64 = 0.99;
/// So many standard deviations of a Poisson variable what is answered in one interval may be off by
/// chance: of 10,000 intervals less than one is.
const BY_CHANCE: f64 = 4.0;
/// The same of a quarter of a stretch.
const BY_CHANCE_AT_LAST: f64 = 3.0;
/// So many times the median response time that a stretch ends with, an interval may have.
const SLOW: f64 = 2.0;
/// So many intervals in a row are served when a rate is.
const IN_A_ROW: usize = 3;

impl LoadResult {
    /// What became of each stretch of a load that followed a profile, of the measured phase; none of any
    /// other load.
    ///
    /// An interval (a second) is served where as much succeeded in it as was offered, within 1 % and four
    /// standard deviations of a Poisson variable, neither less nor, as while a queue is worked off, more;
    /// where at most 1 % failed; and where its median response time is at most twice the one that the
    /// stretch ends with. A rate is served from the first of three such intervals in a row on (fewer at
    /// the end of the stretch), and never where in the last quarter of the stretch less succeeded than 99 %
    /// of what was offered, less three standard deviations.
    pub fn stretches(&self) -> Vec<StretchResult> {
        let Some(open) = &self.open else { return Vec::new() };
        let measured: Vec<&Interval> =
            self.intervals.iter().filter(|interval| interval.phase == Phase::Measure).collect();
        let Some(first) = measured.first() else { return Vec::new() };
        let from = first.start.as_secs_f64();
        let pieces = pieces(&open.course).zip(&open.course);
        let result = |(piece, stretch): (Piece, &RateStretch)| {
            let of_it: Vec<&Interval> = measured
                .iter()
                .copied()
                .filter(|interval| (piece.begin..piece.end).contains(&middle(interval)))
                .collect();
            (piece.end > from && !of_it.is_empty()).then(|| result_of(piece, *stretch, &of_it))
        };
        pieces.filter_map(result).collect()
    }

    /// For how long the rates of its profile that stay were not served; absent for a load without one.
    pub fn unserved(&self) -> Option<Duration> {
        let stretches = self.stretches();
        (!stretches.is_empty()).then(|| stretches.iter().map(StretchResult::unserved).sum())
    }
}

fn middle(interval: &Interval) -> f64 {
    (interval.start + interval.length / 2).as_secs_f64()
}

fn result_of(piece: Piece, stretch: RateStretch, intervals: &[&Interval]) -> StretchResult {
    let length: Duration = intervals.iter().map(|interval| interval.length).sum();
    let seconds = length.as_secs_f64();
    let sum = |of: fn(&Interval) -> u64| intervals.iter().map(|interval| of(interval)).sum::<u64>();
    let mut latencies = PackedSum::default();
    intervals.iter().for_each(|interval| latencies.add(&interval.latencies));
    let holds = stretch.from == stretch.to;
    let last = &intervals[intervals.len() - intervals.len().div_ceil(4)..];
    let falls_short = falls_short(piece, last);
    let served_from =
        if holds && !falls_short { served_from(piece, intervals, last) } else { None };
    let until = served_from.map_or(intervals, |served| &intervals[..served]);
    StretchResult {
        stretch,
        length,
        offered: intervals.iter().map(|interval| offered(piece, interval)).sum::<f64>() / seconds,
        served: sum(|interval| interval.transactions) as f64 / seconds,
        errors: sum(|interval| interval.errors),
        latencies: latencies.pack().unpack(),
        served_after: served_from.map(|_| until.iter().map(|interval| interval.length).sum()),
        errors_until_served: until.iter().map(|interval| interval.errors).sum(),
        falls_short,
    }
}

fn offered(piece: Piece, interval: &Interval) -> f64 {
    let start = interval.start.as_secs_f64();
    piece.offered_in(start, start + interval.length.as_secs_f64())
}

/// Whether less succeeded in the last intervals of a stretch than was offered.
fn falls_short(piece: Piece, last: &[&Interval]) -> bool {
    let asked: f64 = last.iter().map(|interval| offered(piece, interval)).sum();
    let done: u64 = last.iter().map(|interval| interval.transactions).sum();
    (done as f64) < ANSWERED * asked - BY_CHANCE_AT_LAST * asked.sqrt()
}

/// The first interval from which on the rate of a stretch is served, which ends with these last ones.
fn served_from(piece: Piece, intervals: &[&Interval], last: &[&Interval]) -> Option<usize> {
    let median = |interval: &Interval| interval.latencies.unpack().percentile_ms(50.0);
    let mut typical: Vec<f64> = last.iter().filter_map(|interval| median(interval)).collect();
    typical.sort_by(f64::total_cmp);
    let typical = typical.get(typical.len() / 2).copied();
    let served: Vec<bool> = intervals
        .iter()
        .map(|interval| {
            let (asked, done) = (offered(piece, interval), interval.transactions as f64);
            let chance = BY_CHANCE * asked.sqrt() + 1.0;
            let ended = interval.transactions + interval.errors;
            let slow = median(interval).zip(typical).is_some_and(|(one, all)| one > SLOW * all);
            (ANSWERED * asked - chance..=(2.0 - ANSWERED) * asked + chance).contains(&done)
                && interval.errors as f64 <= (1.0 - ANSWERED) * ended as f64
                && !slow
        })
        .collect();
    (0..served.len()).find(|&first| served[first..].iter().take(IN_A_ROW).all(|&served| served))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ArrivalProcess, OpenLoopResult, PackedLatencies};

    const SECOND: Duration = Duration::from_secs(1);

    fn stage(rate: f64, ramp: u32, hold: u32) -> ProfileStage {
        ProfileStage { rate, ramp: ramp * SECOND, hold: hold * SECOND }
    }

    fn profile() -> LoadProfile {
        LoadProfile { stages: vec![stage(100.0, 0, 10), stage(1_000.0, 4, 20), stage(0.0, 0, 2)] }
    }

    /// A second of a load: how many succeeded and failed, and how long each took.
    fn interval(second: u32, done: u64, errors: u64, ms: f64) -> Interval {
        let mut latencies = Latencies::new();
        for _ in 0..done {
            latencies.record(Duration::from_secs_f64(ms / 1e3));
        }
        Interval {
            phase: if second < 2 { Phase::Warmup } else { Phase::Measure },
            start: second * SECOND,
            length: SECOND,
            transactions: done,
            queries: done,
            errors,
            moved: Default::default(),
            longest_statement: None,
            latencies: PackedLatencies::from(&latencies),
        }
    }

    fn load(seconds: impl Fn(u32) -> (u64, u64, f64)) -> LoadResult {
        let intervals = (0..38)
            .map(|second| {
                let (done, errors, ms) = seconds(second);
                interval(second, done, errors, ms)
            })
            .collect();
        let open = Box::new(OpenLoopResult {
            rate: profile().mean_rate(),
            process: ArrivalProcess::Poisson,
            scheduled: 0,
            answered: 0,
            service_times: Latencies::new(),
            schedule_lags: Latencies::new(),
            max_waiting: 10,
            most_waiting: 0,
            course: profile().stretches(2 * SECOND),
        });
        LoadResult { intervals, open: Some(open), ..LoadResult::default() }
    }

    /// What is offered in a second.
    fn asked(second: u32) -> u64 {
        match second {
            0..12 => 100,
            12..16 => 100 + 225 * u64::from(second - 12) + 112,
            16..36 => 1_000,
            _ => 0,
        }
    }

    #[test]
    fn a_profile_has_a_mean_and_a_highest_rate() {
        let profile = profile();
        assert_eq!(profile.duration(), 36 * SECOND);
        assert_eq!(profile.highest(), 1_000.0);
        assert!((profile.mean_rate() - (1_000.0 + 2_200.0 + 20_000.0) / 36.0).abs() < 1e-9);
        let ends: Vec<u64> =
            profile.stretches(2 * SECOND).iter().map(|one| one.until.as_secs()).collect();
        assert_eq!(ends, [2, 12, 16, 36, 38]);
        assert_eq!(profile.stretches(Duration::ZERO).len(), 4);
    }

    #[test]
    fn what_keeps_up_serves_every_rate_at_once() {
        let load = load(|second| (asked(second), 0, 2.0));
        let stretches = load.stretches();
        assert_eq!(stretches.len(), 4, "without the warm-up");
        let after: Vec<_> = stretches.iter().map(|one| one.served_after).collect();
        assert_eq!(after, [Some(Duration::ZERO), None, Some(Duration::ZERO), Some(Duration::ZERO)]);
        assert!((stretches[1].offered - 550.0).abs() < 1e-9 && !stretches[1].holds());
        assert_eq!((stretches[2].offered, stretches[2].served), (1_000.0, 1_000.0));
        assert_eq!(load.unserved(), Some(Duration::ZERO));
        assert_eq!(LoadResult::default().unserved(), None);
    }

    #[test]
    fn a_rate_is_served_when_the_queue_is_worked_off() {
        // Half of it for six seconds, then more than is offered, then slowly still for a second.
        let load = load(|second| match second {
            16..22 => (500, 20, f64::from(second - 15) * 500.0),
            22..25 => (2_000, 0, 2_000.0),
            25 => (1_000, 0, 300.0),
            _ => (asked(second), 0, 2.0),
        });
        let stretches = load.stretches();
        assert_eq!(stretches[2].served_after, Some(10 * SECOND));
        assert_eq!((stretches[2].errors, stretches[2].errors_until_served), (120, 120));
        assert_eq!(load.unserved(), Some(10 * SECOND));
    }

    #[test]
    fn a_rate_that_is_too_high_is_never_served() {
        let load = load(|second| match second {
            16..36 => (800, 0, f64::from(second - 15) * 200.0),
            _ => (asked(second), 0, 2.0),
        });
        assert_eq!(load.stretches()[2].served_after, None);
        assert_eq!(load.unserved(), Some(20 * SECOND));
        let behind: Vec<bool> = load.stretches().iter().map(StretchResult::fell_behind).collect();
        assert_eq!(behind, [false, false, true, false]);
    }

    #[test]
    fn a_ramp_falls_behind_where_its_end_is_too_high() {
        let load = load(|second| match second {
            14..36 => (500, 0, f64::from(second - 13) * 200.0),
            _ => (asked(second), 0, 2.0),
        });
        let behind: Vec<bool> = load.stretches().iter().map(StretchResult::fell_behind).collect();
        assert_eq!(behind, [false, true, true, false]);
    }

    #[test]
    fn what_fails_is_not_served() {
        let load = load(|second| match second {
            16..19 => (985, 15, 2.0),
            _ => (asked(second), 0, 2.0),
        });
        assert_eq!(load.stretches()[2].served_after, Some(3 * SECOND));
    }
}
