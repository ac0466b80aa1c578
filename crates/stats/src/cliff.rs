//! A level that a series falls from and does not come back to.

use crate::change::ChangeFinder;

/// Values that each of the two levels must have.
const SHORTEST_LEVEL: usize = 10;
/// Share of the level before that the one after is at most.
const FALL: f64 = 0.8;
/// Share of the values on each side that may lie on the other's side of what parts them.
const MISPLACED: f64 = 0.1;

/// Where a series fell for good, and from what to what.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cliff {
    /// Index of the first value after the fall.
    pub at: usize,
    /// Medians of the two levels.
    pub before: f64,
    pub after: f64,
}

impl Cliff {
    /// The last change of level of a series, if it is a fall by a fifth or more, both levels are ten values
    /// long, and nine of ten values of the one lie above nine of ten of the other: so neither a slope, nor
    /// a stall that ends, nor scatter is one.
    pub fn find(values: &[f64], finder: &mut ChangeFinder) -> Option<Self> {
        if !may_fall(values) {
            return None;
        }
        let starts = finder.find(values).starts;
        let at = *starts.last()?;
        let from = starts.iter().rev().nth(1).copied().unwrap_or(0);
        let (before, after) = (values.get(from..at)?, values.get(at..)?);
        if before.len() < SHORTEST_LEVEL || after.len() < SHORTEST_LEVEL {
            return None;
        }
        let found = Self { at, before: quantile(before, 0.5), after: quantile(after, 0.5) };
        let is_apart = quantile(before, MISPLACED) > quantile(after, 1.0 - MISPLACED);
        (is_apart && found.after <= FALL * found.before).then_some(found)
    }
}

/// Whether the mean after any place is so much below that before it: looked at first, as it costs little.
fn may_fall(values: &[f64]) -> bool {
    let total: f64 = values.iter().sum();
    let mut sum = 0.0;
    values.iter().enumerate().any(|(i, value)| {
        let falls = i >= SHORTEST_LEVEL && i + SHORTEST_LEVEL <= values.len() && {
            let (before, after) = (sum / i as f64, (total - sum) / (values.len() - i) as f64);
            after <= (1.0 + FALL) / 2.0 * before
        };
        sum += value;
        falls
    })
}

fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = ((sorted.len() - 1) as f64 * share).round() as usize;
    sorted.get(place).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::Normal;

    fn found(values: &[f64]) -> Option<Cliff> {
        Cliff::find(values, &mut ChangeFinder::new(0.001, 7))
    }

    /// Around 1,000 with such scatter, each value resembling the one before by so much.
    fn noise(seed: u64, n: usize, scatter: f64, resembles: f64) -> Vec<f64> {
        let mut normal = Normal::new(seed);
        let mut state = 0.0;
        let own = (1.0 - resembles * resembles).sqrt();
        let mut next = || {
            state = resembles * state + own * normal.draw();
            (1_000.0 * (1.0 + scatter * state)).max(0.0)
        };
        (0..n).map(|_| next()).collect()
    }

    #[test]
    fn a_fall_for_good_is_found_where_it_is() {
        let mut values = noise(1, 120, 0.1, 0.5);
        values[70..].iter_mut().for_each(|value| *value *= 0.5);
        let cliff = found(&values).expect("a fall by half");
        assert!(cliff.at.abs_diff(70) <= 1, "{cliff:?}");
        assert!((cliff.before / 1_000.0 - 1.0).abs() < 0.1, "{cliff:?}");
        assert!((cliff.after / 500.0 - 1.0).abs() < 0.1, "{cliff:?}");
    }

    #[test]
    fn what_comes_back_rises_or_slides_is_no_cliff() {
        let mut stalled = noise(2, 120, 0.05, 0.0);
        stalled[60..75].iter_mut().for_each(|value| *value *= 0.3);
        assert_eq!(found(&stalled), None, "a stall that ends");
        let mut risen = noise(3, 120, 0.05, 0.0);
        risen[60..].iter_mut().for_each(|value| *value *= 2.0);
        assert_eq!(found(&risen), None);
        let mut less = noise(4, 120, 0.02, 0.0);
        less[60..].iter_mut().for_each(|value| *value *= 0.9);
        assert_eq!(found(&less), None, "a tenth");
        assert_eq!(found(&[1_000.0; 120]), None);
        assert_eq!(found(&[1_000.0, 1.0]), None);
    }

    #[test]
    fn without_a_fall_one_is_found_less_often_than_in_one_of_a_hundred() {
        let mut wrong = 0;
        let all = [(0.05, 0.0), (0.3, 0.0), (0.1, 0.9), (0.3, 0.9)];
        for (scatter, resembles) in all {
            for seed in 0..100 {
                wrong += usize::from(found(&noise(seed, 120, scatter, resembles)).is_some());
            }
        }
        assert!(wrong <= 4, "{wrong} of 400");
    }
}
