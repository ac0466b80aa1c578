//! The centre of a sample, and how far off it may be.

use crate::Chance;
use crate::apart::EffectApart;
use crate::interval::{Bounds, is_confidence};
use crate::lasting::Effect;
use crate::p_value::normal_score;
use crate::student::two_tails;

/// The longest step in search of a half width, on logarithms.
const FARTHEST: f64 = 3.0;
/// By how much a p-value among others is larger because evidence for equal scatter may be chance, and
/// by how much at most where the evidence is against it. Of those that were simulated the ones that
/// find most and let no family of docs/calibration.md err more often than it may.
const EVIDENCE_COSTS: f64 = 1.2;
const UNEQUAL_COSTS: f64 = 1.5;

/// The centre of a sample, with what is needed to say how far off it may be.
#[derive(Clone, Debug, PartialEq)]
pub struct Centre {
    /// The mean of the values; outliers count as less far off than they are.
    pub value: f64,
    /// How many values.
    pub(crate) n: f64,
    /// Its Student's t distributions, by weight; all weights together are 1.
    pub(crate) errors: Vec<Error>,
    /// How much likelier the repeats of all samples are where these scatter nearly equally than where
    /// they do not; `None` where there are no others.
    pub(crate) equality: Option<f64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Error {
    pub(crate) weight: f64,
    /// Standard error.
    pub(crate) scale: f64,
    pub(crate) freedom: f64,
    /// Whether it is of a possibility by which all samples scatter nearly equally.
    pub(crate) equal: bool,
}

impl Error {
    /// The one that there is.
    pub(crate) fn only(scale: f64, freedom: f64) -> Self {
        Self { weight: 1.0, scale, freedom, equal: false }
    }
}

/// Errors whose tails are found together.
const TOGETHER: usize = 4;

/// How likely each of these is and a centre at least so far off by it, added up.
fn tails(errors: &[Error], distance: f64) -> f64 {
    let mut sum = 0.0;
    for alike in errors.chunk_by(|one, other| one.freedom == other.freedom) {
        let (fours, others) = alike.as_chunks::<TOGETHER>();
        fours.iter().for_each(|four| add_tails(four, distance, &mut sum));
        others.iter().for_each(|error| add_tails(std::array::from_ref(error), distance, &mut sum));
    }
    sum
}

/// Of errors with one number of degrees of freedom.
fn add_tails<const COUNT: usize>(errors: &[Error; COUNT], distance: f64, sum: &mut f64) {
    let t = errors.each_ref().map(|error| distance / error.scale);
    let finite = t.map(|t| if t.is_finite() { t } else { 0.0 });
    for ((error, t), tails) in errors.iter().zip(t).zip(two_tails(finite, errors[0].freedom)) {
        // Beyond what can be told there is none.
        *sum += if t.is_finite() { error.weight * tails } else { 0.0 };
    }
}

impl Centre {
    /// With errors whose weights are 1 together.
    pub(crate) fn with(value: f64, n: f64, errors: Vec<Error>) -> Self {
        Self { value, n, errors, equality: None }
    }

    /// Of the difference b − a of two centres by the same scatter, in whose values that may last.
    ///
    /// The degrees of freedom are Satterthwaite's of what each sample says itself and half of what it
    /// has borrowed: both have borrowed the same, as two targets at a level mostly scatter alike, and
    /// what is borrowed twice counts once.
    pub(crate) fn difference(a: &Self, b: &Self, effects: &[EffectApart]) -> Self {
        let errors = effects.iter().flat_map(|effect| {
            let widens = effect.of.iter().any(|(widening, _)| *widening > 1.0);
            let each = |c: &Self| if widens { c.by_freedom() } else { c.errors.clone() };
            // Both were found by the same possibilities, in the same order.
            let both = each(a).into_iter().zip(each(b));
            both.map(|(of_a, of_b)| difference((a.n, &of_a), (b.n, &of_b), effect))
                .collect::<Vec<Error>>()
        });
        Self { value: b.value - a.value, n: a.n.min(b.n), errors: errors.collect(), ..*a }
    }

