//! One metric of one cell, repeat by repeat.

use crate::{Basis, Metric};
use model::{FigureNumber, Latencies, LoadResult, Outcome};
use stats::{
    Estimate, Sample, paired_chance, paired_ratio, unpaired_chance, unpaired_ratio, values_needed,
};
use std::collections::BTreeMap;

/// By how much a latency read from a histogram of three significant digits may be off, relative
/// to itself.
pub(crate) const HISTOGRAM_ROUNDING: f64 = 0.001;

/// Whether it is a mean or a percentile of latency.
fn is_latency(metric: Metric) -> bool {
    !matches!(metric, Metric::Throughput | Metric::Elapsed)
}

/// A value, and by how much it may be off relative to itself.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reading {
    value: f64,
    rounding: f64,
}

/// A figure that a statement can be made of: no time and no rate is zero or less.
fn reading(value: Option<f64>, rounding: f64) -> Option<Reading> {
    let value = value.filter(|value| value.is_finite() && *value > 0.0)?;
    Some(Reading { value, rounding })
}

/// A percentile of latency in milliseconds, where a distribution has the transactions that it
/// takes ([`stats::values_needed`]): at 95 % confidence 6 for the median, 72 for the 95th and 368
/// for the 99th percentile. `percentile` lies in 0 to 100, `confidence` in (0, 1).
///
/// This is the one rule for all that an analysis and a report say of percentiles.
pub fn percentile_ms(latencies: &Latencies, percentile: f64, confidence: f64) -> Option<f64> {
    let enough = latencies.count() >= values_needed(percentile / 100.0, confidence);
    enough.then(|| latencies.percentile_ms(percentile)).flatten()
}

/// All figures of a trial, in transactions per second and milliseconds. Read once, because each
/// latency is a walk through a histogram. Absent when no transaction succeeded, or fewer than a
/// percentile takes ([`percentile_ms`]). A load that fell behind its rate has no latencies: theirs
/// grow with the length of the trial and say nothing of the server (method R2).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figures {
    throughput: Option<Reading>,
    elapsed: Option<Reading>,
    latency_mean: Option<Reading>,
    latency_p50: Option<Reading>,
    latency_p95: Option<Reading>,
    latency_p99: Option<Reading>,
}

impl Figures {
    pub(crate) fn of(load: &LoadResult, confidence: f64) -> Self {
        let kept_up = !load.is_overloaded();
        let latency = |value: Option<f64>| reading(value.filter(|_| kept_up), HISTOGRAM_ROUNDING);
        let percentile =
            |percentile| latency(percentile_ms(&load.latencies, percentile, confidence));
        // One transaction more or less may have fallen within the window.
        let whole_transactions = 1.0 / load.measure.transactions.max(1) as f64;
        Self {
            throughput: reading(Some(load.measure.transactions_per_second()), whole_transactions),
            // A load runs for as long as it was told to.
            elapsed: None,
            latency_mean: latency(load.latencies.mean_ms()),
            latency_p50: percentile(50.0),
            latency_p95: percentile(95.0),
            latency_p99: percentile(99.0),
        }
    }

    /// Of what somebody else printed, as it is printed. Percentiles that are not, and the mean,
    /// come from the distribution where there is one.
    pub(crate) fn printed(reported: &Outcome, basis: &Basis, confidence: f64) -> Self {
        let relative = |printed: FigureNumber| {
            reading(Some(printed.value), printed.resolution / printed.value.abs())
        };
        let figure = |metric| reported.metric(metric).and_then(relative);
        let percentile = |metric, percentile| {
            let all = reported.latencies.as_ref();
            let from_all = || all.and_then(|all| percentile_ms(all, percentile, confidence));
            figure(metric).or_else(|| reading(from_all(), HISTOGRAM_ROUNDING))
        };
        let mean = || reading(reported.latencies.as_ref()?.mean_ms(), HISTOGRAM_ROUNDING);
        Self {
            throughput: basis.throughput.and_then(|known| reported.known(known)).and_then(relative),
            elapsed: figure(Metric::Elapsed),
            latency_mean: figure(Metric::LatencyMean).or_else(mean),
            latency_p50: percentile(Metric::LatencyP50, 50.0),
            latency_p95: percentile(Metric::LatencyP95, 95.0),
            latency_p99: percentile(Metric::LatencyP99, 99.0),
        }
    }

