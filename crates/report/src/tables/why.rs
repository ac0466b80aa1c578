//! Where the time of an operation goes.

use super::{Table, TableCell, numbers, words};
use crate::level_axis::LevelAxis;
use crate::view;
use analyse::{Analysis, Resource, TestAnalysis, TimeOfOperation};

/// The time of an operation and what is known of it, the levels in order. Without anything known it has no
/// rows.
pub(crate) fn times(analysis: &Analysis, test: &TestAnalysis) -> Table {
    let axis = LevelAxis::for_test(test);
    let mut columns = vec![numbers(axis.name()), words("target")];
    columns.push(numbers(format!("a {}, ms", view::counted(test).one)));
    columns.extend(
        Resource::ALL.into_iter().map(|resource| numbers(format!("{}, ms", resource.name()))),
    );
    let mut table = Table::new(columns);
    let mut ordered: Vec<&TimeOfOperation> = test.times.iter().collect();
    ordered.sort_by_key(|time| time.level);
    let mut previous = None;
    for time in ordered {
        let mut row = vec![
            TableCell::text(axis.text(time.level)),
            TableCell::target(&time.target, view::series(analysis, &time.target)),
            TableCell::estimate(Some(&time.operation_ms)),
        ];
        let parts = Resource::ALL.into_iter().map(|resource| time.parts.get(&resource));
        row.extend(
            parts.map(|part| {
                part.map_or(TableCell::text(""), |part| TableCell::estimate(Some(part)))
            }),
        );
        match previous.replace(time.level) == Some(time.level) {
            true => table.push(row),
            false => table.push_group(row),
        }
    }
    table.without_empty_columns()
}
