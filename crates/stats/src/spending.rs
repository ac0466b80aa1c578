//! Tests that are looked at after every repeat, and err no more often for it.

use crate::looks::{Density, normal};
use crate::p_value::normal_score;
use statrs::distribution::{ContinuousCDF, Normal};

/// Overall errors at which bounds are found; those between follow on logarithms.
const ERRORS: [f64; 11] = [1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 0.01, 0.02, 0.05, 0.1, 0.5, 0.9];
/// How the error is spent: `error` × share of the repeats to this power (K. Kim and D. L. DeMets,
/// *Biometrika* 74, 1987). 1 spends early, like Pocock's bounds, and 3 late, like those of O'Brien
/// and Fleming. Of 1.5 and 3, which were simulated, the one with fewer trials (docs/statistics.md).
const POWER: f64 = 1.5;
/// The same for the claim that two are the same. That is mostly near what all repeats can tell, and
/// what earlier looks spend is missing at the last one. Of 1.5, 3, 4 and 6, which were simulated, 6
/// runs 2 % more of the trials for one verdict more in a hundred that the full plan agrees with.
const POWER_SAME: f64 = 4.0;
/// Distance of two points of a sum, in standard deviations of what one repeat adds.
const POINT_DISTANCE: f64 = 0.35;
/// No bound is further out than so many standard deviations.
const FARTHEST: f64 = 38.0;

/// A test at each of the looks at a sample that grows by one repeat at a time. What it may err is
/// spent over the looks (K. K. G. Lan and D. L. DeMets, *Biometrika* 70, 1983), so that all of them
/// together err no more often than one test would, whenever the looking ends.
///
/// The bounds are those of normal values whose scatter is known, by recursive integration (C.
/// Jennison and B. W. Turnbull, *Group Sequential Methods with Applications to Clinical Trials*,
/// 2000), and hold on the scale of p-values, for tests of other distributions as well.
#[derive(Clone, Debug, PartialEq)]
pub struct Looks {
    first: u32,
    last: u32,
    /// For each look the logarithms of the nominal errors that go with [`ERRORS`], ascending.
    nominal: Vec<[f64; ERRORS.len()]>,
    /// The same of tests that two are the same.
    same: Vec<[f64; ERRORS.len()]>,
}

impl Looks {
    /// Most repeats that bounds can be found for.
    pub const MOST: u32 = 100;
    /// What the last look would decide with less than this probability is given up (see
    /// [`crate::Ratio::chance_to_resolve`]): a little more than half of all trials are run then, by
    /// `make calibrate`.
    pub const HOPELESS: f64 = 0.12;

    /// A look at `first` repeats and after each further one up to `last`. `None` where these are no
    /// numbers of repeats in order, or above [`Self::MOST`].
    pub fn new(first: u32, last: u32) -> Option<Self> {
        if first == 0 || first > last || last > Self::MOST {
            return None;
        }
        let [nominal, same] = [POWER, POWER_SAME].map(|power| table(first, last, power));
        Some(Self { first, last, nominal, same })
    }

    /// The most repeats that are looked at.
    pub fn last(&self) -> u32 {
        self.last
    }

    /// The error of a test of that many repeats by itself, so that all looks together err with
    /// `error`; both in (0, 1).
    pub fn nominal(&self, repeats: usize, error: f64) -> f64 {
        Self::nominal_of(self.at(repeats, &self.nominal), error)
    }

    /// The same of the tests that two are the same, each of its two sides at half of `error`.
    pub fn nominal_same(&self, repeats: usize, error: f64) -> f64 {
        Self::nominal_of(self.at(repeats, &self.same), error)
    }

    fn nominal_of(look: &[f64; ERRORS.len()], error: f64) -> f64 {
        if error > ERRORS[ERRORS.len() - 1] {
            return look[ERRORS.len() - 1].exp();
        }
        between(error.ln(), |place| (ERRORS[place].ln(), look[place])).exp().min(error)
    }

    /// The overall error at which a test of that many repeats just finds a difference at this
    /// p-value: the repeated p-value (Jennison and Turnbull), which holds at whichever look one
    /// stops.
    pub fn overall(&self, repeats: usize, p_value: f64) -> f64 {
        let look = self.at(repeats, &self.nominal);
        if p_value <= 0.0 {
            return 0.0;
        }
        if p_value.ln() > look[ERRORS.len() - 1] {
            return 1.0;
        }
        between(p_value.ln(), |place| (look[place], ERRORS[place].ln())).exp().max(p_value)
    }

    /// Fewer repeats than are looked at first are there only where trials failed: they are judged as
    /// strictly as the first look.
    fn at<'a>(&self, repeats: usize, table: &'a [[f64; ERRORS.len()]]) -> &'a [f64; ERRORS.len()] {
        let repeats = u32::try_from(repeats).unwrap_or(u32::MAX).clamp(self.first, self.last);
        &table[(repeats - self.first) as usize]
    }
}

/// For each look the logarithms of the nominal errors.
fn table(first: u32, last: u32, power: f64) -> Vec<[f64; ERRORS.len()]> {
    let mut nominal = vec![[0.0; ERRORS.len()]; (last - first + 1) as usize];
    for (place, error) in ERRORS.into_iter().enumerate() {
        for (look, bound) in nominal.iter_mut().zip(bounds(first, last, error, power)) {
            look[place] = two_sided(bound).ln();
        }
    }
    for look in &mut nominal {
        // Rounding must not turn the order round.
        for place in 1..look.len() {
            look[place] = look[place].max(look[place - 1] + 1e-9);
        }
    }
    nominal
}

/// On the straight lines through points in ascending order, the first and the last line without end.
fn between(x: f64, point: impl Fn(usize) -> (f64, f64)) -> f64 {
    let last = ERRORS.len() - 1;
    let after = (1..last).find(|&place| x <= point(place).0).unwrap_or(last);
    let ((x0, y0), (x1, y1)) = (point(after - 1), point(after));
    y0 + (y1 - y0) * (x - x0) / (x1 - x0)
}

/// By how many standard deviations a mean must be off at each look.
fn bounds(first: u32, last: u32, error: f64, power: f64) -> Vec<f64> {
    let spent = |repeats: u32| error * (f64::from(repeats) / f64::from(last)).powf(power);
    let mut bound = normal_score(spent(first));
    let mut bounds = vec![bound];
    let variance = f64::from(first);
    let mut going_on = density(bound * variance.sqrt(), |sum| normal(sum, variance));
    for repeats in first + 1..=last {
        let root = f64::from(repeats).sqrt();
        let more = spent(repeats) - spent(repeats - 1);
        let leaves = |bound: f64| {
            let beyond = |sum: f64| upper_tail(bound * root - sum) + upper_tail(bound * root + sum);
            going_on.integral(beyond)
        };
        let (mut low, mut high) = (0.0, FARTHEST);
        for _ in 0..40 {
            let middle = f64::midpoint(low, high);
            if leaves(middle) > more { low = middle } else { high = middle }
        }
        bound = high;
        bounds.push(bound);
        let before = going_on;
        going_on =
            density(bound * root, |sum| before.integral(|earlier| normal(sum - earlier, 1.0)));
    }
    bounds
}

fn density(reach: f64, of: impl Fn(f64) -> f64) -> Density {
    let points = 2 * (reach / POINT_DISTANCE).ceil() as usize + 1;
    Density::within(reach, points.max(31), of)
}

fn upper_tail(score: f64) -> f64 {
    Normal::standard().sf(score)
}

fn two_sided(score: f64) -> f64 {
    2.0 * upper_tail(score)
}
