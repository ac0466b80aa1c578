use super::{Table, TableCell, numbers, words};
use crate::level_axis::LevelAxis;
use crate::view;
use crate::words::with_unit;
use analyse::{Analysis, Metric, TestAnalysis};

/// The parts of a measured phase, with their figures.
const PARTS: [(&str, Metric, Metric); 3] = [
    ("before", Metric::ThroughputBefore, Metric::LatencyP99Before),
    ("during", Metric::ThroughputDuring, Metric::LatencyP99During),
    ("after", Metric::ThroughputAfter, Metric::LatencyP99After),
];

/// What loads did before, while and after something was done to their targets. Without any such load
/// it has no rows.
pub(crate) fn before_and_after(analysis: &Analysis, test: &TestAnalysis) -> Table {
    let axis = LevelAxis::for_test(test);
    let mut table = Table::new([
        numbers(axis.name()),
        words("target"),
        words("when"),
        numbers(with_unit(Metric::Throughput, view::counted(test))),
        numbers("÷ before"),
        numbers(with_unit(Metric::LatencyP99, view::counted(test))),
        numbers(with_unit(Metric::LongestBlocked, view::counted(test))),
    ]);
    let figure = |cell: &analyse::Cell, metric| TableCell::estimate(cell.estimate(metric).as_ref());
    for cell in &test.cells {
        if cell.estimate(Metric::ThroughputDuring).is_none() {
            continue;
        }
        for (part, throughput, p99) in PARTS {
            let during = throughput == Metric::ThroughputDuring;
            let only_during = |metric| match during {
                true => figure(cell, metric),
                false => TableCell::text(""),
            };
            let row = [
                TableCell::text(axis.text(cell.level)),
                TableCell::target(&cell.target, view::series(analysis, &cell.target)),
                TableCell::text(part),
                figure(cell, throughput),
                only_during(Metric::ThroughputKept),
                figure(cell, p99),
                only_during(Metric::LongestBlocked),
            ];
            match throughput {
                Metric::ThroughputBefore => table.push_group(row),
                _ => table.push(row),
            }
        }
    }
    table.without_empty_columns()
}
