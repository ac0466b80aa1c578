//! What fleets of virtual machines did on volumes.

use super::{Table, TableCell, numbers, words};
use crate::level_axis::LevelAxis;
use crate::numbers::{count, figure};
use crate::view;
use analyse::{Analysis, FleetCell, TestAnalysis};
use model::Place;
use stats::Estimate;

/// Every volume of every target at every level.
pub(crate) fn fleet_volumes(analysis: &Analysis, test: &TestAnalysis) -> Table {
    let axis = LevelAxis::for_test(test);
    let mut table = Table::new([
        numbers(axis.name()),
        words("target and volume"),
        numbers("IOs/s"),
        numbers("MB/s"),
        numbers("read, mean ms"),
        numbers("read, p99 ms"),
        numbers("write, mean ms"),
        numbers("write, p99 ms"),
    ]);
    for cell in ordered(test) {
        for (number, volume) in cell.volumes.iter().enumerate() {
            let row = [
                TableCell::text(axis.text(cell.level)),
                TableCell::target(&cell.target, view::series(analysis, &cell.target))
                    .with_note(path(analysis, &cell.target, number)),
                TableCell::estimate(volume.ios.as_ref()),
                megabytes(volume.bytes.as_ref()),
                TableCell::estimate(volume.read_mean_ms.as_ref()),
                TableCell::estimate(volume.read_p99_ms.as_ref()),
                TableCell::estimate(volume.write_mean_ms.as_ref()),
                TableCell::estimate(volume.write_p99_ms.as_ref()),
            ];
            if number == 0 { table.push_group(row) } else { table.push(row) }
        }
    }
    table.without_empty_columns()
}

/// What each of several machines with volumes did; `None` where no target has several.
pub(crate) fn fleet_hosts(analysis: &Analysis, test: &TestAnalysis) -> Option<Table> {
    let axis = LevelAxis::for_test(test);
    let mut table = Table::new([
        numbers(axis.name()),
        words("target and host"),
        numbers("virtual machines"),
        numbers("IOs/s"),
        numbers("MB/s"),
    ]);
    for cell in ordered(test) {
        for (number, host) in cell.hosts.iter().enumerate() {
            let row = [
                TableCell::text(axis.text(cell.level)),
                TableCell::target(&cell.target, view::series(analysis, &cell.target))
                    .with_note(&host.host),
                TableCell::text(count(host.vms.into())),
                TableCell::estimate(host.ios.as_ref()),
                megabytes(host.bytes.as_ref()),
            ];
            if number == 0 { table.push_group(row) } else { table.push(row) }
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

/// The virtual machines of every target at every level.
pub(crate) fn fleet_vms(analysis: &Analysis, test: &TestAnalysis) -> Table {
    let axis = LevelAxis::for_test(test);
    let mut table = Table::new([
        numbers(axis.name()),
        words("target"),
        numbers("IOs/s of each"),
        numbers("MB/s of each"),
        numbers("IOs/s of the slowest"),
        numbers("slowest ÷ fastest"),
        numbers("worst p99, ms"),
        numbers("IOs/s per GB of data"),
    ]);
    for cell in ordered(test) {
        table.push([
            TableCell::text(axis.text(cell.level)),
            TableCell::target(&cell.target, view::series(analysis, &cell.target)),
            TableCell::estimate(cell.vms.ios.as_ref()),
            megabytes(cell.vms.bytes.as_ref()),
            TableCell::estimate(cell.vms.slowest_ios.as_ref()),
            TableCell::estimate(cell.vms.evenness.as_ref()),
            TableCell::estimate(cell.vms.worst_p99_ms.as_ref()),
            TableCell::estimate(cell.ios_per_gb.as_ref()),
        ]);
    }
    table.without_empty_columns()
}

/// The processors that the virtual machines of every target had at every level, and what they used of
/// them; `None` where they were limited to none.
pub(crate) fn fleet_processors(analysis: &Analysis, test: &TestAnalysis) -> Option<Table> {
    let axis = LevelAxis::for_test(test);
    let mut table = Table::new([
        numbers(axis.name()),
        words("target"),
        numbers("processors"),
        numbers("busy, %"),
        numbers("throttled, % of periods"),
        numbers("throttled per second, s"),
    ]);
    for (cell, shared) in ordered(test).into_iter().filter_map(|c| Some((c, c.processors?))) {
        table.push([
            TableCell::text(axis.text(cell.level)),
            TableCell::target(&cell.target, view::series(analysis, &cell.target)),
            TableCell::text(figure(shared.count)),
            percent(&shared.busy),
            percent(&shared.throttled),
            TableCell::estimate(Some(&shared.throttled_per_second)),
        ]);
    }
    (!table.rows.is_empty()).then_some(table)
}

fn ordered(test: &TestAnalysis) -> Vec<&FleetCell> {
    let mut cells: Vec<&FleetCell> = test.fleets.iter().collect();
    cells.sort_by_key(|cell| cell.level);
    cells
}

/// The path of a volume, as the study names it.
fn path(analysis: &Analysis, target: &str, number: usize) -> String {
    let targets = &analysis.dataset.study.targets;
    let place = targets.iter().find(|one| one.name == target).map(|target| &target.place);
    let Some(Place::Storage(place)) = place else { return String::new() };
    place.placed().nth(number).map_or(String::new(), |volume| volume.to_string())
}

/// A share in percent.
fn percent(share: &Estimate) -> TableCell {
    TableCell::estimate(Some(&share.map(|share| share * 100.0)))
}

/// Bytes per second in MB (10⁶ bytes), as makers of disks count.
fn megabytes(bytes: Option<&Estimate>) -> TableCell {
    let scaled = bytes.map(|bytes| bytes.map(|bytes| bytes / 1e6));
    TableCell::estimate(scaled.as_ref())
}
