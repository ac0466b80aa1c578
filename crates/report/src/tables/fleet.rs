//! What fleets of virtual machines did on volumes.

use super::{Cell, Table, numbers, words};
use crate::level_axis::LevelAxis;
use crate::numbers::figure;
use crate::view;
use analyse::{Analysis, FleetCell, TestAnalysis};
use model::Place;
use stats::Estimate;

/// Every volume of every target at every level.
pub(crate) fn fleet_volumes(analysis: &Analysis, test: &TestAnalysis) -> Table {
    let axis = LevelAxis::of(test);
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
            let row =
                [
                    Cell::text(axis.text(cell.level)),
                    Cell::target(&cell.target, view::series(analysis, &cell.target))
                        .with_note(path(analysis, &cell.target, number)),
                    Cell::estimate(volume.ios.as_ref()),
                    megabytes(volume.bytes.as_ref()),
                    Cell::estimate(volume.read_mean_ms.as_ref()),
                    Cell::estimate(volume.read_p99_ms.as_ref()),
                    Cell::estimate(volume.write_mean_ms.as_ref()),
                    Cell::estimate(volume.write_p99_ms.as_ref()),
                ];
            if number == 0 { table.push_group(row) } else { table.push(row) }
        }
    }
    table.without_empty_columns()
}

/// The virtual machines of every target at every level.
pub(crate) fn fleet_vms(analysis: &Analysis, test: &TestAnalysis) -> Table {
    let axis = LevelAxis::of(test);
    let mut table = Table::new([
        numbers(axis.name()),
        words("target"),
        numbers("IOs/s of each"),
        numbers("MB/s of each"),
        numbers("IOs/s of the slowest"),
        numbers("slowest ÷ fastest"),
        numbers("worst p99, ms"),
        numbers("IOs/s per GB of data"),
        numbers("processors"),
        numbers("busy, %"),
        numbers("held back, % of periods"),
        numbers("held back, s/s"),
    ]);
    for cell in ordered(test) {
        let processors = cell.processors.as_ref();
        table.push([
            Cell::text(axis.text(cell.level)),
            Cell::target(&cell.target, view::series(analysis, &cell.target)),
            Cell::estimate(cell.vms.ios.as_ref()),
            megabytes(cell.vms.bytes.as_ref()),
            Cell::estimate(cell.vms.slowest_ios.as_ref()),
            Cell::estimate(cell.vms.evenness.as_ref()),
            Cell::estimate(cell.vms.worst_p99_ms.as_ref()),
            Cell::estimate(cell.ios_per_gb.as_ref()),
            Cell::text(processors.map_or(String::new(), |shared| figure(shared.count))),
            percent(processors.map(|shared| shared.busy)),
            percent(processors.map(|shared| shared.held_back)),
            Cell::estimate(processors.map(|shared| &shared.held_back_per_second)),
        ]);
    }
    table.without_empty_columns()
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
    place.volumes.get(number).map_or(String::new(), |volume| volume.path.display().to_string())
}

/// A share in percent.
fn percent(share: Option<Estimate>) -> Cell {
    let percent = share.map(|share| share.map(|share| share * 100.0));
    Cell::estimate(percent.as_ref())
}

/// Bytes per second in MB (10⁶ bytes), as makers of disks count.
fn megabytes(bytes: Option<&Estimate>) -> Cell {
    let scaled = bytes.map(|bytes| bytes.map(|bytes| bytes / 1e6));
    Cell::estimate(scaled.as_ref())
}
