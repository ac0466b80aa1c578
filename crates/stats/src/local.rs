//! One test of "all of these are equal" that sees many small differences as well as a single large
//! one.

use crate::p_value::normal_score;
use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};
use statrs::function::erf::erfc;
use std::f64::consts::PI;
use std::sync::OnceLock;

/// How much of the error goes to the test of the smallest p-value, the rest to the sum. Of the shares
/// that were simulated the one that finds single differences most often, and loses where all differ
/// at most three in a hundred (docs/calibration.md).
const SINGLE: f64 = 0.55;
/// Up to so many members each size has its own table.
const EACH: usize = 24;
/// Larger sizes have the table of the next of these, above which two errors are added.
const LARGER: [usize; 6] = [32, 48, 64, 96, 128, 192];
/// Where the errors of both tests together are tabled; those between follow on logarithms.
const ERRORS: [f64; 17] = [
    1e-14, 1e-10, 1e-7, 1e-5, 1e-4, 1e-3, 3e-3, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.2, 0.4, 0.8,
    1.0,
];
/// Steps of the integral, an even number.
const STEPS: usize = 60;

/// How likely so many independent normal values of mean 0 are, at least two, to have as large a
/// `sum` of squares, or as small a smallest p-value: the smaller of both p-values, each at its share of
/// the error, as likely as it is where all are equal. As both look at the same values, that is less than
/// the sum of two errors. Or `than`, where that is not less, which mostly shows sooner.
pub(crate) fn at_least(than: f64, size: usize, sum: f64, smallest: f64) -> f64 {
    let by_smallest = any(size, smallest) / SINGLE;
    let by_either = of_both(size, by_smallest);
    if by_either <= than {
        return than;
    }
    let by_sum = sum_tail(size, sum) / (1.0 - SINGLE);
    let p_value = if by_sum < by_smallest { of_both(size, by_sum) } else { by_either };
    p_value.max(than)
}

/// How likely the smaller of both p-values, each at its share of the error, is as small as that.
fn of_both(size: usize, least: f64) -> f64 {
    // Below the smallest numbers there is nothing to interpolate.
    if least < 1e-300 {
        return least;
    }
    let Some(table) = table(size) else { return least.min(1.0) };
    let x = least.ln();
    let after = (1..ERRORS.len() - 1).find(|&place| x <= table[place].0);
    let after = after.unwrap_or(ERRORS.len() - 1);
    let ((x0, y0), (x1, y1)) = (table[after - 1], table[after]);
    (y0 + (y1 - y0) * (x - x0) / (x1 - x0)).exp().min(1.0)
}

/// Logarithms of an error of each test, before its share is taken, and of that of both together.
type Table = [(f64, f64); ERRORS.len()];

fn table(size: usize) -> Option<&'static Table> {
    static TABLES: [OnceLock<Table>; EACH + LARGER.len() + 1] =
        [const { OnceLock::new() }; EACH + LARGER.len() + 1];
    let (place, size) = match size {
        ..=EACH => (size, size),
        _ => LARGER
            .iter()
            .position(|&larger| size <= larger)
            .map(|larger| (EACH + 1 + larger, LARGER[larger]))?,
    };
    Some(TABLES[place].get_or_init(|| {
        ERRORS.map(|error| (error.ln(), either(size, (1.0 - SINGLE) * error, SINGLE * error).ln()))
    }))
}

/// How likely either test finds something at its error where there is nothing: the sum of both errors
/// less that of both at once. The latter by integration over the largest value v: it is beyond the
/// bound of the single test, and the sum of the squares of all others, none of which is larger, makes
/// up for what v² leaves to the bound of the sum. That none is larger is taken off as if all larger
/// ones went with a large enough sum, which they do where it matters: what is left out makes the
/// result too high, by less than 2 % of it up to an error of 0.05.
fn either(size: usize, by_sum: f64, by_single: f64) -> f64 {
    let enough = sum_bound(size, by_sum);
    let single = normal_score(one_of(size, by_single));
    let others = (size - 1) as f64;
    let both = |largest: f64| {
        let density = 2.0 * (-largest * largest / 2.0).exp() / std::f64::consts::TAU.sqrt();
        let larger = -(others * (-two_sided(largest)).ln_1p()).exp_m1();
        let rest = sum_tail(size - 1, enough - largest * largest) - larger;
        size as f64 * density * rest.max(0.0)
    };
    // From there on one value is enough for the sum.
    let alone = enough.sqrt().max(single);
    let step = (alone - single) / STEPS as f64;
    let weight = |point: usize| match point {
        0 | STEPS => 1.0,
        odd if odd % 2 == 1 => 4.0,
        _ => 2.0,
    };
    let between: f64 =
        (0..=STEPS).map(|point| weight(point) * both(single + point as f64 * step)).sum();
    (by_sum + by_single - between * step / 3.0 - any(size, two_sided(alone))).min(1.0)
}

