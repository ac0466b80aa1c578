//! The first screen: what to choose, what that rests on, what it does not hold for, and one chart.

use super::{charts, table};
use crate::{tables, words};
use analyse::{Analysis, TestAnalysis};
use maud::{Markup, html};

/// More tests than this have their choices folded.
const MOST_TESTS: usize = 8;

/// The section that everything else is linked from.
pub(super) fn section(analysis: &Analysis) -> Markup {
    let judged: Vec<(usize, &TestAnalysis)> =
        analysis.tests.iter().enumerate().filter(|(_, test)| test.basis.is_some()).collect();
    html! {
        section #answer {
            @if let Some(scaled) = words::scaled(analysis) { p.limits { strong { (scaled) } } }
            div.screen {
                div {
                    h2 { "Recommendation" }
                    @if analysis.tests.is_empty() { p { (words::NO_TEST) } }
                    @if let Some(nothing) = words::nothing_ranked(analysis) { p.headline { (nothing) } }
                    @match judged.as_slice() {
                        [] => {}
                        [(number, only)] => (of_test(analysis, only, *number)),
                        several => (of_tests(analysis, several)),
                    }
                }
                div {
                    @if let Some(chart) = charts::main(analysis) { (chart) }
                    (grounds(analysis))
                }
            }
        }
    }
}

/// The choice in the only test, and the figures that it is made by.
fn of_test(analysis: &Analysis, test: &TestAnalysis, number: usize) -> Markup {
    let said = words::answer(analysis, test);
    html! {
        p.headline { (said.first()) }
        p {
            @if let Some(more) = said.second() { (more) " " }
            a href={ "#test-" (number) } { "Evidence" }
        }
        @if let Some((figures, more)) = tables::decision(analysis, test) {
            (table::table(&figures))
            @if more > 0 { p.caption { a href={ "#test-" (number) } { (more) " more targets" } } }
        }
    }
}

/// The choice in each test.
fn of_tests(analysis: &Analysis, tests: &[(usize, &TestAnalysis)]) -> Markup {
    let (first, others) = tests.split_at(tests.len().min(MOST_TESTS));
    let list = |tests: &[(usize, &TestAnalysis)]| {
        html! {
            ul.choices {
                @for (number, test) in tests {
                    @let said = words::answer(analysis, test);
                    li { a href={ "#test-" (number) } { (test.test) } ": " (said.first()) }
                }
            }
        }
    };
    html! {
        (list(first))
        @if !others.is_empty() { details { summary { (others.len()) " more tests" } (list(others)) } }
    }
}

/// How sure it is, what it rests on, and what it does not hold for.
fn grounds(analysis: &Analysis) -> Markup {
    html! {
        @if !analysis.dataset.trials.is_empty() {
            p.limits {
                strong { "Based on" } " " a href="#trials" { (words::rests_on(analysis)) }
                @if let Some(doubts) = words::doubts(analysis) {
                    "; " a.doubtful href="#findings" { (doubts) }
                }
                "."
            }
        }
        @let not_for = words::not_for(analysis);
        @if !not_for.is_empty() {
            p.limits {
                strong { "Not valid for" } " " (not_for.join("; ")) ". "
                a href="#methods" { "Methods" }
            }
        }
    }
}
