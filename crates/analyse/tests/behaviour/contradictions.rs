//! A finished analysis never says two things that cannot both be so.

use crate::support::{Noise, dataset, fail, price};
use analyse::{
    Analysis, Choice, Comparison, CurveShape, FactorEffect, PairEffect, TestAnalysis, Verdict,
    analyse,
};
use model::{Better, Dataset, Level, Metric, Study};
use stats::{Estimate, Relation};

/// What a ratio and a verdict say of each other; `better` is what its metric counts as better.
fn of_ratio(study: &Study, better: Better, ratio: &Estimate, verdict: Verdict) -> Option<String> {
    let Some(interval) = ratio.interval else {
        return (verdict != Verdict::Unresolved).then(|| "a verdict without interval".to_owned());
    };
    if !(interval.low <= ratio.point && ratio.point <= interval.high) {
        return Some("the ratio lies outside its interval".to_owned());
    }
    let alpha = 1.0 - study.confidence;
    let stated = match verdict {
        Verdict::Equivalent => 1.0 - 2.0 * alpha,
        _ => study.confidence,
    };
    if (interval.confidence - stated).abs() > 1e-9 {
        return Some(format!("{:?} beside an interval of {}", verdict, interval.confidence));
    }
    let relation = ratio.relation(study.margin);
    let expected = match (relation, better) {
        (Relation::Equivalent, _) => Verdict::Equivalent,
        (Relation::Larger, Better::More) | (Relation::Smaller, Better::Less) => {
            Verdict::CandidateBetter
        }
        (Relation::Smaller, Better::More) | (Relation::Larger, Better::Less) => {
            Verdict::BaselineBetter
        }
        _ => Verdict::Unresolved,
    };
    (expected != verdict).then(|| format!("{verdict:?} beside {ratio:?}"))
}

/// Who is ahead by a comparison.
fn winner(comparison: &Comparison) -> Option<(&str, &str)> {
    let Comparison { baseline, candidate, verdict, .. } = comparison;
    match verdict {
        Verdict::CandidateBetter => Some((candidate, baseline)),
        Verdict::BaselineBetter => Some((baseline, candidate)),
        Verdict::Equivalent | Verdict::Unresolved => None,
    }
}

fn of_comparisons(study: &Study, test: &TestAnalysis, said: &mut Vec<String>) {
    for one in &test.comparisons {
        let wrong = of_ratio(study, one.metric.better(), &one.ratio, one.verdict);
        // What does not clear the noise floor is unresolved whatever its interval says.
        let wrong = wrong.filter(|_| !one.strength.below_noise_floor);
        said.extend(wrong.map(|wrong| format!("{} at {}: {wrong}", one.metric.name(), one.level)));
    }
    let wins: Vec<(Metric, Level, (&str, &str))> = test
        .comparisons
        .iter()
        .filter_map(|one| Some((one.metric, one.level, winner(one)?)))
        .collect();
    for (metric, level, (first, second)) in &wins {
        let beats_back = |(m, l, (a, b)): &&(Metric, Level, (&str, &str))| {
            m == metric && l == level && a == second && wins.contains(&(*m, *l, (*b, *first)))
        };
        if wins.iter().any(|one| beats_back(&one)) {
            said.push(format!("a circle of better ones at {level}"));
        }
    }
    for overall in &test.overall {
        let wrong = of_ratio(study, overall.metric.better(), &overall.ratio, overall.verdict);
        let wrong = wrong.filter(|_| !overall.strength.below_noise_floor);
        said.extend(wrong.map(|wrong| format!("over all levels: {wrong}")));
        let here: Vec<Verdict> = test
            .comparisons
            .iter()
            .filter(|c| c.metric == overall.metric && c.baseline == overall.baseline)
            .filter(|c| c.candidate == overall.candidate && overall.levels.contains(&c.level))
            .map(|c| c.verdict)
            .collect();
        let all = |verdict| here.iter().all(|own| *own == verdict);
        for (one, other) in [
            (Verdict::CandidateBetter, Verdict::BaselineBetter),
            (Verdict::BaselineBetter, Verdict::CandidateBetter),
        ] {
            if all(one) && (overall.verdict == other || overall.verdict == Verdict::Equivalent) {
                said.push(format!("{one:?} at every level, and {:?} over all", overall.verdict));
            }
        }
    }
}

