//! What a label does: targets that differ in it alone, over all tests and levels.

mod effect;

use crate::cell::Cells;
use crate::cell::series::Series;
use crate::compare::family::{Judged, judge};
use crate::compare::floor;
use crate::compare::overall::MIN_LEVELS;
use crate::{Metric, TestAnalysis};
use findings::{
    FactorEffect, Finding, HoldsFor, LevelEffect, NoiseFloor, PairEffect, Subject, Verdict,
};
use model::{Level, Study, Target, Test};
use stats::{Chance, Estimate, Part, Ratio, closed_groups, holm};

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
    here: Option<StandingVerdict>,
    together: Option<(Vec<Level>, StandingVerdict)>,
}

/// A verdict that stands already, with its ratio `to` ÷ `from`.
#[derive(Clone, Copy, PartialEq)]
struct StandingVerdict {
    ratio: Estimate,
    verdict: Verdict,
}

impl StandingVerdict {
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
        let together = analysis
            .overall
            .iter()
            .find(|o| is_pair(o.metric, &o.baseline, &o.candidate))
            .map(|o| {
                let said = StandingVerdict::new(o.ratio, o.verdict, o.candidate == candidate.name);
                (o.levels.clone(), said)
            });
        for &level in test.levels() {
            let mut here = analysis.comparisons.iter().filter(|c| c.level == level);
            let here = here
                .find(|c| is_pair(c.metric, &c.baseline, &c.candidate))
                .map(|c| StandingVerdict::new(c.ratio, c.verdict, c.candidate == candidate.name));
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
                floor: floor::of_metric(&analysis.floors, metric).cloned(),
                here,
                together: together.clone(),
            });
        }
    }
    observations
}

/// Pairs of targets that differ in one label alone, with that label; the target whose value comes
/// first in the study comes first.
pub(super) fn pairs(study: &Study) -> Vec<(&Target, &Target, &str)> {
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
    let says = |one: &&PairAtLevel| one.candidate.ratio(&one.base).is_some();
    let of = |factor: &Factor| -> Vec<&PairAtLevel> {
        observations.iter().filter(|one| one.factor == *factor).filter(says).collect()
    };
    let of_factors: Vec<(&Factor, Vec<&PairAtLevel>)> =
        factors.into_iter().map(|factor| (factor, of(factor))).collect();
    let mut metrics: Vec<Metric> = of_factors.iter().map(|(factor, _)| factor.metric).collect();
    metrics.sort_unstable();
    metrics.dedup();
    let mut effects: Vec<Option<FactorEffect>> = of_factors.iter().map(|_| None).collect();
    for metric in metrics {
        let own = of_factors.iter().enumerate().filter(|(_, (factor, _))| factor.metric == metric);
        let (places, family): (Vec<usize>, Vec<_>) = own.unzip();
        for (place, effect) in places.into_iter().zip(of_family(study, metric, &family)) {
            effects[place] = effect;
        }
    }
    effects.into_iter().flatten().collect()
}

/// The effects of all labels by one metric, which are held together: those of labels by Holm's
/// procedure, those of pairs and of levels as comparisons of pairs of targets are.
fn of_family(
    study: &Study,
    metric: Metric,
    family: &[&(&Factor, Vec<&PairAtLevel>)],
) -> Vec<Option<FactorEffect>> {
    let by = |same: fn(&PairAtLevel, &PairAtLevel) -> bool| -> Vec<Vec<Grouped>> {
        let groups = |all: &[_]| {
            distinct(all, same).into_iter().filter_map(Grouped::from_observations).collect()
        };
        family.iter().map(|(_, all)| groups(all)).collect()
    };
    let of_pairs = by(|a, b| a.pair == b.pair);
    let of_levels = by(|a, b| a.place == b.place);
    let chances = |groups: &[Vec<Grouped>], from: usize| -> Vec<Vec<Chance>> {
        let of = |groups: &Vec<Grouped>| match groups.len() < from {
            true => Vec::new(),
            false => groups.iter().map(Grouped::chance).collect(),
        };
        groups.iter().map(of).collect()
    };
    let judged = |group: &Grouped, adjusted: f64| group.judge(study, metric, adjusted);
    let pair_effect = |(group, adjusted): (&Grouped, f64)| {
        let (ratio, verdict) = judged(group, adjusted);
        let (baseline, candidate) = group.all[0].pair.clone();
        PairEffect { baseline, candidate, ratio, verdict }
    };
    let mut pairs: Vec<Vec<PairEffect>> = of_pairs
        .iter()
        .zip(closed_groups(&chances(&of_pairs, 1)))
        .map(|(groups, adjusted)| groups.iter().zip(adjusted).map(pair_effect).collect())
        .collect();
    let whole: Vec<Option<Grouped>> = family
        .iter()
        .zip(&pairs)
        .map(|((_, all), pairs)| Some(Grouped::from_observations(all.clone())?.around(pairs)))
        .collect();
    let labels: Vec<f64> = whole.iter().flatten().map(|group| group.chance().alone).collect();
    let mut labels = holm(&labels).into_iter();
    // What a label does at its only level is what it does: that is no claim of its own.
    let levels_adjusted = closed_groups(&chances(&of_levels, 2));
    let mut effects = Vec::new();
    for (place, (factor, all)) in family.iter().enumerate() {
        let Some(group) = &whole[place] else {
            effects.push(None);
            continue;
        };
        let (ratio, verdict) = judged(group, labels.next().unwrap_or(1.0));
        let pairs = std::mem::take(&mut pairs[place]);
        let mut adjusted = levels_adjusted[place].iter();
        let levels = of_levels[place].iter().map(|group| {
            let said = adjusted.next().map(|adjusted| judged(group, *adjusted));
            let (ratio, verdict) = said.unwrap_or((ratio, verdict));
            let (test, level) = group.all[0].place.clone();
            LevelEffect { test, level, ratio, verdict }
        });
        effects.push(Some(FactorEffect {
            label: factor.label.clone(),
            from: factor.from.clone(),
            to: factor.to.clone(),
            metric: factor.metric,
            ratio,
            holds_for: group.holds_for,
            left_out: (all.len() - group.all.len(), all.len()),
            verdict,
            pairs_differ: differ(&pairs),
            levels: levels.collect(),
            pairs,
        }));
    }
    effects
}

