//! Where the level of a series changes.

use crate::bootstrap::Normal;
use crate::drift::Drift;
use crate::split::{SHORTEST, ranks, strongest};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Permutations are as many as give a p-value of a tenth of what counts, within these.
const PERMUTATIONS: std::ops::RangeInclusive<usize> = 999..=99_999;

/// Looks for changes of level in series; those of one length share what it learns about drift.
#[derive(Clone, Debug)]
pub struct ChangeFinder {
    alpha: f64,
    seed: u64,
    drift: Drift,
}

/// What a series shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    /// The index of the first value of each new level, ascending.
    pub starts: Vec<usize>,
    /// The coefficient of autoregression, up to 0.95, by which slow drift explains a change that would count
    /// if values could as well have come in any other order; the highest of several.
    pub drift: Option<f64>,
}

impl ChangeFinder {
    /// A series without a change has one found with a chance of at most `alpha`, in (0, 1), if its values
    /// could as well have come in any other order, whatever their distribution, and of not much more if
    /// they resemble their neighbours. The same seed gives the same answers.
    pub fn new(alpha: f64, seed: u64) -> Self {
        Self { alpha, seed, drift: Drift::default() }
    }

    /// Where the level of a series changes.
    ///
    /// The series is split where the ranks of the values on both sides differ most, if they do so more
    /// than in all but a share `alpha` of random orders of the same values; then both parts are looked
    /// at in the same way (binary segmentation with a permutation test, as E-divisive means: D. S.
    /// Matteson and N. A. James, *Journal of the American Statistical Association* 109, 2014; for
    /// benchmarks D. Daly and others, *The use of change point detection to identify software
    /// performance regressions in a continuous integration system*, ICPE 2020). Ranks in place of
    /// distances: one wild value neither makes a change nor hides one. Levels are at least three values
    /// long, so that fewer than seven or eight values tell nothing.
    ///
    /// Values that resemble their neighbours, as on a machine that drifts, have such a split more often.
    /// So it counts only if it is clearer than in all but a share `alpha` of simulated series of a
    /// first-order autoregression, with the coefficient that the resemblance within both sides lets one
    /// expect: what this is for a coefficient and a length, simulated series tell as well.
    pub fn find(&mut self, values: &[f64]) -> Changes {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(self.seed);
        let mut normal = Normal::new(self.seed);
        let mut found = Changes::default();
        let mut parts = vec![(0, values.len())];
        while let Some((start, end)) = parts.pop() {
            let part = &values[start..end];
            let Some(at) = split(part, self.alpha, &mut random) else { continue };
            let tries = (self.alpha, permutations(self.alpha));
            if let Some(coefficient) = self.drift.explains(part, tries, &mut normal) {
                found.drift = Some(found.drift.map_or(coefficient, |most| most.max(coefficient)));
                continue;
            }
            let at = start + at;
            found.starts.push(at);
            parts.extend([(start, at), (at, end)]);
        }
        found.starts.sort_unstable();
        found
    }
}

/// In fewer values a [`ChangeFinder`] can find nothing with that `alpha`: of n values half of which
/// are all above the others, 2 of n ÷ (½n)² orders are as clear, 4 where n is odd. `None` where
/// no number of permutations that is tried tells so little.
///
/// ```
/// // 2 of 70 orders of eight values; of seven 4 of 35.
/// assert_eq!(stats::fewest_values(0.05), Some(8));
/// // 12 series together at 5 %: 2 of 924 orders of twelve values, of eleven 4 of 462.
/// assert_eq!(stats::fewest_values(0.05 / 12.0), Some(12));
/// assert_eq!(stats::fewest_values(1e-7), None);
/// ```
pub fn fewest_values(alpha: f64) -> Option<usize> {
    let orders_tried = (*PERMUTATIONS.end() + 1) as f64;
    if alpha * orders_tried < 1.0 {
        return None;
    }
    let is_enough = |n: &usize| {
        let half = n / 2;
        let orders: f64 = (1..=half).map(|i| (n - half + i) as f64 / i as f64).product();
        let as_clear = if n.is_multiple_of(2) { 2.0 } else { 4.0 };
        as_clear / orders <= alpha
    };
    (2 * SHORTEST..).find(is_enough)
}

fn permutations(alpha: f64) -> usize {
    let (least, most) = PERMUTATIONS.into_inner();
    ((10.0 / alpha) as usize).clamp(least, most)
}

/// Where a series changes most, if it does.
fn split(values: &[f64], alpha: f64, random: &mut Xoshiro256PlusPlus) -> Option<usize> {
    if values.len() < 2 * SHORTEST {
        return None;
    }
    let mut ranks = ranks(values);
    let (at, most) = strongest(&ranks);
    let permutations = permutations(alpha);
    let allowed = alpha * (permutations + 1) as f64;
    // The order that there is counts as one of them.
    let mut as_strong = 1.0;
    for _ in 0..permutations {
        for last in (1..ranks.len()).rev() {
            ranks.swap(last, (random.next_u64() % (last as u64 + 1)) as usize);
        }
        // Sums of the same ranks in another order differ in their last digits.
        if strongest(&ranks).1 >= most * (1.0 - 1e-9) {
            as_strong += 1.0;
        }
        if as_strong > allowed {
            return None;
        }
    }
    Some(at)
}
