//! The figures of a trial.

use crate::{Basis, Metric};
use model::{Derivation, FigureNumber, Latencies, LoadResult, MetricUnit, Outcome, TrialRecord};
use stats::values_needed;
use std::collections::BTreeMap;

/// By how much a latency read from a histogram may be off, relative to itself.
pub(crate) const HISTOGRAM_ROUNDING: f64 = Latencies::ROUNDING;

/// A value, and by how much it may be off relative to itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) value: f64,
    pub(crate) rounding: f64,
}

impl Reading {
    /// Of a figure that a statement can be made of: no time is zero or less, and no rate and no count
    /// is less than zero. That nothing succeeded is a result.
    fn from_number(metric: Metric, number: FigureNumber) -> Option<Self> {
        let FigureNumber { value, resolution } = number;
        if !value.is_finite() || value < 0.0 || (value == 0.0 && !may_be_zero(metric)) {
            return None;
        }
        let rounding = if resolution > 0.0 && value > 0.0 { resolution / value } else { 0.0 };
        Some(Self { value, rounding })
    }
}

/// Whether a source prints a time as 0: it was shorter than the last digit shows, or is missing. Nothing
/// can be compared with it, though it may be the best of all.
pub fn is_printed_as_zero(outcome: &Outcome, metric: Metric) -> bool {
    !may_be_zero(metric) && outcome.among_figures(metric).is_some_and(|number| number.value == 0.0)
}

fn may_be_zero(metric: Metric) -> bool {
    match metric.entry().derivation {
        Some(Derivation::Quotient(upper, _)) => may_be_zero(upper),
        Some(Derivation::Used(_) | Derivation::Unserved) => true,
        _ => matches!(metric.unit(), MetricUnit::Bytes | MetricUnit::Count | MetricUnit::PerSecond),
    }
}

/// Whether it is a latency of the whole measured phase or of a part of it.
pub(crate) fn is_any_latency(metric: Metric) -> bool {
    let derivation = metric.entry().derivation;
    metric.is_latency() || matches!(derivation, Some(Derivation::PercentileIn(..)))
}

/// A percentile of latency in milliseconds, where a distribution has the transactions that it
/// takes ([`stats::values_needed`]): at 95 % confidence 6 for the median, 72 for the 95th and 368
/// for the 99th percentile. `percentile` lies in 0 to 100, `confidence` in (0, 1).
///
/// This is the one rule for all that an analysis and a report say of percentiles.
pub fn percentile_ms(latencies: &Latencies, percentile: f64, confidence: f64) -> Option<f64> {
    has_percentile(latencies, percentile, confidence)
        .then(|| latencies.percentile_ms(percentile))
        .flatten()
}

/// Whether a distribution has the transactions that a percentile takes, and more than a bound of it.
fn has_percentile(latencies: &Latencies, percentile: f64, confidence: f64) -> bool {
    latencies.count() >= values_needed(percentile / 100.0, confidence)
        && is_measured(latencies.percentile_ms(percentile))
}

/// Whether a latency is one, and no bound that longer ones count as.
fn is_measured(ms: Option<f64>) -> bool {
    ms.is_some_and(|ms| ms < Latencies::LONGEST_MS)
}

/// All figures of a trial, in the units of their metrics. Read once, because each latency is a walk
/// through a histogram. Absent are those that are not known, percentiles of fewer transactions than
/// these take ([`percentile_ms`]), and the latencies of a load that fell behind its rate: these grow
/// with the length of the trial and say nothing of the server.
///
/// In the order of the registry.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Figures(Vec<(Metric, Reading)>);

/// So many figures a load has, or a few less.
const USUAL: usize = 24;

