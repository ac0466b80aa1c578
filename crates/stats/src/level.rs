use crate::trend;

/// Confidence of the interval that a trend must lie in.
const CONFIDENCE: f64 = 0.95;

/// Whether equally spaced values are level: if their trend went on for so many steps more, they would
/// change by no more than the tolerance in either direction, even at the ends of the 95 % interval that
/// Sen's slope has (see [`trend`]). So values that scatter too much to tell are not level, and neither are
/// few of them.
///
/// ```
/// let flat: Vec<f64> = (0..30).map(|i| 50.0 + f64::from(i % 3)).collect();
/// assert!(stats::is_level(&flat, 60.0, 10.0));
/// let rising: Vec<f64> = (0..30).map(|i| 50.0 + f64::from(i)).collect();
/// assert!(!stats::is_level(&rising, 60.0, 10.0));
/// assert!(!stats::is_level(&flat[..4], 60.0, 10.0));
/// ```
pub fn is_level(values: &[f64], steps: f64, tolerance: f64) -> bool {
    let interval = trend(values, CONFIDENCE).and_then(|trend| trend.interval);
    interval.is_some_and(|slope| slope.low * steps >= -tolerance && slope.high * steps <= tolerance)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noise whose neighbours are alike, as those of a server's counters are: a first-order process with
    /// that correlation and a standard deviation of 1.
    struct Noise {
        state: u64,
        last: f64,
    }

    impl Noise {
        const CORRELATION: f64 = 0.6;

        fn uniform(&mut self) -> f64 {
            self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.state >> 11) as f64 / (1u64 << 53) as f64
        }

        fn next(&mut self) -> f64 {
            // The sum of twelve has the variance 1.
            let fresh = (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0;
            let share = (1.0 - Self::CORRELATION * Self::CORRELATION).sqrt();
            self.last = Self::CORRELATION * self.last + share * fresh;
            self.last
        }
    }

    /// In how many of 1,000 courses of `n` values about a line with that change over the horizon, twice
    /// as long as they are, these are called level. Everything in per cent of a limit.
    fn called_level(n: u32, change: f64, deviation: f64) -> usize {
        let steps = f64::from(2 * n);
        let is_level = |seed: &u64| {
            let mut noise = Noise { state: seed * 7919 + 13, last: 0.0 };
            let value = |i| change * f64::from(i) / steps + deviation * noise.next();
            is_level(&(0..n).map(value).collect::<Vec<f64>>(), steps, 10.0)
        };
        (0..1000u64).filter(is_level).count()
    }

    #[test]
    fn what_is_level_is_found_to_be() {
        assert!(called_level(30, 0.0, 1.0) > 980, "{}", called_level(30, 0.0, 1.0));
        assert!(called_level(15, 0.0, 0.5) > 980, "{}", called_level(15, 0.0, 0.5));
    }

    #[test]
    fn what_grows_or_falls_by_more_than_the_tolerance_is_not() {
        for change in [20.0, -20.0] {
            for deviation in [0.1, 1.0, 3.0] {
                let called = called_level(30, change, deviation);
                assert!(called < 25, "{change} {deviation}: {called}");
            }
        }
        // At the tolerance itself about as often as the interval is wrong on one side.
        let called = called_level(30, 10.0, 0.5);
        assert!(called < 130, "{called}");
    }

    #[test]
    fn what_scatters_too_much_to_tell_is_not() {
        assert!(called_level(30, 0.0, 20.0) < 25);
    }
}
