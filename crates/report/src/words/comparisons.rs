//! How two targets compare, in words: always a ratio with its interval.

use super::floor::width;
use super::labels::target_name;
use super::metric::metric_name;
use super::place::{at_levels, levels};
use super::scaling;
use crate::numbers::{self, percent};
use analyse::{Evidence, Metric, OverallResult, Verdict};
use model::{Better, Level};
use stats::Estimate;

/// Over all levels together, from the side of the target that measured ahead.
pub(super) fn overall(evidence: &Evidence) -> String {
    let Evidence::OverallResult(OverallResult {
        baseline,
        candidate,
        levels: at,
        all_levels,
        metric,
        ratio,
        verdict,
        further_repeats,
        below_noise_floor,
        margin,
    }) = evidence
    else {
        return String::new();
    };
    let (baseline, candidate) = (target_name(baseline), target_name(candidate));
    let (more, less, ratio) = if ratio.point < 1.0 {
        (baseline, candidate, ratio.reciprocal())
    } else {
        (candidate, baseline, *ratio)
    };
    let name = metric_name(*metric);
    let (ahead, behind) = match metric.better() {
        Better::More => (&more, &less),
        Better::Less => (&less, &more),
    };
    let over = if *all_levels {
        "over all levels together".to_owned()
    } else {
        format!("over {} together", levels(at))
    };
    let has = format!("{more} has {}", times(&ratio, &format!("the {name} of {less}")));
    match verdict {
        Verdict::CandidateBetter | Verdict::BaselineBetter => format!("{over} {has}"),
        Verdict::Equivalent => format!(
            "{over} {ahead} and {behind} have the same {name}, within the margin of {}: {}",
            percent(*margin),
            numbers::estimate(&ratio, "×"),
        ),
        Verdict::Unresolved => {
            let further = match below_noise_floor {
                Some(factor) => format!(", which is below the noise floor of {}", width(*factor)),
                None => scaling::further_repeats(further_repeats.map(|n| (n, n))),
            };
            format!("{over} {ahead} and {behind} cannot be told apart: {has}{further}")
        }
    }
}

/// That one target is better at these levels: the range of the ratios, and bounds that hold all
/// their intervals.
pub(super) fn better(
    winner: &str,
    loser: &str,
    at: &[Level],
    metric: Metric,
    (least, most): &(Estimate, Estimate),
    (low, high): (f64, f64),
) -> String {
    let (winner, loser, at) = (target_name(winner), target_name(loser), at_levels(at));
    let name = metric_name(metric);
    // Where less is better it is the loser that has more.
    let owner = match metric.better() {
        Better::More => String::new(),
        Better::Less => format!("{loser} has "),
    };
    let ratios = match &least.interval {
        Some(interval) if least != most => format!(
            "{owner}{} × its {name} ({} intervals within {})",
            numbers::range(least.point, most.point),
            percent(interval.confidence),
            numbers::range(low, high),
        ),
        _ => format!("{owner}{}", times(least, &format!("its {name}"))),
    };
    // An end that reaches 1 would make "faster" a claim that the data does not carry.
    if least.interval.is_some() && low > 1.0 {
        format!("{winner} is faster than {loser}{at}: {ratios}")
    } else {
        format!("{winner} measured ahead of {loser}{at}, but not beyond doubt: {ratios}")
    }
}

/// `0.81 × the peak (95 % interval 0.75–0.88)`.
pub(super) fn times(ratio: &Estimate, what: &str) -> String {
    numbers::estimate(ratio, &format!("× {what}"))
}
