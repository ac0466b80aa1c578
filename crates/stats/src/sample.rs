/// Values of one metric over the repeats of one cell: never empty, all finite, ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    sorted: Vec<f64>,
    rounding: f64,
}

/// Values that are not a [`Sample`].
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SampleError {
    /// There are no values.
    #[error("a sample needs at least one value")]
    Empty,
    /// A value is infinite or not a number.
    #[error("a sample holds finite values only, not {0}")]
    NotFinite(f64),
    /// A value that must be above zero is not.
    #[error("a ratio is taken of values above zero only, not of {0}")]
    NotPositive(f64),
}

impl Sample {
    /// A sample of these values, in any order.
    ///
    /// # Errors
    /// When there are none, or one is infinite or not a number.
    pub fn new(mut values: Vec<f64>) -> Result<Self, SampleError> {
        if values.is_empty() {
            return Err(SampleError::Empty);
        }
        if let Some(&bad) = values.iter().find(|value| !value.is_finite()) {
            return Err(SampleError::NotFinite(bad));
        }
        values.sort_by(f64::total_cmp);
        Ok(Self { sorted: values, rounding: 0.0 })
    }

    /// The same values, each known to differ from the true one by up to `relative` (0.01 is 1 %)
    /// because it was rounded or counted in whole events.
    ///
    /// Repeats that agree only because rounding hides how they differ would otherwise seem to be
    /// certain beyond measure; intervals become wider by this much at each end. Anything but a
    /// number above zero counts as zero; more than 1 counts as 1.
    ///
    /// ```
    /// use stats::{Estimate, Sample};
    /// let alike = Sample::new(vec![100.0; 6])?;
    /// let width = |sample: &Sample| {
    ///     let interval = Estimate::of_median(sample, 0.95).interval;
    ///     interval.map(|interval| interval.high - interval.low)
    /// };
    /// assert_eq!(width(&alike), Some(0.0));
    /// assert_eq!(width(&alike.with_rounding(0.01)), Some(2.0));
    /// # Ok::<(), stats::SampleError>(())
    /// ```
    pub fn with_rounding(mut self, relative: f64) -> Self {
        self.rounding = relative.clamp(0.0, 1.0);
        if self.rounding.is_nan() {
            self.rounding = 0.0;
        }
        self
    }

    /// How many values there are, at least one.
    #[expect(clippy::len_without_is_empty, reason = "a sample is never empty")]
    pub fn len(&self) -> usize {
        self.sorted.len()
    }

    /// The values in ascending order.
    pub fn sorted(&self) -> &[f64] {
        &self.sorted
    }

    /// The relative rounding given to [`Self::with_rounding`], else 0.
    pub fn rounding(&self) -> f64 {
        self.rounding
    }

    /// Smallest value.
    pub fn min(&self) -> f64 {
        self.sorted[0]
    }

    /// Largest value.
    pub fn max(&self) -> f64 {
        self.sorted[self.sorted.len() - 1]
    }

    /// The value in the middle, or the mean of the two in the middle.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The quantile at `p`, clamped to 0 to 1, linear between neighbours (type 7 of Hyndman and
    /// Fan, *Sample Quantiles in Statistical Packages*, 1996).
    ///
    /// ```
    /// // R: quantile(c(1, 2, 4, 8, 16), c(.1, .25, .9), type = 7)
    /// let sample = stats::Sample::new(vec![16.0, 8.0, 4.0, 2.0, 1.0])?;
    /// assert!((sample.quantile(0.1) - 1.4).abs() < 1e-12);
    /// assert_eq!(sample.quantile(0.25), 2.0);
    /// assert!((sample.quantile(0.9) - 12.8).abs() < 1e-12);
    /// # Ok::<(), stats::SampleError>(())
    /// ```
    pub fn quantile(&self, p: f64) -> f64 {
        let last = self.sorted.len() - 1;
        let place = p.clamp(0.0, 1.0) * last as f64;
        let below = (place.floor() as usize).min(last);
        let above = (below + 1).min(last);
        let share = place - below as f64;
        // Weights instead of a difference, which could overflow.
        let value = self.sorted[below] * (1.0 - share) + self.sorted[above] * share;
        value.clamp(self.sorted[below], self.sorted[above])
    }

    /// (max − min) ÷ median; `None` where the median is not above zero.
    ///
    /// ```
    /// let sample = stats::Sample::new(vec![90.0, 100.0, 120.0])?;
    /// assert_eq!(sample.relative_range(), Some(0.3));
    /// # Ok::<(), stats::SampleError>(())
    /// ```
    pub fn relative_range(&self) -> Option<f64> {
        let range = (self.max() - self.min()) / self.median();
        (self.median() > 0.0 && range.is_finite()).then_some(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(values: &[f64]) -> Sample {
        Sample::new(values.to_vec()).unwrap()
    }

    #[test]
    fn nothing_and_no_number_are_refused() {
        assert_eq!(Sample::new(vec![]), Err(SampleError::Empty));
        assert!(matches!(Sample::new(vec![1.0, f64::NAN]), Err(SampleError::NotFinite(_))));
        assert_eq!(Sample::new(vec![f64::INFINITY]), Err(SampleError::NotFinite(f64::INFINITY)));
    }

    #[test]
    fn the_median_is_the_middle_of_the_sorted_values() {
        assert_eq!(sample(&[9.0, 1.0, 5.0]).median(), 5.0);
        assert_eq!(sample(&[4.0, 1.0, 3.0, 2.0]).median(), 2.5);
        assert_eq!(sample(&[7.0]).median(), 7.0);
        assert_eq!(sample(&[f64::MAX, f64::MAX]).median(), f64::MAX);
    }

    #[test]
    fn quantiles_agree_with_a_published_definition() {
        // R: quantile(c(1, 2, 4, 8, 16), c(.1, .25, .9), type = 7)
        let sample = sample(&[16.0, 8.0, 4.0, 2.0, 1.0]);
        assert!((sample.quantile(0.1) - 1.4).abs() < 1e-12);
        assert_eq!(sample.quantile(0.25), 2.0);
        assert!((sample.quantile(0.9) - 12.8).abs() < 1e-12);
        assert_eq!((sample.quantile(-1.0), sample.quantile(7.0)), (1.0, 16.0));
    }

    #[test]
    fn the_relative_range_needs_a_median_above_zero() {
        assert_eq!(sample(&[90.0, 100.0, 120.0]).relative_range(), Some(0.3));
        assert_eq!(sample(&[-1.0, 0.0, 1.0]).relative_range(), None);
        assert_eq!(sample(&[5.0]).relative_range(), Some(0.0));
    }

    #[test]
    fn rounding_is_a_share() {
        for (given, kept) in [(0.01, 0.01), (-1.0, 0.0), (f64::NAN, 0.0), (7.0, 1.0)] {
            assert_eq!(sample(&[1.0]).with_rounding(given).rounding(), kept);
        }
    }
}
