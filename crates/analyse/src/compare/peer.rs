//! Which of two targets is ahead, each at the level at which it stands: the one verdict that
//! rankings and prices follow.

use crate::cell::series::Series;
use crate::compare::floor;
use crate::{Comparison, Metric};
use findings::{NoiseFloor, Verdict};
use model::{Better, Level, Study};
use stats::{Estimate, Ratio, Relation};
use std::collections::{BTreeSet, HashMap};

/// What tells which of two targets is ahead.
pub(crate) struct PeerComparison<'a> {
    study: &'a Study,
    metric: Metric,
    /// By level, baseline and candidate: hundreds of targets have ten thousands.
    comparisons: HashMap<(Level, &'a str, &'a str), &'a Comparison>,
    /// At which levels any are compared.
    levels: BTreeSet<Level>,
    floors: &'a [NoiseFloor],
    /// How many targets run.
    targets: usize,
}

/// A target at the level at which it stands.
#[derive(Clone, Copy)]
pub(crate) struct Contender<'a> {
    pub(crate) target: &'a str,
    pub(crate) level: Level,
    pub(crate) series: &'a Series,
    /// How many levels it may be the luckiest of.
    pub(crate) choices: usize,
}

impl<'a> PeerComparison<'a> {
    /// By the comparisons of a test, held to their family, for so many targets.
    pub(crate) fn new(
        study: &'a Study,
        metric: Metric,
        comparisons: &'a [Comparison],
        floors: &'a [NoiseFloor],
        targets: usize,
    ) -> Self {
        let pair = |found: &'a Comparison| {
            ((found.level, found.baseline.as_str(), found.candidate.as_str()), found)
        };
        let of_metric = comparisons.iter().filter(|found| found.metric == metric);
        let comparisons: HashMap<_, _> = of_metric.map(pair).collect();
        let levels = comparisons.keys().map(|(level, ..)| *level).collect();
        Self { study, metric, comparisons, levels, floors, targets }
    }

    /// How the first relates to the second. At the same level it is what the comparison at that
    /// level says; at different ones the claim needs a confidence that makes up for the levels that
    /// the one ahead was picked from, and for the pairs. `together` is how many such races are held
    /// together: 1, or all tests of the study where their outcomes are added up (Bonferroni).
    pub(crate) fn relation(&self, one: &Contender, other: &Contender, together: usize) -> Relation {
        match self.find(one, other) {
            Some((comparison, one_is_base)) => {
                self.of_comparison(comparison, one_is_base, together)
            }
            None if self.is_ahead_everywhere(one, other, together) => self.in_favour(true),
            None if self.is_ahead_everywhere(other, one, together) => self.in_favour(false),
            None => match self.of_ratio(one, other, together) {
                Relation::Larger | Relation::Smaller if !self.is_supported(one, other) => {
                    Relation::Unresolved
                }
                relation => relation,
            },
        }
    }

    /// Whether no comparison at a level speaks against what two peaks at different levels say. Whose
    /// peak is higher is ahead at that level too, since the other's own peak is no lower than what it
    /// has there; and whoever is behind at every level that both have, as where the other broke at a
    /// higher one, is not ahead.
    fn is_supported(&self, one: &Contender, other: &Contender) -> bool {
        let more = self.metric.better() == Better::More;
        let one_leads =
            one.series.ratio(other.series).is_none_or(|ratio| (ratio.point > 1.0) == more);
        let (ahead, behind) = if one_leads { (one, other) } else { (other, one) };
        self.leads(ahead, behind, ahead.level).unwrap_or_else(|| {
            let mut lost = self.levels.iter().filter_map(|level| self.leads(behind, ahead, *level));
            lost.next().is_none_or(|first| !first || lost.any(|other| !other))
        })
    }

    /// Whether the first is better at every level that both have, the other's peak among them: its own
    /// peak is no lower than what it has there.
    fn is_ahead_everywhere(&self, one: &Contender, other: &Contender, together: usize) -> bool {
        let mut all = self.levels.iter().filter_map(|level| self.leads(one, other, *level));
        together == 1 && self.leads(one, other, other.level) == Some(true) && all.all(|leads| leads)
    }

    /// How the figure of one that is better relates to the other's; or of the other.
    fn in_favour(&self, of_first: bool) -> Relation {
        if of_first == (self.metric.better() == Better::More) {
            Relation::Larger
        } else {
            Relation::Smaller
        }
    }

    /// Whether the first is better at a level; `None` where they are not compared there.
    fn leads(&self, one: &Contender, other: &Contender, level: Level) -> Option<bool> {
        let (found, one_is_base) =
            self.find(&Contender { level, ..*one }, &Contender { level, ..*other })?;
        let wins = if one_is_base { Verdict::BaselineBetter } else { Verdict::CandidateBetter };
        Some(found.verdict == wins)
    }

    /// Whether the first is clearly better, as [`Self::relation`] says.
    pub(crate) fn is_ahead(&self, one: &Contender, other: &Contender, together: usize) -> bool {
        let relation = self.relation(one, other, together);
        match self.metric.better() {
            Better::More => relation == Relation::Larger,
            Better::Less => relation == Relation::Smaller,
            Better::Neither => false,
        }
    }

    /// One ÷ other, as it is shown where the two are compared.
    pub(crate) fn ratio(&self, one: &Contender, other: &Contender) -> Option<Estimate> {
        let compared = self.find(one, other).map(|(comparison, one_is_base)| {
            if one_is_base { comparison.ratio.reciprocal() } else { comparison.ratio }
        });
        compared.or_else(|| one.series.ratio_to(other.series, self.study.confidence))
    }

    fn find(&self, one: &Contender, other: &Contender) -> Option<(&Comparison, bool)> {
        if one.level != other.level {
            return None;
        }
        let found = |base, candidate| self.comparisons.get(&(one.level, base, candidate)).copied();
        let one_is_base = found(one.target, other.target).map(|comparison| (comparison, true));
        one_is_base.or_else(|| Some((found(other.target, one.target)?, false)))
    }

    fn of_comparison(
        &self,
        comparison: &Comparison,
        one_is_base: bool,
        together: usize,
    ) -> Relation {
        let chance = comparison.strength.adjusted_p.unwrap_or(1.0) * together as f64;
        let candidate_is_better = match comparison.verdict {
            Verdict::Equivalent => return Relation::Equivalent,
            Verdict::Unresolved => return Relation::Unresolved,
            _ if together > 1 && chance > 1.0 - self.study.confidence => {
                return Relation::Unresolved;
            }
            Verdict::CandidateBetter => true,
            Verdict::BaselineBetter => false,
        };
        let one_is_better = candidate_is_better != one_is_base;
        if one_is_better == (self.metric.better() == Better::More) {
            Relation::Larger
        } else {
            Relation::Smaller
        }
    }

    fn of_ratio(&self, one: &Contender, other: &Contender, together: usize) -> Relation {
        let Some(ratio) = one.series.ratio(other.series) else { return Relation::Unresolved };
        let pairs = (self.targets * self.targets.saturating_sub(1) / 2).max(1);
        let missed = (1.0 - self.study.confidence) / (pairs * together) as f64;
        // Luck works against whoever is behind, and a difference is one on the side of its point.
        let upper = 1.0 + self.study.margin;
        let (choices, ahead) = match ratio.point {
            point if point >= upper => (one.choices, Relation::Larger),
            point if point <= upper.recip() => (other.choices, Relation::Smaller),
            _ => return self.equivalence(&ratio),
        };
        let missed = missed / choices.max(1) as f64;
        // An interval takes several times as long as the p-value, which says the same to its last digits.
        if ratio.p_value().is_none_or(|p_value| p_value > 1.01 * missed) {
            return Relation::Unresolved;
        }
        let estimate = ratio.estimate(1.0 - missed);
        let clear = estimate.relation(self.study.margin) == ahead
            && !floor::hides(self.floors, self.metric, &estimate);
        if clear { ahead } else { Relation::Unresolved }
    }

    fn equivalence(&self, ratio: &Ratio) -> Relation {
        let equal = ratio.equivalence(self.study.confidence);
        match equal.relation(self.study.margin) {
            Relation::Equivalent => Relation::Equivalent,
            _ => Relation::Unresolved,
        }
    }
}
