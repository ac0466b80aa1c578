//! By which figure a test is judged.

use model::{KNOWN_METRICS, KnownMetric, Metric, Noun, Outcome, Test, TrialRecord};
use serde::Serialize;

/// By which figure a test is judged, and what its throughput counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Basis {
    /// Ranking, comparisons and findings are about this one: throughput where there is one, else
    /// how long the work took, else the 95th percentile of latency, else its mean.
    pub metric: Metric,
    /// What throughput counts.
    pub counted: Noun,
    /// The name that throughput has in results that were imported. Figures of other names count
    /// something else, and are not set against it.
    #[serde(skip)]
    pub(crate) throughput: Option<&'static KnownMetric>,
}

/// What imported results are judged by, the first that any of them has.
const IN_ORDER: [Metric; 4] =
    [Metric::Throughput, Metric::Elapsed, Metric::LatencyP95, Metric::LatencyMean];

impl Basis {
    /// That of a test with these records; `None` where none of them has a figure that is known.
    pub(crate) fn of<'a>(
        test: &Test,
        records: impl Iterator<Item = &'a TrialRecord> + Clone,
    ) -> Option<Self> {
        let counted = test.operation();
        if !test.is_imported() {
            return Some(Self { metric: Metric::Throughput, counted, throughput: None });
        }
        let records = records.filter(|record| record.key.test == test.name);
        let reports = || records.clone().filter_map(TrialRecord::imported);
        let throughput = KNOWN_METRICS
            .iter()
            .filter(|known| known.metric == Metric::Throughput)
            .find(|known| reports().any(|reported| reported.known(known).is_some()));
        let has = |metric: &Metric| match metric {
            Metric::Throughput => throughput.is_some(),
            &other => reports().any(|reported| has(reported, other)),
        };
        let metric = IN_ORDER.into_iter().find(has)?;
        let counted = throughput.and_then(|known| known.counted).unwrap_or(counted);
        Some(Self { metric, counted, throughput })
    }

    /// What targets are compared by: the metric of the test, and the 95th percentile of latency.
    pub fn compared(self) -> impl Iterator<Item = Metric> {
        let p95 = (self.metric != Metric::LatencyP95).then_some(Metric::LatencyP95);
        std::iter::once(self.metric).chain(p95)
    }
}

fn has(reported: &Outcome, metric: Metric) -> bool {
    let distribution = || reported.latencies.as_ref().is_some_and(|all| all.count() > 0);
    let of_latency = matches!(metric, Metric::LatencyMean | Metric::LatencyP95);
    reported.metric(metric).is_some() || (of_latency && distribution())
}
