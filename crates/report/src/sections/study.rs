//! What holds of all tests together: places, labels, money, background work, methods.

use super::Scope;
use crate::document::{Block, Fold, Section, Text};
use crate::html::{charts, money as planes};
use crate::{tables, words};

/// Who comes first and second in each test; `None` of fewer than two tests that rank targets.
pub(super) fn places(scope: &Scope<'_>) -> Option<Section> {
    let (tests, targets) = tables::summary(scope.analysis)?;
    let mut blocks = vec![Block::caption(words::summary(scope.analysis)), Block::table(tests)];
    blocks.extend(Block::of_rows(targets));
    Some(Section::new("summary", PLACES, "in every test", blocks))
}

pub(super) const PLACES: &str = "First and second places";

/// What the labels do; `None` where no targets differ in one alone.
pub(super) fn factors(scope: &Scope<'_>) -> Option<Section> {
    let factors = tables::factors(scope.analysis)?;
    let how = "Targets that differ in one label only. What the labels do not say may differ too.";
    let blocks = vec![Block::caption(how), Block::table(factors)];
    Some(Section::new("factors", "Factors", "what each label changes", blocks))
}

/// What the targets cost; `None` where no cost follows from the prices.
pub(super) fn money(scope: &Scope<'_>) -> Option<Section> {
    let analysis = scope.analysis;
    let mut blocks = Vec::new();
    for (number, test) in analysis.tests.iter().enumerate() {
        let Some(costs) = tables::costs(analysis, test) else { continue };
        let drawn = scope.on_page(|_| Some(planes::planes(analysis, test, number)));
        let mut of_test: Vec<Block> = drawn.into_iter().flatten().map(Block::OnPage).collect();
        of_test.push(Block::table(costs));
        match analysis.tests.len() {
            1 => blocks.extend(of_test),
            _ => blocks.push(Block::part(3, &test.test, of_test)),
        }
    }
    let break_evens = tables::break_evens(analysis).map(Block::table);
    blocks.extend(break_evens.map(|table| Block::part(3, "Break-even", vec![table])));
    let note = "what the targets cost at their peaks";
    (!blocks.is_empty()).then(|| Section::new("money", "Money", note, blocks))
}

/// Rows of single events that stand open; more are folded.
const MOST_EVENTS: usize = 8;

/// Interventions, and what servers did in the background; `None` where nothing was seen.
pub(super) fn background(scope: &Scope<'_>) -> Option<Section> {
    let all = tables::events(scope.analysis)?;
    let mut blocks = Vec::new();
    if let Some(costs) = tables::event_costs(scope.analysis) {
        blocks.extend([Block::caption(words::EVENT_COSTS), Block::table(costs)]);
    }
    let is_long = all.rows.len() > MOST_EVENTS;
    let title = format!("All {} events", all.rows.len());
    blocks.push(match is_long {
        true => Block::folded(4, title, Fold::OnPaperToo, vec![Block::table(all)]),
        false => Block::part(3, "Every event", vec![Block::table(all)]),
    });
    blocks.push(Block::caption(words::EVENT_TIMES));
    Some(Section::new("background", tables::EVENTS, "and what it cost", blocks))
}

pub(super) fn methods(scope: &Scope<'_>) -> Section {
    let analysis = scope.analysis;
    let limits = ("Limits".to_owned(), words::general_limits(analysis).join(" ").into());
    let charts = scope.on_page(|_| charts::how_to_read(analysis));
    let charts = charts.map(|how| ("Charts".to_owned(), Text::from(how)));
    let methods = words::methods(analysis).into_iter();
    let methods = methods.map(|(subject, text)| (subject.to_owned(), text.into()));
    let terms = [limits].into_iter().chain(charts).chain(methods).collect();
    let note = "limits, charts, intervals, comparisons";
    Section::new("methods", "Methods", note, vec![Block::Terms(terms)])
}

pub(super) fn source(scope: &Scope<'_>) -> Option<Section> {
    let source = &scope.analysis.dataset.study.source;
    let how =
        Text::from("To repeat this study, save this file and pass it to ").code("weighin run");
    let file = Block::Source { language: "toml", text: source.clone() };
    let blocks = vec![Block::Paragraph(how.plain(".")), file];
    (!source.is_empty())
        .then(|| Section::new("study-file", "Study file", "to repeat the study", blocks))
}
