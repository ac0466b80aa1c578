//! The section of a test: charts, comparisons, cells, and what is known beside them.

use super::{Scope, findings};
use crate::document::{Block, Bullets, Fold, Section, Text};
use crate::html::{charts, failover, percentiles, timelines};
use crate::tables::{Table, Tone};
use crate::words::Answer;
use crate::{numbers, tables, view, words};
use analyse::{Analysis, TestAnalysis};

/// Places of a ranking beyond these are folded.
const MOST_PLACES: usize = 10;
/// Sentences beyond these are folded.
const MOST_SENTENCES: usize = 8;
/// Folded from so many pairs of targets on.
const MANY_PAIRS: usize = 3;

pub(super) fn section(scope: &Scope<'_>, test: &TestAnalysis, number: usize) -> Section {
    let analysis = scope.analysis;
    let described = analysis.dataset.study.test(&test.test).map(words::workload);
    let described = described.unwrap_or_default();
    let said = words::answer(analysis, test);
    let mut blocks: Vec<Block> = Vec::new();
    blocks.extend(
        scope.in_texts(|| {
            (!described.is_empty()).then(|| Block::paragraph(format!("{described}.")))
        }),
    );
    if test.basis.is_some() {
        blocks.extend(answer(analysis, test, &said));
    }
    blocks.extend(scope.on_page(|_| Some(Block::OnPage(charts::charts(analysis, test, number)))));
    blocks
        .extend(scope.on_page(|_| percentiles::figure(analysis, test, number).map(Block::OnPage)));
    blocks.extend(comparisons(analysis, test, said.conditions));
    blocks.extend(why(analysis, test));
    blocks.extend(around_the_failover(scope, test));
    blocks.extend(figures(scope, test));
    blocks.extend(items(analysis, test));
    blocks.extend(resources(analysis, test));
    blocks.extend(before_and_after(scope, test));
    blocks.extend(disks(scope, test));
    blocks.extend(volumes(analysis, test));
    blocks.extend(test.search.as_ref().map(|found| {
        let steps = tables::search_steps(analysis, test, found);
        let count = numbers::count(steps.rows.len() as u64);
        folded(format!("All {count} steps of the searches"), vec![Block::table(steps)])
    }));
    Section::new(format!("test-{number}"), &test.test, &described, blocks)
}

/// A part that stands folded.
fn folded(title: impl Into<String>, blocks: Vec<Block>) -> Block {
    Block::folded(3, title, Fold::OnScreen, blocks)
}

fn part_of(title: &str, table: Table) -> Block {
    Block::part(4, title, vec![Block::table(table)])
}

/// The places, and what they do not hold for.
fn answer(analysis: &Analysis, test: &TestAnalysis, said: &Answer) -> Vec<Block> {
    let ranking = tables::ranking(analysis, test);
    let open = if view::is_crowded(test) { MOST_PLACES } else { ranking.rows.len() };
    let limits = (!said.limits.is_empty()).then(|| {
        let text = Text::strong("Limits of this answer.");
        Block::Limits(text.plain(format!(" {}", said.limits.join(" "))))
    });
    let ranking = (!ranking.rows.is_empty()).then_some(Block::Table(ranking, open));
    let places = said.ranking.as_deref().map(Block::paragraph);
    second(analysis, said).into_iter().chain(places).chain(ranking).chain(limits).collect()
}

/// What follows the choice: of the only test the first screen says it.
fn second(analysis: &Analysis, said: &Answer) -> Option<Block> {
    said.second().filter(|_| analysis.tests.len() > 1).map(Block::paragraph)
}

/// How the targets compare, pair by pair or, where there are many, in a matrix.
fn comparisons(analysis: &Analysis, test: &TestAnalysis, said: Vec<String>) -> Vec<Block> {
    let pairs = view::pairs(test);
    let searched = test.search.as_ref().map(tables::search_comparisons).and_then(Block::of_rows);
    let crowd = crowd(analysis, test);
    if said.is_empty() && pairs.is_empty() && searched.is_none() {
        return crowd;
    }
    let mut blocks: Vec<Block> = Block::first_bullets(said, MOST_SENTENCES).into_iter().collect();
    blocks.extend(searched.into_iter().chain(crowd));
    if !pairs.is_empty() {
        blocks.push(Block::caption(words::ratios(analysis, test)));
    }
    let fold = if pairs.len() < MANY_PAIRS { Fold::Open } else { Fold::OnScreen };
    blocks.extend(pairs.into_iter().map(|(baseline, candidate)| {
        let table = Block::table(tables::ratios(test, baseline, candidate));
        Block::folded(4, format!("{candidate} ÷ {baseline}"), fold, vec![table])
    }));
    vec![Block::part(3, "Comparisons", blocks)]
}

