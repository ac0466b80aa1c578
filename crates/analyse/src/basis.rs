//! By which figure a test is judged.

use model::{AnswerBy, FigureNumber, Metric, Outcome, PrintedName, Test, TrialRecord, UnitName};
use serde::Serialize;

/// By which figure a test is judged, and what its throughput counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Basis {
    /// Ranking, comparisons and findings are about this one: what the study asks to be answered by, where
    /// the test has it; else what the task of the test says; of
    /// imported results throughput where there is one, else how long the work took, else the 95th
    /// percentile of latency, else its mean.
    pub metric: Metric,
    /// What throughput counts.
    pub counted: UnitName,
    /// The name that throughput has in results that were imported. Figures of other names count
    /// something else, and are not set against it.
    #[serde(skip)]
    pub(crate) rate: Option<PrintedName>,
    /// Whether rates and latencies over the whole measured phase are figures of the test. Of a load
    /// beside which something else is measured they are not: they depend on how long that took.
    #[serde(skip)]
    pub(crate) whole_phase: bool,
    /// Whether operations were offered at rates and their latencies are known: what is offered decides
    /// the throughput then.
    #[serde(skip)]
    pub(crate) is_at_rates: bool,
}

/// What imported results are judged by, the first that any of them has.
const IN_ORDER: [Metric; 4] =
    [Metric::Throughput, Metric::Elapsed, Metric::LatencyP95, Metric::LatencyMean];

impl Basis {
    /// That of a test with these records, by what is asked where they have it; `None` where none of them
    /// has a figure that is known.
    pub(crate) fn for_test<'a>(
        asked: Option<AnswerBy>,
        test: &Test,
        records: impl Iterator<Item = &'a TrialRecord> + Clone,
    ) -> Option<Self> {
        let counted = test.operation();
        let asked = asked.and_then(AnswerBy::metric);
        let asked = asked.filter(|&metric| test.answers_by(metric));
        if let Some(deciding) = test.deciding_metric() {
            let metric = asked.unwrap_or(deciding);
            let whole_phase = test.is_of_load();
            let is_at_rates = test.is_open() && whole_phase;
            return Some(Self { metric, counted, rate: None, whole_phase, is_at_rates });
        }
        let records = records.filter(|record| record.key.test == test.name);
        let outcomes = || records.clone().filter_map(TrialRecord::outcome);
        let prints = |name: &PrintedName| {
            outcomes().any(|outcome| outcome.figure_as(Metric::Throughput, name.name).is_some())
        };
        let rate = Metric::Throughput.printed_names().find(prints);
        let has = |metric: &Metric| match metric {
            Metric::Throughput => rate.is_some(),
            &other => outcomes().any(|outcome| outcome.metric(other).is_some()),
        };
        let metric = asked.into_iter().chain(IN_ORDER).find(has)?;
        let counted = rate.and_then(|rate| rate.counted).unwrap_or(counted);
        let is_at_rates = test.is_open() && has(&Metric::LatencyP95);
        Some(Self { metric, counted, rate, whole_phase: true, is_at_rates })
    }

    /// What a trial says of a metric, as measured or as printed; `None` of one that failed. Of rates it is
    /// the one that counts what the others of the test count.
    pub fn figure(&self, record: &TrialRecord, metric: Metric) -> Option<FigureNumber> {
        let outcome = record.outcome()?;
        let used = || record.used(metric.resource().filter(|_| self.whole_phase)?);
        self.printed(outcome, metric).or_else(|| outcome.derived(metric)).or_else(used)
    }

    /// The same, of the figures alone.
    pub(crate) fn printed(&self, outcome: &Outcome, metric: Metric) -> Option<FigureNumber> {
        match metric {
            Metric::Throughput if outcome.source.is_some() => {
                outcome.figure_as(metric, self.rate?.name)
            }
            _ => outcome.among_figures(metric),
        }
    }

    /// All that targets are compared by: what decides, and what an operation takes of their machines.
    pub(crate) fn all_compared(self) -> impl Iterator<Item = Metric> {
        let others = Metric::of_resources().filter(move |&metric| metric != self.metric);
        self.compared().chain(others)
    }

    /// What targets are compared by first: the metric of the test, throughput where that is what an operation
    /// takes, and the 95th percentile of latency.
    pub fn compared(self) -> impl Iterator<Item = Metric> {
        let rate = self.metric.resource().map(|_| Metric::Throughput);
        let p95 = (self.metric != Metric::LatencyP95).then_some(Metric::LatencyP95);
        std::iter::once(self.metric).chain(rate).chain(p95)
    }

    /// What says at each level how fast a target is, by whatever the study is answered.
    pub(crate) fn speed(self) -> Metric {
        match self.metric.resource() {
            None => self.at_each_level(),
            Some(_) => Self { metric: Metric::Throughput, ..self }.at_each_level(),
        }
    }

    /// What says which target to take where each level is seen by itself: the metric of the test,
    /// or the 95th percentile of the response time where that is throughput and operations are offered at
    /// rates, because what is offered decides the throughput then. Of rates that others offered and printed no
    /// such percentile of, throughput is all that there is.
    pub fn at_each_level(self) -> Metric {
        match self.metric {
            Metric::Throughput if self.is_at_rates => Metric::LatencyP95,
            metric => metric,
        }
    }
}
