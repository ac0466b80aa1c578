//! The mean of several ratios: of one pair of targets over levels, or of several pairs.
//!
//! Each ratio enters as it stands by itself, outliers moved in, so that the mean lies among them. How
//! far off it may be is known in two ways. From the ratios: each with its own error, as if errors at
//! different levels had nothing in common. And from the blocks: the sums over all ratios of what each
//! block is off, which also hold what the levels of a block share (a variance that is robust to
//! clusters; K.-Y. Liang and S. L. Zeger, *Biometrika* 73, 1986). Few blocks say little of it, so the
//! first is taken for the place of a distribution of variances of which the second is a draw, as in
//! [`crate::Scatter`]; how wide that is, is weighted by how well it foretells the draw.
//!
//! Outliers that are moved in still move a mean: trials of one target that go wrong, always to the same
//! side, by more than the error of a mean over many levels. So the mean also has to say what it says
//! without them: by how much it differs from that, it may be off.

use crate::Ratio;
use crate::centre::{Centre, Error};
use crate::learned::log_scale;
use std::collections::BTreeMap;

/// Degrees of freedom that the errors of the ratios may be worth for that of their mean, with the
/// weight of each before anything was seen.
const WORTH: [(f64, f64); 3] = [(2.0, 1.0), (8.0, 1.0), (64.0, 1.0)];

/// Fewer other levels do not tell which repeats went wrong.
const FEWEST_OTHERS: usize = 2;

/// A ratio with its share of a mean.
#[derive(Clone, Debug)]
pub struct Part {
    pub ratio: Ratio,
    /// The blocks that its pairs are of, in order; empty where values are no pairs.
    pub blocks: Vec<u32>,
    /// All shares together are 1.
    pub weight: f64,
    /// By how much the logarithm of the ratio is more than without repeats that are far off
    /// ([`crate::Scatter::are_near`]): 0 where there are none.
    pub moved: f64,
    /// What the logarithm of the ratio may be as well, where many repeats are far off: if these were the
    /// right ones ([`crate::Scatter::other_reading`]).
    pub readings: Vec<f64>,
}

impl Part {
    /// What the logarithm may be as well by other readings of the base, of the candidate and of both.
    pub fn readings(log: f64, base: Option<f64>, candidate: Option<f64>) -> Vec<f64> {
        let both = base.zip(candidate).map(|(base, candidate)| candidate - base);
        [base.map(|base| -base), candidate, both].into_iter().flatten().map(|by| log + by).collect()
    }
}

/// A variance, with the degrees of freedom that it is known by.
#[derive(Clone, Copy, Debug)]
struct Variance {
    value: f64,
    freedom: f64,
}

impl Ratio {
    /// The weighted mean of logarithms. `overlap` is by how much the variance is larger than if no two
    /// parts had values in common, from 1. `None` for no parts. Where one has no interval, neither
    /// has the mean.
    pub fn mean(parts: &[Part], overlap: f64) -> Option<Self> {
        let first = parts.first()?;
        if let [only] = parts {
            return Some(only.ratio.clone());
        }
        let sum = |of: &dyn Fn(&Part) -> f64| parts.iter().map(|part| part.weight * of(part)).sum();
        let value: f64 = sum(&|part| part.ratio.point.ln());
        let n = parts.iter().map(|part| part.ratio.n).max().unwrap_or(0);
        let unsettled = unsettled(parts);
        let moved: f64 = sum(&|part| part.moved);
        let errors = of_parts(parts).map(|own| {
            let own = Variance { value: own.value * overlap.max(1.0), ..own };
            together(own, of_blocks(parts))
        });
        Some(Self {
            point: value.exp(),
            n,
            centre: errors.map(|errors| Centre::with(value, n as f64, errors)),
            rounding: sum(&|part| part.ratio.rounding) + moved.abs() + unsettled,
            looks: first.ratio.looks.clone(),
            deviations: Vec::new(),
        })
    }

