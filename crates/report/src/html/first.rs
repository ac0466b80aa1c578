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
            @if let Some(standings) = tables::standings(analysis) {
                h2 { "Recommendation" }
                @if let Some(first) = words::first_places(analysis) { p.headline { (first) } }
                (table::table(&standings))
                p.caption { (words::standings(analysis)) }
                (words_and_chart(analysis, None, &judged))
            } @else {
                (words_and_chart(analysis, Some("Recommendation"), &judged))
                @if let Some(printed) = tables::printed(analysis) { (table::table(&printed)) }
            }
        }
    }
}

fn words_and_chart(
    analysis: &Analysis,
    heading: Option<&str>,
    judged: &[(usize, &TestAnalysis)],
) -> Markup {
    html! {
        div.screen {
            div {
                @if let Some(heading) = heading { h2 { (heading) } }
                @if analysis.tests.is_empty() { p { (words::NO_TEST) } }
                @if let Some(nothing) = words::nothing_ranked(analysis) { p.headline { (nothing) } }
                @match judged {
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

/// The choice in each test; those that leave it open between the same targets in one.
fn of_tests(analysis: &Analysis, tests: &[(usize, &TestAnalysis)]) -> Markup {
    let mut open: Vec<(String, Vec<Markup>)> = Vec::new();
    let mut decided = Vec::new();
    for (number, test) in tests {
        let said = words::answer(analysis, test);
        let link = html! { a href={ "#test-" (number) } { (test.test) } };
        match words::undecided(analysis, test) {
            Some((between, place))
                if said.first() == format!("It is undecided between {between}{place}.") =>
            {
                let here = html! { (link) (place) };
                match open.iter_mut().find(|(known, _)| *known == between) {
                    Some((_, tests)) => tests.push(here),
                    None => open.push((between, vec![here])),
                }
            }
            _ => {
                decided.push(html! { li { (link) ": " (said.first()) } });
            }
        }
    }
    let once = tests.iter().all(|(_, test)| !test.ranking.measured_once.is_empty());
    // The table has said all of what is no more than an order of figures.
    let most = if once && tables::standings(analysis).is_some() { 0 } else { MOST_TESTS };
    let more = decided.split_off(decided.len().min(most));
    html! {
        @if !decided.is_empty() || !open.is_empty() { ul.choices {
            @for test in &decided { (test) }
            @for (between, tests) in &open {
                li {
                    "It is undecided between " (between) " in "
                    @for (place, test) in tests.iter().enumerate() {
                        @if place > 0 { @if place + 1 == tests.len() { " and " } @else { ", " } }
                        (test)
                    }
                    "."
                }
            }
        } }
        @if !more.is_empty() {
            details {
                summary { @if most == 0 { "In words" } @else { (more.len()) " more tests" } }
                ul.choices { @for test in &more { (test) } }
            }
        }
    }
}

/// How sure it is, what it rests on, and what it does not hold for.
fn grounds(analysis: &Analysis) -> Markup {
    html! {
        @for answer in words::asked_for(analysis) { p { (answer) } }
        @for break_even in words::break_evens(analysis) {
            p.limits { strong { "Break-even" } " " (break_even) " " a href="#money" { "Money" } }
        }
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
