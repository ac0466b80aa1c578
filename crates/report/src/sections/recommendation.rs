//! The first screen: what to choose, what that rests on, what it does not hold for, and one chart.

use crate::charts::metrics;
use crate::document::{Blocks, Bullets, Text};
use crate::tables::Tone;
use crate::{tables, words};
use analyse::{Analysis, TestAnalysis};

/// More tests than this have their choices folded.
const MOST_TESTS: usize = 8;

/// The section that everything else is linked from.
pub(super) fn section(analysis: &Analysis, b: &mut Blocks) {
    b.warning(words::scaled(analysis).unwrap_or_default());
    let standings = tables::standings(analysis);
    // The table has said all of what is no more than an order of figures.
    let mut judged = analysis.tests.iter().filter(|test| test.basis.is_some());
    let is_once = judged.all(|test| !test.ranking.measured_once.is_empty());
    let most = if is_once && standings.is_some() { 0 } else { MOST_TESTS };
    asked_for(analysis, b);
    self::standings(analysis, standings, b);
    let beside = b.within(|b| {
        b.drawn(|| metrics::main(analysis));
        grounds(analysis, b);
    });
    b.columns([b.within(|b| choices(analysis, most, b)), beside]);
    b.table(tables::printed(analysis));
}

/// What the study asks about a load: that is its question, whatever else decides.
fn asked_for(analysis: &Analysis, b: &mut Blocks) {
    let asked = words::asked_for(analysis);
    if let [only] = asked.as_slice() {
        b.headline(only.choice.as_str());
        return b.caption(if only.prices.is_empty() {
            String::new()
        } else {
            format!("{}.", only.prices)
        });
    }
    let with_prices = |one: &words::AskedFor| match one.prices.as_str() {
        "" => one.choice.clone(),
        prices => format!("{} [{prices}]", one.choice),
    };
    b.first_bullets(asked.iter().map(with_prices), MOST_TESTS);
}

/// How far each target is behind the best of each test.
fn standings(analysis: &Analysis, standings: Option<tables::Table>, b: &mut Blocks) {
    if standings.is_some() {
        b.headline(words::first_places(analysis).unwrap_or_default());
        b.explained(standings, words::standings(analysis));
    }
}

/// What to choose in each test.
fn choices(analysis: &Analysis, most: usize, b: &mut Blocks) {
    b.paragraph(if analysis.tests.is_empty() { words::NO_TEST } else { "" });
    b.headline(words::nothing_ranked(analysis).unwrap_or_default());
    let tests = analysis.tests.iter().enumerate();
    let judged: Vec<(usize, &TestAnalysis)> =
        tests.filter(|(_, test)| test.basis.is_some()).collect();
    let [(number, only)] = judged.as_slice() else {
        return b.list(choices_of(analysis, &judged, most));
    };
    let said = words::answer(analysis, only);
    let id = format!("test-{number}");
    match analysis.dataset.study.answer_at {
        Some(_) => b.paragraph(said.first()),
        None => b.headline(said.first()),
    }
    b.paragraph(Text::from(said.second().unwrap_or_default()).more(&id, "Evidence"));
    words::why_slower(analysis, only).into_iter().for_each(|why| b.paragraph(why));
    if let Some((figures, more)) = tables::decision(analysis, only).filter(|_| most > 0) {
        b.table(figures);
        if more > 0 {
            b.caption(Text::default().more(id, format!("{more} more targets")));
        }
    }
}

/// The choice in each test; those that leave it open between the same targets in one.
fn choices_of(analysis: &Analysis, tests: &[(usize, &TestAnalysis)], most: usize) -> Bullets {
    let mut open: Vec<(String, Vec<Text>)> = Vec::new();
    let mut items = Vec::new();
    for (number, test) in tests {
        let first = words::answer(analysis, test).first();
        let link = Text::linking(format!("test-{number}"), &test.test);
        let undecided = words::undecided(analysis, test);
        let says_so = |(between, place): &(String, String)| {
            first == format!("It is undecided between {between}{place}.")
        };
        let Some((between, place)) = undecided.filter(says_so) else {
            items.push(link.plain(format!(": {first}")));
            continue;
        };
        match open.iter_mut().find(|(known, _)| *known == between) {
            Some((_, tests)) => tests.push(link.plain(place)),
            None => open.push((between, vec![link.plain(place)])),
        }
    }
    let rest = items.split_off(items.len().min(most));
    let folded = match most {
        0 => "In words".to_owned(),
        _ => format!("{} more tests", rest.len()),
    };
    items.extend(open.into_iter().map(|(between, tests)| undecided(&between, tests)));
    let open = items.len();
    items.extend(rest);
    Bullets { items, open, folded, tone: Tone::Plain }
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
fn grounds(analysis: &Analysis, b: &mut Blocks) {
    for said in words::break_evens(analysis) {
        b.limits(Text::strong("Break-even").plain(format!(" {said}")).more("money", "Money"));
    }
    if !analysis.dataset.trials.is_empty() {
        let based = Text::strong("Based on").plain(" ").link("trials", words::rests_on(analysis));
        b.limits(match words::doubts(analysis) {
            Some(doubts) => based.plain("; ").doubt("findings", doubts).plain("."),
            None => based.plain("."),
        });
    }
    let not_for = words::not_for(analysis);
    if !not_for.is_empty() {
        let places = format!(" {}.", not_for.join("; "));
        b.limits(Text::strong("Not valid for").plain(places).more("methods", "Methods"));
    }
}

/// Most rows of the table of all tests and targets in short; the report has it whole.
const MOST_ROWS: usize = 16;

/// The same in a few lines.
pub(super) fn in_short(analysis: &Analysis, b: &mut Blocks) {
    b.warning(words::scaled(analysis).unwrap_or_default());
    asked_for(analysis, b);
    choices(analysis, usize::MAX, b);
    grounds(analysis, b);
    let table = tables::standings(analysis).filter(|table| table.rows.len() <= MOST_ROWS);
    standings(analysis, table, b);
    b.table(tables::printed(analysis));
}
