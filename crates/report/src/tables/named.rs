use super::{Table, TableCell, Tone, numbers, words};
use crate::level_axis::LevelAxis;
use crate::numbers::{NOTHING, tick};
use crate::view;
use analyse::{Analysis, Cell, NamedFigure, NamedValue, TestAnalysis};
use model::Level;
use std::collections::HashMap;

/// Figures by the names that they have in their source: a row for each cell.
pub(crate) fn named(analysis: &Analysis, test: &TestAnalysis) -> Table {
    let axis = LevelAxis::for_test(test);
    let mut columns = vec![words("target"), numbers(axis.name())];
    columns.extend(test.figures.iter().map(|figure| numbers(heading(figure))));
    columns.push(words("failed"));
    let mut table = Table::new(columns);
    let by_cell: Vec<ByCell<'_>> = test.figures.iter().map(ByCell::for_figure).collect();
    for cell in &test.cells {
        let mut row = vec![
            TableCell::target(&cell.target, view::series(analysis, &cell.target)),
            TableCell::text(axis.text(cell.level)),
        ];
        let imported = view::imported(analysis);
        row.extend(by_cell.iter().map(|figure| figure.value(cell, imported)));
        row.push(match view::why_empty(analysis, cell) {
            Some(reason) => TableCell::text(reason).with_tone(Tone::Bad),
            None => TableCell::text(NOTHING),
        });
        table.push(row);
    }
    table.without_empty_columns()
}

/// Most figures, and most rows, of the table of what is printed.
const MOST_FIGURES: usize = 8;
const MOST_ROWS: usize = 16;

/// What results print of several tests of which none can be judged, all in one table; `None` where one
/// can.
pub(crate) fn printed(analysis: &Analysis) -> Option<Table> {
    let tests = &analysis.tests;
    if tests.len() < 2 || tests.iter().any(|test| test.basis.is_some()) {
        return None;
    }
    let mut headings: Vec<String> = Vec::new();
    for heading in tests.iter().flat_map(|test| &test.figures).map(heading) {
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    headings.truncate(MOST_FIGURES);
    let columns = [words("test"), words("target"), words("level")].into_iter();
    let mut table = Table::new(columns.chain(headings.iter().map(numbers)));
    let several = analysis.dataset.study.targets.len() > 1;
    let cells = tests.iter().flat_map(|test| test.cells.iter().map(move |cell| (test, cell)));
    for (test, cell) in cells.take(MOST_ROWS) {
        let target = if several { cell.target.as_str() } else { "" };
        let place = [test.test.as_str(), target, &LevelAxis::for_test(test).text(cell.level)];
        let figures = headings.iter().map(|wanted| {
            let figure = test.figures.iter().find(|figure| heading(figure) == *wanted);
            figure.map_or(TableCell::text(NOTHING), |figure| {
                ByCell::for_figure(figure).value(cell, view::imported(analysis))
            })
        });
        table.push(place.map(TableCell::text).into_iter().chain(figures));
    }
    let table = table.without_empty_columns();
    (!table.rows.is_empty() && table.columns.len() > 1).then_some(table)
}

/// Whether the table of cells says more: of what weighin measured, of repeats, or of results that
/// print no figures.
pub(crate) fn cells_add_to_named(analysis: &Analysis, test: &TestAnalysis) -> bool {
    let repeated = || test.basis.is_some() && test.cells.iter().any(|cell| cell.trials.len() > 1);
    !view::imported(analysis) || test.figures.is_empty() || repeated()
}

/// The name without what would stop it from breaking into lines, and the unit.
fn heading(figure: &NamedFigure) -> String {
    let name = figure.metric.replace('_', " ");
    match figure.unit.as_str() {
        "" => name,
        unit => format!("{name}, {unit}"),
    }
}

/// A figure, found by its cell: there may be thousands of them.
struct ByCell<'a> {
    figure: &'a NamedFigure,
    values: HashMap<(&'a str, Level), &'a NamedValue>,
}

impl<'a> ByCell<'a> {
    fn for_figure(figure: &'a NamedFigure) -> Self {
        let by_cell = |value: &'a NamedValue| ((value.target.as_str(), value.level), value);
        Self { figure, values: figure.values.iter().map(by_cell).collect() }
    }

    /// Figures of others stand as they were printed.
    fn value(&self, cell: &Cell, imported: bool) -> TableCell {
        let found = self.values.get(&(cell.target.as_str(), cell.level));
        match found.map(|value| (value.estimate, &value.text)) {
            Some((Some(estimate), _)) if imported && estimate.n == 1 => {
                TableCell::text(tick(estimate.point))
            }
            Some((Some(estimate), _)) if self.figure.unit.is_empty() => {
                TableCell::counted(Some(&estimate))
            }
            Some((Some(estimate), _)) => TableCell::estimate(Some(&estimate)),
            Some((None, text)) => TableCell::text(text.join("; ")),
            None => TableCell::text(NOTHING),
        }
    }
}
