use super::money::money_cell;
use super::{Table, TableCell, Tone, numbers, search, words};
use crate::level_axis::LevelAxis;
use crate::numbers::NOTHING;
use crate::view;
use crate::words::{exactly, kept_up_with, metric_name, shape, with_unit};
use analyse::{Analysis, FailedTarget, Metric, RankedTarget, TestAnalysis};
use model::text;

/// The targets of a test from the best to the worst; those that tie share a place, and those that
/// failed come last with their reason. Without any place it has no rows.
pub(crate) fn ranking(analysis: &Analysis, test: &TestAnalysis) -> Table {
    if let Some(found) = &test.search {
        return search::highest_loads(analysis, test, found);
    }
    let places = || test.ranking.tiers.iter().flatten();
    let priced = places().any(|place| place.cost_per_million.is_some());
    let mut columns = vec![
        words(if test.ranking.measured_once.is_empty() {
            "place"
        } else {
            "place, each measured once"
        }),
        words("target"),
        numbers(figure_heading(test)),
        numbers(match LevelAxis::for_test(test) {
            LevelAxis::Clients | LevelAxis::NotStated => "at clients".to_owned(),
            LevelAxis::QueueDepth => "at queue depth".to_owned(),
            LevelAxis::Rate(_) => format!("at offered, {}/s", view::counted(test)),
        }),
        words(match ranks_by(test) {
            Metric::Throughput if view::is_at_rates(test) => "sustains",
            Metric::Throughput => "trend past the peak",
            _ => "failed",
        }),
    ];
    if priced {
        columns.push(numbers(format!("cost of a million {}", view::counted(test))));
    }
    let mut table = Table::new(columns);
    for (number, place) in numbered(test) {
        let mut row = vec![TableCell::text(number)];
        row.extend(columns_of(analysis, test, place));
        if priced {
            row.push(cost(test, place));
        }
        table.push(row);
    }
    for target in &test.ranking.unranked {
        let failed = test.ranking.failed.iter().find(|failed| failed.target == *target);
        let why = match failed {
            Some(FailedTarget { failure, .. }) if failure.is_not_offered() => {
                TableCell::text(format!("not offered: {}", text::message(&failure.message)))
            }
            Some(failed) => {
                TableCell::text(text::message(&failed.failure.message)).with_tone(Tone::Bad)
            }
            None => TableCell::text(view::why_unranked(analysis, test, target)),
        };
        let mut row = vec![
            TableCell::text(NOTHING),
            TableCell::target(target, view::series(analysis, target)),
            TableCell::text(NOTHING),
            TableCell::text(NOTHING),
            why,
        ];
        if priced {
            row.push(TableCell::text(NOTHING));
        }
        table.push(row);
    }
    if view::has_levels(analysis, test) { table } else { table.without_empty_columns() }
}

/// Every target with the number of its place: that of the order of the figures, where that is all
/// there is.
fn numbered(test: &TestAnalysis) -> Vec<(String, &RankedTarget)> {
    let printed = |target: &str| test.ranking.measured_once.iter().find(|p| p.target == target);
    let is_shared = |place: &RankedTarget| {
        view::ranked(test).filter(|other| other.place == place.place).count() > 1
    };
    let number = |place: &RankedTarget| match printed(&place.target) {
        Some(printed) => printed.place.to_string(),
        // Of many, from the best to the worst place that it may have.
        None if view::is_crowded(test) => {
            let last = view::ranked(test).count() - place.worse;
            match place.better + 1 {
                first if first == last => first.to_string(),
                first => format!("{first}–{last}"),
            }
        }
        None if is_shared(place) => format!("{} (tie)", place.place),
        None => place.place.to_string(),
    };
    view::ranked(test).map(|place| (number(place), place)).collect()
}

fn ranks_by(test: &TestAnalysis) -> Metric {
    test.basis.map_or(Metric::Throughput, |basis| basis.metric)
}

fn figure_heading(test: &TestAnalysis) -> String {
    match ranks_by(test) {
        Metric::Throughput if view::is_at_rates(test) => {
            format!("most answered, {}/s", view::counted(test))
        }
        Metric::Throughput => format!("peak, {}/s", view::counted(test)),
        // Each with a unit that suits it.
        Metric::Elapsed if measured_once(test) => metric_name(Metric::Elapsed).to_owned(),
        metric => with_unit(metric, view::counted(test)),
    }
}

/// Whether its figures are others', each measured once.
fn measured_once(test: &TestAnalysis) -> bool {
    !test.ranking.measured_once.is_empty()
        && test.ranking.tiers.iter().flatten().all(|place| place.figure.n == 1)
}

fn columns_of(analysis: &Analysis, test: &TestAnalysis, place: &RankedTarget) -> [TableCell; 4] {
    let curve = test.curves.iter().find(|curve| curve.target == place.target);
    let metric = ranks_by(test);
    let figure = if metric == Metric::Elapsed && measured_once(test) {
        TableCell::text(exactly(metric, place.figure.point, view::counted(test)))
    } else if test.ranking.measured_once.is_empty() {
        TableCell::of_metric(metric, Some(&place.figure))
    } else {
        TableCell::text(crate::numbers::tick(place.figure.point))
    };
    let beyond = match curve {
        // One measurement cannot say what becomes of a curve.
        Some(_) if view::imported(analysis) && place.figure.n == 1 => NOTHING.to_owned(),
        Some(_) if !test.profile.is_empty() => NOTHING.to_owned(),
        Some(_) if view::is_at_rates(test) => kept_up_with(test, &place.target)
            .map_or("none of the rates".to_owned(), |level| level.to_string()),
        // The shape is that of throughput.
        Some(curve) if metric == Metric::Throughput => shape(curve),
        Some(_) => NOTHING.to_owned(),
        None => NOTHING.to_owned(),
    };
    [
        TableCell::target(&place.target, view::series(analysis, &place.target)),
        figure,
        TableCell::text(LevelAxis::for_test(test).text(place.level)),
        TableCell::text(beyond),
    ]
}

fn cost(test: &TestAnalysis, place: &RankedTarget) -> TableCell {
    match test.money.costs.iter().find(|cost| cost.target == place.target) {
        Some(cost) => money_cell(cost.per_million(), &cost.currency),
        None => TableCell::text(NOTHING),
    }
}
