//! The figures that a choice is made by: those of the first targets at one level.

use super::money::money_cell;
use super::{Table, TableCell, Tone, cell_id, numbers, words};
use crate::level_axis::overloaded;
use crate::numbers::{NOTHING, tick};
use crate::view;
use crate::words::{at, exactly, search_unit, unit, with_unit};
use analyse::capacity::{MonthlyCost, monthly_cost};
use analyse::{Analysis, Cell, Metric, SearchOutcome, TestAnalysis};
use model::Level;

/// Most targets of the table.
const MOST: usize = 6;

/// What the first targets of a test achieve at one level, how long they take there, and what they
/// cost; `None` where nothing is ranked. Then how many targets it leaves out.
pub(crate) fn decision(analysis: &Analysis, test: &TestAnalysis) -> Option<(Table, usize)> {
    let names = in_order(test);
    let level = decision_level(test)?;
    let metric = test.basis?.metric;
    let cells: Vec<(&str, Option<&Cell>)> = names
        .iter()
        .map(|&name| {
            let mut own = test.cells.iter().filter(|cell| cell.target == name);
            (name, own.find(|cell| cell.level == level))
        })
        .collect();
    let has_p95 = metric != Metric::LatencyP95
        && cells
            .iter()
            .flat_map(|(_, cell)| *cell)
            .any(|cell| cell.estimate(Metric::LatencyP95).is_some() || overloaded(cell).is_some());
    let cost = |name: &str, cell: Option<&Cell>| {
        let load = cell.and_then(|cell| cell.estimate(Metric::Throughput));
        monthly_cost(analysis, test, name, load.as_ref())
    };
    let is_priced = cells.iter().any(|(name, cell)| cost(name, *cell).is_some());
    let place = if test.search.is_some() { String::new() } else { at(level) };
    let place = if place.is_empty() { "target" } else { place.trim_start() };
    let figure_heading = match (&test.search, metric) {
        (Some(found), _) => {
            format!("highest load, {}", search_unit(found.over, view::counted(test)))
        }
        (None, Metric::Throughput) => unit(metric, view::counted(test)),
        (None, metric) => with_unit(metric, view::counted(test)),
    };
    let mut columns = vec![words(place), numbers(figure_heading)];
    if has_p95 {
        let of = crate::level_axis::LevelAxis::for_test(test);
        columns.push(numbers(of.percentile(95.0)));
    }
    if is_priced {
        columns.push(numbers("a month"));
    }
    let mut table = Table::new(columns);
    for (name, cell) in cells.iter().take(MOST) {
        let mut row = vec![TableCell::target(name, view::series(analysis, name))];
        let place = cell.and_then(|cell| test.cells.iter().position(|c| std::ptr::eq(c, cell)));
        let id = place.and_then(|place| cell_id(analysis, test, place));
        row.push(figure(test, metric, name, *cell).resting_on(id));
        if has_p95 {
            row.push(p95(*cell));
        }
        if is_priced {
            row.push(monthly(cost(name, *cell)));
        }
        table.push(row);
    }
    Some((table, names.len().saturating_sub(MOST)))
}

/// All targets of a test, from the best on; those without a place come last.
fn in_order(test: &TestAnalysis) -> Vec<&str> {
    let Some(found) = &test.search else {
        let unranked = test.ranking.unranked.iter().map(String::as_str);
        return view::ranked(test).map(|place| place.target.as_str()).chain(unranked).collect();
    };
    let ranked: Vec<&str> =
        found.tiers.iter().flatten().map(|placed| placed.target.as_str()).collect();
    let others = found.targets.iter().map(|target| target.target.as_str());
    let others: Vec<&str> = others.filter(|name| !ranked.contains(name)).collect();
    ranked.into_iter().chain(others).collect()
}

/// Where the best is at its best, if all that are ranked have a figure there; else the highest level
/// at which all have one.
pub(crate) fn decision_level(test: &TestAnalysis) -> Option<Level> {
    if test.search.is_some() {
        return test.cells.first().map(|cell| cell.level);
    }
    let metric = test.basis?.metric;
    let best = view::ranked(test).next()?.level;
    let ranked = view::ranked(test).count();
    let have_all = |level: Level| {
        let here = test.cells.iter().filter(|cell| cell.level == level);
        here.filter(|cell| cell.estimate(metric).is_some()).count() >= ranked
    };
    if have_all(best) {
        return Some(best);
    }
    let levels = test.cells.iter().map(|cell| cell.level);
    Some(levels.filter(|&level| have_all(level)).max().unwrap_or(best))
}

fn figure(test: &TestAnalysis, metric: Metric, name: &str, cell: Option<&Cell>) -> TableCell {
    if let Some(found) = &test.search {
        let outcome = found.targets.iter().find(|target| target.target == name);
        return match outcome.map(|target| target.outcome) {
            Some(SearchOutcome::Found { load, .. }) => TableCell::estimate(Some(&load)),
            Some(SearchOutcome::AtLeast { load }) => {
                TableCell::text(format!("at least {}", crate::numbers::figure(load)))
            }
            Some(SearchOutcome::Below { load }) => {
                TableCell::text(format!("below {}", crate::numbers::figure(load)))
            }
            Some(SearchOutcome::Disturbed { .. } | SearchOutcome::Unknown) | None => {
                TableCell::text(NOTHING)
            }
        };
    }
    match cell.and_then(|cell| cell.estimate(metric)) {
        Some(printed) if printed.n == 1 && !test.ranking.measured_once.is_empty() => match metric {
            Metric::Elapsed => TableCell::text(exactly(metric, printed.point, view::counted(test))),
            _ => TableCell::text(tick(crate::words::in_unit(metric, &printed).point)),
        },
        found => TableCell::of_metric(metric, found.as_ref()),
    }
}

fn p95(cell: Option<&Cell>) -> TableCell {
    match cell.and_then(overloaded) {
        Some(overloaded) => TableCell::text(overloaded).with_tone(Tone::Doubtful),
        None => {
            TableCell::estimate(cell.and_then(|cell| cell.estimate(Metric::LatencyP95)).as_ref())
        }
    }
}

/// What a month costs with that load throughout.
fn monthly(cost: Option<MonthlyCost>) -> TableCell {
    cost.map_or(TableCell::text(NOTHING), |cost| money_cell(Some(cost.amount), &cost.currency))
}
