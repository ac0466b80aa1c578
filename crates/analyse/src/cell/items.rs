//! What became of the user's own transactions and of their statements, by name.

use crate::cell::series::{Kin, Series};
use crate::cell::{CellData, Cells};
use crate::trial::figures::percentile_ms;
use findings::{BoundMissed, Finding, Subject};
use model::{
    Latencies, LatencyFigure, Level, LoadResult, NamedResult, Slo, Study, Test, Transactions,
    Workload,
};
use serde::Serialize;
use stats::{Estimate, Looks};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What the trials of one target at one level say of its transactions and statements.
#[derive(Clone, Debug, Serialize)]
pub struct ItemCell {
    pub target: String,
    pub level: Level,
    /// Trials that fell behind the offered rate. The response times of their transactions are left out, and so
    /// are the times that follow from them; statements are timed from when they were sent.
    pub overloaded: usize,
    /// In the order of the study.
    pub transactions: Vec<ItemFigures>,
    /// In the order of the scripts.
    pub statements: Vec<ItemFigures>,
}

/// One transaction, or one statement, of a cell.
#[derive(Clone, Debug, Serialize)]
pub struct ItemFigures {
    pub name: String,
    /// Transactions only: its share among all by the weights of the study.
    pub weight: Option<f64>,
    /// Its share among all that were answered in the measured phase.
    pub share: Option<Estimate>,
    /// Answered without error per second.
    pub per_second: Option<Estimate>,
    /// Errors in the measured phases of all trials.
    pub errors: u64,
    /// How often one was done again in them.
    pub retries: u64,
    /// Statements only: rows in an answer, or changed, on average.
    pub rows: Option<Estimate>,
    /// Milliseconds that it takes of a transaction of the mix, on average.
    pub time_ms: Option<Estimate>,
    /// Latencies in milliseconds.
    pub mean_ms: Option<Estimate>,
    pub p50_ms: Option<Estimate>,
    pub p95_ms: Option<Estimate>,
    pub p99_ms: Option<Estimate>,
    pub max_ms: Option<Estimate>,
    /// What its own bound on latency came to, where it has one.
    pub slo: Option<ItemSlo>,
}

/// A bound on the latency of a transaction, and whether it is met.
#[derive(Clone, Debug, Serialize)]
pub struct ItemSlo {
    /// Such as `p95 < 20 ms`.
    pub bound: String,
    /// The bounded figure, in milliseconds.
    pub figure: Option<Estimate>,
    /// Whether the whole interval keeps the bound, or none of it does; absent where that is not known.
    pub met: Option<bool>,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemKind {
    Transaction,
    Statement,
}

/// What is measured of one name in a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ItemMetric {
    Share,
    PerSecond,
    Rows,
    /// Of a transaction of the mix.
    Time,
    Latency(LatencyFigure),
}

/// By what is measured, the values of all repeats.
pub(crate) type ItemSeries = BTreeMap<ItemMetric, Series>;

/// One name in one cell.
pub(crate) struct Item {
    pub(crate) kind: ItemKind,
    pub(crate) name: String,
    pub(crate) series: ItemSeries,
    errors: u64,
    retries: u64,
}

impl Item {
    pub(crate) fn series(&self, metric: ItemMetric) -> Option<&Series> {
        self.series.get(&metric).filter(|series| !series.is_empty())
    }
}

/// The names of one cell.
pub(crate) struct Items {
    pub(crate) target: String,
    pub(crate) level: Level,
    /// Trials that fell behind the offered rate.
    overloaded: usize,
    pub(crate) all: Vec<Item>,
}

impl Items {
    pub(crate) fn get(&self, kind: ItemKind, name: &str) -> Option<&Item> {
        self.all.iter().find(|item| item.kind == kind && item.name == name)
    }
}

/// What the cells of a test say of names; nothing where its workload has none.
pub(crate) fn collect(
    study: &Study,
    test: &Test,
    cells: &Cells<'_>,
    looks: Option<&Arc<Looks>>,
) -> Vec<Items> {
    if own(test).is_none() {
        return Vec::new();
    }
    let mut all: Vec<Items> = cells.iter().map(|cell| items(study, cell, looks)).collect();
    learn(&mut all);
    all
}

/// The user's own transactions, where a test runs such.
fn own(test: &Test) -> Option<&Transactions> {
    test.workload().and_then(Workload::transactions)
}

/// What the trials of a cell say of a name, by repeat.
#[derive(Default)]
struct Measured {
    values: BTreeMap<ItemMetric, BTreeMap<u32, f64>>,
    errors: u64,
    retries: u64,
}

