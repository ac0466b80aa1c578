//! What a label does: targets that differ in it alone, over all tests and levels.

use crate::cell::Cells;
use crate::family::{Judged, judge};
use crate::overall::{Pooled, pool};
use crate::series::Series;
use crate::{Finding, Metric, NoiseFloor, Subject, TestAnalysis, Verdict, floor};
use model::{Level, Study, Target, Test};
use serde::Serialize;
use stats::{Estimate, Ratio, closed};

/// Two values of one label, compared over the pairs of targets that have one each and are alike in
/// all other labels. What the labels don't say may differ too.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FactorEffect {
    pub label: String,
    /// The value in the denominator: the one that comes first in the study.
    pub from: String,
    /// The value in the numerator.
    pub to: String,
    /// What is compared: the metric by which the tests are judged; where transactions are offered at
    /// rates the 95th percentile of the response time.
    pub metric: Metric,
    /// `to` ÷ `from` over all pairs, tests and levels together: geometric means within each repeat,
    /// each pair at each level with equal weight.
    pub ratio: Estimate,
    /// Pairs at levels that do not go into `ratio`, of how many: they lack results in repeats that the
    /// others have.
    pub left_out: (usize, usize),
    /// What follows; the candidate is `to`.
    pub verdict: Verdict,
    /// The pairs of targets, in the order of the study.
    pub pairs: Vec<PairEffect>,
    /// Whether the effect depends on the pair: the intervals of two of them have nothing in common.
    /// The ratio over all is then a mean of effects that differ.
    pub pairs_differ: bool,
    /// The pairs together at each level of each test, in the order of the study.
    pub levels: Vec<LevelEffect>,
}

/// The effect on one pair of targets, over all tests and levels.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairEffect {
    /// The target that has `from`.
    pub baseline: String,
    /// The target that has `to`.
    pub candidate: String,
    /// candidate ÷ baseline.
    pub ratio: Estimate,
    pub verdict: Verdict,
}

/// The effect at one level, over all pairs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LevelEffect {
    pub test: String,
    pub level: Level,
    /// `to` ÷ `from`.
    pub ratio: Estimate,
    pub verdict: Verdict,
}

/// One pair of targets at one level of one test.
pub(crate) struct PairAtLevel {
    factor: Factor,
    pair: (String, String),
    /// The test and the level.
    place: (String, Level),
    base: Series,
    candidate: Series,
    /// The noise floor of the test, where it is known.
    floor: Option<NoiseFloor>,
    /// What is said of the pair at this level, and over these levels of the test together.
    here: Option<Said>,
    together: Option<(Vec<Level>, Said)>,
}

/// A verdict that stands already, with its ratio `to` ÷ `from`.
#[derive(Clone, Copy, PartialEq)]
struct Said {
    ratio: Estimate,
    verdict: Verdict,
}

impl Said {
    /// Of a comparison in which `to` is the candidate, or else the baseline.
    fn new(ratio: Estimate, verdict: Verdict, to_is_candidate: bool) -> Self {
        match verdict {
            _ if to_is_candidate => Self { ratio, verdict },
            Verdict::CandidateBetter => {
                Self { ratio: ratio.reciprocal(), verdict: Verdict::BaselineBetter }
            }
            Verdict::BaselineBetter => {
                Self { ratio: ratio.reciprocal(), verdict: Verdict::CandidateBetter }
            }
            verdict => Self { ratio: ratio.reciprocal(), verdict },
        }
    }
}

/// What a pair differs in, and by which figure it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Factor {
    label: String,
    from: String,
    to: String,
    metric: Metric,
}

