//! The section of a test: charts, comparisons, cells, and what is known beside them.

use super::findings;
use crate::charts::evidence::Evidence;
use crate::charts::{failover, metrics, percentiles, timelines};
use crate::document::{Blocks, Bullets, Fold, Text};
use crate::tables::Tone;
use crate::words::Answer;
use crate::{numbers, tables, view, words};
use analyse::{Analysis, TestAnalysis};

/// Places of a ranking beyond these are folded.
const MOST_PLACES: usize = 10;
/// Sentences beyond these are folded.
const MOST_SENTENCES: usize = 8;
/// Folded from so many pairs of targets on.
const MANY_PAIRS: usize = 3;

pub(super) fn section(
    analysis: &Analysis,
    test: &TestAnalysis,
    number: usize,
    described: &str,
    evidence: Option<&Evidence<'_>>,
    b: &mut Blocks,
) {
    let said = words::answer(analysis, test);
    if evidence.is_none() && !described.is_empty() {
        b.paragraph(format!("{described}."));
    }
    if test.basis.is_some() {
        answer(analysis, test, &said, b);
    }
    b.drawn(|| Some(metrics::charts(analysis, test, number)));
    b.drawn(|| percentiles::figure(analysis, test, number));
    b.part(3, "Comparisons", |b| comparisons(analysis, test, said.conditions, b));
    let profile = tables::profile(analysis, test);
    if !profile.rows.is_empty() {
        b.part(3, words::PROFILE_HEADING, |b| b.explained(profile, words::PROFILE));
    }
    why(analysis, test, b);
    b.part(3, "Around the failover", |b| {
        b.drawn(|| failover::figures(analysis, test));
        b.explained(tables::failover_steps(analysis, test), words::FAILOVER_STEPS);
    });
    if !test.figures.is_empty() {
        folded(words::figures_heading(analysis), b, |b| b.table(tables::named(analysis, test)));
    }
    if tables::cells_add_to_named(analysis, test) {
        folded("All cells", b, |b| cells(analysis, test, evidence, b));
    }
    items(analysis, test, b);
    resources(analysis, test, number, b);
    let before_and_after = tables::before_and_after(analysis, test);
    if !before_and_after.rows.is_empty() {
        b.part(3, words::BEFORE_AND_AFTER_HEADING, |b| {
            b.drawn(|| Some(timelines::of_work(analysis, test)));
            b.explained(before_and_after, words::BEFORE_AND_AFTER);
        });
    }
    disks(analysis, test, evidence.is_some(), b);
    if !test.fleets.is_empty() {
        folded("Volumes and virtual machines", b, |b| volumes(analysis, test, b));
    }
    if let Some(found) = &test.search {
        let steps = tables::search_steps(analysis, test, found);
        let count = numbers::count(steps.rows.len() as u64);
        folded(format!("All {count} steps of the searches"), b, |b| b.table(steps));
    }
}

/// A part that stands folded.
fn folded(title: impl Into<String>, b: &mut Blocks, make: impl FnOnce(&mut Blocks)) {
    b.folded(3, title, Fold::OnScreen, make);
}

/// The places, and what they do not hold for.
fn answer(analysis: &Analysis, test: &TestAnalysis, said: &Answer, b: &mut Blocks) {
    // Of the only test the first screen says it.
    let second = said.second().filter(|_| analysis.tests.len() > 1);
    b.paragraph(second.unwrap_or_default());
    b.paragraph(said.ranking.as_deref().unwrap_or_default());
    let open = if view::is_crowded(test) { MOST_PLACES } else { usize::MAX };
    b.long_table(tables::ranking(analysis, test), open);
    if !said.limits.is_empty() {
        let limits = format!(" {}", said.limits.join(" "));
        b.limits(Text::strong("Limits of this answer.").plain(limits));
    }
}

/// How the targets compare, pair by pair or, where there are many, in a matrix.
fn comparisons(analysis: &Analysis, test: &TestAnalysis, said: Vec<String>, b: &mut Blocks) {
    b.first_bullets(said, MOST_SENTENCES);
    b.table(test.search.as_ref().map(tables::search_comparisons));
    if view::is_crowded(test) {
        b.part(4, "Who is ahead of whom", |b| {
            b.explained(tables::matrix(analysis, test), words::matrix(analysis, test));
        });
        if let Some((first, ratios)) = tables::against_first(analysis, test) {
            let how = words::against_first(test, &first);
            let title = format!("Every target against {first}");
            b.folded(4, title, Fold::OnPaperToo, |b| b.explained(ratios, how));
        }
    }
    let pairs = view::pairs(test);
    b.caption(if pairs.is_empty() { String::new() } else { words::ratios(analysis, test) });
    let fold = if pairs.len() < MANY_PAIRS { Fold::Open } else { Fold::OnScreen };
    for (baseline, candidate) in pairs {
        b.folded(4, format!("{candidate} ÷ {baseline}"), fold, |b| {
            b.table(tables::ratios(test, baseline, candidate));
        });
    }
}

/// What decides differences, and where the time of an operation goes.
fn why(analysis: &Analysis, test: &TestAnalysis, b: &mut Blocks) {
    let said = findings::conclusions(analysis, &view::why(analysis, test), Some(&test.test));
    b.part(3, words::WHY, |b| b.first_bullets(said, MOST_SENTENCES));
    folded(words::TIMES, b, |b| b.explained(tables::times(analysis, test), words::TIMES_CAPTION));
}

fn cells(
    analysis: &Analysis,
    test: &TestAnalysis,
    evidence: Option<&Evidence<'_>>,
    b: &mut Blocks,
) {
    let mut cells = tables::cells(analysis, test);
    let mut how = words::cells(test);
    if let Some(evidence) = evidence {
        evidence.link(&mut cells);
        how += words::TRIALS_OF_CELLS;
    }
    b.explained(cells, how);
}

