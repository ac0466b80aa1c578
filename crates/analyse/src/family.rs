//! Many comparisons at once: what is a difference by itself may be chance among all of them.

use crate::cell::Cells;
use crate::overall::{Both, both};
use crate::series::Series;
use crate::{Comparison, Metric, OverallComparison, Strength, Verdict};
use model::{Level, Study, Test};
use stats::{holm, repeats_to_resolve};

/// A verdict with the values that it came from.
struct Member<'a> {
    metric: Metric,
    base: Series,
    candidate: Series,
    verdict: &'a mut Verdict,
    strength: &'a mut Strength,
}

/// Holds comparisons, level by level, to the family of all that are by the same metric. The two
/// metrics of a closed loop are nearly one measurement (Little's law), so they don't share one.
pub(crate) fn hold_comparisons(study: &Study, cells: &Cells, all: &mut [Comparison]) {
    let series = |target: &str, level: Level, metric: Metric| {
        cells.at(target, level).map(|cell| cell.series(metric)).unwrap_or_default()
    };
    let members = all.iter_mut().map(|comparison| Member {
        metric: comparison.metric,
        base: series(&comparison.baseline, comparison.level, comparison.metric),
        candidate: series(&comparison.candidate, comparison.level, comparison.metric),
        verdict: &mut comparison.verdict,
        strength: &mut comparison.strength,
    });
    hold(study, members.collect());
}

/// Holds comparisons over all levels together to the family of all pairs by the same metric.
pub(crate) fn hold_overall(
    study: &Study,
    test: &Test,
    cells: &Cells,
    all: &mut [OverallComparison],
) {
    let members = all.iter_mut().filter_map(|overall| {
        let pair = (overall.baseline.as_str(), overall.candidate.as_str());
        let Both { base, numerator: candidate, .. } = both(test, cells, pair, overall.metric)?;
        let (verdict, strength) = (&mut overall.verdict, &mut overall.strength);
        Some(Member { metric: overall.metric, base, candidate, verdict, strength })
    });
    hold(study, members.collect());
}

fn hold(study: &Study, members: Vec<Member>) {
    let mut families: Vec<(Metric, Vec<Member>)> = Vec::new();
    for member in members {
        match families.iter_mut().find(|(metric, _)| *metric == member.metric) {
            Some((_, family)) => family.push(member),
            None => families.push((member.metric, vec![member])),
        }
    }
    families.into_iter().for_each(|(_, family)| hold_family(study, family));
}

fn hold_family(study: &Study, family: Vec<Member>) {
    let (p_values, members): (Vec<f64>, Vec<Member>) = family
        .into_iter()
        .filter_map(|member| Some((member.candidate.p_value_against(&member.base)?, member)))
        .unzip();
    let size = members.len();
    for (member, p) in members.into_iter().zip(holm(&p_values)) {
        let differs = matches!(*member.verdict, Verdict::CandidateBetter | Verdict::BaselineBetter);
        if differs && p > 1.0 - study.confidence {
            *member.verdict = Verdict::Unresolved;
        }
        member.strength.adjusted_p = Some(p);
        if *member.verdict == Verdict::Unresolved {
            let pairs = member.candidate.pairs_with(&member.base);
            let needed = repeats_to_resolve(&pairs, study.margin, study.confidence, size);
            // What the rule for planning would take for resolved takes at least one more.
            let further = |needed: u32| needed.saturating_sub(pairs.len() as u32).max(1);
            member.strength.further_repeats = needed.map(further);
        }
    }
}
