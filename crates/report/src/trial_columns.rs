//! What CSV and JSON say of a trial: one list of columns for both.

mod background;
mod field;
mod generators;
mod processors;
mod volume;

use crate::{view, words};
use analyse::{Analysis, Metric, TestAnalysis, TrialAssessment, TrialBackground, TrialVolume};
use model::{
    Dataset, FigureValue, Level, LoadResult, NamedResult, Search, SearchOver, SupersededTrial,
    TrialKey, TrialRecord, UnitName, UnixMillis,
};
use std::collections::HashMap;

pub(crate) use field::Field;

/// A trial of the plan, whatever has become of it.
pub(crate) struct TrialRow<'a> {
    analysis: &'a Analysis<'a>,
    test: Option<&'a TestAnalysis>,
    planned: &'a model::Trial,
    record: Option<&'a TrialRecord>,
    /// When another trial was planned in its place.
    superseded_at: Option<UnixMillis>,
    assessment: Option<&'a TrialAssessment>,
    volume: Option<TrialVolume>,
    background: Option<TrialBackground>,
}

/// A column: its name and its value in a row, null where there is none.
pub(crate) type Column = (&'static str, for<'r> fn(&'r TrialRow<'r>) -> Field<'r>);

/// The names of all columns in order. Names and meanings are part of the published formats.
pub(crate) fn names() -> Vec<String> {
    let metrics = Metric::ALL.iter().map(|metric| metric.name());
    let name = |(name, _): &Column| (*name).to_owned();
    FIRST.iter().map(name).chain(metrics).chain(rest().map(name)).collect()
}

/// The values of a row, in the order of [`names`].
pub(crate) fn values<'r>(row: &'r TrialRow<'r>) -> impl Iterator<Item = Field<'r>> {
    let metrics = Metric::ALL.iter().map(|&metric| row.metric(metric));
    let first = FIRST.iter().map(|(_, value)| value(row));
    first.chain(metrics).chain(rest().map(|(_, value)| value(row)))
}

fn rest() -> impl Iterator<Item = &'static Column> {
    let more = generators::COLUMNS.iter().chain(&background::COLUMNS);
    REST.iter().chain(&volume::COLUMNS).chain(more).chain(&processors::COLUMNS)
}

/// Those before the metrics of the registry.
const FIRST: [Column; 16] = [
    ("study", |row| (&row.analysis.dataset.study.name).into()),
    ("run", |row| row.analysis.dataset.run.id.into()),
    ("test", |row| (&row.planned.key.test).into()),
    ("target", |row| (&row.planned.key.target).into()),
    ("clients", |row| match row.planned.key.level {
        Level::NONE => Field::Null,
        level => level.clients.into(),
    }),
    ("repeat", |row| row.planned.key.repeat.into()),
    ("position", |row| row.planned.position.into()),
    ("seed", |row| row.planned.seed.into()),
    ("started_at_ms", |row| row.recorded(|record| date(record.started_at))),
    ("finished_at_ms", |row| row.recorded(|record| date(record.finished_at))),
    ("outcome", |row| row.outcome().into()),
    ("validity", |row| row.assessment.map_or(Field::Null, |a| words::validity(a.validity).into())),
    ("measured_seconds", |row| row.loaded(|load| load.measure.elapsed.as_secs_f64().into())),
    ("transactions", |row| row.loaded(|load| load.measure.transactions.into())),
    ("queries", |row| row.loaded(|load| load.measure.queries.into())),
    ("errors", |row| row.loaded(|load| load.measure.errors.into())),
];

