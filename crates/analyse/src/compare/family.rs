//! Many comparisons at once: what is a difference by itself may be chance among all of them.
//!
//! Verdict and interval come from one test: the interval that is shown is as wide as the family
//! demands, and excludes 1 exactly where the difference counts.

use crate::Metric;
use crate::cell::means::Means;
use findings::Verdict;
use model::{Better, Level, Study};
use serde::Serialize;
use stats::{Chance, Estimate, Expected, Interval, Ratio, Relation, closed_groups};

/// Two targets at one level.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// The target in the denominator; always the earlier one in the study.
    pub baseline: String,
    /// The target in the numerator.
    pub candidate: String,
    pub level: Level,
    pub metric: Metric,
    /// The baseline's figure (a ratio carries its base).
    pub base: Estimate,
    /// The figures that the ratio is of, which are not the medians of the cells.
    pub means: Means,
    /// candidate ÷ baseline, paired by repeat; of the geometric means, unpaired, where fewer than
    /// two repeats are left that both have. Its interval is the one that decides.
    pub ratio: Estimate,
    /// What follows, given all comparisons of the test by this metric.
    pub verdict: Verdict,
    /// What speaks for a difference, and what is missing.
    #[serde(flatten)]
    pub strength: Strength,
}

/// Two targets over all their common levels together.
///
/// Within each repeat the geometric means over the levels are set against one another; these
/// ratios, one for each repeat, are judged like those of a single level. So the sample's unit is
/// the repeat, however many levels there are, and what moves a whole block cancels out. The levels
/// are fixed: each weighs the same, and the statement is about these levels and no others. Noise
/// that differs from level to level averages out, so that small differences show which no single
/// level resolves. That the geometric means differ does not say that every level does.
///
/// Every repeat must have the same levels, else a ratio would depend on which trials failed: of
/// the repeats and levels as many are kept as go together (see `overall` for the rule, which
/// looks at what is there and not at the values).
#[derive(Clone, Debug, Serialize)]
pub struct OverallComparison {
    /// The target in the denominator; always the earlier one in the study.
    pub baseline: String,
    /// The target in the numerator.
    pub candidate: String,
    /// The levels that it rests on, at least two, in order.
    pub levels: Vec<Level>,
    /// Whether these are all levels of the test.
    pub all_levels: bool,
    pub metric: Metric,
    /// The baseline's geometric mean over the levels.
    pub base: Estimate,
    /// The figures that the ratio is of.
    pub means: Means,
    /// candidate ÷ baseline of the geometric means, paired by repeat.
    pub ratio: Estimate,
    /// What follows, given all pairs of the test by this metric.
    pub verdict: Verdict,
    /// What speaks for a difference, and what is missing.
    #[serde(flatten)]
    pub strength: Strength,
}

/// What speaks for a difference beyond its interval, and what would resolve it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Strength {
    /// How likely it would be to find a difference at least this clear anywhere among the
    /// comparisons of its family if all were equal ([`stats::closed_groups`]). `None` where there is
    /// no interval.
    pub adjusted_p: Option<f64>,
    /// Where nothing is resolved: repeats beyond those that there are which would probably resolve
    /// it if ratio and scatter stay the same (see [`stats::Ratio::repeats_to_resolve`]).
    pub further_repeats: Option<u32>,
    /// Where nothing is resolved and repeats go on until it is: how likely all repeats that the study
    /// allows would resolve it ([`stats::Ratio::chance_to_resolve`]).
    pub chance: Option<f64>,
    /// Whether a difference was found that does not clear the noise floor, so that nothing is
    /// resolved.
    pub below_noise_floor: bool,
}

/// A comparison with the ratio that it rests on, not judged yet.
pub(crate) struct Compared<C> {
    pub(crate) of: C,
    pub(crate) ratio: Ratio,
}

/// What judging needs of a comparison and changes in it.
pub(crate) struct Judgement<'a> {
    pub(crate) metric: Metric,
    /// Baseline and candidate; of two runs test and target.
    pub(crate) pair: (&'a str, &'a str),
    pub(crate) shown: &'a mut Estimate,
    pub(crate) verdict: &'a mut Verdict,
    pub(crate) strength: &'a mut Strength,
}