    /// The same where that may last from one value to the next.
    pub(crate) fn lasting(self, effects: &[Effect]) -> Self {
        let mut errors = Vec::new();
        for effect in effects {
            if effect.widening <= 1.0 {
                let weighted = |e: &Error| Error { weight: e.weight * effect.weight, ..*e };
                errors.extend(self.errors.iter().map(weighted));
                continue;
            }
            let lost = (self.n - 1.0) * (1.0 - effect.freedom);
            errors.extend(self.by_freedom().into_iter().map(|error| Error {
                weight: error.weight * effect.weight,
                scale: error.scale * effect.widening,
                // Whole ones are faster.
                freedom: (error.freedom - lost).floor().max(1.0),
                equal: error.equal,
            }));
        }
        Self { errors, ..self }
    }

    /// One distribution for each number of degrees of freedom: what only some of the weight rests on
    /// needs no more.
    fn by_freedom(&self) -> Vec<Error> {
        let mut merged: Vec<Error> = Vec::new();
        for error in &self.errors {
            let alike = |one: &&mut Error| one.freedom == error.freedom && one.equal == error.equal;
            match merged.iter_mut().find(alike) {
                Some(one) => {
                    let both = one.weight + error.weight;
                    let squares =
                        one.weight * one.scale.powi(2) + error.weight * error.scale.powi(2);
                    *one = Error { weight: both, scale: (squares / both).sqrt(), ..*one };
                }
                None => merged.push(*error),
            }
        }
        merged
    }

    /// Of one further value rather than of the mean.
    pub(crate) fn next(&self) -> Self {
        let widened =
            |error: &Error| Error { scale: error.scale * (self.n + 1.0).sqrt(), ..*error };
        Self { errors: self.errors.iter().map(widened).collect(), ..self.clone() }
    }

    /// That values scatter at least so much, whatever the few there are show: what was rounded alike
    /// in every repeat is not without scatter.
    pub(crate) fn scattering_at_least(mut self, deviation: f64) -> Self {
        let least = deviation / self.n.sqrt();
        self.errors.iter_mut().for_each(|error| error.scale = error.scale.max(least));
        self
    }

    /// One value without an error of its own.
    pub(crate) fn exact(value: f64) -> Self {
        Self::with(value, 1.0, vec![Error::only(0.0, 1.0)])
    }

    /// With no smaller error than this, of so many degrees of freedom.
    pub(crate) fn erring_at_least(mut self, scale: f64, freedom: f64) -> Self {
        for error in self.errors.iter_mut().filter(|error| error.scale < scale) {
            *error = Error { scale, freedom, ..*error };
        }
        self
    }

    /// Whether it borrows from no others.
    pub(crate) fn is_alone(&self) -> bool {
        self.equality.is_none()
    }

    /// What it would be with so many values that scatter as these; `None` for fewer than these.
    pub(crate) fn with_repeats(&self, n: f64) -> Option<Self> {
        let more = |error: &Error| Error {
            scale: error.scale * (self.n / n).sqrt(),
            freedom: error.freedom + n - self.n,
            ..*error
        };
        let errors = self.errors.iter().map(more).collect();
        (n >= self.n).then_some(Self { n, errors, ..*self })
    }

    /// Where the true centre lies, with that confidence.
    pub(crate) fn bounds(&self, confidence: f64) -> Option<Bounds> {
        let half = self.half_width(confidence)?;
        Some(Bounds { low: self.value - half, high: self.value + half, confidence })
    }

    /// How likely a centre at least so far from the true one is by chance, on either side.
    pub fn p_value(&self, distance: f64) -> f64 {
        if distance.is_nan() || distance <= 0.0 {
            return 1.0;
        }
        tails(&self.errors, distance).clamp(0.0, 1.0)
    }