/// Observations whose mean is one effect.
struct Grouped<'a> {
    all: Vec<&'a PairAtLevel>,
    ratio: Ratio,
    holds_for: HoldsFor,
}

impl<'a> Grouped<'a> {
    fn from_observations(observations: Vec<&'a PairAtLevel>) -> Option<Self> {
        let parts: Vec<(&PairAtLevel, Part)> = observations
            .into_iter()
            .filter_map(|one| Some((one, one.candidate.part(&one.base)?)))
            .collect();
        let scatters = |(_, part): &&(&PairAtLevel, Part)| part.ratio.has_interval();
        let known = parts.iter().filter(scatters).count();
        // As of comparisons over all levels.
        let kept = |part: &(&'a PairAtLevel, Part)| known < MIN_LEVELS || scatters(&part);
        let (all, parts): (Vec<_>, Vec<_>) = parts.into_iter().filter(kept).unzip();
        let (ratio, holds_for) = effect::mean(&all, parts)?;
        Some(Self { all, ratio, holds_for })
    }

    /// The mean of what is said of these pairs: what a look has decided of one stays as that look found
    /// it, whatever later repeats show.
    fn around(self, pairs: &[PairEffect]) -> Self {
        let log = |(baseline, candidate): &(String, String)| {
            let said = pairs
                .iter()
                .find(|one| one.baseline == *baseline && one.candidate == *candidate)?;
            Some(said.ratio.point.ln())
        };
        match effect::over_pairs(&self.all, log) {
            Some(log) => Self { ratio: self.ratio.around(log), ..self },
            None => self,
        }
    }

    fn chance(&self) -> Chance {
        self.ratio.chance().unwrap_or(Chance::from(1.0))
    }

    fn judge(&self, study: &Study, metric: Metric, adjusted: f64) -> (Estimate, Verdict) {
        if let Some(StandingVerdict { ratio, verdict }) = said(&self.all) {
            return (ratio, verdict);
        }
        let Judged { shown, verdict, .. } = judge(study, metric, &self.ratio, adjusted, None);
        // Tests that are taken together have the highest of their floors.
        let mut floors = self.all.iter().filter_map(|observation| observation.floor.as_ref());
        let hidden = floors.any(|floor| !floor.is_cleared_by(&shown));
        match verdict {
            Verdict::CandidateBetter | Verdict::BaselineBetter if hidden => {
                (shown, Verdict::Unresolved)
            }
            verdict => (shown, verdict),
        }
    }
}

/// What the comparisons of a test say already of a group that is one pair at one level, or one pair
/// at all its levels: nothing is judged twice.
fn said(group: &[&PairAtLevel]) -> Option<StandingVerdict> {
    let (first, others) = group.split_first()?;
    if others.is_empty() {
        return first.here;
    }
    let alike = |other: &&PairAtLevel| other.pair == first.pair && other.place.0 == first.place.0;
    let (levels, said) = first.together.as_ref().filter(|_| others.iter().all(alike))?;
    group.iter().map(|one| &one.place.1).eq(levels).then_some(*said)
}

/// Observations by what they have in common, in the order in which that first comes.
fn distinct<'a>(
    observations: &[&'a PairAtLevel],
    same: impl Fn(&PairAtLevel, &PairAtLevel) -> bool,
) -> Vec<Vec<&'a PairAtLevel>> {
    let mut groups: Vec<Vec<&PairAtLevel>> = Vec::new();
    for &observation in observations {
        match groups.iter_mut().find(|group| same(group[0], observation)) {
            Some(group) => group.push(observation),
            None => groups.push(vec![observation]),
        }
    }
    groups
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