fn items(study: &Study, cell: &CellData<'_>, looks: Option<&Arc<Looks>>) -> Items {
    // In the order in which the scripts have them.
    let mut all: Vec<((ItemKind, &str), Measured)> = Vec::new();
    let mut overloaded = 0;
    for (record, block) in cell.usable_in_blocks() {
        model::deadline::look();
        let Some(load) = record.load() else { continue };
        overloaded += usize::from(load.is_overloaded());
        let transactions = load.by_transaction.iter().map(|one| (ItemKind::Transaction, one));
        let statements = load.by_statement.iter().map(|one| (ItemKind::Statement, one));
        for (kind, result) in transactions.chain(statements) {
            let key = (kind, result.name.as_str());
            let place = all.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
                all.push((key, Measured::default()));
                all.len() - 1
            });
            let item = &mut all[place].1;
            item.errors = item.errors.saturating_add(result.failed);
            item.retries = item.retries.saturating_add(result.retries);
            for (metric, value) in measured(kind, result, load, study.confidence) {
                item.values.entry(metric).or_default().insert(block, value);
            }
        }
    }
    let series = |values| {
        let mut series = Series::from_values(values, 0.0);
        series.looked_at(looks);
        series
    };
    let item = |((kind, name), measured): ((ItemKind, &str), Measured)| Item {
        kind,
        name: name.to_owned(),
        series: measured.values.into_iter().map(|(metric, all)| (metric, series(all))).collect(),
        errors: measured.errors,
        retries: measured.retries,
    };
    let all = all.into_iter().map(item).collect();
    Items { target: cell.target.to_owned(), level: cell.level, overloaded, all }
}

/// What a trial says of a name.
fn measured(
    kind: ItemKind,
    result: &NamedResult,
    load: &LoadResult,
    confidence: f64,
) -> Vec<(ItemMetric, f64)> {
    let seconds = load.measure.elapsed.as_secs_f64();
    let of_all = match kind {
        ItemKind::Transaction => load.by_transaction.iter().map(|one| one.ok).sum::<u64>(),
        ItemKind::Statement => load.by_statement.iter().map(|one| one.ok).sum::<u64>(),
    };
    let mut values = Vec::new();
    if seconds > 0.0 && of_all > 0 {
        values.push((ItemMetric::PerSecond, result.ok as f64 / seconds));
        values.push((ItemMetric::Share, result.ok as f64 / of_all as f64));
    }
    if kind == ItemKind::Statement && result.ok > 0 {
        values.push((ItemMetric::Rows, result.rows as f64 / result.ok as f64));
    }
    // From when it was due: in a load that falls behind, the longer it lasts the longer they are.
    if kind == ItemKind::Transaction && load.is_overloaded() {
        return values;
    }
    let latencies = &result.latencies;
    if let (Some(mean), true) = (latencies.mean_ms(), load.measure.transactions > 0) {
        let all = mean * latencies.count() as f64;
        values.push((ItemMetric::Time, all / load.measure.transactions as f64));
    }
    let figure = |figure: LatencyFigure| {
        Some((ItemMetric::Latency(figure), figure_of(figure, latencies, confidence)?))
    };
    values.extend(LatencyFigure::ALL.into_iter().filter_map(figure));
    values
}

/// A percentile with too few latencies beyond it would be the largest by another name.
fn figure_of(figure: LatencyFigure, latencies: &Latencies, confidence: f64) -> Option<f64> {
    let percentile = match figure {
        LatencyFigure::P95 => Some(95.0),
        LatencyFigure::P99 => Some(99.0),
        LatencyFigure::P999 => Some(99.9),
        LatencyFigure::Mean | LatencyFigure::P50 | LatencyFigure::Max => None,
    };
    match percentile {
        Some(percentile) => percentile_ms(latencies, percentile, confidence),
        None => figure.value_in(latencies),
    }
}