    /// The same, as far off as it is, around a mean whose logarithm is that.
    #[must_use]
    pub fn around(&self, log: f64) -> Self {
        let centre = self.centre.clone().map(|centre| Centre { value: log, ..centre });
        Self { point: log.exp(), centre, ..self.clone() }
    }

    /// The same ratio as the mean of a sample of effects that differ, such as those on several pairs of
    /// targets: the standard error is that by which they scatter, and never less than its own. Student's
    /// t on the effects (J. Hartung and G. Knapp, *Statistics in Medicine* 20, 2001, with equal weights).
    #[must_use]
    pub fn among(&self, standard_error: f64, freedom: f64) -> Self {
        let own = self.centre.as_ref().map_or(0.0, |centre| condensed(&centre.errors).value);
        let scale = standard_error.powi(2).max(own).sqrt();
        let errors = vec![Error::only(scale, freedom)];
        let value = self.point.ln();
        Self { centre: Some(Centre::with(value, self.n as f64, errors)), ..self.clone() }
    }
}

/// By how much a mean may be off because most repeats of a cell may have gone wrong: of two or three it is
/// not rare that most did, and then they agree in a figure that is not the target's. The other levels tell:
/// if the others of its repeats would bring a ratio nearer to theirs, it is not settled which are right.
fn unsettled(parts: &[Part]) -> f64 {
    let off = |(place, part): (usize, &Part)| {
        let mut others: Vec<f64> = parts
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != place)
            .map(|(_, other)| other.ratio.point.ln())
            .collect();
        if part.readings.is_empty() || others.len() < FEWEST_OTHERS {
            return 0.0;
        }
        others.sort_by(f64::total_cmp);
        let middle = f64::midpoint(others[(others.len() - 1) / 2], others[others.len() / 2]);
        let own = part.ratio.point.ln();
        let nearer =
            part.readings.iter().filter(|log| (*log - middle).abs() < (own - middle).abs());
        part.weight * nearer.map(|log| (log - own).abs()).fold(0.0, f64::max)
    };
    parts.iter().enumerate().map(off).sum()
}

/// Of a mixture, by its first two moments.
fn condensed(errors: &[Error]) -> Variance {
    let (mut value, mut squares) = (0.0, 0.0);
    for Error { weight, scale, freedom, .. } in errors {
        let variance = scale.powi(2);
        value += weight * variance;
        squares += weight * variance.powi(2) * (1.0 + 2.0 / freedom);
    }
    let apart = squares - value.powi(2);
    let freedom = if apart > 0.0 { 2.0 * value.powi(2) / apart } else { f64::MAX };
    Variance { value, freedom }
}

/// Of the mean, if the errors of its parts have nothing in common; F. E. Satterthwaite's degrees of
/// freedom (*Biometrics Bulletin* 2, 1946).
fn of_parts(parts: &[Part]) -> Option<Variance> {
    let centres: Vec<&Centre> =
        parts.iter().map(|part| part.ratio.centre.as_ref()).collect::<Option<_>>()?;
    let weighted = |variance: Variance, weight: f64| {
        let value = variance.value * weight.powi(2);
        (value, value.powi(2) / variance.freedom)
    };
    let sum = |variances: &mut dyn Iterator<Item = Variance>| {
        let (value, parts) = variances
            .zip(parts)
            .map(|(variance, part)| weighted(variance, part.weight))
            .fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        Variance { value, freedom: if parts > 0.0 { value.powi(2) / parts } else { f64::MAX } }
    };
    let possible = centres[0].errors.len();
    if !centres.iter().all(|centre| centre.errors.len() == possible) {
        return Some(sum(&mut centres.iter().map(|centre| condensed(&centre.errors))));
    }
    // What one says of how all scatter it says for each of them.
    let joint = (0..possible).map(|place| {
        let errors = centres.iter().map(|centre| centre.errors[place]);
        let mut variances =
            errors.map(|error| Variance { value: error.scale.powi(2), freedom: error.freedom });
        let Variance { value, freedom } = sum(&mut variances);
        Error {
            weight: centres[0].errors[place].weight,
            scale: value.sqrt(),
            freedom,
            equal: false,
        }
    });
    Some(condensed(&joint.collect::<Vec<Error>>()))
}

