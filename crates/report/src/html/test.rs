//! The section of a test: charts, cells, comparisons.

use super::{charts, failover, table, timelines};
use crate::{numbers, tables, view, words};
use analyse::{Analysis, TestAnalysis};
use maud::{Markup, html};

/// More pairs of targets than this stand folded.
const MAX_OPEN_PAIRS: usize = 3;

/// The section of the test of that number.
pub(super) fn section(analysis: &Analysis, test: &TestAnalysis, number: usize) -> Markup {
    let described = analysis.dataset.study.tests.iter().find(|study| study.name == test.test);
    let pairs = view::pairs(test);
    html! {
        section id={ "test-" (number) } {
            h2 { (test.test) }
            @if let Some(described) = described { p.meta { (words::workload(described)) "." } }
            (charts::charts(analysis, test, number))
            @if view::is_crowded(test) { (crowd(analysis, test)) }
            (failover::section(analysis, test))
            @if !test.figures.is_empty() {
                h3 { (words::figures_heading(analysis)) }
                (folded(test, &table::table(&tables::named(analysis, test))))
            }
            @if tables::cells_add_to_named(analysis, test) {
                h3 { "All cells" }
                @let cells = html! {
                    (table::table(&tables::cells(analysis, test)))
                    p.caption {
                        "Medians over the repeats that count, with their intervals below. A dash \
                         means no data, or too few " (view::counted(test)) " for that percentile."
                    }
                };
                (folded(test, &cells))
            }
            (around(analysis, test))
            (volume(analysis, test))
            @if !test.fleets.is_empty() {
                h3 { "Volumes" }
                (table::table(&tables::fleet_volumes(analysis, test)))
                h3 { "Virtual machines" }
                (table::table(&tables::fleet_vms(analysis, test)))
                p.caption {
                    "MB are 10⁶ bytes and GB 10⁹. Latencies of reads and writes are service times, \
                     from submitting one to seeing that it is done."
                }
                @if let Some(processors) = tables::fleet_processors(analysis, test) {
                    h3 { "Processors of the virtual machines" }
                    (table::table(&processors))
                }
            }
            @if let Some(found) = &test.search {
                @let comparisons = tables::search_comparisons(found);
                @if !comparisons.rows.is_empty() {
                    h3 { "Comparisons" }
                    (table::table(&comparisons))
                }
                @let steps = tables::search_steps(analysis, test, found);
                details {
                    summary { "All " (numbers::count(steps.rows.len() as u64)) " steps of the searches" }
                    (table::table(&steps))
                }
            }
            @if !pairs.is_empty() {
                h3 { "Comparisons" }
                p.caption {
                    "Ratios are the figure of the target named first ÷ that of the second, repeat by \
                     repeat. “Same” means within " (numbers::percent(analysis.dataset.study.margin)) "."
                    @if !test.overall.is_empty() {
                        " The last row compares geometric means over the levels, with equal weights."
                    }
                }
                @for (baseline, candidate) in &pairs {
                    @let table = table::table(&tables::ratios(test, baseline, candidate));
                    @let name = format!("{candidate} ÷ {baseline}");
                    @if pairs.len() <= MAX_OPEN_PAIRS {
                        h4 { (name) }
                        (table)
                    } @else {
                        details { summary { (name) } (table) }
                    }
                }
            }
        }
    }
}

/// What there is of every cell, folded where there are many.
fn folded(test: &TestAnalysis, content: &Markup) -> Markup {
    html! {
        @if view::is_crowded(test) {
            details { summary { (numbers::count(test.cells.len() as u64)) " cells" } (content) }
        } @else {
            (content)
        }
    }
}

/// What is shown of the pairs of many targets.
fn crowd(analysis: &Analysis, test: &TestAnalysis) -> Markup {
    html! {
        @if let Some(matrix) = tables::matrix(analysis, test) {
            h3 { "Who is ahead of whom" }
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

/// What loads did while something was done to their targets; nothing where nothing was.
fn around(analysis: &Analysis, test: &TestAnalysis) -> Markup {
    let table = tables::around(analysis, test);
    html! {
        @if !table.rows.is_empty() {
            h3 { (words::AROUND_HEADING) }
            (timelines::of_work(analysis, test))
            (table::table(&table))
            p.caption { (words::AROUND) }
        }
    }
}

/// What the disks under the servers did; nothing where they are not known.
fn volume(analysis: &Analysis, test: &TestAnalysis) -> Markup {
    html! {
        @let volumes = tables::volumes(analysis, test);
        @if !volumes.is_empty() {
            h3 { (words::disks_heading(test)) }
            @for one in &volumes { (table::table(one)) }
            p.caption { (words::volumes(analysis, test)) }
            @let devices = tables::devices(analysis, test);
            @if !devices.is_empty() {
                details {
                    summary { "All figures of each disk" }
                    @for one in &devices { (table::table(one)) }
                }
            }
        }
    }
}
