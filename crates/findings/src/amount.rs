use serde::Serialize;
use stats::Estimate;
use std::cmp::Ordering;

/// Amounts that differ by less than this share of the larger are equal: sums of the same items in
/// another order differ in their last digits.
pub const SAME: f64 = 1e-9;

/// An amount of money, or a load, with where the true value lies.
///
/// What follows from a price list alone is exact: its interval has no width. What follows from
/// measurements has the ends that theirs lead to; with several of them all ends together, which
/// is wider than need be and never too narrow.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Amount {
    pub point: f64,
    /// Its ends, low and high; `None` where a measurement has no interval.
    pub interval: Option<(f64, f64)>,
}

impl Amount {
    /// An amount that rests on no measurement.
    pub fn exact(value: f64) -> Self {
        Self { point: value, interval: Some((value, value)) }
    }

    /// Whether it rests on no measurement.
    pub fn is_exact(&self) -> bool {
        self.interval == Some((self.point, self.point))
    }

    /// A measured figure.
    pub fn from_estimate(estimate: &Estimate) -> Self {
        let interval = estimate.interval.map(|interval| (interval.low, interval.high));
        Self { point: estimate.point, interval }
    }

    /// Which of two is less; `None` where their intervals overlap, or one has none.
    pub fn compare(&self, other: &Self) -> Option<Ordering> {
        let ((low, high), (other_low, other_high)) = self.interval.zip(other.interval)?;
        let is_less = |less: f64, more: f64| more - less > SAME * more.abs();
        if is_less(high, other_low) {
            Some(Ordering::Less)
        } else if is_less(other_high, low) {
            Some(Ordering::Greater)
        } else {
            (self.is_exact() && other.is_exact()).then_some(Ordering::Equal)
        }
    }

    /// A monotone function of it.
    pub fn map(self, f: impl Fn(f64) -> f64) -> Self {
        self.with(Self::exact(0.0), |value, _| f(value))
    }

    /// A function of two amounts that is monotone in each: its extremes lie at their ends.
    pub fn with(self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        let interval = self.interval.zip(other.interval).map(|(a, b)| {
            let corners = [f(a.0, b.0), f(a.0, b.1), f(a.1, b.0), f(a.1, b.1)];
            let low = corners.into_iter().fold(f64::INFINITY, f64::min);
            (low, corners.into_iter().fold(f64::NEG_INFINITY, f64::max))
        });
        Self { point: f(self.point, other.point), interval }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_follow_functions_that_rise_and_that_fall() {
        let measured = Amount { point: 4.0, interval: Some((2.0, 8.0)) };
        assert_eq!(measured.map(|x| 16.0 / x).interval, Some((2.0, 8.0)));
        let quotient =
            measured.with(Amount { point: 2.0, interval: Some((1.0, 4.0)) }, |a, b| a / b);
        assert_eq!((quotient.point, quotient.interval), (2.0, Some((0.5, 8.0))));
        assert!(Amount::exact(3.0).map(|x| 2.0 * x).is_exact());
    }

    #[test]
    fn what_a_single_measurement_leads_to_has_no_interval() {
        let single = Amount { point: 4.0, interval: None };
        let sum = single.with(Amount::exact(1.0), |a, b| a + b);
        assert_eq!((sum.point, sum.interval), (5.0, None));
    }
}