/// A comparison of two, at a level or over several, that is judged with others of its kind.
pub(crate) trait PairwiseComparison {
    fn judgement(&mut self) -> Judgement<'_>;
}

/// Implements it by the names of the fields that say what is compared.
macro_rules! pairwise_comparison {
    ($kind:ident: $first:ident, $second:ident) => {
        impl $crate::compare::family::PairwiseComparison for $kind {
            fn judgement(&mut self) -> $crate::compare::family::Judgement<'_> {
                $crate::compare::family::Judgement {
                    metric: self.metric,
                    pair: (&self.$first, &self.$second),
                    shown: &mut self.ratio,
                    verdict: &mut self.verdict,
                    strength: &mut self.strength,
                }
            }
        }
    };
}
pub(crate) use pairwise_comparison;

pairwise_comparison!(Comparison: baseline, candidate);
pairwise_comparison!(OverallComparison: baseline, candidate);

/// A judgement with the ratio that it rests on.
struct Member<'a> {
    judgement: Judgement<'a>,
    ratio: &'a Ratio,
}

/// Adjusts results for the multiplicity of their family, which is all that are by the same metric:
/// those of a pair support each other, and the pairs are adjusted together. Pairs are of targets or, of two runs, a target in a test.
/// The two metrics of a closed loop are nearly one measurement (Little's law), so they don't share a
/// family.
pub(crate) fn adjust_for_multiplicity<C: PairwiseComparison>(
    study: &Study,
    mut all: Vec<Compared<C>>,
) -> Vec<C> {
    let mut families: Vec<(Metric, Vec<Member>)> = Vec::new();
    for Compared { of, ratio } in &mut all {
        let member = Member { judgement: of.judgement(), ratio };
        match families.iter_mut().find(|(metric, _)| *metric == member.judgement.metric) {
            Some((_, family)) => family.push(member),
            None => families.push((member.judgement.metric, vec![member])),
        }
    }
    families.into_iter().for_each(|(_, family)| adjust_family(study, family));
    all.into_iter().map(|compared| compared.of).collect()
}

/// The same of comparisons over all levels together. A target that is better at every one of these levels is
/// so over all of them.
pub(crate) fn adjust_overall(
    study: &Study,
    by_level: &[Comparison],
    all: Vec<Compared<OverallComparison>>,
) -> Vec<OverallComparison> {
    let mut all = adjust_for_multiplicity(study, all);
    follow(by_level, &mut all);
    all
}

/// Has comparisons over all levels say what all of these levels agree in.
fn follow(by_level: &[Comparison], all: &mut [OverallComparison]) {
    for overall in all.iter_mut().filter(|overall| overall.verdict == Verdict::Unresolved) {
        let own = at_its_levels(by_level, overall);
        follow_levels(&own, overall);
    }
}

/// The same where levels were decided at looks of their own: the mean of ratios of other looks may lie
/// beyond all of these, and is moved there within its interval. Where that is not possible, later repeats
/// speak against what an early look decided, such as by showing that it rested on outliers. Then that is
/// taken back for what the last look says by itself, which holds at whichever look one stops.
pub(crate) fn follow_looks(
    study: &Study,
    by_level: &[Comparison],
    all: &mut [OverallComparison],
    of_last_look: Vec<OverallComparison>,
) {
    follow(by_level, all);
    for (overall, last) in all.iter_mut().zip(of_last_look) {
        if move_among_levels(study, by_level, overall).is_ok() {
            continue;
        }
        *overall = last;
        follow(by_level, std::slice::from_mut(overall));
        if let Err(nearest) = move_among_levels(study, by_level, overall) {
            // Nothing is said of what these ratios give.
            overall.ratio = Estimate { point: nearest, interval: None, ..overall.ratio };
            overall.means = overall.means.giving(nearest);
            (overall.verdict, overall.strength) = (Verdict::Unresolved, Strength::default());
        }
    }
}