/// All that a test contributes.
pub(crate) fn observations(
    study: &Study,
    test: &Test,
    cells: &Cells,
    analysis: &TestAnalysis,
) -> Vec<PairAtLevel> {
    let Some(metric) = analysis.basis.map(|basis| basis.at_each_level()) else {
        return Vec::new();
    };
    let series =
        |target: &Target, level: Level| Some(cells.at(&target.name, level)?.series(metric));
    let mut observations = Vec::new();
    for (baseline, candidate, label) in pairs(study) {
        let factor = Factor {
            label: label.to_owned(),
            from: baseline.labels[label].clone(),
            to: candidate.labels[label].clone(),
            metric,
        };
        let is_pair = |metric_of: Metric, a: &str, b: &str| {
            let forth = a == baseline.name && b == candidate.name;
            metric_of == metric && (forth || (a == candidate.name && b == baseline.name))
        };
        let together =
            analysis.overall.iter().find(|o| is_pair(o.metric, &o.baseline, &o.candidate)).map(
                |o| {
                    let said = Said::new(o.ratio, o.verdict, o.candidate == candidate.name);
                    (o.levels.clone(), said)
                },
            );
        for &level in test.levels() {
            let mut here = analysis.comparisons.iter().filter(|c| c.level == level);
            let here = here
                .find(|c| is_pair(c.metric, &c.baseline, &c.candidate))
                .map(|c| Said::new(c.ratio, c.verdict, c.candidate == candidate.name));
            let Some((base, numerator)) = series(baseline, level).zip(series(candidate, level))
            else {
                continue;
            };
            observations.push(PairAtLevel {
                factor: factor.clone(),
                pair: (baseline.name.clone(), candidate.name.clone()),
                place: (test.name.clone(), level),
                base: base.clone(),
                candidate: numerator.clone(),
                floor: floor::of(&analysis.floors, metric).cloned(),
                here,
                together: together.clone(),
            });
        }
    }
    observations
}

/// Pairs of targets that differ in one label alone, with that label; the target whose value comes
/// first in the study comes first.
fn pairs(study: &Study) -> Vec<(&Target, &Target, &str)> {
    let mut pairs = Vec::new();
    for (i, earlier) in study.targets.iter().enumerate() {
        for later in &study.targets[i + 1..] {
            let Some(label) = only_difference(earlier, later) else { continue };
            let place = |target: &Target| {
                let value = target.labels.get(label);
                study.targets.iter().position(|other| other.labels.get(label) == value)
            };
            let turned = place(later) < place(earlier);
            let (from, to) = if turned { (later, earlier) } else { (earlier, later) };
            pairs.push((from, to, label));
        }
    }
    pairs
}

/// The label of which two targets have different values, where they have the same labels and all
/// others are equal.
fn only_difference<'a>(a: &'a Target, b: &Target) -> Option<&'a str> {
    if !a.labels.keys().eq(b.labels.keys()) {
        return None;
    }
    let mut differing =
        a.labels.iter().filter(|(label, value)| b.labels.get(*label) != Some(value));
    let (label, _) = differing.next()?;
    differing.next().is_none().then_some(label)
}

/// What the labels do, in order of label and, within one, of the study.
pub(crate) fn contrasts(study: &Study, observations: &[PairAtLevel]) -> Vec<FactorEffect> {
    let mut factors: Vec<&Factor> = Vec::new();
    for observation in observations {
        if !factors.contains(&&observation.factor) {
            factors.push(&observation.factor);
        }
    }
    // Stable: the values of a label stay in the order of the study.
    factors.sort_by(|a, b| a.label.cmp(&b.label));
    // What has no ratio by itself, because all trials of a side failed, says nothing.
    let says = |observation: &&PairAtLevel| ratio(&[*observation]).is_some();
    let of = |factor: &Factor| -> Vec<&PairAtLevel> {
        observations.iter().filter(|one| one.factor == *factor).filter(says).collect()
    };
    factors.into_iter().filter_map(|factor| contrast(study, factor, &of(factor))).collect()
}

fn contrast(study: &Study, factor: &Factor, observations: &[&PairAtLevel]) -> Option<FactorEffect> {
    let (ratio, verdict) = effects(study, factor, &[observations.to_vec()]).pop()?;
    let left_out = pooled(observations).map_or(0, |pooled| observations.len() - pooled.kept.len());
    let of_pairs = distinct(observations, |observation| &observation.pair);
    let pairs = named_effects(study, factor, of_pairs, |pair, ratio, verdict| {
        let (baseline, candidate) = pair.clone();
        PairEffect { baseline, candidate, ratio, verdict }
    });
    let of_levels = distinct(observations, |observation| &observation.place);
    let levels = named_effects(study, factor, of_levels, |place, ratio, verdict| {
        let (test, level) = place.clone();
        LevelEffect { test, level, ratio, verdict }
    });
    Some(FactorEffect {
        label: factor.label.clone(),
        from: factor.from.clone(),
        to: factor.to.clone(),
        metric: factor.metric,
        ratio,
        left_out: (left_out, observations.len()),
        verdict,
        pairs_differ: differ(&pairs),
        pairs,
        levels,
    })
}