/// Those after them.
const REST: [Column; 24] = [
    ("queries_per_second", |row| row.loaded(|load| load.measure.queries_per_second().into())),
    ("latency_min_ms", |row| row.loaded(|load| load.latencies.min_ms().into())),
    ("latency_p999_ms", |row| row.loaded(|load| load.latencies.percentile_ms(99.9).into())),
    ("latency_max_ms", |row| row.loaded(|load| load.latencies.max_ms().into())),
    ("timed_out", |row| row.loaded(|load| load.ledger.timed_out.into())),
    ("dropped", |row| row.loaded(|load| load.ledger.dropped.into())),
    ("client_cpu_seconds", |row| row.loaded(|load| load.client.cpu_seconds.into())),
    ("client_peak_rss_bytes", |row| row.loaded(|load| load.client.peak_rss_bytes.into())),
    ("client_max_loop_lag_ms", |row| {
        row.loaded(|load| (load.client.max_loop_lag.as_secs_f64() * 1e3).into())
    }),
    ("delay_asked_ms", |row| {
        row.loaded(|load| load.delay.map(|delay| delay.asked.as_secs_f64() * 1e3).into())
    }),
    ("delay_ms", |row| row.loaded(|load| load.delay.and_then(|delay| delay.added_ms()).into())),
    ("failure_kind", |row| {
        row.failed(|failure| match serde_json::to_value(failure.kind) {
            Ok(serde_json::Value::String(kind)) => kind.into(),
            // An enum of unit variants is a text; null says "none" if that changes.
            _ => Field::Null,
        })
    }),
    ("failure_message", |row| row.failed(|failure| (&failure.message).into())),
    ("failure_remedy", |row| row.failed(|failure| (&failure.remedy).into())),
    ("rate", |row| row.planned.key.level.rate.into()),
    ("overloaded", |row| {
        row.loaded(|load| load.open.as_ref().map(|_| load.is_overloaded()).into())
    }),
    ("search", |row| row.planned.key.level.search.map(SearchOver::name).into()),
    ("slo", |row| row.searched(|search| search.bound.to_string().into())),
    ("search_met", |row| row.searched(|search| search.answer.met.into())),
    ("search_missed", |row| row.searched(|search| search.answer.missed.into())),
    ("search_steps", |row| row.searched(|search| search.steps.len().into())),
    ("counted", |row| match row.metric(Metric::Throughput) {
        Field::Null => Field::Null,
        _ => row.counted().into(),
    }),
    ("other_figures", |row| row.other_figures()),
    ("superseded_at_ms", |row| row.superseded_at.map(|at| at.0).into()),
];

/// A date; null where imported results do not say.
fn date(at: UnixMillis) -> Field<'static> {
    if at.0 == 0 { Field::Null } else { at.0.into() }
}

/// Every trial of the plan in its order, with those that were measured anew since; each row is made when
/// it is asked for.
pub(crate) fn rows<'a>(analysis: &'a Analysis<'a>) -> impl Iterator<Item = TrialRow<'a>> {
    let assessments = view::assessments(analysis);
    let Dataset { plan, trials, superseded, .. } = analysis.dataset;
    let records: HashMap<&TrialKey, usize> =
        trials.iter().enumerate().map(|(i, record)| (&record.key, i)).collect();
    let earlier: HashMap<u32, &SupersededTrial> =
        superseded.iter().map(|superseded| (superseded.record.position, superseded)).collect();
    let tests: HashMap<&str, &TestAnalysis> =
        analysis.tests.iter().map(|test| (test.test.as_str(), test)).collect();
    let row = move |planned: &'a model::Trial| {
        model::deadline::look();
        let earlier = earlier.get(&planned.position).copied();
        let index = records.get(&planned.key).filter(|_| earlier.is_none());
        let record = index.and_then(|&i| trials.get(i)).or(earlier.map(|earlier| &earlier.record));
        TrialRow {
            analysis,
            test: tests.get(planned.key.test.as_str()).copied(),
            planned,
            record,
            superseded_at: earlier.map(|earlier| earlier.at),
            assessment: index.and_then(|i| assessments.get(i).copied()),
            volume: record.and_then(TrialVolume::from_record),
            background: record.and_then(TrialBackground::from_record),
        }
    };
    plan.all_trials().map(row)
}

