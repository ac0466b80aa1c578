use super::{Cell, Table, numbers, words};
use crate::numbers::{NOTHING, list};
use crate::view;
use analyse::Analysis;

/// Who comes first and second in each test, and how often each target does; `None` for fewer than
/// two tests that rank targets.
pub(crate) fn summary(analysis: &Analysis) -> Option<(Table, Table)> {
    let summary = analysis.summary.as_ref()?;
    let names = |names: &[String], none: &str| {
        Cell::text(if names.is_empty() { none.to_owned() } else { list(names) })
    };
    let mut tests = Table::new([words("test"), words("first"), words("second")]);
    for podium in &summary.tests {
        tests.push([
            Cell::text(&podium.test),
            names(&podium.first, "not resolved"),
            names(&podium.second, NOTHING),
        ]);
    }
    let mut targets = Table::new([words("target"), numbers("first"), numbers("second")]);
    for placings in &summary.targets {
        targets.push([
            Cell::target(&placings.target, view::series(analysis, &placings.target)),
            Cell::text(placings.first.to_string()),
            Cell::text(placings.second.to_string()),
        ]);
    }
    Some((tests, targets))
}
