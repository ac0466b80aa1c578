//! What the disks did that the servers' data is on, with the names that iostat has for it.

use super::{Column, Table, TableCell, numbers, words};
use crate::level_axis::LevelAxis;
use crate::view;
use analyse::{Analysis, CellVolume, DiskEstimates, TestAnalysis};
use model::UnitName;
use stats::Estimate;

const MEGA: f64 = 1e6;
const KIB: f64 = 1024.0;
const PERCENT: f64 = 100.0;

/// A figure of a disk: heading, the figure, and how many of the figure's units make one of the
/// column's.
type Figure = (&'static str, fn(&DiskEstimates) -> Option<Estimate>, f64);

/// What disks did. Side by side with the other figures these would be wider than a page: each of
/// these groups has a table of its own.
const WORK: [Figure; 6] = [
    ("r/s", |disk| disk.reads, 1.0),
    ("w/s", |disk| disk.writes, 1.0),
    ("read, MB/s", |disk| disk.read_bytes, MEGA),
    ("written, MB/s", |disk| disk.written_bytes, MEGA),
    ("r_await, ms", |disk| disk.read_await_ms, 1.0),
    ("w_await, ms", |disk| disk.write_await_ms, 1.0),
];

/// How requests got there.
const REQUESTS: [Figure; 5] = [
    ("rrqm/s", |disk| disk.reads_merged, 1.0),
    ("wrqm/s", |disk| disk.writes_merged, 1.0),
    ("f/s", |disk| disk.flushes, 1.0),
    ("f_await, ms", |disk| disk.flush_await_ms, 1.0),
    ("aqu-sz", |disk| disk.queue, 1.0),
];

/// The same of each disk besides.
const SIZES: [Figure; 4] = [
    ("%rrqm", |disk| disk.reads_merged_share, 1.0 / PERCENT),
    ("%wrqm", |disk| disk.writes_merged_share, 1.0 / PERCENT),
    ("rareq-sz, KiB", |disk| disk.read_size_bytes, KIB),
    ("wareq-sz, KiB", |disk| disk.write_size_bytes, KIB),
];

/// What was given back.
const DISCARDS: [Figure; 4] = [
    ("d/s", |disk| disk.discards, 1.0),
    ("discarded, MB/s", |disk| disk.discarded_bytes, MEGA),
    ("drqm/s", |disk| disk.discards_merged, 1.0),
    ("d_await, ms", |disk| disk.discard_await_ms, 1.0),
];

const BUSY: Figure = ("%util", |disk| disk.utilisation, 1.0 / PERCENT);

/// The volume under each cell of a test: what it did, and what it made of what it was asked for.
/// Empty where none is known. What no volume ever did has no column.
pub(crate) fn volumes(analysis: &Analysis, test: &TestAnalysis) -> Vec<Table> {
    let several = known(test).any(|(_, volume)| volume.devices.len() > 1);
    let mut work = headings(&WORK);
    if several {
        work.extend([numbers("%util, mean"), numbers("%util, busiest")]);
    } else {
        work.push(numbers(BUSY.0));
    }
    let work = rows(analysis, test, work, |volume| {
        let together = &volume.together;
        let mut row = figures(&WORK, together);
        row.push(scaled(together.utilisation, BUSY.2));
        if several {
            row.push(scaled(volume.busiest, BUSY.2));
        }
        vec![(None, row)]
    });
    let counted = view::counted(test);
    let per_io = match counted {
        // Those that were asked for, over those that the disk made of them.
        UnitName::IO => "requested IOs per IO".to_owned(),
        counted => format!("{counted} per IO"),
    };
    let mut requests = headings(&REQUESTS);
    requests.extend([numbers(per_io), numbers("merge factor")]);
    let requests = rows(analysis, test, requests, |volume| {
        let mut row = figures(&REQUESTS, &volume.together);
        row.push(scaled(volume.operations_per_io, 1.0));
        row.push(scaled(volume.together.merge_factor, 1.0));
        vec![(None, row)]
    });
    work.into_iter().chain(requests).collect()
}

/// Every figure of each disk of the volumes of a test; empty where none is known.
pub(crate) fn devices(analysis: &Analysis, test: &TestAnalysis) -> Vec<Table> {
    let table = |group: &[Figure]| {
        rows(analysis, test, headings(group), |volume| {
            let row = |disk: &DiskEstimates| (Some(disk.device.clone()), figures(group, disk));
            volume.devices.iter().map(row).collect()
        })
    };
    let groups = [[&WORK[..], &[BUSY]].concat(), REQUESTS.to_vec(), [SIZES, DISCARDS].concat()];
    groups.iter().filter_map(|group| table(group)).collect()
}

/// The cells of a test whose disks are known, the levels in order.
fn known(test: &TestAnalysis) -> impl Iterator<Item = (&analyse::Cell, &CellVolume)> {
    let mut cells: Vec<&analyse::Cell> = test.cells.iter().collect();
    cells.sort_by_key(|cell| cell.level);
    cells.into_iter().filter_map(|cell| Some((cell, cell.volume.as_ref()?)))
}

/// A table with the level and the target before these columns, and so many rows for each volume, of
/// a disk of it or of the whole; `None` where it would say nothing.
fn rows(
    analysis: &Analysis,
    test: &TestAnalysis,
    columns: Vec<Column>,
    of: impl Fn(&CellVolume) -> Vec<(Option<String>, Vec<TableCell>)>,
) -> Option<Table> {
    let axis = LevelAxis::for_test(test);
    let first = [numbers(axis.name()), words("target")];
    let identity = first.len();
    let mut table = Table::new(first.into_iter().chain(columns));
    let mut previous = None;
    for (cell, volume) in known(test) {
        for (disk, figures) in of(volume) {
            let target = TableCell::target(&cell.target, view::series(analysis, &cell.target));
            let mut row =
                vec![TableCell::text(axis.text(cell.level)), TableCell { note: disk, ..target }];
            row.extend(figures);
            if previous == Some(cell.level) {
                table.push(row);
            } else {
                table.push_group(row);
            }
            previous = Some(cell.level);
        }
    }
    let table = table.without_empty_columns();
    (table.columns.len() > identity).then_some(table)
}

fn headings(columns: &[Figure]) -> Vec<Column> {
    columns.iter().map(|(heading, ..)| numbers(*heading)).collect()
}

fn figures(columns: &[Figure], disk: &DiskEstimates) -> Vec<TableCell> {
    columns.iter().map(|(_, figure, unit)| scaled(figure(disk), *unit)).collect()
}

/// A figure in a column's unit. What never happened is left empty, so that a column of nothing else
/// goes.
fn scaled(estimate: Option<Estimate>, unit: f64) -> TableCell {
    let happened = |estimate: &Estimate| {
        estimate.point > 0.0 || estimate.interval.is_some_and(|interval| interval.high > 0.0)
    };
    let estimate = estimate.filter(happened).map(|estimate| estimate.map(|value| value / unit));
    TableCell::estimate(estimate.as_ref())
}
