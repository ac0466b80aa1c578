//! The section of a test: charts, cells, comparisons.

use super::evidence::Evidence;
use super::layer::Layer;
use super::{charts, failover, percentiles, table, timelines, why};
use crate::words::Answer;
use crate::{numbers, tables, view, words};
use analyse::{Analysis, TestAnalysis};
use maud::{Markup, html};

/// Places of a ranking beyond these are folded.
const MOST_PLACES: usize = 10;
/// Sentences on pairs of targets beyond these are folded.
const MOST_SENTENCES: usize = 8;
/// Folded from so many pairs of targets on.
const MANY_PAIRS: usize = 3;

/// The layer of the test of that number.
pub(super) fn section(
    analysis: &Analysis,
    test: &TestAnalysis,
    number: usize,
    evidence: &Evidence,
) -> Markup {
    let described = analysis.dataset.study.tests.iter().find(|study| study.name == test.test);
    let described = described.map(words::workload).unwrap_or_default();
    let said = words::answer(analysis, test);
    let content = html! {
        @if test.basis.is_some() { (answer(analysis, test, &said)) }
        (charts::charts(analysis, test, number))
        (percentiles::figure(analysis, test, number))
        (comparisons(analysis, test, &said.conditions))
        (why::section(analysis, test))
        (failover::section(analysis, test))
        @if !test.figures.is_empty() {
            (part(words::figures_heading(analysis), &table::table(&tables::named(analysis, test))))
        }
        @if tables::cells_add_to_named(analysis, test) {
            @let cells = html! {
                (table::linked(&tables::cells(analysis, test), evidence))
                p.caption {
                    "Medians over the repeats that count, with their intervals below. A dash means \
                     no data, or too few " (view::counted(test)) " for that percentile. Under the trials \
                     each repeat leads to what it did; ? is suspect, ✕ void."
                }
            };
            (part("All cells", &cells))
        }
        (items(analysis, test))
        (resources(analysis, test))
        (before_and_after(analysis, test))
        (volume(analysis, test))
        @if !test.fleets.is_empty() {
            @let fleets = html! {
                (table::table(&tables::fleet_volumes(analysis, test)))
                @if let Some(hosts) = tables::fleet_hosts(analysis, test) {
                    h4 { "Hosts with volumes" }
                    (table::table(&hosts))
                }
                h4 { "Virtual machines" }
                (table::table(&tables::fleet_vms(analysis, test)))
                p.caption {
                    "MB are 10⁶ bytes and GB 10⁹. Latencies of reads and writes are service times, \
                     from submitting one to seeing that it is done."
                }
                @if let Some(processors) = tables::fleet_processors(analysis, test) {
                    h4 { "Processors of the virtual machines" }
                    (table::table(&processors))
                }
            };
            (part("Volumes and virtual machines", &fleets))
        }
        @if let Some(found) = &test.search {
            @let steps = tables::search_steps(analysis, test, found);
            @let heading = format!("All {} steps of the searches", numbers::count(steps.rows.len() as u64));
            (part(&heading, &table::table(&steps)))
        }
    };
    Layer::new(&format!("test-{number}"), &test.test, &described).around(&content)
}

/// The user's own transactions and their statements, where the test has such.
fn items(analysis: &Analysis, test: &TestAnalysis) -> Markup {
    if test.items.is_empty() {
        return Markup::default();
    }
    let pairs = view::item_pairs(test);
    let transactions = table::table(&tables::transactions(analysis, test));
    let statements = table::table(&tables::statements(analysis, test));
    html! {
        h3 { "Transactions" }
        (transactions)
        p.caption { (words::ITEMS) }
        (part("Statements", &statements))
        @if let Some(plans) = tables::plans(analysis, test) {
            (part(words::PLANS_HEADING, &table::table(&plans)))
        }
        @for (baseline, candidate) in pairs {
            @let heading = format!("{candidate} ÷ {baseline}, by name");
            (part(&heading, &table::table(&tables::item_ratios(test, &baseline, &candidate))))
        }
    }
}

/// A part of a test that stands folded.
fn part(heading: &str, content: &Markup) -> Markup {
    html! { details.paper { summary { h3 { (heading) } } (content) } }
}

