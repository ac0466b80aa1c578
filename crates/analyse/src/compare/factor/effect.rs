//! The mean effect of a label over pairs of targets, and how far it reaches.

use super::PairAtLevel;
use findings::HoldsFor;
use stats::{Part, Ratio};
use std::collections::BTreeSet;

/// Fewest degrees of freedom by which targets tell how much they differ by themselves.
const FEWEST: usize = 2;

/// Pairs of targets that are alike in all other labels: no target of the one group is in another.
struct Stratum {
    /// Places of their observations, pair by pair.
    pairs: Vec<((String, String), Vec<usize>)>,
}

impl Stratum {
    /// The targets on either side.
    fn sides(&self) -> (BTreeSet<&String>, BTreeSet<&String>) {
        self.pairs.iter().map(|((from, to), _)| (from, to)).unzip()
    }
}

/// The mean over strata, of that over their pairs, of that over the tests and levels of each. Where the
/// strata, or targets that are alike in all labels, are enough to tell how targets differ by
/// themselves, that is in its error.
pub(super) fn mean(all: &[&PairAtLevel], mut parts: Vec<Part>) -> Option<(Ratio, HoldsFor)> {
    let strata = strata(all);
    for stratum in &strata {
        for (_, places) in &stratum.pairs {
            let shares = strata.len() * stratum.pairs.len() * places.len();
            places.iter().for_each(|&place| parts[place].weight = (shares as f64).recip());
        }
    }
    let ratio = Ratio::mean(&parts, overlap(all, &parts))?;
    let effects: Vec<Vec<f64>> =
        strata.iter().map(|stratum| pair_effects(stratum, &parts)).collect();
    if !ratio.has_interval() {
        return Some((ratio, HoldsFor::TheseTargets));
    }
    let between = between_strata(&effects);
    let (error, freedom) = match between_alike(&strata, &effects) {
        alike if alike.1 > between.1 => alike,
        _ => between,
    };
    if freedom < FEWEST {
        return Some((ratio, HoldsFor::TheseTargets));
    }
    Some((ratio.among(error, freedom as f64), HoldsFor::TargetsLikeThese))
}

/// The mean over strata, of that over their pairs, of the logarithm that is known of each pair.
pub(super) fn over_pairs(
    all: &[&PairAtLevel],
    log_of: impl Fn(&(String, String)) -> Option<f64>,
) -> Option<f64> {
    let mean = |stratum: &Stratum| {
        let logs: Option<Vec<f64>> = stratum.pairs.iter().map(|(pair, _)| log_of(pair)).collect();
        Some(mean_of(&logs?))
    };
    let means: Option<Vec<f64>> = strata(all).iter().map(mean).collect();
    Some(mean_of(&means?)).filter(|mean| mean.is_finite())
}

fn strata(all: &[&PairAtLevel]) -> Vec<Stratum> {
    let mut strata: Vec<Stratum> = Vec::new();
    for (place, one) in all.iter().enumerate() {
        let (from, to) = &one.pair;
        let touches = |stratum: &Stratum| {
            stratum.pairs.iter().any(|((other, another), _)| other == from || another == to)
        };
        // What joins two strata makes them one.
        let (mut same, others): (Vec<Stratum>, Vec<Stratum>) =
            strata.into_iter().partition(touches);
        strata = others;
        let mut pairs: Vec<_> = same.drain(..).flat_map(|stratum| stratum.pairs).collect();
        match pairs.iter_mut().find(|(pair, _)| *pair == one.pair) {
            Some((_, places)) => places.push(place),
            None => pairs.push((one.pair.clone(), vec![place])),
        }
        strata.push(Stratum { pairs });
    }
    strata
}

/// The logarithm of the effect on each pair of a stratum.
fn pair_effects(stratum: &Stratum, parts: &[Part]) -> Vec<f64> {
    let effect = |(_, places): &(_, Vec<usize>)| {
        places.iter().map(|&place| parts[place].ratio.point.ln()).sum::<f64>() / places.len() as f64
    };
    stratum.pairs.iter().map(effect).collect()
}

/// By how much the variance of the mean is larger because pairs have targets in common, at one level of
/// one test: two pairs that share one of their targets share half of the variance.
fn overlap(all: &[&PairAtLevel], parts: &[Part]) -> f64 {
    let (mut apart, mut shared) = (0.0, 0.0);
    for (one, part) in all.iter().zip(parts) {
        apart += part.weight.powi(2);
        let others = all.iter().zip(parts).filter(|(other, _)| {
            other.place == one.place
                && other.pair != one.pair
                && (other.pair.0 == one.pair.0 || other.pair.1 == one.pair.1)
        });
        shared += others.map(|(_, other)| part.weight * other.weight / 2.0).sum::<f64>();
    }
    1.0 + shared / apart
}

/// The standard error of the mean over strata, by how these differ, with its degrees of freedom.
fn between_strata(effects: &[Vec<f64>]) -> (f64, usize) {
    let means: Vec<f64> = effects.iter().map(|effects| mean_of(effects)).collect();
    let freedom = means.len() - 1;
    let squares = squares(&means);
    ((squares / (freedom.max(1) * means.len()) as f64).sqrt(), freedom)
}

/// The same by how targets differ that are alike in all labels: the mean over the pairs of a target is
/// as far from that of the others as the target.
fn between_alike(strata: &[Stratum], effects: &[Vec<f64>]) -> (f64, usize) {
    let (mut sum, mut freedom, mut shares) = (0.0, 0, 0.0);
    for (stratum, effects) in strata.iter().zip(effects) {
        let (from, to) = stratum.sides();
        let of = |is: &dyn Fn(&(String, String)) -> bool| {
            let own = stratum.pairs.iter().zip(effects).filter(|((pair, _), _)| is(pair));
            mean_of(&own.map(|(_, effect)| *effect).collect::<Vec<f64>>())
        };
        let froms: Vec<f64> = from.iter().map(|&name| of(&|pair| pair.0 == *name)).collect();
        let tos: Vec<f64> = to.iter().map(|&name| of(&|pair| pair.1 == *name)).collect();
        sum += squares(&froms) + squares(&tos);
        freedom += froms.len() + tos.len() - 2;
        shares += (froms.len() as f64).recip() + (tos.len() as f64).recip();
    }
    let variance = sum / freedom.max(1) as f64;
    ((variance * shares).sqrt() / strata.len() as f64, freedom)
}

fn mean_of(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The sum of squared distances from the mean.
fn squares(values: &[f64]) -> f64 {
    let mean = mean_of(values);
    values.iter().map(|value| (value - mean).powi(2)).sum()
}
