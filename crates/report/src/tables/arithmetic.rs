use super::{Row, Table, TableCell, Tone, numbers, words};
use crate::view;
use crate::words::{Terms, equation, follows, off, origins, printed};
use analyse::{Analysis, Evidence, Finding, Severity};

/// Figures that cannot all be true, each with the arithmetic; `None` where there are none.
pub(crate) fn arithmetic(analysis: &Analysis) -> Option<Table> {
    let mut table = Table::new([
        words("where"),
        words("figure"),
        numbers("as given"),
        words("calculated from"),
        words("result"),
        words("off by"),
    ]);
    table.rows.extend(analysis.findings.iter().filter_map(|finding| row(analysis, finding)));
    (!table.rows.is_empty()).then_some(table)
}

fn row(analysis: &Analysis, finding: &Finding) -> Option<Row> {
    let Evidence::Contradiction(found) = &finding.evidence else { return None };
    let subject = &finding.subject;
    let target = subject.target.as_deref().unwrap_or_default();
    let stated = subject.level.filter(|level| *level != model::Level::NONE);
    let place: Vec<String> =
        subject.test.iter().cloned().chain(stated.map(|level| level.to_string())).collect();
    let tone = match finding.severity {
        Severity::Severe => Tone::Bad,
        Severity::Warning => Tone::Doubtful,
        Severity::Notice | Severity::Passed => Tone::Plain,
    };
    let (value, bounds) = follows(found);
    let cells = vec![
        TableCell::target(target, view::series(analysis, target)).with_note(place.join(", ")),
        TableCell {
            note: origins(std::slice::from_ref(&found.printed)),
            ..TableCell::text(&found.printed.name)
        },
        TableCell::text(printed(&found.printed)),
        TableCell {
            note: origins(&found.terms),
            ..TableCell::text(equation(found, Terms::Values))
        },
        TableCell { note: bounds, ..TableCell::text(value) },
        TableCell::text(off(found)).with_tone(tone),
    ];
    Some(Row { cells, opens_group: false, id: None })
}