/// The places, and what they do not hold for.
fn answer(analysis: &Analysis, test: &TestAnalysis, said: &Answer) -> Markup {
    let ranking = tables::ranking(analysis, test);
    html! {
        // Of the only test the first screen says it.
        @if analysis.tests.len() > 1 { @if let Some(headline) = said.second() { p { (headline) } } }
        @if let Some(places) = &said.ranking { p { (places) } }
        @if view::is_crowded(test) {
            @let (first, others) = ranking.split(MOST_PLACES);
            (table::table(&first))
            details { summary { (others.rows.len()) " more" } (table::table(&others)) }
        } @else if !ranking.rows.is_empty() {
            (table::table(&ranking))
        }
        @if !said.limits.is_empty() {
            p.limits { strong { "Limits of this answer. " } (said.limits.join(" ")) }
        }
    }
}

/// How the targets compare, pair by pair or, where there are many, in a matrix.
fn comparisons(analysis: &Analysis, test: &TestAnalysis, said: &[String]) -> Markup {
    let pairs = view::pairs(test);
    let searched = test.search.as_ref().map(tables::search_comparisons);
    let searched = searched.filter(|table| !table.rows.is_empty());
    let (first, more) = said.split_at(said.len().min(MOST_SENTENCES));
    let list = |said: &[String]| html! { ul.findings { @for one in said { li { (one) } } } };
    if said.is_empty() && pairs.is_empty() && searched.is_none() {
        return crowd(analysis, test);
    }
    html! {
        h3 { "Comparisons" }
        @if !first.is_empty() { (list(first)) }
        @if !more.is_empty() { details { summary { (more.len()) " more" } (list(more)) } }
        @if let Some(table) = &searched { (table::table(table)) }
        (crowd(analysis, test))
        @if !pairs.is_empty() {
            p.caption {
                "Ratios are the figure of the target named first ÷ that of the second, repeat by \
                 repeat, with the geometric means that they are of; the table of figures has \
                 medians. “Same” means within " (numbers::percent(analysis.dataset.study.margin)) "."
                @if !test.overall.is_empty() {
                    " The last row compares geometric means over the levels, with equal weights."
                }
            }
            @for (baseline, candidate) in &pairs {
                @let table = table::table(&tables::ratios(test, baseline, candidate));
                @let name = format!("{candidate} ÷ {baseline}");
                @if pairs.len() < MANY_PAIRS {
                    h4 { (name) }
                    (table)
                } @else {
                    details.paper { summary { (name) } (table) }
                }
            }
        }
    }
}

/// What is shown of the pairs of many targets.
fn crowd(analysis: &Analysis, test: &TestAnalysis) -> Markup {
    if !view::is_crowded(test) {
        return html! {};
    }
    html! {
        @if let Some(matrix) = tables::matrix(analysis, test) {
            h4 { "Who is ahead of whom" }
            p.caption { (words::matrix(analysis, test)) }
            div.matrix { (table::table(&matrix)) }
        }
        @if let Some((first, ratios)) = tables::against_first(analysis, test) {
            details {
                summary { "Every target against " (first) }
                p.caption { (words::against_first(test, &first)) }
                (table::table(&ratios))
            }
        }
    }
}

/// What an operation takes of the machines; nothing where none was seen.
fn resources(analysis: &Analysis, test: &TestAnalysis) -> Markup {
    let taken = tables::resources(analysis, test);
    let ratios = tables::resource_ratios(test);
    if taken.rows.is_empty() {
        return html! {};
    }
    let content = html! {
        (table::table(&taken))
        @if !ratios.rows.is_empty() { (table::table(&ratios)) }
        p.caption { (words::resources(test)) }
    };
    part(&words::resources_heading(test), &content)
}

/// What loads did while something was done to their targets; nothing where nothing was.
fn before_and_after(analysis: &Analysis, test: &TestAnalysis) -> Markup {
    let table = tables::before_and_after(analysis, test);
    html! {
        @if !table.rows.is_empty() {
            h3 { (words::BEFORE_AND_AFTER_HEADING) }
            (timelines::of_work(analysis, test))
            (table::table(&table))
            p.caption { (words::BEFORE_AND_AFTER) }
        }
    }
}

/// What the disks under the servers did; nothing where they are not known.
fn volume(analysis: &Analysis, test: &TestAnalysis) -> Markup {
    let volumes = tables::volumes(analysis, test);
    if volumes.is_empty() {
        return html! {};
    }
    let devices = tables::devices(analysis, test);
    let content = html! {
        @for one in &volumes { (table::table(one)) }
        p.caption { (words::volumes(analysis, test)) }
        @if !devices.is_empty() {
            details {
                summary { "All figures of each disk" }
                @for one in &devices { (table::table(one)) }
            }
        }
    };
    part(words::disks_heading(test), &content)
}
