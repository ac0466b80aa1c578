//! All tests and all targets in one table: how far each target is behind the best of each test.

use super::money::money_cell;
use super::{Column, Shade, Table, TableCell, Tone, numbers, words};
use crate::numbers::{NOTHING, figure, range, shortened};
use crate::view;
use crate::words::{at, exactly, failure_kind, metric_name, unit, with_unit};
use analyse::capacity::monthly_cost;
use analyse::{Amount, Analysis, MatrixCell, MatrixPlace, MatrixTest, Metric, TestAnalysis};
use model::{Failure, MetricUnit, text};

/// Most tests that are columns; more are rows.
const MOST_COLUMNS: usize = 6;
/// Most characters of why a target failed; the part of the test says it in full.
const LONGEST_REASON: usize = 90;
/// Order of cells without a figure when a table is sorted: behind all that have one.
const LAST: f64 = 1e12;

/// Every target in every test, and what a month of each costs; `None` for fewer than two targets, or
/// two tests that are judged, unless costs are asked for. Targets are rows unless the tests are many and the targets few.
pub(crate) fn standings(analysis: &Analysis) -> Option<Table> {
    let targets = &analysis.dataset.study.targets;
    let by_cost = analysis.matrix.iter().any(|test| test.by_cost);
    if (analysis.matrix.len() < 2 && !by_cost) || targets.len() < 2 {
        return None;
    }
    let tests_are_rows =
        analysis.matrix.len() > MOST_COLUMNS && targets.len() < analysis.matrix.len();
    Some(if tests_are_rows { by_test(analysis) } else { by_target(analysis) })
}

fn by_target(analysis: &Analysis) -> Table {
    let targets = &analysis.dataset.study.targets;
    let costs: Vec<TableCell> = targets.iter().map(|t| monthly(analysis, &t.name)).collect();
    let is_priced = costs.iter().any(|cost| cost.text != NOTHING);
    let mut columns: Vec<Column> = vec![words("target")];
    columns.extend(analysis.matrix.iter().map(|test| numbers(heading(analysis, test))));
    if is_priced {
        columns.push(numbers("cost a month"));
    }
    let mut table = Table::sortable(columns);
    for (target, cost) in targets.iter().zip(costs) {
        let name = TableCell::target(&target.name, view::series(analysis, &target.name));
        let cells = analysis.matrix.iter().map(|test| place_of(analysis, test, &target.name));
        let cost = Some(cost).filter(|_| is_priced);
        table.push(std::iter::once(name).chain(cells).chain(cost));
    }
    table
}

fn by_test(analysis: &Analysis) -> Table {
    let targets = &analysis.dataset.study.targets;
    let names = targets.iter().map(|target| numbers(&target.name));
    let mut table = Table::sortable(std::iter::once(words("test")).chain(names));
    for test in &analysis.matrix {
        let name = TableCell::text(&test.test).resting_on(link(analysis, test));
        let name = name.with_note(judged_by(analysis, test));
        let cells = targets.iter().map(|target| place_of(analysis, test, &target.name));
        table.push(std::iter::once(name).chain(cells));
    }
    let costs: Vec<TableCell> = targets.iter().map(|t| monthly(analysis, &t.name)).collect();
    if costs.iter().any(|cost| cost.text != NOTHING) {
        table.push_group(std::iter::once(TableCell::text("cost a month")).chain(costs));
    }
    table
}

/// Where the part of a test is.
fn link(analysis: &Analysis, test: &MatrixTest) -> Option<String> {
    let number = analysis.tests.iter().position(|one| one.test == test.test)?;
    Some(format!("test-{number}"))
}

fn heading(analysis: &Analysis, test: &MatrixTest) -> String {
    format!("{}: {}", test.test, judged_by(analysis, test))
}

fn judged_by(analysis: &Analysis, test: &MatrixTest) -> String {
    match (analyzed(analysis, test), test.metric) {
        (Some(of), _) if test.by_cost => format!("a million {}", view::counted(of)),
        (Some(of), Metric::Throughput) => unit(test.metric, view::counted(of)),
        // Each cell has the unit that suits it.
        (Some(_), Metric::Elapsed) => metric_name(Metric::Elapsed).to_owned(),
        (Some(of), metric) => with_unit(metric, view::counted(of)),
        (None, _) => String::new(),
    }
}

fn analyzed<'a>(analysis: &'a Analysis, test: &MatrixTest) -> Option<&'a TestAnalysis> {
    analysis.tests.iter().find(|one| one.test == test.test)
}