fn of_ranking(test: &TestAnalysis, said: &mut Vec<String>) {
    let Some(basis) = test.basis else { return };
    let compared = |a: &str, b: &str, level: Level| {
        test.comparisons.iter().find(|c| {
            c.metric == basis.metric
                && c.level == level
                && ((c.baseline == a && c.candidate == b) || (c.baseline == b && c.candidate == a))
        })
    };
    let tiers = &test.ranking.tiers;
    for (place, tier) in tiers.iter().enumerate() {
        for upper in tier {
            for lower in tiers[place + 1..].iter().flatten().filter(|l| l.level == upper.level) {
                let found = compared(&upper.target, &lower.target, upper.level);
                let wins = found.and_then(winner).is_some_and(|(first, _)| first == upper.target);
                if !wins {
                    said.push(format!("{} above {} undecided", upper.target, lower.target));
                }
            }
        }
    }
    // A sole first place at a level at which the advice leaves it out.
    if let Some([sole]) = tiers.first().map(Vec::as_slice).filter(|_| tiers.len() > 1) {
        let at_peak = test.advice.iter().find(|span| span.levels.contains(&sole.level));
        let taken = match at_peak.map(|span| &span.choice) {
            Some(Choice::Only { target }) => *target == sole.target,
            Some(Choice::Same { targets } | Choice::Unresolved { targets }) => {
                targets.contains(&sole.target)
            }
            None => true,
        };
        if !taken {
            said.push(format!("{} is first and never advised", sole.target));
        }
    }
    for span in &test.advice {
        let Choice::Only { target } = &span.choice else { continue };
        for level in &span.levels {
            let beaten = test.comparisons.iter().any(|c| {
                c.level == *level
                    && c.metric == basis.metric
                    && winner(c).is_some_and(|(_, loser)| loser == target)
            });
            if beaten {
                said.push(format!("{target} is advised at {level}, where it is beaten"));
            }
        }
    }
}

fn of_curves(study: &Study, test: &TestAnalysis, said: &mut Vec<String>) {
    for curve in &test.curves {
        let falls = match curve.shape {
            CurveShape::Declines { at, ratio } => Some((at, ratio)),
            _ => None,
        };
        if !curve.level_with_peak.contains(&curve.peak) {
            said.push(format!("{} has a peak that is below itself", curve.target));
        }
        if let Some((at, ratio)) = falls {
            if curve.level_with_peak.contains(&at) {
                said.push(format!("{} declines to a level that is not below it", curve.target));
            }
            if ratio.relation(study.margin) != Relation::Smaller {
                said.push(format!("{} declines by {ratio:?}", curve.target));
            }
        }
    }
    for crossing in &test.crossovers {
        let (low, high) = crossing.between;
        let wins = |level: Level, name: &str, other: &str| {
            test.comparisons.iter().any(|c| c.level == level && winner(c) == Some((name, other)))
        };
        if !wins(low, &crossing.below, &crossing.above)
            || !wins(high, &crossing.above, &crossing.below)
        {
            said.push(format!("{crossing:?} without both sides"));
        }
    }
}

fn of_factor(study: &Study, analysis: &Analysis, effect: &FactorEffect, said: &mut Vec<String>) {
    let better = effect.metric.better();
    let hidden = analysis.tests.iter().any(|test| !test.floors.is_empty());
    let all = effect.pairs.iter().map(|pair| (&pair.ratio, pair.verdict));
    let levels = effect.levels.iter().map(|level| (&level.ratio, level.verdict));
    for (ratio, verdict) in
        all.chain(levels).chain([(&effect.ratio, effect.verdict)]).filter(|_| !hidden)
    {
        said.extend(
            of_ratio(study, better, ratio, verdict)
                .map(|wrong| format!("factor {}: {wrong}", effect.label)),
        );
    }
    if let [only] = effect.pairs.as_slice() {
        if only.verdict != effect.verdict {
            said.push(format!("{}: {:?}, its only pair {:?}", effect.label, effect.verdict, only));
        }
        let together: Vec<Verdict> = analysis
            .tests
            .iter()
            .flat_map(|test| &test.overall)
            .filter(|o| o.metric == effect.metric && o.levels.len() == effect.levels.len())
            .filter(|o| is_pair((&o.baseline, &o.candidate), only))
            .map(|o| if o.candidate == only.candidate { o.verdict } else { turned(o.verdict) })
            .collect();
        if analysis.tests.len() == 1 && together.iter().any(|own| *own != effect.verdict) {
            said.push(format!("{}: {:?}, over all {together:?}", effect.label, effect.verdict));
        }
        let compared = analysis.tests.iter().flat_map(|test| &test.comparisons);
        let own: Vec<Verdict> = compared
            .filter(|c| c.metric == effect.metric && is_pair((&c.baseline, &c.candidate), only))
            .map(|c| if c.candidate == only.candidate { c.verdict } else { turned(c.verdict) })
            .collect();
        if let ([single], [level]) = (own.as_slice(), effect.levels.as_slice())
            && (*single != level.verdict || *single != effect.verdict)
        {
            said.push(format!("{}: {:?} and {single:?} of one pair", effect.label, effect.verdict));
        }
    }
}

