//! The highest load under a bound.

use super::{Group, Words};
use crate::numbers::{self, percent, times};
use crate::words::labels::target_name;
use crate::words::search::{bound, search_unit, searched_load};
use analyse::{HighestLoad, HighestLoadsCompared, SearchOutcome, Verdict};
use model::{Bound, SearchOver, UnitName};

impl Words for HighestLoad {
    const HEADING: &'static str = "Highest loads under a bound";

    fn say(found: &Group<'_, Self>) -> String {
        let Self { bound, over, outcome } = found.first;
        highest(bound, *over, outcome, found.counted)
    }
}

/// What was found of one target, without its name and a full stop.
pub(in crate::words) fn highest(
    bound: &Bound,
    over: SearchOver,
    outcome: &SearchOutcome,
    counted: UnitName,
) -> String {
    match outcome {
        SearchOutcome::Found { load, at_capacity } => {
            let most = numbers::estimate(load, &search_unit(over, counted));
            match at_capacity {
                false => format!("meets {bound} up to {most}"),
                true => format!("meets {bound} at every rate that it achieves, up to {most}"),
            }
        }
        SearchOutcome::AtLeast { load } => format!(
            "meets {bound} at {} and perhaps beyond: at least one search could offer no higher load",
            searched_load(over, *load, counted)
        ),
        SearchOutcome::Below { load } => format!(
            "misses {bound} even at {}, the lowest load that at least one search tried: a looser \
             bound or longer steps may give an answer",
            searched_load(over, *load, counted)
        ),
        SearchOutcome::Disturbed { load, others } => format!(
            "is not known to meet or to miss {bound} at {}: processes other than the server and \
             weighin alone kept the processors {} busy there; measure again without them",
            searched_load(over, *load, counted),
            percent(*others)
        ),
        SearchOutcome::Unknown => format!(
            "the highest load that meets {bound} is not known: no search counts, or the searches \
             disagree"
        ),
    }
}

impl Words for HighestLoadsCompared {
    const HEADING: &'static str = "Highest loads compared";

    /// From the side of the target that measured ahead.
    fn say(found: &Group<'_, Self>) -> String {
        let result = found.first;
        let (baseline, candidate) = (target_name(&result.baseline), target_name(&result.candidate));
        let (ahead, behind, ratio) = if result.ratio.point < 1.0 {
            (baseline, candidate, result.ratio.reciprocal())
        } else {
            (candidate, baseline, result.ratio)
        };
        let what = match result.over {
            SearchOver::Rate => "rate",
            SearchOver::Clients => "number of clients",
        };
        let with = bound(&result.bound);
        let sustains =
            format!("{ahead} sustains {}", times(&ratio, &format!("the {what} of {behind}")));
        match result.verdict {
            Verdict::CandidateBetter | Verdict::BaselineBetter => format!("{with} {sustains}"),
            Verdict::Equivalent => format!(
                "{with} {ahead} and {behind} sustain the same {what}, within the margin of {}: {}",
                percent(result.margin),
                numbers::estimate(&ratio, "×"),
            ),
            Verdict::Unresolved => {
                format!("{with} {ahead} and {behind} cannot be told apart: {sustains}")
            }
        }
    }
}