    /// The same, with what it counts as for one of many centres among which single ones are looked for.
    ///
    /// That p-value counts every way in which samples may scatter by how likely it is, and where these
    /// scatter equally it is mostly the others that make it large: families err too seldom then, and
    /// too often where few repeats hide how unequally samples scatter. So it is divided by the root of
    /// the Bayes factor for equal scatter, which the repeats tell and no mean (a test that weighs
    /// evidence of both has the most power for its errors; J. Neyman and E. S. Pearson, *Philosophical
    /// Transactions A* 231, 1933), and never falls below what it were if all scattered equally.
    pub(crate) fn chance(&self, distance: f64) -> Chance {
        let alone = self.p_value(distance);
        let Some(equality) = self.equality else { return alone.into() };
        if distance.is_nan() || distance <= 0.0 {
            return alone.into();
        }
        let equal: Vec<Error> = self.errors.iter().filter(|error| error.equal).copied().collect();
        let weight: f64 = equal.iter().map(|error| error.weight).sum();
        let if_equal = tails(&equal, distance) / weight;
        let by_evidence = alone * (EVIDENCE_COSTS / equality.sqrt()).min(UNEQUAL_COSTS);
        let least = if weight > 0.0 { EVIDENCE_COSTS * if_equal } else { 0.0 };
        Chance { alone, among: by_evidence.max(least).min(1.0) }
    }

    /// How far the true centre is from this one at most, on either side, with that confidence.
    /// `None` for a confidence outside (0, 1), and where the distance is beyond measure.
    pub fn half_width(&self, confidence: f64) -> Option<f64> {
        if !is_confidence(confidence) {
            return None;
        }
        let missed = 1.0 - confidence;
        let widest = self.errors.iter().map(|error| error.scale).fold(0.0, f64::max);
        if widest <= 0.0 {
            return Some(0.0);
        }
        // By logarithms of both the p-value is nearly a straight line in the tail.
        let excess = |half: f64| (self.p_value(half.exp()) / missed).ln();
        let (guess, slope) = self.guess(missed);
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        let (mut before, mut above) = (guess, excess(guess));
        let mut half = before + (above / slope).clamp(-FARTHEST, FARTHEST);
        for _ in 0..200 {
            let at = excess(half);
            if at.abs() < 1e-9 {
                break;
            }
            for (place, excess) in [(before, above), (half, at)] {
                if excess > 0.0 {
                    low = low.max(place);
                } else {
                    high = high.min(place);
                }
            }
            if high - low <= 1e-12 {
                break;
            }
            let secant = half - at * (half - before) / (at - above);
            let within = secant > low && secant < high && (secant - half).abs() <= FARTHEST;
            let next = match (low.is_finite(), high.is_finite()) {
                _ if within => secant,
                (true, true) => f64::midpoint(low, high),
                (true, false) => low + FARTHEST,
                _ => high - FARTHEST,
            };
            (before, above) = (half, at);
            half = next;
        }
        let half = half.exp();
        half.is_finite().then_some(half)
    }

    /// About what the logarithm of the half width will be, and by how much that of the p-value falls
    /// when it grows: as if there were one distribution (the quantile is of Cornish and Fisher).
    fn guess(&self, missed: f64) -> (f64, f64) {
        let scale: f64 = self.errors.iter().map(|error| error.weight * error.scale.powi(2)).sum();
        let inverse: f64 = self.errors.iter().map(|error| error.weight / error.freedom).sum();
        let freedom = inverse.recip();
        let z = normal_score(missed).max(0.01);
        let t = z + (z.powi(3) + z) * inverse / 4.0;
        let slope = (freedom + 1.0) * t.powi(2) / (freedom + t.powi(2));
        ((t * scale.sqrt()).ln(), slope.max(0.1))
    }
}

/// Of two errors of means of so many values.
fn difference(a: (f64, &Error), b: (f64, &Error), effect: &EffectApart) -> Error {
    let one = |(n, error): (f64, &Error), (widening, left): (f64, f64)| {
        let own = (n - 1.0).min(error.freedom);
        let lost = own * (1.0 - left);
        let freedom = (f64::midpoint(own, error.freedom) - lost).max(1.0);
        ((error.scale * widening).powi(2), freedom)
    };
    let ((of_a, a_freedom), (of_b, b_freedom)) = (one(a, effect.of[0]), one(b, effect.of[1]));
    let squared = of_a + of_b;
    let parts = of_a.powi(2) / a_freedom + of_b.powi(2) / b_freedom;
    let freedom = if squared > 0.0 { squared.powi(2) / parts } else { a_freedom + b_freedom };
    Error { weight: a.1.weight * effect.weight, scale: squared.sqrt(), freedom, equal: a.1.equal }
}