    /// The value of one figure.
    pub(crate) fn value(&self, metric: Metric) -> Option<f64> {
        self.reading(metric).map(|reading| reading.value)
    }

    /// How much one figure may be off, as a share of it.
    pub(crate) fn rounding(&self, metric: Metric) -> f64 {
        self.reading(metric).map_or(0.0, |reading| reading.rounding)
    }

    fn reading(&self, metric: Metric) -> Option<Reading> {
        match metric {
            Metric::Throughput => self.throughput,
            Metric::Elapsed => self.elapsed,
            Metric::LatencyMean => self.latency_mean,
            Metric::LatencyP50 => self.latency_p50,
            Metric::LatencyP95 => self.latency_p95,
            Metric::LatencyP99 => self.latency_p99,
        }
    }
}

/// A figure by repeat, over the trials that conclusions may rest on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Series {
    values: BTreeMap<u32, f64>,
    /// The largest relative rounding of any value.
    rounding: f64,
}

impl Series {
    /// Of these trials, each with its repeat. Empty where a trial lacks a latency, because it has too
    /// few transactions for a percentile or fell behind its rate: it is the slow trials that do,
    /// and without them the others would make the target look good.
    pub(crate) fn of(metric: Metric, trials: impl Iterator<Item = (u32, Figures)>) -> Self {
        let mut series = Self::default();
        for (repeat, figures) in trials {
            match figures.reading(metric) {
                Some(reading) => {
                    series.values.insert(repeat, reading.value);
                    series.rounding = series.rounding.max(reading.rounding);
                }
                None if is_latency(metric) => return Self::default(),
                None => {}
            }
        }
        series
    }

    /// The value in a repeat, where there is one.
    pub(crate) fn at(&self, repeat: u32) -> Option<f64> {
        self.values.get(&repeat).copied()
    }

    /// The repeats that have a value, ascending.
    pub(crate) fn repeats(&self) -> impl Iterator<Item = u32> {
        self.values.keys().copied()
    }

    /// A series of these values by repeat, each off by up to `rounding` relative to itself.
    pub(crate) fn from_values(values: BTreeMap<u32, f64>, rounding: f64) -> Self {
        Self { values, rounding }
    }

    /// The largest relative rounding of any value.
    pub(crate) fn rounding(&self) -> f64 {
        self.rounding
    }

    /// The median with its interval; `None` without values.
    pub(crate) fn estimate(&self, confidence: f64) -> Option<Estimate> {
        self.sample().map(|sample| Estimate::of_median(&sample, confidence))
    }

    /// (max − min) ÷ median (method R31); `None` for fewer than two values, which show no spread.
    pub(crate) fn spread(&self) -> Option<f64> {
        self.sample().filter(|sample| sample.len() > 1)?.relative_range()
    }

    /// self ÷ base, paired by repeat, because partners of a pair ran in the same block and share
    /// what the host went through. With fewer than two common repeats (others failed or are void)
    /// the ratio of medians, unpaired. Which of the two is decided by the number of pairs alone,
    /// never by which interval is the narrower. `None` where either has no values.
    pub(crate) fn ratio_to(&self, base: &Self, confidence: f64) -> Option<Estimate> {
        let pairs = self.pairs_with(base);
        let ratio = if pairs.len() >= 2 {
            paired_ratio(&pairs, self.rounding + base.rounding, confidence)
        } else {
            unpaired_ratio(&base.sample()?, &self.sample()?, confidence)
        };
        ratio.ok()
    }

    /// The values of repeats that both have, `(base, self)`.
    pub(crate) fn pairs_with(&self, base: &Self) -> Vec<(f64, f64)> {
        let pair = |(repeat, &base): (&u32, &f64)| Some((base, *self.values.get(repeat)?));
        base.values.iter().filter_map(pair).collect()
    }

    /// How likely a difference from `base` at least as large as this would be by chance, found on
    /// the same values as [`Self::ratio_to`]; `None` where these allow no interval.
    pub(crate) fn chance_against(&self, base: &Self) -> Option<f64> {
        let pairs = self.pairs_with(base);
        let chance = if pairs.len() >= 2 {
            paired_chance(&pairs, self.rounding + base.rounding)
        } else {
            unpaired_chance(&base.sample()?, &self.sample()?)
        };
        chance.ok().flatten()
    }

    fn sample(&self) -> Option<Sample> {
        let values = self.values.values().copied().collect();
        Sample::new(values).ok().map(|sample| sample.with_rounding(self.rounding))
    }
}
