//! What searches for the highest load found, and how.

use super::ratios::quotient;
use super::{Table, TableCell, Tone, numbers, words};
use crate::numbers::{NOTHING, duration, figure, percent};
use crate::view;
use crate::words::{search_unit, step_verdict, verdict};
use analyse::{Analysis, SearchAnalysis, SearchOutcome, TargetSearch, TestAnalysis, Verdict};
use model::{Metric, SearchOver, StepVerdict};

/// The targets from the one that sustains most to the one that sustains least; those that tie share a
/// place, those without an estimate have none.
pub(super) fn highest_loads(
    analysis: &Analysis,
    test: &TestAnalysis,
    found: &SearchAnalysis,
) -> Table {
    let counted = view::counted(test);
    let mut table = Table::new([
        words("place"),
        words("target"),
        numbers(match found.over {
            SearchOver::Rate => format!("highest rate, {counted}/s"),
            SearchOver::Clients => "most clients".to_owned(),
        }),
        numbers("steps"),
    ]);
    let ranked = || found.tiers.iter().flatten();
    for placed in ranked() {
        let place = placed.place;
        let is_shared = ranked().filter(|other| other.place == place).count() > 1;
        let tie = if is_shared { " (tie)" } else { "" };
        let target = found.targets.iter().find(|target| target.target == placed.target);
        table.rows.extend(target.map(|target| super::Row {
            cells: row(analysis, format!("{place}{tie}"), target),
            id: None,
            opens_group: false,
        }));
    }
    let is_ranked = |name: &str| ranked().any(|placed| placed.target == name);
    for target in found.targets.iter().filter(|target| !is_ranked(&target.target)) {
        table.push(row(analysis, NOTHING.to_owned(), target));
    }
    table
}

fn row(analysis: &Analysis, place: String, target: &TargetSearch) -> Vec<TableCell> {
    let highest = match &target.outcome {
        SearchOutcome::Found { load, .. } => TableCell::estimate(Some(load)),
        SearchOutcome::AtLeast { load } => TableCell::text(format!("at least {}", figure(*load))),
        SearchOutcome::Below { load } => TableCell::text(format!("below {}", figure(*load))),
        SearchOutcome::Disturbed { .. } | SearchOutcome::Unknown => {
            TableCell::text("not known").with_tone(Tone::Bad)
        }
    };
    let steps: usize = target.searches.iter().map(|search| search.steps.len()).sum();
    vec![
        TableCell::text(place),
        TableCell::target(&target.target, view::series(analysis, &target.target)),
        highest,
        TableCell::text(steps.to_string()),
    ]
}

/// Every pair of targets with an estimate.
pub(crate) fn search_comparisons(found: &SearchAnalysis) -> Table {
    let mut table = Table::new([
        words("ratio of highest loads"),
        numbers("geometric means"),
        numbers("ratio"),
        words("verdict"),
    ]);
    for pair in &found.comparisons {
        let tone = if pair.verdict == Verdict::Unresolved { Tone::Doubtful } else { Tone::Good };
        table.push([
            TableCell::text(format!("{} ÷ {}", pair.candidate, pair.baseline)),
            quotient(Metric::Throughput, &pair.means),
            TableCell::estimate(Some(&pair.ratio)),
            TableCell::text(verdict(pair.verdict, &pair.baseline, &pair.candidate)).with_tone(tone),
        ]);
    }
    table
}

/// Every step of every search that counts, in order.
pub(crate) fn search_steps(
    analysis: &Analysis,
    test: &TestAnalysis,
    found: &SearchAnalysis,
) -> Table {
    let counted = view::counted(test);
    let unit = search_unit(found.over, counted);
    let mut table = Table::new([
        words("target"),
        numbers("repeat"),
        numbers("step"),
        numbers(match found.over {
            SearchOver::Rate => format!("offered, {unit}"),
            SearchOver::Clients => unit,
        }),
        numbers(format!("achieved, {counted}/s")),
        numbers(format!("{} latency, ms", found.bound.figure().name())),
        numbers("processors busy"),
        numbers("of these by others"),
        numbers("replication lag, ms"),
        words("bound"),
        numbers("measured for"),
    ]);
    for target in &found.targets {
        for search in &target.searches {
            for (number, step) in (1..).zip(&search.steps) {
                let tone = match step.verdict {
                    StepVerdict::Met => Tone::Good,
                    StepVerdict::Missed
                    | StepVerdict::TooBusy
                    | StepVerdict::Disturbed
                    | StepVerdict::Lagging
                    | StepVerdict::FellBehind => Tone::Doubtful,
                };
                let said = TableCell::text(step_verdict(found.over, step.verdict)).with_tone(tone);
                let row = [
                    TableCell::target(&target.target, view::series(analysis, &target.target)),
                    TableCell::text(search.repeat.to_string()),
                    TableCell::text(number.to_string()),
                    TableCell::text(figure(step.load)),
                    TableCell::text(figure(step.achieved)),
                    TableCell::figure(step.figure_ms),
                    TableCell::text(step.cpu_busy.map_or(NOTHING.to_owned(), percent)),
                    TableCell::text(step.cpu_others.map_or(NOTHING.to_owned(), percent)),
                    TableCell::figure(step.lag_ms),
                    if step.repeated { said.with_note("both runs together") } else { said },
                    TableCell::text(duration(step.measured)),
                ];
                if number == 1 { table.push_group(row) } else { table.push(row) }
            }
        }
    }
    table
}