/// The effects on groups that have names.
fn named_effects<K, E>(
    study: &Study,
    factor: &Factor,
    named: Vec<(&K, Vec<&PairAtLevel>)>,
    effect: impl Fn(&K, Estimate, Verdict) -> E,
) -> Vec<E> {
    let known = named.into_iter().filter(|(_, group)| ratio(group).is_some());
    let (names, groups): (Vec<&K>, Vec<Vec<&PairAtLevel>>) = known.unzip();
    let effects = effects(study, factor, &groups);
    names
        .into_iter()
        .zip(effects)
        .map(|(name, (ratio, verdict))| effect(name, ratio, verdict))
        .collect()
}

/// The effects on groups of observations, held together; of those groups that have a ratio.
fn effects(
    study: &Study,
    factor: &Factor,
    groups: &[Vec<&PairAtLevel>],
) -> Vec<(Estimate, Verdict)> {
    let (ratios, groups): (Vec<Ratio>, Vec<&Vec<&PairAtLevel>>) =
        groups.iter().filter_map(|group| Some((ratio(group)?, group))).unzip();
    let p_values: Vec<f64> = ratios.iter().map(|ratio| ratio.p_value().unwrap_or(1.0)).collect();
    let judged = ratios.iter().zip(groups).zip(closed(&p_values));
    judged
        .map(|((ratio, group), adjusted)| {
            if let Some(Said { ratio, verdict }) = said(group) {
                return (ratio, verdict);
            }
            let Judged { shown, verdict, .. } = judge(study, factor.metric, ratio, adjusted, None);
            // Tests that are taken together have the highest of their floors.
            let mut floors = group.iter().filter_map(|observation| observation.floor.as_ref());
            let hidden = floors.any(|floor| !floor.is_cleared_by(&shown));
            match verdict {
                Verdict::CandidateBetter | Verdict::BaselineBetter if hidden => {
                    (shown, Verdict::Unresolved)
                }
                verdict => (shown, verdict),
            }
        })
        .collect()
}

/// What the comparisons of a test say already of a group that is one pair at one level, or one pair
/// at all its levels: nothing is judged twice.
fn said(group: &[&PairAtLevel]) -> Option<Said> {
    let (first, others) = group.split_first()?;
    if others.is_empty() {
        return first.here;
    }
    let alike = |other: &&PairAtLevel| other.pair == first.pair && other.place.0 == first.place.0;
    let (levels, said) = first.together.as_ref().filter(|_| others.iter().all(alike))?;
    group.iter().map(|one| &one.place.1).eq(levels).then_some(*said)
}

/// Rungs by a key, in the order in which the keys first come.
fn distinct<'a, K: PartialEq>(
    observations: &[&'a PairAtLevel],
    key: impl Fn(&'a PairAtLevel) -> &'a K,
) -> Vec<(&'a K, Vec<&'a PairAtLevel>)> {
    let mut groups: Vec<(&K, Vec<&PairAtLevel>)> = Vec::new();
    for &observation in observations {
        match groups.iter_mut().find(|(known, _)| *known == key(observation)) {
            Some((_, same)) => same.push(observation),
            None => groups.push((key(observation), vec![observation])),
        }
    }
    groups
}

/// The ratio of geometric means over observations, one value for each repeat.
fn ratio(observations: &[&PairAtLevel]) -> Option<Ratio> {
    if let [only] = observations {
        return only.candidate.ratio(&only.base);
    }
    let pooled = pooled(observations)?;
    pooled.candidate.ratio(&pooled.base)
}

fn pooled(observations: &[&PairAtLevel]) -> Option<Pooled> {
    let pairs: Vec<(&Series, &Series)> = observations
        .iter()
        .map(|observation| (&observation.base, &observation.candidate))
        .collect();
    pool(&pairs, 1)
}

/// Whether the intervals of any two pairs have nothing in common.
fn differ(pairs: &[PairEffect]) -> bool {
    let intervals: Vec<stats::Interval> =
        pairs.iter().filter_map(|pair| pair.ratio.interval).collect();
    intervals.iter().any(|a| intervals.iter().any(|b| a.high < b.low))
}

/// One for each contrast.
pub(crate) fn findings(contrasts: &[FactorEffect]) -> Vec<Finding> {
    let finding = |effect: &FactorEffect| Finding::new(Subject::default(), effect.clone());
    contrasts.iter().map(finding).collect()
}
