use super::{Cell, Table, Tone, numbers, words};
use crate::numbers::{count, percent};
use crate::view::{self, Tally};
use analyse::{Analysis, TestAnalysis};

/// Every cell of a test, the levels in order and the targets within each.
pub(crate) fn cells(analysis: &Analysis, test: &TestAnalysis) -> Table {
    let mut table = Table::new([
        numbers("clients"),
        words("target"),
        numbers("throughput, transactions/s"),
        numbers("p50, ms"),
        numbers("p95, ms"),
        numbers("p99, ms"),
        numbers("spread"),
        words("trials"),
    ]);
    let mut ordered: Vec<&analyse::Cell> = test.cells.iter().collect();
    ordered.sort_by_key(|cell| cell.level);
    let mut previous = None;
    for cell in ordered {
        let opens = previous != Some(cell.level);
        previous = Some(cell.level);
        let row = [
            Cell::text(count(cell.level.clients.into())),
            Cell::target(&cell.target, view::series(analysis, &cell.target)),
            Cell::estimate(cell.throughput.as_ref()),
            Cell::estimate(cell.latency_p50_ms.as_ref()),
            Cell::estimate(cell.latency_p95_ms.as_ref()),
            Cell::estimate(cell.latency_p99_ms.as_ref()),
            Cell::text(cell.spread.map_or(crate::numbers::NOTHING.to_owned(), percent)),
            validity(analysis, cell),
        ];
        if opens {
            table.push_group(row);
        } else {
            table.push(row);
        }
    }
    table
}

fn validity(analysis: &Analysis, cell: &analyse::Cell) -> Cell {
    let tally = Tally::of(analysis, [cell]);
    let tone = match tally {
        Tally { void: 0, failed: 0, suspect: 0, valid: 1.. } => Tone::Good,
        Tally { void: 0, failed: 0, suspect: 1.., .. } => Tone::Doubtful,
        _ => Tone::Bad,
    };
    Cell::text(tally.describe()).with_tone(tone)
}