impl Figures {
    /// Those of these metrics, ascending, of a trial that completed.
    pub(crate) fn from_record(
        record: &TrialRecord,
        outcome: &Outcome,
        metrics: &[Metric],
        (basis, confidence): (&Basis, f64),
    ) -> Self {
        let mut figures = Self::from_outcome(outcome, metrics, (basis, confidence));
        if basis.whole_phase && outcome.load.is_some() {
            let used = |metric: Metric| {
                let number = record.used(metric.resource()?)?;
                Some((metric, Reading::from_number(metric, number)?))
            };
            let used = metrics.iter().copied().filter_map(used);
            used.for_each(|(metric, reading)| figures.put(metric, reading));
        }
        figures
    }

    pub(crate) fn from_outcome(
        outcome: &Outcome,
        metrics: &[Metric],
        (basis, confidence): (&Basis, f64),
    ) -> Self {
        let known = |&metric: &Metric| {
            let number = basis
                .printed(outcome, metric)
                .or_else(|| derived(outcome, metric, basis, confidence))?;
            Some((metric, Reading::from_number(metric, number)?))
        };
        let mut figures = Vec::with_capacity(USUAL.min(metrics.len()));
        figures.extend(metrics.iter().filter_map(known));
        Self(figures)
    }

    fn place(&self, metric: Metric) -> Result<usize, usize> {
        self.0.binary_search_by_key(&metric, |(known, _)| *known)
    }

    fn put(&mut self, metric: Metric, reading: Reading) {
        match self.place(metric) {
            Ok(place) => self.0[place].1 = reading,
            Err(place) => self.0.insert(place, (metric, reading)),
        }
    }

    /// The metrics that it has.
    pub(crate) fn metrics(&self) -> impl Iterator<Item = Metric> {
        self.0.iter().map(|(metric, _)| *metric)
    }

    /// The value of one figure.
    pub(crate) fn value(&self, metric: Metric) -> Option<f64> {
        self.reading(metric).map(|reading| reading.value)
    }

    /// How much one figure may be off, as a share of it.
    pub(crate) fn rounding(&self, metric: Metric) -> f64 {
        self.reading(metric).map_or(0.0, |reading| reading.rounding)
    }

    /// All values.
    pub(crate) fn values(&self) -> BTreeMap<Metric, f64> {
        self.0.iter().map(|(metric, reading)| (*metric, reading.value)).collect()
    }

    /// Of throughput that fell for good while it was measured what lasts: that share of it, by so many
    /// operations.
    pub(crate) fn keep_lasting(&mut self, share: f64, operations: f64) {
        if let Ok(place) = self.place(Metric::Throughput) {
            let reading = &mut self.0[place].1;
            reading.value *= share;
            let rounding = if operations > 0.0 { 1.0 / operations } else { 0.0 };
            reading.rounding = reading.rounding.max(rounding);
        }
    }

    /// Leaves out latencies, of a load that fell behind its rate.
    pub(crate) fn forget_latencies(&mut self) {
        self.0.retain(|(metric, _)| !is_any_latency(*metric));
    }

    pub(crate) fn reading(&self, metric: Metric) -> Option<Reading> {
        self.place(metric).ok().map(|place| self.0[place].1)
    }
}

/// What follows from a recording or a distribution, where it has what that takes.
fn derived(
    outcome: &Outcome,
    metric: Metric,
    basis: &Basis,
    confidence: f64,
) -> Option<FigureNumber> {
    let of_whole_phase = metric.is_latency() || metric == Metric::Throughput;
    if of_whole_phase && !basis.whole_phase {
        return None;
    }
    let overloaded = outcome.load.as_deref().is_some_and(LoadResult::is_overloaded);
    if metric.is_latency() && overloaded {
        return None;
    }
    let is_known = match metric.entry().derivation {
        Some(Derivation::Percentile(percentile)) => {
            has_percentile(outcome.latencies()?, percentile, confidence)
        }
        Some(Derivation::PercentileIn(part, percentile)) => {
            has_percentile(&outcome.around(part)?.latencies, percentile, confidence)
        }
        Some(Derivation::Mean) => is_measured(outcome.latencies()?.max_ms()),
        _ => true,
    };
    is_known.then(|| outcome.derived(metric)).flatten()
}
