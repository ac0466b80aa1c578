//! How two targets compare: always a ratio with its interval.

use stats::Estimate;
use serde::Serialize;
use super::floor::width;
use crate::kind::{FindingKind, Group};
use crate::numbers::{self, count, figure, percent, times};
use crate::names::target_name;
use crate::names::metric_name;
use crate::place::{at_levels, levels};
use model::{Better, Level, Metric};

/// What can be said of two targets over all their common levels together.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OverallResult {
    /// The target in the denominator.
    pub baseline: String,
    /// The target in the numerator.
    pub candidate: String,
    /// The levels that it rests on, in order.
    pub levels: Vec<Level>,
    /// Whether these are all levels of the test.
    pub all_levels: bool,
    pub metric: Metric,
    /// candidate ÷ baseline of its geometric means over the levels.
    pub ratio: Estimate,
    pub verdict: Verdict,
    /// Further repeats that would probably resolve it, where it is not and their number can
    /// be said.
    pub further_repeats: Option<u32>,
    /// The noise floor (see [`crate::NoiseFloor::factor`]) where a difference was found that does not
    /// clear it.
    pub below_noise_floor: Option<f64>,
    /// The study's margin, 0.03 being 3 %.
    pub margin: f64,
}

impl FindingKind for OverallResult {
    const HEADING: &'static str = "Over all levels together";

    /// From the side of the target that measured more.
    fn say(found: &Group<'_, Self>) -> String {
        let result = found.first;
        let (baseline, candidate) = (target_name(&result.baseline), target_name(&result.candidate));
        let (more, less, ratio) = if result.ratio.point < 1.0 {
            (baseline, candidate, result.ratio.reciprocal())
        } else {
            (candidate, baseline, result.ratio)
        };
        let name = metric_name(result.metric);
        let (ahead, behind) = match result.metric.better() {
            Better::More | Better::Neither => (&more, &less),
            Better::Less => (&less, &more),
        };
        let over = if result.all_levels {
            "over all levels together".to_owned()
        } else {
            format!("over {} together", levels(&result.levels))
        };
        let has = format!("{more} has {}", times(&ratio, &format!("the {name} of {less}")));
        match result.verdict {
            Verdict::CandidateBetter | Verdict::BaselineBetter => format!("{over} {has}"),
            Verdict::Equivalent => format!(
                "{over} {ahead} and {behind} have the same {name}, within the margin of {}: {}",
                percent(result.margin),
                numbers::estimate(&ratio, "×"),
            ),
            Verdict::Unresolved => {
                let further = match result.below_noise_floor {
                    Some(factor) => {
                        format!(", which is below the noise floor of {}", width(factor))
                    }
                    None => further_repeats(result.further_repeats.map(|n| (n, n))),
                };
                format!("{over} {ahead} and {behind} cannot be told apart: {has}{further}")
            }
        }
    }
}

/// What a ratio with its interval allows to say, given the study's margin.
///
/// A difference counts only when it is significant *and* relevant, two questions with an answer
/// each. Among many comparisons of equal targets a few would find a difference by chance, so
/// differences are held to the whole family (`Strength::adjusted_p`): of all comparisons of a test by
/// one metric that are truly equal, at the study's confidence none is called different. Equivalence
/// stands at the study's confidence by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The whole interval lies on the candidate's side of 1, the ratio lies beyond the margin, and it
    /// is no find of chance among the comparisons of its family.
    CandidateBetter,
    /// The same on the baseline's side.
    BaselineBetter,
    /// The whole interval lies within the margin: the two are the same for practical purposes.
    Equivalent,
    /// The data does not say.
    Unresolved,
}

/// One target is better than another at some levels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BetterAtLevels {
    pub winner: String,
    pub loser: String,
    /// These levels, in order; they need not be neighbours.
    pub levels: Vec<Level>,
    pub metric: Metric,
    /// The smallest and the largest ratio by which it is better: winner ÷ loser where more is
    /// better, loser ÷ winner where less is.
    pub ratios: (Estimate, Estimate),
    /// The lowest and the highest end of the intervals at all these levels.
    pub bounds: (f64, f64),
}

impl FindingKind for BetterAtLevels {
    const HEADING: &'static str = "Differences";

    /// The range of the ratios, and bounds that hold all their intervals.
    fn say(found: &Group<'_, Self>) -> String {
        let result = found.first;
        let (winner, loser) = (target_name(&result.winner), target_name(&result.loser));
        let (at, name) = (at_levels(&result.levels), metric_name(result.metric));
        let ((least, most), (low, high)) = (&result.ratios, result.bounds);
        // Where less is better it is the loser that has more.
        let owner = match result.metric.better() {
            Better::More | Better::Neither => String::new(),
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
            format!("{winner} measured ahead of {loser}{at}, but this is not certain: {ratios}")
        }
    }
}

/// Two targets are the same within the margin at some levels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EquivalentAtLevels {
    pub a: String,
    pub b: String,
    /// These levels, in order; they need not be neighbours.
    pub levels: Vec<Level>,
    pub metric: Metric,
    /// The study's margin, 0.03 being 3 %.
    pub margin: f64,
}

impl FindingKind for EquivalentAtLevels {
    const HEADING: &'static str = "Equivalent";

    fn say(found: &Group<'_, Self>) -> String {
        let Self { a, b, levels, metric, margin } = found.first;
        format!(
            "{} and {} have the same {}{}, within the margin of {}",
            target_name(a),
            target_name(b),
            metric_name(*metric),
            at_levels(levels),
            percent(*margin),
        )
    }
}

/// Two targets cannot be told apart at some levels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnresolvedAtLevels {
    pub a: String,
    pub b: String,
    /// These levels, in order; they need not be neighbours.
    pub levels: Vec<Level>,
    /// By what factor, 1 and above, either may be ahead at most, given the intervals at all these
    /// levels; absent where a level has none.
    pub at_most: Option<f64>,
    /// The fewest and the most further repeats that would probably resolve one of them;
    /// absent where that cannot be said of all.
    pub further_repeats: Option<(u32, u32)>,
}

impl FindingKind for UnresolvedAtLevels {
    const HEADING: &'static str = "Not resolved";

    fn say(found: &Group<'_, Self>) -> String {
        let Self { a, b, levels, at_most, further_repeats: further } = found.first;
        // What the intervals leave out is known all the same.
        let apart = match at_most {
            Some(factor) if *factor < 2.0 => {
                format!("; neither is ahead by more than {}", percent(factor - 1.0))
            }
            Some(factor) => format!("; either may be ahead by a factor of {}", figure(*factor)),
            None => String::new(),
        };
        format!(
            "{} and {} cannot be told apart{}{apart}{}",
            target_name(a),
            target_name(b),
            at_levels(levels),
            further_repeats(*further),
        )
    }
}

/// More repeats than this are not worth their time for a difference that may be none.
const WORTHWHILE: u32 = 20;

/// How many more repeats would resolve it, the fewest and the most, to follow what is not resolved.
pub fn further_repeats(range: Option<(u32, u32)>) -> String {
    let number = match range {
        None => return String::new(),
        Some((few, _)) if few > WORTHWHILE => {
            return format!(
                "; the difference is small against the scatter: more than {WORTHWHILE} further \
                 repeats would be needed to settle it"
            );
        }
        Some((1, 1)) => "1 more repeat".to_owned(),
        Some((few, many)) if few == many => format!("{} more repeats", count(few.into())),
        Some((few, many)) => {
            format!("{} to {} more repeats", count(few.into()), count(many.into()))
        }
    };
    format!("; about {number} should settle it, if ratio and scatter stay the same")
}
