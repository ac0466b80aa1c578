//! Where the level of a series changes.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Fewest values between two changes, and before the first and after the last.
const SHORTEST: usize = 3;
/// Permutations are as many as give a p-value of a tenth of what counts, within these.
const PERMUTATIONS: std::ops::RangeInclusive<usize> = 999..=99_999;

/// Where the level of a series changes: the index of the first value of each new level, ascending.
/// A series without a change has one found with a chance of at most `alpha`, in (0, 1), whatever
/// its distribution, if its values could as well have come in any other order.
///
/// The series is split where the ranks of the values on both sides differ most, if they do so more
/// than in all but a share `alpha` of random orders of the same values; then both parts are looked
/// at in the same way (binary segmentation with a permutation test, as E-divisive means: D. S.
/// Matteson and N. A. James, *Journal of the American Statistical Association* 109, 2014; for
/// benchmarks D. Daly and others, *The use of change point detection to identify software
/// performance regressions in a continuous integration system*, ICPE 2020). Ranks in place of
/// distances: one wild value neither makes a change nor hides one. Levels are at least three values
/// long, so that fewer than seven or eight values tell nothing.
pub fn change_points(values: &[f64], alpha: f64, seed: u64) -> Vec<usize> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut found = Vec::new();
    let mut parts = vec![(0, values.len())];
    while let Some((start, end)) = parts.pop() {
        if let Some(at) = split(&values[start..end], alpha, &mut random) {
            let at = start + at;
            found.push(at);
            parts.extend([(start, at), (at, end)]);
        }
    }
    found.sort_unstable();
    found
}

/// In fewer values [`change_points`] can find nothing with that `alpha`: of n values half of which
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

/// Where a series changes most, if it does.
fn split(values: &[f64], alpha: f64, random: &mut Xoshiro256PlusPlus) -> Option<usize> {
    if values.len() < 2 * SHORTEST {
        return None;
    }
    let mut ranks = ranks(values);
    let (at, most) = strongest(&ranks);
    let (least, limit) = PERMUTATIONS.into_inner();
    let permutations = ((10.0 / alpha) as usize).clamp(least, limit);
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

/// The split with the largest sum of squares between its sides, and that sum.
fn strongest(ranks: &[f64]) -> (usize, f64) {
    let n = ranks.len();
    let mean = (n as f64 + 1.0) / 2.0;
    let (mut sum, mut best) = (0.0, (SHORTEST, 0.0));
    for (index, rank) in ranks.iter().enumerate() {
        sum += rank - mean;
        let before = index + 1;
        if before >= SHORTEST && n - before >= SHORTEST {
            let between = sum * sum * n as f64 / (before * (n - before)) as f64;
            if between > best.1 {
                best = (before, between);
            }
        }
    }
    best
}

/// From 1; equal values share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = values.iter().filter(|other| *other < value).count() as f64;
        let equal = values.iter().filter(|other| *other == value).count() as f64;
        below + f64::midpoint(equal, 1.0)
    };
    values.iter().map(rank).collect()
}
