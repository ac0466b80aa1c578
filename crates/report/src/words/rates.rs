//! What a test that offers load at rates says.

use crate::numbers;
use analyse::{Cell, Metric, ProfileStretch, TestAnalysis};
use findings::names::target_name;
use model::Level;

/// Most targets that are told in sentences; a table has the others.
const MOST_TARGETS: usize = 4;

/// Stands where a latency would, in cells that fell behind the offered rate.
pub(crate) const OVERLOADED: &str = "overloaded";

/// Up to which rate each target keeps up, and how fast it answers there: a sentence for each.
/// `None` for a test of closed loops, and where no target has a trial that counts.
pub(super) fn kept_up(test: &TestAnalysis) -> Option<String> {
    let mut targets: Vec<&str> = Vec::new();
    for cell in test.cells.iter().filter(|cell| cell.level.rate.is_some()) {
        if cell.estimate(Metric::Throughput).is_some() && !targets.contains(&cell.target.as_str()) {
            targets.push(&cell.target);
        }
    }
    let most = if targets.len() > MOST_TARGETS { MOST_TARGETS - 1 } else { targets.len() };
    let sentence = |target: &&str| match test.profile.is_empty() {
        true => of_target(test, target),
        false => of_profile(test, target),
    };
    let mut sentences: Vec<String> = targets[..most].iter().map(sentence).collect();
    if targets.len() > most {
        sentences.push(format!("The ranking has {} others.", targets.len() - most));
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// The cells of a target, by rate, and apart those at which no load ever began: that a start failed
/// says nothing of the rate.
fn cells_of<'a>(test: &'a TestAnalysis, target: &str) -> (Vec<&'a Cell>, Vec<&'a Cell>) {
    let mut cells: Vec<&Cell> = test.cells.iter().filter(|cell| cell.target == target).collect();
    cells.sort_by_key(|cell| cell.level);
    cells.into_iter().partition(|cell| !cell.never_started())
}

/// Whether all trials at a rate kept up with it.
fn is_sustained(cell: &Cell) -> bool {
    cell.estimate(Metric::Throughput).is_some()
        && cell.overloaded == 0
        && cell.lost == cell.unstarted
}

/// Which rates of a load profile a target serves. The rate of the level is their mean, which may never
/// have been offered.
fn of_profile(test: &TestAnalysis, target: &str) -> String {
    let name = target_name(target);
    let mut held: Vec<&ProfileStretch> = test
        .profile
        .iter()
        .filter(|stretch| stretch.target == target && !stretch.served_after_seconds.is_empty())
        .collect();
    held.sort_by(|a, b| a.to_rate.total_cmp(&b.to_rate));
    let rates = |served: &dyn Fn(Option<f64>) -> bool| {
        let here = held.iter().filter(|stretch| served(stretch.usually_served_after()));
        let mut rates: Vec<String> =
            here.map(|stretch| format!("{}/s", numbers::figure(stretch.to_rate))).collect();
        rates.dedup();
        rates
    };
    let never = rates(&|after| after.is_none());
    let late = rates(&|after| after.is_some_and(|after| after > 0.0));
    let Some(highest) = held.last() else {
        return format!(
            "Under this load over time no rate stays, so none says what {name} serves."
        );
    };
    let mut said = Vec::new();
    if !never.is_empty() {
        said.push(format!("does not serve {}", numbers::list(&never)));
    }
    if !late.is_empty() {
        said.push(format!("serves {} only after a time", numbers::list(&late)));
    }
    if said.is_empty() {
        let highest = numbers::figure(highest.to_rate);
        said.push(format!("serves every rate at once, up to {highest}/s"));
    }
    format!("Under this load over time {name} {}.", numbers::list(&said))
}

/// The highest rate that a target keeps up with. A rate above one that was too high is no evidence of
/// a higher capacity, and neither is one above a rate at which trials failed.
pub(crate) fn kept_up_with(test: &TestAnalysis, target: &str) -> Option<Level> {
    let (cells, _) = cells_of(test, target);
    cells.iter().take_while(|cell| is_sustained(cell)).last().map(|cell| cell.level)
}

fn of_target(test: &TestAnalysis, target: &str) -> String {
    let name = &target_name(target);
    let (cells, unmeasured) = cells_of(test, target);
    let without: Vec<String> = unmeasured.iter().map(|cell| cell.level.to_string()).collect();
    let without = match without.is_empty() {
        true => String::new(),
        false => format!(" {name} was not measured at {}: no load began.", numbers::list(&without)),
    };
    let said = measured(&cells, name);
    format!("{said}{without}")
}

fn measured(cells: &[&Cell], name: &str) -> String {
    let sustained = cells.iter().take_while(|cell| is_sustained(cell)).count();
    let reached = sustained.checked_sub(1).and_then(|last| cells.get(last));
    let Some(beyond) = cells.get(sustained) else {
        return match reached {
            Some(cell) => {
                let (how, but) = how_long(cell);
                format!("{name} {how} {}, the highest rate offered{}{but}.", cell.level, p95(cell))
            }
            None => format!("{name} has no result."),
        };
    };
    let ends = match (beyond.overloaded, beyond.lost) {
        (0, 0) => format!("has no result at {}", beyond.level),
        (0, lost) => format!(
            "lost {} of {} at {} (failed or void)",
            numbers::count(lost as u64),
            numbers::counted(beyond.trials.len(), "trial"),
            beyond.level
        ),
        (_, _) if reached.is_none() => format!("falls behind already at {}", beyond.level),
        (_, _) => format!("falls behind at {}", beyond.level),
    };
    match reached {
        Some(cell) => {
            let (how, but) = how_long(cell);
            format!("{name} {how} {}{}{but}, and {ends}.", cell.level, p95(cell))
        }
        None => format!("{name} {ends}."),
    }
}

/// What a target does at a rate that it kept up with, and what speaks against that it lasts.
fn how_long(cell: &Cell) -> (&'static str, &'static str) {
    match cell.indebted {
        0 => ("sustains", ""),
        _ => {
            ("keeps up with", ", but puts off more and more work: it is not known to sustain that")
        }
    }
}

fn p95(cell: &Cell) -> String {
    cell.estimate(Metric::LatencyP95).map_or(String::new(), |p95| {
        format!(", with a p95 response time of {}", numbers::estimate(&p95, "ms"))
    })
}