/// The chance that any of so many independent p-values is at most that (Z. Šidák, *Journal of the
/// American Statistical Association* 62, 1967).
fn any(size: usize, p_value: f64) -> f64 {
    -(size as f64 * (-p_value).ln_1p()).exp_m1()
}

/// The p-value that any of so many is at most with that chance.
fn one_of(size: usize, chance: f64) -> f64 {
    -((-chance).ln_1p() / size as f64).exp_m1()
}

/// The chance that the sum of so many squares of normal scores is at least that: χ² with whole degrees of
/// freedom has as many terms as half of these (M. Abramowitz and I. A. Stegun, *Handbook of Mathematical
/// Functions*, 1964, 26.4.4 and 26.4.5), all above 0, so that none takes digits from the others.
fn sum_tail(count: usize, sum: f64) -> f64 {
    if sum <= 0.0 {
        return 1.0;
    }
    let half = sum / 2.0;
    let odd = count % 2 == 1;
    if count > MOST_TERMS || half > LARGEST_HALF {
        return ChiSquared::new(count as f64).map_or(1.0, |chi_squared| chi_squared.sf(sum));
    }
    let (first, mut term, mut over) = match odd {
        true => (erfc(half.sqrt()), (half / PI).sqrt() * 2.0, 1.5),
        false => (0.0, 1.0, 1.0),
    };
    let mut terms = 0.0;
    for _ in 0..count / 2 {
        terms += term;
        term *= half / over;
        over += 1.0;
    }
    (first + (-half).exp() * terms).min(1.0)
}

/// Degrees of freedom up to which the sum is fast, and half the sum of squares up to which no number is too
/// small or too large for its terms.
const MOST_TERMS: usize = 64;
const LARGEST_HALF: f64 = 300.0;

/// The sum that is at least reached with that chance.
fn sum_bound(count: usize, chance: f64) -> f64 {
    let (mut low, mut high) = (0.0, 4.0 * count as f64 + 200.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if sum_tail(count, middle) > chance { low = middle } else { high = middle }
    }
    high
}

fn two_sided(score: f64) -> f64 {
    2.0 * Normal::standard().sf(score)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    #[test]
    fn a_test_of_any_size_errs_as_often_as_it_says() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        let mut uniform = || ((random.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64;
        for size in [2, 3, 6, 12, 24] {
            let studies = 20_000;
            let mut found = [0_u32; 3];
            let errors = [0.01, 0.05, 0.1];
            for _ in 0..studies {
                let p_values: Vec<f64> = (0..size).map(|_| uniform()).collect();
                let sum = p_values.iter().map(|&p| normal_score(p).powi(2)).sum();
                let p = at_least(0.0, size, sum, p_values.iter().copied().fold(1.0, f64::min));
                for (found, error) in found.iter_mut().zip(errors) {
                    *found += u32::from(p <= error);
                }
            }
            for (found, error) in found.into_iter().zip(errors) {
                let share = f64::from(found) / f64::from(studies);
                let chance = 3.5 * (error * (1.0 - error) / f64::from(studies)).sqrt();
                assert!(share < error + chance, "{size} {error} {share}");
                assert!(share > 0.95 * error - chance, "{size} {error} {share}");
            }
        }
    }

    #[test]
    fn the_sum_of_terms_is_the_distribution() {
        for count in [1, 2, 3, 4, 7, 10, 24, 63, 64, 65] {
            let known = ChiSquared::new(count as f64).unwrap();
            for sum in [1e-9, 0.1, 1.0, 3.0, 10.0, 40.0, 100.0, 400.0, 599.0, 601.0, 900.0] {
                let (own, known) = (sum_tail(count, sum), known.sf(sum));
                assert!((own / known - 1.0).abs() < 1e-9, "{count} {sum}: {own} {known}");
            }
        }
    }

    #[test]
    fn larger_sums_and_smaller_p_values_make_it_smaller_at_any_size() {
        for size in [2, 5, 24, 25, 100, 192, 193, 400] {
            let sums: Vec<f64> = (0..80).map(|i| f64::from(i) * size as f64 / 20.0).collect();
            let by_sum: Vec<f64> = sums.iter().map(|&sum| at_least(0.0, size, sum, 0.5)).collect();
            assert!(by_sum.windows(2).all(|two| two[1] <= two[0]), "{size} {by_sum:?}");
            let smallest: Vec<f64> = (0..60).map(|i| 0.5_f64.powi(i)).collect();
            let least: Vec<f64> = smallest.iter().map(|&p| at_least(0.0, size, 1.0, p)).collect();
            assert!(least.windows(2).all(|two| two[1] <= two[0]), "{size} {least:?}");
            assert!(least[59] < 1e-14, "{size} {least:?}");
        }
        assert!(at_least(0.0, 6, f64::INFINITY, 0.0) >= 0.0);
    }
}