/// What is shown of the pairs of many targets.
fn crowd(analysis: &Analysis, test: &TestAnalysis) -> Vec<Block> {
    if !view::is_crowded(test) {
        return Vec::new();
    }
    let matrix = tables::matrix(analysis, test).map(|matrix| {
        let how = Block::caption(words::matrix(analysis, test));
        Block::part(4, "Who is ahead of whom", vec![how, Block::table(matrix)])
    });
    let against_first = tables::against_first(analysis, test).map(|(first, ratios)| {
        let how = Block::caption(words::against_first(test, &first));
        let title = format!("Every target against {first}");
        Block::folded(4, title, Fold::OnPaperToo, vec![how, Block::table(ratios)])
    });
    matrix.into_iter().chain(against_first).collect()
}

/// What decides differences, and where the time of an operation goes.
fn why(analysis: &Analysis, test: &TestAnalysis) -> Vec<Block> {
    let said = findings::conclusions(analysis, &view::why(analysis, test), Some(&test.test));
    let why = Block::first_bullets(said, MOST_SENTENCES)
        .map(|said| Block::part(3, words::WHY, vec![said]));
    let times = Block::of_rows(tables::times(analysis, test))
        .map(|times| folded(words::TIMES, vec![times, Block::caption(words::TIMES_CAPTION)]));
    why.into_iter().chain(times).collect()
}

/// Writes around the loss of a primary.
fn around_the_failover(scope: &Scope<'_>, test: &TestAnalysis) -> Option<Block> {
    let analysis = scope.analysis;
    let steps = tables::failover_steps(analysis, test).map(|steps| {
        let how = "Medians over the trials, with the least and the most.";
        [Block::table(steps), Block::caption(how)]
    });
    let drawn = scope.on_page(|_| failover::figures(analysis, test).map(Block::OnPage));
    let blocks: Vec<Block> = drawn.into_iter().chain(steps.into_iter().flatten()).collect();
    (!blocks.is_empty()).then(|| Block::part(3, "Around the failover", blocks))
}

/// Figures by the names that they have in their source, and all cells.
fn figures(scope: &Scope<'_>, test: &TestAnalysis) -> Vec<Block> {
    let analysis = scope.analysis;
    let mut blocks = Vec::new();
    if !test.figures.is_empty() {
        let named = Block::table(tables::named(analysis, test));
        blocks.push(folded(words::figures_heading(analysis), vec![named]));
    }
    if tables::cells_add_to_named(analysis, test) {
        let mut cells = tables::cells(analysis, test);
        let linked = scope.on_page(|evidence| {
            evidence.link(&mut cells);
            Some(words::TRIALS_OF_CELLS)
        });
        let how = words::cells(test) + linked.unwrap_or_default();
        blocks.push(folded("All cells", vec![Block::table(cells), Block::caption(how)]));
    }
    blocks
}

/// The user's own transactions and their statements, where the test has such.
fn items(analysis: &Analysis, test: &TestAnalysis) -> Vec<Block> {
    if test.items.is_empty() {
        return Vec::new();
    }
    let transactions = Block::table(tables::transactions(analysis, test));
    let statements = Block::table(tables::statements(analysis, test));
    let mut blocks = vec![
        Block::part(3, "Transactions", vec![transactions, Block::caption(words::ITEMS)]),
        folded("Statements", vec![statements]),
    ];
    blocks.extend(
        tables::plans(analysis, test)
            .map(|plans| folded(words::PLANS_HEADING, vec![Block::table(plans)])),
    );
    blocks.extend(view::item_pairs(test).into_iter().map(|(baseline, candidate)| {
        let table = tables::item_ratios(test, &baseline, &candidate);
        folded(format!("{candidate} ÷ {baseline}, by name"), vec![Block::table(table)])
    }));
    blocks
}

/// What an operation takes of the machines; nothing where none was seen.
fn resources(analysis: &Analysis, test: &TestAnalysis) -> Option<Block> {
    let mut blocks = vec![Block::of_rows(tables::resources(analysis, test))?];
    blocks.extend(Block::of_rows(tables::resource_ratios(test)));
    blocks.push(Block::caption(words::resources(test)));
    Some(folded(words::resources_heading(test), blocks))
}

/// What loads did while something was done to their targets; nothing where nothing was.
fn before_and_after(scope: &Scope<'_>, test: &TestAnalysis) -> Option<Block> {
    let analysis = scope.analysis;
    let table = Block::of_rows(tables::before_and_after(analysis, test))?;
    let drawn = scope.on_page(|_| Some(Block::OnPage(timelines::of_work(analysis, test))));
    let how = Block::caption(words::BEFORE_AND_AFTER);
    let blocks = drawn.into_iter().chain([table, how]).collect();
    Some(Block::part(3, words::BEFORE_AND_AFTER_HEADING, blocks))
}

