use super::{Cell, Table, numbers, search, words};
use crate::level_axis::LevelAxis;
use crate::numbers::{NOTHING, count, figure};
use crate::view;
use crate::words::shape;
use analyse::{Analysis, Place, TestAnalysis};

/// The targets of a test from the best to the worst; those that tie share a place.
pub(crate) fn ranking(analysis: &Analysis, test: &TestAnalysis) -> Table {
    if let Some(found) = &test.search {
        return search::highest_loads(analysis, found);
    }
    let places = || test.ranking.tiers.iter().flatten();
    let priced = places().any(|place| place.cost_per_million.is_some());
    let axis = LevelAxis::of(test);
    let mut columns = vec![
        words("place"),
        words("target"),
        numbers("peak, transactions/s"),
        numbers(match axis {
            LevelAxis::Clients => "at clients",
            LevelAxis::Rate => "at offered, transactions/s",
        }),
        words("beyond the peak"),
    ];
    if priced {
        columns.push(numbers("cost of a million transactions"));
    }
    let mut table = Table::new(columns);
    let mut place_number = 1;
    for tier in &test.ranking.tiers {
        for place in tier {
            let tied = if tier.len() > 1 { " (tie)" } else { "" };
            let mut row = vec![Cell::text(format!("{place_number}{tied}"))];
            row.extend(columns_of(analysis, test, place));
            if priced {
                row.push(cost(place));
            }
            table.push(row);
        }
        place_number += tier.len();
    }
    for target in &test.ranking.unranked {
        let mut row = vec![
            Cell::text(NOTHING),
            Cell::target(target, view::series(analysis, target)),
            Cell::text(NOTHING),
            Cell::text(NOTHING),
            Cell::text("no trial that counts"),
        ];
        if priced {
            row.push(Cell::text(NOTHING));
        }
        table.push(row);
    }
    table
}

fn columns_of(analysis: &Analysis, test: &TestAnalysis, place: &Place) -> [Cell; 4] {
    let curve = test.curves.iter().find(|curve| curve.target == place.target);
    [
        Cell::target(&place.target, view::series(analysis, &place.target)),
        Cell::estimate(Some(&place.throughput)),
        Cell::text(count(LevelAxis::of(test).number(place.level).into())),
        Cell::text(curve.map_or(String::new(), shape)),
    ]
}

fn cost(place: &Place) -> Cell {
    let text = |(amount, currency): &(f64, String)| format!("{} {currency}", figure(*amount));
    Cell::text(place.cost_per_million.as_ref().map_or(NOTHING.to_owned(), text))
}
