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
    // What a target cannot do is as much of an answer as who is ahead.
    let unranked = |test: &str| {
        let test = analysis.tests.iter().find(|one| one.test == test);
        test.map_or(&[][..], |test| &test.ranking.unranked)
    };
    let some_unranked = summary.tests.iter().any(|test| !unranked(&test.test).is_empty());
    let headings = ["test", "first", "second", "no result"];
    let columns = if some_unranked { 4 } else { 3 };
    let mut tests = Table::new(headings.into_iter().take(columns).map(words));
    for top_two in &summary.tests {
        let row = [
            TableCell::text(&top_two.test),
            names(&top_two.first, "not resolved"),
            names(&top_two.second, NOTHING),
            names(unranked(&top_two.test), NOTHING),
        ];
        tests.push(row.into_iter().take(columns));
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