/// What the disks under the servers did; nothing where they are not known.
fn disks(scope: &Scope<'_>, test: &TestAnalysis) -> Option<Block> {
    let analysis = scope.analysis;
    let volumes = tables::volumes(analysis, test);
    if volumes.is_empty() {
        return None;
    }
    let mut blocks: Vec<Block> = volumes.into_iter().map(Block::table).collect();
    blocks.push(Block::caption(words::volumes(analysis, test)));
    blocks.extend(scope.on_page(|_| {
        let devices = tables::devices(analysis, test).into_iter().map(Block::table);
        let devices: Vec<Block> = devices.collect();
        let title = "All figures of each disk";
        (!devices.is_empty()).then(|| Block::folded(4, title, Fold::OnPaperToo, devices))
    }));
    Some(folded(words::disks_heading(test), blocks))
}

/// What volumes and virtual machines did; nothing of other targets.
fn volumes(analysis: &Analysis, test: &TestAnalysis) -> Option<Block> {
    if test.fleets.is_empty() {
        return None;
    }
    let mut blocks = vec![Block::table(tables::fleet_volumes(analysis, test))];
    let hosts = tables::fleet_hosts(analysis, test);
    blocks.extend(hosts.map(|hosts| part_of("Hosts with volumes", hosts)));
    blocks.push(part_of("Virtual machines", tables::fleet_vms(analysis, test)));
    blocks.push(Block::caption(
        "MB are 10⁶ bytes and GB 10⁹. Latencies of reads and writes are service times, from \
         submitting one to seeing that it is done.",
    ));
    let processors = tables::fleet_processors(analysis, test);
    blocks.extend(processors.map(|of| part_of("Processors of the virtual machines", of)));
    Some(folded("Volumes and virtual machines", blocks))
}

/// Most sentences on pairs of targets in short; the report has them all.
const MAX_CONDITIONS: usize = 8;
/// Most lines on transactions by name in short.
const MAX_TRANSACTIONS: usize = 12;

/// The same in a few lines: the ranking with its ties, and how the targets compare.
pub(super) fn in_short(analysis: &Analysis, test: &TestAnalysis) -> Block {
    let said = words::answer(analysis, test);
    let mut blocks = Vec::new();
    if test.search.is_none() {
        blocks.extend(Block::of_rows(tables::places(test)));
        blocks.extend(unranked(analysis, test));
    }
    // The ranking is above; what is known of all levels together is not.
    let overall = said.ranking.is_some() && analysis.tests.len() > 1;
    let overall = overall.then(|| said.headline.clone());
    let found = if test.search.is_some() { said.targets } else { Vec::new() };
    blocks.extend(Block::bullets(overall.into_iter().chain(found)));
    blocks.extend(Block::first_bullets(said.conditions, MAX_CONDITIONS));
    let why = findings::conclusions(analysis, &view::why(analysis, test), Some(&test.test));
    blocks.extend(Block::first_bullets(why, MAX_CONDITIONS));
    let mut transactions = tables::transactions_in_short(analysis, test);
    let more = transactions.rows.len().saturating_sub(MAX_TRANSACTIONS);
    transactions.rows.truncate(MAX_TRANSACTIONS);
    blocks.extend(Block::of_rows(transactions));
    if more > 0 {
        blocks.push(Block::caption(format!("{more} more transactions in the report")));
    }
    let by = match &test.search {
        Some(found) => {
            format!("{} {}", words::searched_for(found.over), words::bound(&found.bound))
        }
        None => words::ranked_by(test),
    };
    Block::part(2, format!("{}: {by}", test.test), blocks)
}

/// The targets without a place, and why they have none.
fn unranked(analysis: &Analysis, test: &TestAnalysis) -> Vec<Block> {
    let bullets = |items: Vec<String>, tone| {
        Block::bullets(items).map(|block| match block {
            Block::Bullets(bullets) => Block::Bullets(Bullets { tone, ..bullets }),
            other => other,
        })
    };
    let not_offered = words::not_offered(test).map(|(targets, _)| targets).unwrap_or_default();
    let lacks_figure = |target: &String| view::lacks_figure(analysis, test, target);
    let (refusing, others): (Vec<&String>, Vec<&String>) =
        test.ranking.unranked.iter().partition(|target| not_offered.contains(&target.as_str()));
    let mut bad = Vec::new();
    if test.ranking.tiers.is_empty() && !others.is_empty() {
        let some = others.iter().any(|target| lacks_figure(target));
        let what = if some { "the figure that decides" } else { "a trial that counts" };
        bad.push(format!("no target has {what}"));
    }
    bad.extend(others.into_iter().map(|target| {
        let why =
            if lacks_figure(target) { "no trial has this figure" } else { "no trial that counts" };
        format!("{target} not ranked: {why}")
    }));
    let refusing = refusing.into_iter().map(|target| format!("{target} not offered")).collect();
    bullets(bad, Tone::Bad).into_iter().chain(bullets(refusing, Tone::Plain)).collect()
}
