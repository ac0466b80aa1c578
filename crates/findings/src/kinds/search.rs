//! The highest load under a bound.

use stats::Estimate;
use crate::Verdict;
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{self, percent, times};
use crate::names::target_name;
use crate::names::{bound, search_unit, searched_load};
use model::{Bound, SearchOver, UnitName};

/// The highest load under which a target meets a bound.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HighestLoad {
    /// What the load must meet.
    #[serde(flatten)]
    pub bound: Bound,
    pub over: SearchOver,
    /// What was found.
    pub outcome: SearchOutcome,
}

impl FindingKind for HighestLoad {
    const HEADING: &'static str = "Highest loads under a bound";

    fn say(found: &Group<'_, Self>) -> String {
        let Self { bound, over, outcome } = found.first;
        highest(bound, *over, outcome, found.counted)
    }
}

/// The highest load that meets the bound, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum SearchOutcome {
    /// Every search found both a load that meets the bound and a higher one that does not.
    Found {
        /// The median of the answers. Its interval is wider by how finely the searches end.
        load: Estimate,
        /// Whether no search came to the bound: the load above was more than the target achieved,
        /// and even so what is bounded was within it.
        at_capacity: bool,
    },
    /// In at least one search the highest load that could be offered met the bound.
    AtLeast {
        /// Every search met the bound up to here.
        load: f64,
    },
    /// In at least one search not even the lowest load met the bound.
    Below {
        /// No search met the bound from here on.
        load: f64,
    },
    /// At least one search ended where other processes alone kept the processors busier than they may be.
    Disturbed {
        /// The lowest load at which they did.
        load: f64,
        /// The share of the processors that they took there, 0 to 1.
        others: f64,
    },
    /// No search counts, or they contradict each other.
    Unknown,
}

impl SearchOutcome {
    /// Whether the highest load is surely above another, where one of them is no estimate.
    pub fn exceeds(&self, other: &Self) -> bool {
        let at_least = match self {
            Self::AtLeast { load } => Some(*load),
            Self::Found { load, .. } => load.interval.map(|interval| interval.low),
            Self::Below { .. } | Self::Disturbed { .. } | Self::Unknown => None,
        };
        let at_most = match other {
            Self::Found { load, .. } => load.interval.map(|interval| interval.high),
            Self::Below { load } => Some(*load),
            Self::AtLeast { .. } | Self::Disturbed { .. } | Self::Unknown => None,
        };
        let are_estimates = matches!((self, other), (Self::Found { .. }, Self::Found { .. }));
        !are_estimates && at_least.zip(at_most).is_some_and(|(low, high)| low >= high)
    }
}

/// What was found of one target, without its name and a full stop.
pub fn highest(
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

/// The highest loads of two targets under a bound.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HighestLoadsCompared {
    /// What the load must meet.
    #[serde(flatten)]
    pub bound: Bound,
    pub over: SearchOver,
    /// The target in the denominator.
    pub baseline: String,
    /// The target in the numerator.
    pub candidate: String,
    /// candidate ÷ baseline.
    pub ratio: Estimate,
    pub verdict: Verdict,
    /// The study's margin, 0.03 being 3 %.
    pub margin: f64,
}

impl FindingKind for HighestLoadsCompared {
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
