use super::{Cell, Table, Tone, numbers, words};
use crate::level_axis::{LevelAxis, overloaded};
use crate::numbers::percent;
use crate::view::{self, Tally};
use analyse::{Analysis, TestAnalysis};

/// Every cell of a test, the levels in order and the targets within each.
pub(crate) fn cells(analysis: &Analysis, test: &TestAnalysis) -> Table {
    let axis = LevelAxis::of(test);
    let [p50, p95, p99] = axis.percentiles();
    let latency = |cell: &analyse::Cell, estimate: Option<stats::Estimate>| match overloaded(cell) {
        Some(overloaded) => Cell::text(overloaded).with_tone(Tone::Doubtful),
        None => Cell::estimate(estimate.as_ref()),
    };
    let imported = view::imported(analysis);
    let mut columns = vec![
        numbers(axis.name()),
        words("target"),
        numbers(format!("throughput, {}/s", view::counted(test))),
    ];
    if imported {
        columns.extend([numbers("time taken, s"), numbers("mean, ms")]);
    }
    columns.extend([numbers(p50), numbers(p95), numbers(p99), numbers("spread"), words("trials")]);
    let mut table = Table::new(columns);
    let mut ordered: Vec<&analyse::Cell> = test.cells.iter().collect();
    ordered.sort_by_key(|cell| cell.level);
    let mut previous = None;
    for cell in ordered {
        let opens = previous != Some(cell.level);
        previous = Some(cell.level);
        let mut row = vec![
            Cell::text(axis.text(cell.level)),
            Cell::target(&cell.target, view::series(analysis, &cell.target)),
            Cell::estimate(cell.throughput.as_ref()),
        ];
        if imported {
            row.push(Cell::estimate(cell.elapsed_s.as_ref()));
            row.push(latency(cell, cell.latency_mean_ms));
        }
        row.extend([
            latency(cell, cell.latency_p50_ms),
            latency(cell, cell.latency_p95_ms),
            latency(cell, cell.latency_p99_ms),
            Cell::text(cell.spread.map_or(crate::numbers::NOTHING.to_owned(), percent)),
            validity(analysis, cell),
        ]);
        if opens {
            table.push_group(row);
        } else {
            table.push(row);
        }
    }
    if imported { table.without_empty_columns() } else { table }
}

fn validity(analysis: &Analysis, cell: &analyse::Cell) -> Cell {
    let tally = Tally::of(analysis, [cell]);
    let tone = match tally {
        Tally { void: 0, failed: 0, suspect: 0, valid: 1.., .. } => Tone::Good,
        Tally { void: 0, failed: 0, suspect: 1.., .. } => Tone::Doubtful,
        Tally { void: 0, failed: 0, suspect: 0, printed: 1.., .. } => Tone::Plain,
        _ => Tone::Bad,
    };
    Cell::text(tally.describe()).with_tone(tone)
}