impl<'a> TrialRow<'a> {
    fn outcome(&self) -> &'static str {
        match self.record {
            None => "missing",
            Some(record) if record.has_failed() => "failed",
            Some(record) if record.failure().is_some() => "not_offered",
            Some(record) if record.imported().is_some() => "imported",
            Some(_) => "completed",
        }
    }

    /// What its task measured, or its source prints, beside the metrics of the registry.
    fn other_figures(&self) -> Field<'a> {
        let outcome = self.record.and_then(TrialRecord::outcome);
        let figures = outcome.into_iter().flat_map(|outcome| &outcome.figures);
        let others = figures.filter(|figure| Metric::of_figure(&figure.metric).is_none());
        let said: Vec<String> = others
            .map(|figure| match &figure.value {
                FigureValue::Number(number) => {
                    format!("{}={} {}", figure.metric, number.value, figure.unit)
                }
                FigureValue::Text(text) => format!("{}={text} {}", figure.metric, figure.unit),
            })
            .map(|said| said.trim_end().to_owned())
            .chain(self.own_transactions())
            .collect();
        if said.is_empty() { Field::Null } else { said.join("; ").into() }
    }

    /// What became of the user's own transactions and statements, by name.
    fn own_transactions(&self) -> Vec<String> {
        let has_items =
            |load: &&LoadResult| !load.by_transaction.is_empty() || !load.by_statement.is_empty();
        let load = self.record.and_then(TrialRecord::load).filter(has_items);
        let is_own = || {
            let mut tests = self.analysis.dataset.study.tests.iter();
            let test = tests.find(|test| test.name == self.planned.key.test);
            test.and_then(|test| test.workload()?.transactions()).is_some()
        };
        let Some(load) = load.filter(|_| is_own()) else { return Vec::new() };
        let all = load.by_transaction.iter().chain(&load.by_statement);
        let of = |one: &NamedResult| {
            let NamedResult { name, ok, failed, retries, rows, latencies, .. } = one;
            let count = |what: &str, count: u64| format!("{what} of {name}={count}");
            let ms = |what: &str, ms: Option<f64>| ms.map(|ms| format!("{what} of {name}={ms} ms"));
            let counts =
                [("done", *ok), ("errors", *failed), ("retries", *retries), ("rows", *rows)];
            let counts = counts.into_iter().map(|(what, number)| count(what, number));
            let latencies = [
                ms("mean latency", latencies.mean_ms()),
                ms("p95 latency", latencies.percentile_ms(95.0)),
                ms("p99 latency", latencies.percentile_ms(99.0)),
            ];
            counts.chain(latencies.into_iter().flatten()).collect::<Vec<_>>()
        };
        all.flat_map(of).collect()
    }

    /// What its transactions are.
    fn counted(&self) -> &'static str {
        self.test.map_or(UnitName::TRANSACTION, view::counted).many
    }

    /// What is known of a metric, percentiles however few transactions there are.
    fn metric(&self, metric: Metric) -> Field<'a> {
        let basis = self.test.and_then(|test| test.basis);
        let figure = || basis?.figure(self.record?, metric);
        figure().map_or(Field::Null, |figure| figure.value.into())
    }

    fn recorded(&self, value: impl FnOnce(&'a TrialRecord) -> Field<'a>) -> Field<'a> {
        self.record.map_or(Field::Null, value)
    }

    fn loaded(&self, value: impl FnOnce(&'a LoadResult) -> Field<'a>) -> Field<'a> {
        self.record.and_then(TrialRecord::load).map_or(Field::Null, value)
    }

    fn searched(&self, value: impl FnOnce(&'a Search) -> Field<'a>) -> Field<'a> {
        self.record.and_then(|record| record.search.as_deref()).map_or(Field::Null, value)
    }

    fn failed(&self, value: impl FnOnce(&'a model::Failure) -> Field<'a>) -> Field<'a> {
        self.record.and_then(TrialRecord::failure).map_or(Field::Null, value)
    }
}
