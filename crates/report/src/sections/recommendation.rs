//! The first screen: what to choose, what that rests on, what it does not hold for, and one chart.

use super::Scope;
use crate::document::{Block, Bullets, Section, Text};
use crate::html::charts;
use crate::tables::Tone;
use crate::{tables, words};
use analyse::{Analysis, TestAnalysis};

/// More tests than this have their choices folded.
const MOST_TESTS: usize = 8;

/// The section that everything else is linked from.
pub(super) fn section(scope: &Scope<'_>) -> Section {
    let analysis = scope.analysis;
    let mut blocks: Vec<Block> = words::scaled(analysis).map(Block::Warning).into_iter().collect();
    let standings = standings(analysis);
    // A table has said all of what is no more than an order of figures.
    let mut judged = analysis.tests.iter().filter(|test| test.basis.is_some());
    let is_once = judged.all(|test| !test.ranking.measured_once.is_empty());
    let most = if is_once && !standings.is_empty() { 0 } else { MOST_TESTS };
    blocks.extend(standings);
    let mut beside: Vec<Block> =
        scope.on_page(|_| charts::main(analysis).map(Block::OnPage)).into_iter().collect();
    beside.extend(grounds(analysis));
    blocks.push(Block::Columns([choices(analysis, most), beside]));
    blocks.extend(tables::printed(analysis).map(Block::table));
    Section {
        id: "answer".to_owned(),
        title: "Recommendation".to_owned(),
        note: None,
        is_open: true,
        blocks,
    }
}

/// How far each target is behind the best of each test.
fn standings(analysis: &Analysis) -> Vec<Block> {
    let Some(standings) = tables::standings(analysis) else { return Vec::new() };
    let first = words::first_places(analysis).map(|first| Block::Headline(first.into()));
    let how = Block::caption(words::standings(analysis));
    first.into_iter().chain([Block::table(standings), how]).collect()
}

/// What to choose in each test.
fn choices(analysis: &Analysis, most: usize) -> Vec<Block> {
    let mut blocks = Vec::new();
    if analysis.tests.is_empty() {
        blocks.push(Block::paragraph(words::NO_TEST));
    }
    blocks.extend(words::nothing_ranked(analysis).map(|said| Block::Headline(said.into())));
    let tests = analysis.tests.iter().enumerate();
    let judged: Vec<(usize, &TestAnalysis)> =
        tests.filter(|(_, test)| test.basis.is_some()).collect();
    match judged.as_slice() {
        [] => {}
        [(number, only)] => blocks.extend(choice(analysis, only, *number)),
        several => blocks.extend(choices_of(analysis, several, most)),
    }
    blocks
}

/// The choice in the only test, and the figures that it is made by.
fn choice(analysis: &Analysis, test: &TestAnalysis, number: usize) -> Vec<Block> {
    let said = words::answer(analysis, test);
    let id = format!("test-{number}");
    let second = Text::from(said.second().unwrap_or_default()).more(&id, "Evidence");
    let mut blocks = vec![Block::Headline(said.first().into()), Block::Paragraph(second)];
    if let Some((figures, more)) = tables::decision(analysis, test) {
        blocks.push(Block::table(figures));
        if more > 0 {
            blocks.push(Block::Caption(Text::default().more(id, format!("{more} more targets"))));
        }
    }
    blocks
}

/// The choice in each test; those that leave it open between the same targets in one.
fn choices_of(analysis: &Analysis, tests: &[(usize, &TestAnalysis)], most: usize) -> Option<Block> {
    let mut open: Vec<(String, Vec<Text>)> = Vec::new();
    let mut decided = Vec::new();
    for (number, test) in tests {
        let first = words::answer(analysis, test).first();
        let link = Text::linking(format!("test-{number}"), &test.test);
        match words::undecided(analysis, test) {
            Some((between, place))
                if first == format!("It is undecided between {between}{place}.") =>
            {
                let here = link.plain(place);
                match open.iter_mut().find(|(known, _)| *known == between) {
                    Some((_, tests)) => tests.push(here),
                    None => open.push((between, vec![here])),
                }
            }
            _ => decided.push(link.plain(format!(": {first}"))),
        }
    }
    let shown = decided.len().min(most);
    let folded = match most {
        0 => "In words".to_owned(),
        _ => format!("{} more tests", decided.len() - shown),
    };
    let rest = decided.split_off(shown);
    decided.extend(open.into_iter().map(|(between, tests)| undecided(&between, tests)));
    let open = decided.len();
    let items: Vec<Text> = decided.into_iter().chain(rest).collect();
    (!items.is_empty()).then_some(Block::Bullets(Bullets {
        items,
        open,
        folded,
        tone: Tone::Plain,
    }))
}

fn undecided(between: &str, tests: Vec<Text>) -> Text {
    let count = tests.len();
    let mut said = Text::from(format!("It is undecided between {between} in "));
    for (place, test) in tests.into_iter().enumerate() {
        let joint = match place {
            0 => "",
            last if last + 1 == count => " and ",
            _ => ", ",
        };
        said = said.plain(joint).and(test);
    }
    said.plain(".")
}

/// How sure it is, what it rests on, and what it does not hold for.
fn grounds(analysis: &Analysis) -> Vec<Block> {
    let break_evens = words::break_evens(analysis)
        .into_iter()
        .map(|said| Text::strong("Break-even").plain(format!(" {said}")).more("money", "Money"));
    let based = (!analysis.dataset.trials.is_empty()).then(|| {
        let text = Text::strong("Based on").plain(" ");
        let text = text.link("trials", words::rests_on(analysis));
        match words::doubts(analysis) {
            Some(doubts) => text.plain("; ").doubt("findings", doubts).plain("."),
            None => text.plain("."),
        }
    });
    let not_for = words::not_for(analysis);
    let not_for = (!not_for.is_empty()).then(|| {
        let places = format!(" {}.", not_for.join("; "));
        Text::strong("Not valid for").plain(places).more("methods", "Methods")
    });
    break_evens.chain(based).chain(not_for).map(Block::Limits).collect()
}

/// Most rows of the table of all tests and targets in short; the report has it whole.
const MOST_ROWS: usize = 16;

/// The same in a few lines.
pub(super) fn in_short(analysis: &Analysis) -> Vec<Block> {
    let mut blocks: Vec<Block> = words::scaled(analysis).map(Block::Warning).into_iter().collect();
    let choices = choices(analysis, usize::MAX);
    blocks.extend(choices.into_iter().filter(|block| !matches!(block, Block::Table(..))));
    blocks.extend(grounds(analysis));
    let standings = standings(analysis);
    let is_short = |block: &Block| !matches!(block, Block::Table(_, rows) if *rows > MOST_ROWS);
    if standings.iter().all(is_short) {
        blocks.extend(standings);
    }
    blocks.extend(tables::printed(analysis).map(Block::table));
    blocks
}