/// Moves a mean that is beyond all ratios that it is of to the nearest of these. It is not moved out of its
/// interval, nor to where another verdict follows.
///
/// # Errors
/// The nearest one, where it may not be moved there.
fn move_among_levels(
    study: &Study,
    by_level: &[Comparison],
    overall: &mut OverallComparison,
) -> Result<(), f64> {
    let points = at_its_levels(by_level, overall).into_iter().map(|one| one.ratio.point);
    let range = points.fold(None, |range: Option<(f64, f64)>, point| {
        Some(range.map_or((point, point), |(low, high)| (low.min(point), high.max(point))))
    });
    let Some((low, high)) = range else { return Ok(()) };
    let point = overall.ratio.point.clamp(low, high);
    if point == overall.ratio.point {
        return Ok(());
    }
    let ratio = Estimate { point, ..overall.ratio };
    let within = ratio.interval.is_none_or(|all| all.low <= point && point <= all.high);
    if !within || verdict(overall.metric, &ratio, study.margin) != overall.verdict {
        return Err(point);
    }
    overall.ratio = ratio;
    overall.means = overall.means.giving(point);
    Ok(())
}

/// The comparisons at the levels of one over all of them; none where one is missing.
fn at_its_levels<'a>(
    by_level: &'a [Comparison],
    overall: &OverallComparison,
) -> Vec<&'a Comparison> {
    let own = |comparison: &&Comparison| {
        comparison.metric == overall.metric
            && comparison.baseline == overall.baseline
            && comparison.candidate == overall.candidate
            && overall.levels.contains(&comparison.level)
    };
    let own: Vec<&Comparison> = by_level.iter().filter(own).collect();
    if own.len() == overall.levels.len() { own } else { Vec::new() }
}

/// Takes the verdict that all levels agree in, with what their ratios and intervals say together:
/// they all hold at once.
fn follow_levels(own: &[&Comparison], overall: &mut OverallComparison) {
    let Some(first) = own.first() else { return };
    let intervals: Option<Vec<Interval>> =
        own.iter().map(|comparison| comparison.ratio.interval).collect();
    let Some(intervals) = intervals else { return };
    let agree = own.iter().all(|comparison| comparison.verdict == first.verdict);
    if !agree || first.verdict == Verdict::Unresolved {
        return;
    }
    let mean = |end: fn(&Interval) -> f64| {
        let logs: f64 = intervals.iter().map(|interval| end(interval).ln()).sum();
        (logs / intervals.len() as f64).exp()
    };
    let (low, high) = (mean(|interval| interval.low), mean(|interval| interval.high));
    overall.ratio.interval = Some(Interval { low, high, ..intervals[0] });
    let points: f64 = own.iter().map(|comparison| comparison.ratio.point.ln()).sum();
    overall.ratio.point = (points / own.len() as f64).exp();
    overall.means = overall.means.giving(overall.ratio.point);
    overall.verdict = first.verdict;
    overall.strength.further_repeats = None;
    if first.verdict != Verdict::Equivalent {
        // As likely by chance as the likeliest of these differences.
        let likely = own.iter().filter_map(|comparison| comparison.strength.adjusted_p);
        overall.strength.adjusted_p = likely.reduce(f64::max);
    }
}

