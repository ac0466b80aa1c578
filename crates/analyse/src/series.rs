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
    /// At this whole percentile.
    LatencyPercentile(u8),
}

impl From<Metric> for Figure {
    fn from(metric: Metric) -> Self {
        match metric {
            Metric::Throughput => Self::Throughput,
            Metric::LatencyP95 => Self::LatencyPercentile(95),
        }
    }
}

impl Figure {
    /// Its value in a trial: transactions per second or milliseconds. Absent when no transaction
    /// succeeded, or fewer than a percentile needs for one of them to lie beyond it: it would be
    /// the maximum under another name.
    pub(crate) fn of(self, load: &LoadResult) -> Option<f64> {
        let value = match self {
            Self::Throughput => Some(load.measure.transactions_per_second()),
            Self::LatencyMean => load.latencies.mean_ms(),
            Self::LatencyPercentile(percentile) => {
                let beyond = load.latencies.count().saturating_mul(100 - u64::from(percentile));
                (beyond >= 100)
                    .then(|| load.latencies.percentile_ms(f64::from(percentile)))
                    .flatten()
            }
        };
        value.filter(|value| value.is_finite() && *value > 0.0)
    }

    /// By how much that value may be off, relative to itself, because throughput counts whole
    /// transactions (one more or less may fall within the window) and a histogram has classes.
    fn rounding(self, load: &LoadResult) -> f64 {
        match self {
            Self::Throughput => 1.0 / load.measure.transactions.max(1) as f64,
            Self::LatencyMean | Self::LatencyPercentile(_) => HISTOGRAM_ROUNDING,
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
    pub(crate) fn of<'a>(
        figure: Figure,
        trials: impl Iterator<Item = (u32, &'a LoadResult)>,
    ) -> Self {
        let mut series = Self::default();
        for (repeat, load) in trials {
            if let Some(value) = figure.of(load) {
                series.values.insert(repeat, value);
                series.rounding = series.rounding.max(figure.rounding(load));
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
