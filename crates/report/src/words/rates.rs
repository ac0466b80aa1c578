//! What a test that offers load at rates says.

use super::labels::target_name;
use crate::numbers;
use analyse::{Cell, Metric, TestAnalysis};
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
    let mut sentences: Vec<String> =
        targets[..most].iter().map(|target| of_target(test, target)).collect();
    if targets.len() > most {
        sentences.push(format!("The ranking has {} others.", targets.len() - most));
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

/// The cells of a target that have data, by rate.
fn cells_of<'a>(test: &'a TestAnalysis, target: &str) -> Vec<&'a Cell> {
    let own = test.cells.iter().filter(|cell| cell.target == target);
    let mut cells: Vec<&Cell> =
        own.filter(|cell| cell.estimate(Metric::Throughput).is_some()).collect();
    cells.sort_by_key(|cell| cell.level);
    cells
}

/// The highest rate that a target keeps up with. A rate above one that was too high is no evidence of
/// a higher capacity.
pub(crate) fn kept_up_with(test: &TestAnalysis, target: &str) -> Option<Level> {
    let cells = cells_of(test, target);
    cells.iter().take_while(|cell| cell.overloaded == 0).last().map(|cell| cell.level)
}

fn of_target(test: &TestAnalysis, target: &str) -> String {
    let cells = cells_of(test, target);
    let reached = kept_up_with(test, target);
    let reached = cells.iter().find(|cell| Some(cell.level) == reached);
    let behind = cells.iter().find(|cell| cell.overloaded > 0);
    let name = target_name(target);
    match (reached, behind) {
        (Some(cell), None) => {
            format!("{name} sustains {}, the highest rate offered{}.", cell.level, p95(cell))
        }
        (Some(cell), Some(over)) => {
            format!(
                "{name} sustains {}{}, and falls behind at {}.",
                cell.level,
                p95(cell),
                over.level
            )
        }
        (None, Some(over)) => format!("{name} falls behind already at {}.", over.level),
        (None, None) => format!("{name} has no result."),
    }
}

fn p95(cell: &Cell) -> String {
    cell.estimate(Metric::LatencyP95).map_or(String::new(), |p95| {
        format!(", with a p95 response time of {}", numbers::estimate(&p95, "ms"))
    })
}
