//! All tests and targets at once: who is first in how many, and how their table is read.

use crate::numbers;
use analyse::{Analysis, MatrixPlace, Placings};
use findings::names::target_name;
use std::cmp::Reverse;

/// Most targets that are named with the number of their first places.
const MOST_NAMES: usize = 3;

/// Who is first in how many of several tests; `None` where fewer than two tests rank targets.
pub(crate) fn first_places(analysis: &Analysis) -> Option<String> {
    if analysis.matrix.iter().any(|test| test.by_cost) {
        return cheapest(analysis);
    }
    let summary = analysis.summary.as_ref()?;
    let all = summary.tests.len();
    let once = summary.tests.iter().all(|test| test.measured_once);
    // A place that several share says nothing of one of them.
    let alone = |name: &str| {
        summary.tests.iter().filter(|test| test.first.len() == 1 && test.first[0] == name).count()
    };
    let mut winners: Vec<(&Placings, usize)> = summary
        .targets
        .iter()
        .map(|one| (one, alone(&one.target)))
        .filter(|(_, first)| *first > 0)
        .collect();
    winners.sort_by_key(|(_, first)| Reverse(*first));
    let number =
        |is: fn(usize) -> bool| summary.tests.iter().filter(|test| is(test.first.len())).count();
    let (shared, open) = (number(|first| first > 1), number(|first| first == 0));
    let every =
        |all: usize| if all == 2 { "both tests".to_owned() } else { format!("all {all} tests") };
    let is = if once { "has the best figure" } else { "is first" };
    let said = match winners.as_slice() {
        [] if shared == 0 => return Some(format!("No test of {all} tells who is first.")),
        [] => format!("No target is first alone in any of {all} tests"),
        [(only, first)] if *first == all => {
            format!("{} {is} in {}", target_name(&only.target), every(all))
        }
        several => {
            let named = several.iter().take(MOST_NAMES).enumerate().map(|(place, (one, first))| {
                let of = if place == 0 { format!(" of {} tests", all) } else { String::new() };
                let is = if place == 0 { format!(" {is} in ") } else { " in ".to_owned() };
                format!("{}{is}{first}{of}", target_name(&one.target))
            });
            let mut named: Vec<String> = named.collect();
            if let more @ 1.. = several.len().saturating_sub(MOST_NAMES) {
                named.push(numbers::counted(more, "other target"));
            }
            numbers::list(&named)
        }
    };
    let shared = match shared {
        0 => String::new(),
        1 => "; in one test several share the first place".to_owned(),
        tests => format!("; in {tests} tests several share the first place"),
    };
    let open = match open {
        0 => String::new(),
        1 => "; one test leaves it open".to_owned(),
        several => format!("; {several} tests leave it open"),
    };
    Some(format!("{said}{shared}{open}."))
}

/// Where transactions cost least in how many of several tests.
fn cheapest(analysis: &Analysis) -> Option<String> {
    let all = analysis.matrix.len();
    let is_first = |place: &MatrixPlace| {
        matches!(place, MatrixPlace::Best { clear: true } | MatrixPlace::MeasuredOnce { place: 1 })
    };
    let firsts = |name: &str| {
        let cells = analysis.matrix.iter().flat_map(|test| &test.cells);
        cells.filter(|cell| cell.target == name && is_first(&cell.place)).count()
    };
    let targets = &analysis.dataset.study.targets;
    let best = targets.iter().max_by_key(|target| firsts(&target.name))?;
    Some(match firsts(&best.name) {
        _ if all < 2 => return None,
        0 => format!("No test of {all} tells where transactions cost least."),
        every if every == all => {
            format!("Transactions cost least on {} in all {all} tests.", target_name(&best.name))
        }
        some => format!(
            "Transactions cost least on {} in {some} of {all} tests.",
            target_name(&best.name)
        ),
    })
}

/// How to read the table of all tests and targets.
pub(crate) fn standings(analysis: &Analysis) -> String {
    let cells = || analysis.matrix.iter().flat_map(|test| &test.cells);
    let is_once = |place: &MatrixPlace| matches!(place, MatrixPlace::MeasuredOnce { .. });
    let ratios = match analysis.matrix.iter().any(|test| test.by_cost) {
        true => "× is how many times as much transactions cost as on the cheapest target",
        false => "× is how many times better the best of the test is",
    };
    if cells().any(|cell| is_once(&cell.place)) {
        return format!("{ratios}; what was measured once is no verdict.");
    }
    let study = &analysis.dataset.study;
    format!(
        "{ratios}, with its {} interval; same: within {}.",
        numbers::percent(study.confidence),
        numbers::percent(study.margin)
    )
}
