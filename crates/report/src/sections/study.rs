//! What holds of all tests together: places, money, background work, methods.

use crate::charts::{metrics, money as planes};
use crate::document::{Blocks, Fold, Text};
use crate::{tables, words};
use analyse::Analysis;

pub(super) const PLACES: &str = "First and second places";

/// Who comes first and second in each test, and how often each target does.
pub(super) fn places(analysis: &Analysis, b: &mut Blocks) {
    if let Some((tests, targets)) = tables::summary(analysis) {
        b.explained(tests, words::summary(analysis));
        b.table(targets);
    }
}

/// What the targets cost; nothing where no cost follows from the prices.
pub(super) fn money(analysis: &Analysis, b: &mut Blocks) {
    for (number, test) in analysis.tests.iter().enumerate() {
        let Some(costs) = tables::costs(analysis, test) else { continue };
        let of_test = |b: &mut Blocks| {
            b.drawn(|| Some(planes::planes(analysis, test, number)));
            b.table(costs);
        };
        match analysis.tests.len() {
            1 => of_test(b),
            _ => b.part(3, &test.test, of_test),
        }
    }
    b.part(3, "Break-even", |b| b.table(tables::break_evens(analysis)));
}

/// Rows of single events that stand open; more are folded.
const MOST_EVENTS: usize = 8;

/// Interventions, and what servers did in the background; nothing where nothing was seen.
pub(super) fn background(analysis: &Analysis, b: &mut Blocks) {
    let Some(all) = tables::events(analysis) else { return };
    b.explained(tables::event_costs(analysis), words::EVENT_COSTS);
    let (rank, title, fold) = match all.rows.len() {
        rows if rows > MOST_EVENTS => {
            (4, format!("All {} events", all.rows.len()), Fold::OnPaperToo)
        }
        _ => (3, "Every event".to_owned(), Fold::Open),
    };
    b.folded(rank, title, fold, |b| b.table(all));
    b.caption(words::EVENT_TIMES);
}

pub(super) fn methods(analysis: &Analysis, is_page: bool, b: &mut Blocks) {
    let limits = ("Limits", words::general_limits(analysis).join(" "));
    let charts = metrics::how_to_read(analysis).filter(|_| is_page).map(|how| ("Charts", how));
    let terms = [limits].into_iter().chain(charts).chain(words::methods(analysis));
    b.terms(terms.map(|(subject, text)| (subject.to_owned(), text.into())).collect());
}

pub(super) fn source(analysis: &Analysis, b: &mut Blocks) {
    let source = &analysis.dataset.study.source;
    if !source.is_empty() {
        let how = Text::from("To repeat this study, save this file and pass it to ");
        b.paragraph(how.code("weighin run").plain("."));
        b.source("toml", source);
    }
}
