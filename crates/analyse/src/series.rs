//! One metric of one cell, repeat by repeat.

use crate::Metric;
use model::LoadResult;
use stats::{Estimate, Sample, paired_ratio, unpaired_ratio};
use std::collections::BTreeMap;

/// By how much a latency read from a histogram of three significant digits may be off, relative
/// to itself.
const HISTOGRAM_ROUNDING: f64 = 0.001;

/// A figure of a single trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Figure {
    Throughput,
    LatencyMean,
    LatencyP50,
    LatencyP95,
    LatencyP99,
}

impl From<Metric> for Figure {
    fn from(metric: Metric) -> Self {
        match metric {
            Metric::Throughput => Self::Throughput,
            Metric::LatencyP95 => Self::LatencyP95,
        }
    }
}

/// A value, and by how much it may be off relative to itself.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reading {
    value: f64,
    rounding: f64,
}

/// All figures of a trial, in transactions per second and milliseconds. Read once, because each
/// latency is a walk through a histogram. Absent when no transaction succeeded, or fewer than a
/// percentile needs for one of them to lie beyond it: it would be the maximum by another name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Figures {
    throughput: Option<Reading>,
    latency_mean: Option<Reading>,
    latency_p50: Option<Reading>,
    latency_p95: Option<Reading>,
    latency_p99: Option<Reading>,
}

impl Figures {
    pub(crate) fn of(load: &LoadResult) -> Self {
        let reading = |value: Option<f64>, rounding| {
            let value = value.filter(|value| value.is_finite() && *value > 0.0)?;
            Some(Reading { value, rounding })
        };
        let percentile = |whole: u8| {
            let enough = load.latencies.count().saturating_mul(100 - u64::from(whole)) >= 100;
            let value = enough.then(|| load.latencies.percentile_ms(f64::from(whole))).flatten();
            reading(value, HISTOGRAM_ROUNDING)
        };
        // One transaction more or less may have fallen within the window.
        let whole_transactions = 1.0 / load.measure.transactions.max(1) as f64;
        Self {
            throughput: reading(Some(load.measure.transactions_per_second()), whole_transactions),
            latency_mean: reading(load.latencies.mean_ms(), HISTOGRAM_ROUNDING),
            latency_p50: percentile(50),
            latency_p95: percentile(95),
            latency_p99: percentile(99),
        }
    }

    /// The value of one figure.
    pub(crate) fn value(&self, figure: Figure) -> Option<f64> {
        self.reading(figure).map(|reading| reading.value)
    }

    fn reading(&self, figure: Figure) -> Option<Reading> {
        match figure {
            Figure::Throughput => self.throughput,
            Figure::LatencyMean => self.latency_mean,
            Figure::LatencyP50 => self.latency_p50,
            Figure::LatencyP95 => self.latency_p95,
            Figure::LatencyP99 => self.latency_p99,
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
    /// Of these trials, each with its repeat.
    pub(crate) fn of(figure: Figure, trials: impl Iterator<Item = (u32, Figures)>) -> Self {
        let mut series = Self::default();
        for (repeat, figures) in trials {
            if let Some(reading) = figures.reading(figure) {
                series.values.insert(repeat, reading.value);
                series.rounding = series.rounding.max(reading.rounding);
            }
        }
        series
    }

    /// The median with its interval; `None` without values.
    pub(crate) fn estimate(&self, confidence: f64) -> Option<Estimate> {
        self.sample().map(|sample| Estimate::of_median(&sample, confidence))
    }

    /// (max − min) ÷ median (method R31); `None` without values.
    pub(crate) fn spread(&self) -> Option<f64> {
        self.sample()?.relative_range()
    }

    /// self ÷ base, paired by repeat, because partners of a pair ran in the same block and share
    /// what the host went through. With fewer than two common repeats (others failed or are void)
    /// the ratio of medians, unpaired. Which of the two is decided by the number of pairs alone,
    /// never by which interval is the narrower. `None` where either has no values.
    pub(crate) fn ratio_to(&self, base: &Self, confidence: f64) -> Option<Estimate> {
        let pairs: Vec<(f64, f64)> = base
            .values
            .iter()
            .filter_map(|(repeat, &base)| Some((base, *self.values.get(repeat)?)))
            .collect();
        let ratio = if pairs.len() >= 2 {
            paired_ratio(&pairs, self.rounding + base.rounding, confidence)
        } else {
            unpaired_ratio(&base.sample()?, &self.sample()?, confidence)
        };
        ratio.ok()
    }

    fn sample(&self) -> Option<Sample> {
        let values = self.values.values().copied().collect();
        Sample::new(values).ok().map(|sample| sample.with_rounding(self.rounding))
    }
}