/// Learns how each figure of a name scatters over all cells, as figures of cells do.
fn learn(all: &mut [Items]) {
    let mut targets: Vec<String> = all.iter().map(|items| items.target.clone()).collect();
    targets.dedup();
    let mut keys: Vec<(ItemKind, String, ItemMetric)> = Vec::new();
    for item in all.iter().flat_map(|items| &items.all) {
        let own = item.series.keys().map(|metric| (item.kind, item.name.clone(), *metric));
        keys.extend(own);
    }
    keys.sort();
    keys.dedup();
    let independent = (2.0 / targets.len().max(1) as f64).min(1.0);
    let place = |target: &str| targets.iter().position(|one| one == target).unwrap_or_default();
    for (kind, name, metric) in keys {
        model::deadline::look();
        let kin = {
            let mut known: Vec<(Level, usize, &Series)> = Vec::new();
            for items in all.iter() {
                let own = items.get(kind, &name).and_then(|item| item.series.get(&metric));
                known.extend(own.map(|series| (items.level, place(&items.target), series)));
            }
            let mut pairs = Vec::new();
            for (number, (level, target, own)) in known.iter().enumerate() {
                let others = known[number + 1..].iter();
                let others = others.filter(|(other, at, _)| other == level && at != target);
                pairs.extend(others.map(|(_, at, their)| [(*target, *own), (*at, *their)]));
            }
            let cells: Vec<(usize, &Series)> =
                known.iter().map(|(_, at, own)| (*at, *own)).collect();
            Arc::new(Kin::from_series(&cells, pairs.into_iter(), independent))
        };
        for items in all.iter_mut() {
            let target = place(&items.target);
            let own = items.all.iter_mut().find(|item| item.kind == kind && item.name == name);
            if let Some(series) = own.and_then(|item| item.series.get_mut(&metric)) {
                series.belongs_to(&kin, target);
            }
        }
    }
}

/// What the report has of them.
pub(crate) fn cells(study: &Study, test: &Test, all: &[Items]) -> Vec<ItemCell> {
    let Some(own) = own(test) else { return Vec::new() };
    all.iter().map(|items| item_cell(study, own, items)).collect()
}

fn item_cell(study: &Study, own: &Transactions, items: &Items) -> ItemCell {
    let of_kind = |kind| {
        let of_kind = items.all.iter().filter(move |item| item.kind == kind);
        of_kind.map(|item| figures(study, own, item)).collect()
    };
    ItemCell {
        target: items.target.clone(),
        level: items.level,
        overloaded: items.overloaded,
        transactions: of_kind(ItemKind::Transaction),
        statements: of_kind(ItemKind::Statement),
    }
}

/// Bounds of transactions that are surely missed.
pub(crate) fn missed(test: &str, cells: &[ItemCell]) -> Vec<Finding> {
    let of_cell = |cell: &ItemCell| {
        let subject = Subject::test(test).on(&cell.target).at(cell.level);
        let missed = cell.transactions.iter().filter_map(|one| {
            let slo = one.slo.as_ref().filter(|slo| slo.met == Some(false))?;
            Some(BoundMissed {
                transaction: one.name.clone(),
                bound: slo.bound.clone(),
                figure: slo.figure?,
            })
        });
        missed.map(|found| Finding::new(subject.clone(), found)).collect::<Vec<_>>()
    };
    cells.iter().flat_map(of_cell).collect()
}

fn figures(study: &Study, own: &Transactions, item: &Item) -> ItemFigures {
    let of = |metric| item.series(metric).and_then(|series| series.estimate(study.confidence));
    let latency = |key| of(ItemMetric::Latency(key));
    let written = own.transactions.iter().find(|one| one.name == item.name);
    let written = written.filter(|_| item.kind == ItemKind::Transaction);
    ItemFigures {
        name: item.name.clone(),
        weight: written.map(|one| own.share(one)),
        share: of(ItemMetric::Share),
        per_second: of(ItemMetric::PerSecond),
        errors: item.errors,
        retries: item.retries,
        rows: of(ItemMetric::Rows),
        time_ms: of(ItemMetric::Time),
        mean_ms: latency(LatencyFigure::Mean),
        p50_ms: latency(LatencyFigure::P50),
        p95_ms: latency(LatencyFigure::P95),
        p99_ms: latency(LatencyFigure::P99),
        max_ms: latency(LatencyFigure::Max),
        slo: written.and_then(|one| one.slo).map(|slo| {
            let figure = latency(slo.figure);
            ItemSlo { bound: slo.to_string(), met: figure.and_then(|f| met(slo, &f)), figure }
        }),
    }
}

/// Whether a bound is met, as far as the interval tells; by one trial its point does.
fn met(slo: Slo, figure: &Estimate) -> Option<bool> {
    let (low, high) = figure
        .interval
        .map_or((figure.point, figure.point), |interval| (interval.low, interval.high));
    match (slo.is_met_by(low), slo.is_met_by(high)) {
        (true, true) => Some(true),
        (false, false) => Some(false),
        _ => None,
    }
}