/// Whether two targets are the pair, in either order.
fn is_pair((a, b): (&str, &str), pair: &PairEffect) -> bool {
    let own = (pair.baseline.as_str(), pair.candidate.as_str());
    own == (a, b) || own == (b, a)
}

fn turned(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::CandidateBetter => Verdict::BaselineBetter,
        Verdict::BaselineBetter => Verdict::CandidateBetter,
        verdict => verdict,
    }
}

/// All that an analysis says against itself.
fn contradictions(analysis: &Analysis) -> Vec<String> {
    let study = &analysis.dataset.study;
    let mut said = Vec::new();
    for test in &analysis.tests {
        of_comparisons(study, test, &mut said);
        of_ranking(test, &mut said);
        of_curves(study, test, &mut said);
        for cell in &test.cells {
            for estimate in cell.estimates.values() {
                let outside = estimate
                    .interval
                    .is_some_and(|i| estimate.point < i.low || estimate.point > i.high);
                if outside {
                    said.push(format!("{estimate:?} of {} at {}", cell.target, cell.level));
                }
            }
        }
    }
    for effect in &analysis.factors {
        of_factor(study, analysis, effect, &mut said);
    }
    said
}

/// A study of a few targets and levels, of which any may differ, scatter, fail or have a price.
fn random(seed: u64) -> Dataset {
    let mut noise = Noise::new(seed);
    let names = ["a", "b", "c", "d"];
    let targets = &names[..noise.below(4) + 1];
    let all_levels = [1, 2, 4, 8, 16, 32];
    let levels = &all_levels[..noise.below(6) + 1];
    let repeats = noise.below(6) as u32 + 1;
    let effects = [1.0, 1.0, 1.005, 1.02, 0.97, 1.1, 0.9, 1.5];
    let scatters = [0.0, 0.01, 0.05, 0.05, 0.2];
    let effect: Vec<Vec<f64>> = targets
        .iter()
        .map(|_| {
            let everywhere = effects[noise.below(effects.len())];
            let differs = noise.below(3) == 0;
            let mut at = |_| if differs { effects[noise.below(effects.len())] } else { everywhere };
            levels.iter().map(&mut at).collect()
        })
        .collect();
    let scatter = scatters[noise.below(scatters.len())];
    let rises = noise.below(2) == 0;
    let bad = noise.below(3) == 0;
    let mut data = dataset(targets, levels, repeats, |target, clients, _| {
        let place =
            levels.iter().position(|level| *level == clients).expect("a level of the study");
        let target =
            targets.iter().position(|name| *name == target).expect("a target of the study");
        let base = if rises { 900.0 * f64::from(clients).powf(0.4) } else { 3000.0 };
        let bad = if bad && noise.below(20) == 0 { 0.7 } else { 1.0 };
        base * effect[target][place] * noise.factor(scatter) * bad
    });
    if noise.below(3) == 0 {
        let failing = noise.below(8) + 2;
        for record in &mut data.trials {
            if noise.below(failing) == 0 {
                fail(record);
            }
        }
    }
    if noise.below(2) == 0 {
        for name in targets {
            price(&mut data, name, 50.0 + 10.0 * noise.below(4) as f64);
        }
    }
    if noise.below(2) == 0 {
        for (place, target) in data.study.targets.iter_mut().enumerate() {
            let value = |kind: usize| ["x", "y"][kind % 2].to_owned();
            target.labels.insert("disk".to_owned(), value(place));
            target.labels.insert("memory".to_owned(), value(place / 2));
        }
    }
    data
}

fn check(seeds: impl Iterator<Item = u64>) {
    let mut all = Vec::new();
    for seed in seeds {
        let data = random(seed);
        all.extend(contradictions(&analyse(&data)).into_iter().map(|one| format!("{seed}: {one}")));
    }
    all.truncate(40);
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn no_analysis_contradicts_itself() {
    check(0..1000);
}

#[test]
#[ignore = "minutes: part of make calibrate"]
fn none_of_ten_thousand_analyses_contradicts_itself() {
    check(0..10_000);
}
