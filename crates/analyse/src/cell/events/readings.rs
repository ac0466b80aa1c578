//! The server's counters of a trial as pairs of neighbours in time.

use model::{CounterReading, Sampling, ServerCounters};

/// Counters at two moments that follow one another, in seconds from the start of the load.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step<'a> {
    pub(super) from: f64,
    pub(super) until: f64,
    pub(super) first: &'a ServerCounters,
    pub(super) last: &'a ServerCounters,
}

/// All steps between the readings of a trial, in order.
pub(super) fn steps<'a>(sampling: &'a Sampling) -> Vec<Step<'a>> {
    let edge = |reading: &'a Option<CounterReading>| {
        reading.iter().map(|reading| (reading.at_seconds, &reading.counters))
    };
    let samples = sampling.samples.iter();
    let samples = samples.filter_map(|s| Some((s.at_seconds, s.counters.as_ref()?)));
    let mut readings: Vec<(f64, &ServerCounters)> =
        edge(&sampling.before).chain(samples).chain(edge(&sampling.after)).collect();
    readings.sort_by(|a, b| a.0.total_cmp(&b.0));
    let later = readings.iter().skip(1);
    let pairs = readings.iter().zip(later);
    pairs.map(|(&(from, first), &(until, last))| Step { from, until, first, last }).collect()
}

impl Step<'_> {
    /// By how much a counter grew; `None` where the server lacks it, 0 where it was reset.
    pub(super) fn growth(&self, name: &str) -> Option<u64> {
        let (first, last) = (self.first.get(name)?, self.last.get(name)?);
        Some(u64::try_from(last.saturating_sub(*first)).unwrap_or(0))
    }

    /// A figure at the end of the step, where it is not negative.
    pub(super) fn at_end(&self, name: &str) -> Option<u64> {
        u64::try_from(*self.last.get(name)?).ok()
    }

    /// Whether work was under way at either end; `None` where the server does not say.
    pub(super) fn running(&self, name: &str) -> Option<(bool, bool)> {
        Some((*self.first.get(name)? > 0, *self.last.get(name)? > 0))
    }
}