/// Of the mean, by what each block is off in all parts together; `None` for fewer than two blocks.
fn of_blocks(parts: &[Part]) -> Option<Variance> {
    let mut by_block: BTreeMap<u32, f64> = BTreeMap::new();
    for part in parts {
        let share = part.weight / part.ratio.deviations.len() as f64;
        for (block, off) in part.blocks.iter().zip(&part.ratio.deviations) {
            *by_block.entry(*block).or_default() += share * off;
        }
    }
    let freedom = by_block.len().checked_sub(1).filter(|freedom| *freedom > 0)? as f64;
    let squares: f64 = by_block.values().map(|off| off.powi(2)).sum();
    Some(Variance { value: squares * (freedom + 1.0) / freedom, freedom })
}

fn together(own: Variance, blocks: Option<Variance>) -> Vec<Error> {
    let alone =
        |variance: Variance| vec![Error::only(variance.value.sqrt(), variance.freedom.min(1e6))];
    let Some(blocks) = blocks else { return alone(own) };
    let ratio = blocks.value / own.value;
    if !(ratio > 0.0 && ratio.is_finite()) {
        return alone(if own.value > blocks.value { own } else { blocks });
    }
    let mut errors: Vec<Error> = Vec::with_capacity(WORTH.len());
    for (worth, prior) in WORTH {
        let freedom = (worth.recip() + own.freedom.recip()).recip();
        let sum = freedom + blocks.freedom;
        // The density of F, but for what does not depend on how much the errors are worth.
        let likely = log_scale(blocks.freedom, freedom)
            - sum / 2.0 * (blocks.freedom * ratio / freedom).ln_1p();
        let variance = (freedom * own.value + blocks.freedom * blocks.value) / sum;
        let weight = prior.ln() + likely;
        errors.push(Error { weight, ..Error::only(variance.sqrt(), sum) });
    }
    let most = errors.iter().map(|error| error.weight).fold(f64::MIN, f64::max);
    errors.iter_mut().for_each(|error| error.weight = (error.weight - most).exp());
    let sum: f64 = errors.iter().map(|error| error.weight).sum();
    errors.iter_mut().for_each(|error| error.weight /= sum);
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of six levels, the ratio at the first of which is that, or may be 1 by another reading.
    fn mean(first: f64, readings: Vec<f64>) -> Ratio {
        let part = |point: f64, readings: Vec<f64>| {
            let pairs = [-0.03, 0.0, 0.03].map(|off: f64| (1.0, point * off.exp()));
            let ratio = Ratio::paired(&pairs, 0.0, None).unwrap();
            Part { ratio, blocks: vec![1, 2, 3], weight: 1.0 / 6.0, moved: 0.0, readings }
        };
        let others = [0.99, 1.0, 1.01, 1.0, 0.99].map(|point| part(point, Vec::new()));
        let mut parts = vec![part(first, readings)];
        parts.extend(others);
        Ratio::mean(&parts, 1.0).unwrap()
    }

    #[test]
    fn a_level_whose_other_repeats_agree_with_the_other_levels_decides_no_mean() {
        let is_decided = |ratio: Ratio| ratio.p_value().unwrap() < 0.05;
        assert!(is_decided(mean(0.5, Vec::new())));
        assert!(!is_decided(mean(0.5, vec![0.0])));
        // What would bring it further from the others settles nothing against it.
        assert!(is_decided(mean(0.5, vec![0.2_f64.ln()])));
    }
}
