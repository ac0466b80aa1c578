use serde::Serialize;

/// A figure and the bounds that its printed digits leave for the true value.
///
/// All arithmetic here is interval arithmetic on figures that are not negative: whatever the true
/// inputs are within their bounds, the true result is within the bounds of the result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Range {
    /// What follows from the figures exactly as printed.
    pub nominal: f64,
    /// The least that it can be; written as null in JSON where there is no such bound.
    pub low: f64,
    /// The most that it can be; written as null in JSON where there is no such bound.
    pub high: f64,
}

/// Relative error of the arithmetic itself, far below that of anything printed.
const ARITHMETIC: f64 = 1e-9;

impl Range {
    /// A number that is known exactly.
    pub fn exact(value: f64) -> Self {
        Self { nominal: value, low: value, high: value }
    }

    /// A number that may be off by `resolution` to either side, and is not negative.
    pub fn around(value: f64, resolution: f64) -> Self {
        let low = (value - resolution).max(value.min(0.0));
        Self { nominal: value, low, high: value + resolution }
    }

    /// Anything from `bound` up.
    pub fn at_least(bound: Self) -> Self {
        Self { high: f64::INFINITY, ..bound }
    }

    /// Anything up to `bound`.
    pub fn at_most(bound: Self) -> Self {
        Self { low: f64::NEG_INFINITY, ..bound }
    }

    /// Multiplied by an exact factor above 0.
    pub fn scaled(self, factor: f64) -> Self {
        let Self { nominal, low, high } = self;
        Self { nominal: nominal * factor, low: low * factor, high: high * factor }
    }

    /// With its bounds at least so far from the nominal value, in its unit.
    pub fn widened(self, resolution: f64) -> Self {
        let wide = Self::around(self.nominal, resolution);
        Self { low: self.low.min(wide.low), high: self.high.max(wide.high), ..self }
    }

    /// The quotient; `None` where the divisor may be 0.
    pub fn over(self, divisor: Self) -> Option<Self> {
        (divisor.low > 0.0).then(|| Self {
            nominal: self.nominal / divisor.nominal,
            low: self.low / divisor.high,
            high: self.high / divisor.low,
        })
    }

    /// Whether some value lies within both.
    pub fn meets(self, other: Self) -> bool {
        let slack = |bound: f64| bound.abs() * ARITHMETIC;
        self.low <= other.high + slack(other.high) && other.low <= self.high + slack(self.high)
    }
}

impl std::ops::Mul for Range {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self {
            nominal: self.nominal * other.nominal,
            low: self.low * other.low,
            high: self.high * other.high,
        }
    }
}

impl std::ops::Add for Range {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            nominal: self.nominal + other.nominal,
            low: self.low + other.low,
            high: self.high + other.high,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_hold_whatever_the_true_inputs_are() {
        let (count, time) = (Range::around(100.0, 1.0), Range::around(10.0, 0.5));
        let rate = count.over(time).unwrap();
        assert_eq!((rate.nominal, rate.low, rate.high), (10.0, 99.0 / 10.5, 101.0 / 9.5));
        let back = rate * time;
        assert!(back.low <= 99.0 && back.high >= 101.0);
        assert!(count.over(Range::around(0.2, 0.5)).is_none());
    }

    #[test]
    fn ranges_meet_at_their_ends_and_not_beyond() {
        let five = Range::around(5.0, 1.0);
        assert!(five.meets(Range::exact(6.0)) && !five.meets(Range::exact(6.001)));
        assert!(Range::at_least(five).meets(Range::exact(1e9)));
        assert!(!Range::at_most(five).meets(Range::exact(6.1)));
    }
}
