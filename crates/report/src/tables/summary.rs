use super::{Table, TableCell, numbers, words};
use crate::numbers::{NOTHING, list};
use crate::view;
use analyse::Analysis;

/// Who comes first and second in each test, and how often each target does; `None` for fewer than
/// two tests that rank targets.
pub(crate) fn summary(analysis: &Analysis) -> Option<(Table, Table)> {
    let summary = analysis.summary.as_ref()?;
    let names = |names: &[String], none: &str| {
        TableCell::text(if names.is_empty() { none.to_owned() } else { list(names) })
    };
    let mut tests = Table::new([words("test"), words("first"), words("second")]);
    for top_two in &summary.tests {
        tests.push([
            TableCell::text(&top_two.test),
            names(&top_two.first, "not resolved"),
            names(&top_two.second, NOTHING),
        ]);
    }
    let mut targets = Table::new([words("target"), numbers("first"), numbers("second")]);
    for placings in &summary.targets {
        targets.push([
            TableCell::target(&placings.target, view::series(analysis, &placings.target)),
            TableCell::text(placings.first.to_string()),
            TableCell::text(placings.second.to_string()),
        ]);
    }
    Some((tests, targets))
}