fn adjust_family(study: &Study, family: Vec<Member>) {
    let mut pairs: Vec<Vec<Member>> = Vec::new();
    for member in family.into_iter().filter(|member| member.ratio.has_interval()) {
        match pairs.last_mut() {
            Some(pair) if pair[0].judgement.pair == member.judgement.pair => pair.push(member),
            _ => pairs.push(vec![member]),
        }
    }
    let chance = |member: &Member| member.ratio.chance().unwrap_or(Chance::from(1.0));
    let chances: Vec<Vec<Chance>> =
        pairs.iter().map(|pair| pair.iter().map(chance).collect()).collect();
    let adjusted = closed_groups(&chances).into_iter().flatten();
    let ratios = |pair: &Vec<Member>| -> Vec<Option<Expected>> {
        // Whoever looks once asks for no chances of later looks.
        if !pair.iter().any(|member| member.ratio.has_looks()) {
            return vec![None; pair.len()];
        }
        Expected::by_others(&pair.iter().map(|member| member.ratio).collect::<Vec<&Ratio>>())
    };
    let expected: Vec<Option<Expected>> = pairs.iter().flat_map(ratios).collect();
    let members = pairs.into_iter().flatten().zip(adjusted).zip(expected);
    for ((Member { judgement, ratio }, adjusted), expected) in members {
        let Judged { shown, verdict, further_repeats, chance } =
            judge(study, judgement.metric, ratio, adjusted, expected);
        (*judgement.shown, *judgement.verdict) = (shown, verdict);
        judgement.strength.adjusted_p = Some(adjusted);
        judgement.strength.further_repeats = further_repeats;
        judgement.strength.chance = chance;
    }
}

/// What follows from a ratio whose p-value its family has adjusted.
pub(crate) struct Judged {
    /// With the interval that decides: for equivalence the one that two one-sided tests demand.
    pub(crate) shown: Estimate,
    pub(crate) verdict: Verdict,
    /// Further repeats that would probably resolve what is unresolved.
    pub(crate) further_repeats: Option<u32>,
    /// How likely the last look of a study will resolve it.
    pub(crate) chance: Option<f64>,
}

/// `expected` of the ratio, by those of the same pair at other levels, helps to plan further repeats.
pub(crate) fn judge(
    study: &Study,
    metric: Metric,
    ratio: &Ratio,
    adjusted_p: f64,
    expected: Option<Expected>,
) -> Judged {
    // No interval around a point outside the margin lies within it.
    if ratio.point.ln().abs() <= study.margin.ln_1p() {
        let one_sided = ratio.equivalence(study.confidence);
        if one_sided.relation(study.margin) == Relation::Equivalent {
            return Judged {
                shown: one_sided,
                verdict: Verdict::Equivalent,
                further_repeats: None,
                chance: None,
            };
        }
    }
    let shown = ratio.held(adjusted_p, study.confidence);
    let verdict = verdict(metric, &shown, study.margin);
    let shown = match verdict {
        // Where looks leave less of the error to the tests of equivalence than to those of a difference:
        // what lies within the margin with more confidence does so with theirs.
        Verdict::Equivalent => stating(shown, 1.0 - 2.0 * (1.0 - study.confidence)),
        _ => shown,
    };
    let family = ratio.p_value().map_or(1.0, |own| if own > 0.0 { adjusted_p / own } else { 1.0 });
    let further = || {
        let needed = ratio.repeats_to_resolve(study.margin, study.confidence, family)?;
        // What the rule for planning would take for resolved takes at least one more.
        let seen = u32::try_from(ratio.n).unwrap_or(u32::MAX);
        Some(needed.saturating_sub(seen).max(1))
    };
    let chance = || ratio.chance_to_resolve(study.margin, study.confidence, family, expected);
    let (further_repeats, chance) = match verdict {
        Verdict::Unresolved => (further(), chance()),
        _ => (None, None),
    };
    Judged { shown, verdict, further_repeats, chance }
}

/// The same with an interval of which no more is claimed than that confidence.
fn stating(shown: Estimate, confidence: f64) -> Estimate {
    let stated = |interval| Interval { confidence, ..interval };
    Estimate { interval: shown.interval.map(stated), ..shown }
}

/// What follows from a ratio candidate ÷ baseline.
fn verdict(metric: Metric, ratio: &Estimate, margin: f64) -> Verdict {
    match (metric.better(), ratio.relation(margin)) {
        (_, Relation::Equivalent) => Verdict::Equivalent,
        (_, Relation::Unresolved) | (Better::Neither, _) => Verdict::Unresolved,
        (Better::More, Relation::Larger) | (Better::Less, Relation::Smaller) => {
            Verdict::CandidateBetter
        }
        (Better::More, Relation::Smaller) | (Better::Less, Relation::Larger) => {
            Verdict::BaselineBetter
        }
    }
}