/// A target in a test: how far it is behind with the verdict, then the figure.
fn place_of(analysis: &Analysis, test: &MatrixTest, target: &str) -> TableCell {
    let Some(cell) = test.cells.iter().find(|cell| cell.target == target) else {
        return TableCell::text(NOTHING).in_order(LAST);
    };
    let times = cell.behind.map_or(String::new(), |behind| format!("× {}", figure(behind.point)));
    let (best, behind) = if test.by_cost { ("cheapest", "as much") } else { ("best", "behind") };
    let (said, tone) = match &cell.place {
        MatrixPlace::Best { clear: true } => (best.to_owned(), Tone::Good),
        MatrixPlace::Best { clear: false } => (format!("{best} figure"), Tone::Plain),
        MatrixPlace::Same => (format!("{times} same"), Tone::Plain),
        MatrixPlace::Unresolved => (format!("{times} not resolved"), Tone::Doubtful),
        MatrixPlace::Behind => (format!("{times} {behind}"), Tone::Plain),
        MatrixPlace::MeasuredOnce { place: 1 } => ("first".to_owned(), Tone::Plain),
        MatrixPlace::MeasuredOnce { .. } => (times, Tone::Plain),
        MatrixPlace::AtLeast => ("more than tried".to_owned(), Tone::Plain),
        MatrixPlace::Below => ("less than tried".to_owned(), Tone::Plain),
        MatrixPlace::Failed { failure } => return failed("failed", failure, Tone::Bad),
        MatrixPlace::NotOffered { failure } => return failed("not offered", failure, Tone::Plain),
        MatrixPlace::NoFigure => ("no figure".to_owned(), Tone::Bad),
        MatrixPlace::NoCost => ("no cost known".to_owned(), Tone::Plain),
        MatrixPlace::NoTrial => ("no trial that counts".to_owned(), Tone::Bad),
    };
    let said = TableCell::text(said.trim()).with_tone(tone).shaded(shade(cell));
    let order = cell.behind.map_or(LAST, |behind| behind.point);
    let said = said.in_order(order);
    match note(analysis, test, cell) {
        Some(note) => said.with_note(note),
        None => said,
    }
}

fn failed(what: &str, failure: &Failure, tone: Tone) -> TableCell {
    let message = text::message(&failure.message);
    let message = message.replace(['\n', '\t'], " ");
    let reason = match message.trim() {
        "" => failure_kind(failure.kind).to_owned(),
        message => shortened(message, LONGEST_REASON),
    };
    TableCell::text(what).with_tone(tone).with_note(reason).in_order(LAST)
}

/// The interval of the ratio, and the figure that it is of with its level.
fn note(analysis: &Analysis, test: &MatrixTest, cell: &MatrixCell) -> Option<String> {
    let interval = cell
        .behind
        .filter(|behind| !behind.is_exact())
        .and_then(|behind| behind.interval)
        .map(|(low, high)| range(low, high));
    let level =
        cell.level.filter(|_| analyzed(analysis, test).is_some_and(|of| of.search.is_none()));
    let place = level.map_or(String::new(), at);
    let achieved = cell.figure.map(|amount| match &cell.currency {
        Some(currency) => format!("{} {currency}{place}", figure(amount.point)),
        None => format!("{}{place}", achieved(analysis, test, amount)),
    });
    let parts: Vec<String> = interval.into_iter().chain(achieved).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn achieved(analysis: &Analysis, test: &MatrixTest, amount: Amount) -> String {
    let counted = analyzed(analysis, test).map(view::counted);
    match (test.metric, counted) {
        (Metric::Elapsed, Some(counted)) => exactly(Metric::Elapsed, amount.point, counted),
        (metric, _) if metric.unit() == MetricUnit::Bytes => figure(amount.point / 1e6),
        _ => figure(amount.point),
    }
}

/// How far behind, in steps that the eye tells apart; none where nothing was told apart.
fn shade(cell: &MatrixCell) -> Option<Shade> {
    let behind = cell.behind?.point;
    Some(match cell.place {
        MatrixPlace::Best { clear: true }
        | MatrixPlace::Same
        | MatrixPlace::MeasuredOnce { place: 1 } => Shade::Best,
        MatrixPlace::Behind | MatrixPlace::MeasuredOnce { .. } if behind < 1.25 => Shade::Near,
        MatrixPlace::Behind | MatrixPlace::MeasuredOnce { .. } if behind < 2.0 => Shade::Behind,
        MatrixPlace::Behind | MatrixPlace::MeasuredOnce { .. } => Shade::Far,
        _ => return None,
    })
}

/// What a month of a target costs: at its peak in each test, where that depends on the load.
fn monthly(analysis: &Analysis, target: &str) -> TableCell {
    let cost = |test: &TestAnalysis| {
        let curve = test.curves.iter().find(|curve| curve.target == target);
        monthly_cost(analysis, test, target, curve.map(|curve| &curve.peak_throughput))
    };
    let costs: Vec<_> = analysis.tests.iter().filter_map(cost).collect();
    let Some(first) = costs.first() else { return TableCell::text(NOTHING).in_order(LAST) };
    let points = || costs.iter().map(|cost| cost.amount.point);
    let (low, high) = (points().fold(f64::INFINITY, f64::min), points().fold(0.0, f64::max));
    let cell = match low == high {
        true => money_cell(Some(first.amount), &first.currency),
        false => TableCell::text(format!("{} {}", range(low, high), first.currency)),
    };
    cell.in_order(high)
}