/// The user's own transactions and their statements, where the test has such.
fn items(analysis: &Analysis, test: &TestAnalysis, b: &mut Blocks) {
    if test.items.is_empty() {
        return;
    }
    b.part(3, "Transactions", |b| {
        b.explained(tables::transactions(analysis, test), words::ITEMS);
    });
    folded("Statements", b, |b| b.table(tables::statements(analysis, test)));
    folded(words::PLANS_HEADING, b, |b| b.table(tables::plans(analysis, test)));
    for (baseline, candidate) in view::item_pairs(test) {
        folded(format!("{candidate} ÷ {baseline}, by name"), b, |b| {
            b.table(tables::item_ratios(test, &baseline, &candidate));
        });
    }
}

/// What an operation takes of the targets' machines; nothing where that is not known.
fn resources(analysis: &Analysis, test: &TestAnalysis, number: usize, b: &mut Blocks) {
    let groups =
        tables::ResourceGroup::ALL.map(|group| (group, tables::resources(analysis, test, group)));
    if groups.iter().all(|(_, table)| table.rows.is_empty()) {
        return;
    }
    folded(words::resources_heading(view::counted(test)), b, |b| {
        for (group, table) in groups {
            b.part(4, group.heading(), |b| {
                b.table(table);
                b.table(tables::resource_ratios(test, group));
            });
        }
        b.caption(words::unseen(analysis, test));
        b.caption(words::not_known(analysis, test));
        b.caption(words::resources(test));
        b.folded(4, words::RESOURCE_CHARTS, Fold::OnScreen, |b| {
            b.drawn(|| metrics::resources(analysis, test, number));
        });
    });
}

/// What the disks under the servers did; nothing where they are not known.
fn disks(analysis: &Analysis, test: &TestAnalysis, is_page: bool, b: &mut Blocks) {
    let volumes = tables::volumes(analysis, test);
    if volumes.is_empty() {
        return;
    }
    folded(words::disks_heading(test), b, |b| {
        volumes.into_iter().for_each(|volume| b.table(volume));
        b.caption(words::volumes(analysis, test));
        let devices = if is_page { tables::devices(analysis, test) } else { Vec::new() };
        b.folded(4, "All figures of each disk", Fold::OnPaperToo, |b| {
            devices.into_iter().for_each(|device| b.table(device));
        });
    });
}

/// What volumes and virtual machines did.
fn volumes(analysis: &Analysis, test: &TestAnalysis, b: &mut Blocks) {
    b.table(tables::fleet_volumes(analysis, test));
    b.part(4, "Hosts with volumes", |b| b.table(tables::fleet_hosts(analysis, test)));
    b.part(4, "Virtual machines", |b| {
        b.explained(tables::fleet_vms(analysis, test), words::VIRTUAL_MACHINES);
    });
    b.part(4, "Processors of the virtual machines", |b| {
        b.table(tables::fleet_processors(analysis, test));
    });
}

/// Most lines on transactions by name in short.
const MAX_TRANSACTIONS: usize = 12;

/// The same in a few lines: the ranking with its ties, and how the targets compare.
pub(super) fn in_short(analysis: &Analysis, test: &TestAnalysis, b: &mut Blocks) {
    let said = words::answer(analysis, test);
    let why = findings::conclusions(analysis, &view::why(analysis, test), Some(&test.test));
    let mut transactions = tables::transactions_in_short(analysis, test);
    let more = transactions.rows.len().saturating_sub(MAX_TRANSACTIONS);
    transactions.rows.truncate(MAX_TRANSACTIONS);
    let more = match more {
        0 => String::new(),
        more => format!("{more} more transactions in the report"),
    };
    let by = match &test.search {
        Some(found) => {
            format!("{} {}", words::searched_for(found.over), words::bound(&found.bound))
        }
        None => words::ranked_by(test),
    };
    b.section(format!("{}: {by}", test.test), |b| {
        if test.search.is_none() {
            b.table(tables::places(test));
            unranked(analysis, test, b);
        } else {
            b.bullets(said.targets);
        }
        // The ranking is above; what is known of all levels together is not.
        let is_overall = said.ranking.is_some() && analysis.tests.len() > 1;
        b.bullets(is_overall.then_some(said.headline));
        b.first_bullets(said.conditions, MOST_SENTENCES);
        b.first_bullets(why, MOST_SENTENCES);
        b.explained(transactions, more);
    });
}

/// The targets without a place, and why they have none.
fn unranked(analysis: &Analysis, test: &TestAnalysis, b: &mut Blocks) {
    let not_offered = words::not_offered(test).map(|(targets, _)| targets).unwrap_or_default();
    let lacks_figure = |target: &&String| view::lacks_figure(analysis, test, target);
    let (refusing, others): (Vec<&String>, Vec<&String>) =
        test.ranking.unranked.iter().partition(|target| not_offered.contains(&target.as_str()));
    let mut items: Vec<Text> = Vec::new();
    if test.ranking.tiers.is_empty() && !others.is_empty() {
        let some = others.iter().any(lacks_figure);
        let what = if some { "the figure that decides" } else { "a trial that counts" };
        items.push(format!("no target has {what}").into());
    }
    items.extend(others.iter().map(|target| {
        let why = view::why_unranked(analysis, test, target);
        Text::from(format!("{target} not ranked: {why}"))
    }));
    let open = items.len();
    b.list(Bullets { items, open, folded: String::new(), tone: Tone::Bad });
    b.bullets(refusing.into_iter().map(|target| format!("{target} not offered")));
}
