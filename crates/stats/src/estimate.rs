use crate::interval::{Bounds, order_statistics, student};
use crate::{Centre, Sample, Scatter};
use serde::Serialize;

/// A number with what is known of its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The median of the sample; of a ratio the geometric mean of the pairs.
    pub point: f64,
    /// Where the true value lies; `None` for a single measurement, which says nothing of it, or
    /// when what there is allows no statement.
    pub interval: Option<Interval>,
    /// Values that it rests on.
    pub n: usize,
}

/// Where a true value lies, with what confidence, and why.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Confidence that the method really reaches, in (0, 1); at least what was asked for.
    pub confidence: f64,
    /// How it was found.
    pub method: IntervalMethod,
}

/// How an interval was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum IntervalMethod {
    /// Order statistics: assumes nothing of the distribution, needs six values for 95 %.
    OrderStatistics,
    /// Student's t on logarithms: assumes that repeats scatter log-normally. Used below the
    /// number of values that order statistics need.
    StudentLog,
    /// The same, with a scatter that is learned from all samples of the kind ([`crate::Scatter`]).
    BorrowedScatter,
    /// Percentiles of a bootstrap over the repeats ([`crate::Bootstrap`]), for what is computed
    /// from several figures: assumes that the repeats of each scatter log-normally.
    Bootstrap,
    /// Student's t on a ratio of means ([`crate::part_of`]).
    RatioOfMeans,
}

impl Estimate {
    /// The median of a sample with its interval: order statistics where there are enough values
    /// ([`crate::values_needed`] of ½), else Student's t on logarithms where all values are above
    /// zero, else none. `confidence` lies in (0, 1); outside it there is no interval either.
    ///
    /// The point always lies within the interval. For order statistics that is plain. For
    /// Student's t: mean and median differ by at most σ = s√((n−1)/n), and t·s/√n is larger than
    /// that for every n and confidence for which order statistics do not suffice.
    ///
    /// ```
    /// use stats::{Estimate, IntervalMethod, Sample};
    /// // Six values lie on one side of the median once in 2⁵ times.
    /// let six = Sample::new(vec![6.0, 5.0, 4.0, 3.0, 2.0, 1.0])?;
    /// let interval = Estimate::of_median(&six, 0.95).interval.expect("six are enough");
    /// assert_eq!((interval.low, interval.high), (1.0, 6.0));
    /// assert!((interval.confidence - 0.96875).abs() < 1e-12);
    ///
    /// // Fewer take Student's t: ln 1, ln 10 and ln 100 have s = ln 10, and t(0.975, 2) is 4.302653.
    /// let three = Sample::new(vec![1.0, 10.0, 100.0])?;
    /// let interval = Estimate::of_median(&three, 0.95).interval.expect("all are above zero");
    /// assert_eq!(interval.method, IntervalMethod::StudentLog);
    /// assert!((interval.high.log10() - (1.0 + 4.302_653 / 3.0_f64.sqrt())).abs() < 1e-6);
    /// # Ok::<(), stats::SampleError>(())
    /// ```
    pub fn of_median(sample: &Sample, confidence: f64) -> Self {
        let point = sample.median();
        let sorted = sample.sorted();
        let interval = match order_statistics(sorted, confidence) {
            Some(bounds) => {
                let widened = |end: f64, sign: f64| end + sign * end.abs() * sample.rounding();
                Interval::around(
                    point,
                    Bounds {
                        low: widened(bounds.low, -1.0),
                        high: widened(bounds.high, 1.0),
                        ..bounds
                    },
                    IntervalMethod::OrderStatistics,
                )
            }
            None if sample.min() > 0.0 => {
                let logs: Vec<f64> = sorted.iter().map(|value| value.ln()).collect();
                student(&logs, confidence).and_then(|bounds| {
                    Interval::from_logs(
                        point,
                        bounds,
                        sample.rounding(),
                        IntervalMethod::StudentLog,
                    )
                })
            }
            None => None,
        };
        Self { point, interval, n: sample.len() }
    }

    /// The median of a sample whose logarithms scatter as others do, with the interval that follows
    /// ([`Scatter`]). Of one value, or where not all are above zero, as [`Self::of_median`].
    pub fn of_median_among(sample: &Sample, confidence: f64, scatter: &Scatter) -> Self {
        if sample.len() < 2 || sample.min() <= 0.0 {
            return Self::of_median(sample, confidence);
        }
        let (point, n) = (sample.median(), sample.len());
        let logs: Vec<f64> = sample.sorted().iter().map(|value| value.ln()).collect();
        let interval = Centre::from_values(&logs, Some(scatter)).and_then(|centre| {
            let bounds = centre.bounds(confidence)?;
            let method = IntervalMethod::BorrowedScatter;
            Interval::from_logs(point, bounds, sample.rounding(), method)
        });
        Self { point, interval, n }
    }

    /// Where one further value of the sample would lie, with that confidence: the prediction interval
    /// of Student's t on logarithms, by the same scatter. `None` for fewer than two values, and where
    /// not all are above zero.
    ///
    /// ```
    /// use stats::{Estimate, Sample};
    /// // ln 1, ln 10 and ln 100: t(0.975, 2) · ln 10 · √(1 + 1/3) around ln 10.
    /// let three = Sample::new(vec![1.0, 10.0, 100.0])?;
    /// let next = Estimate::of_next(&three, 0.95, None).expect("all are above zero");
    /// assert!((next.high.log10() - (1.0 + 4.302_653 * (4.0_f64 / 3.0).sqrt())).abs() < 1e-5);
    /// # Ok::<(), stats::SampleError>(())
    /// ```
    pub fn of_next(
        sample: &Sample,
        confidence: f64,
        scatter: Option<&Scatter>,
    ) -> Option<Interval> {
        if sample.min() <= 0.0 {
            return None;
        }
        let logs: Vec<f64> = sample.sorted().iter().map(|value| value.ln()).collect();
        let centre = Centre::from_values(&logs, scatter)?.next();
        let method = if centre.is_alone() {
            IntervalMethod::StudentLog
        } else {
            IntervalMethod::BorrowedScatter
        };
        let bounds = centre.bounds(confidence)?;
        Interval::from_logs(centre.value.exp(), bounds, sample.rounding(), method)
    }

    /// The same interval about another point of the sample, such as its geometric mean: an end gives way
    /// to a point outside.
    #[must_use]
    pub fn about(&self, point: f64) -> Self {
        let around = |interval: Interval| Interval {
            low: interval.low.min(point),
            high: interval.high.max(point),
            ..interval
        };
        Self { point, interval: self.interval.map(around), n: self.n }
    }

    /// The same statement about an increasing function of the quantity; an interval with an end
    /// that is no number is lost.
    pub fn map(&self, increasing: impl Fn(f64) -> f64) -> Self {
        let point = increasing(self.point);
        let interval = self.interval.and_then(|interval| {
            let bounds = Bounds {
                low: increasing(interval.low),
                high: increasing(interval.high),
                confidence: interval.confidence,
            };
            Interval::around(point, bounds, interval.method)
        });
        Self { point, interval, n: self.n }
    }

    /// The same statement about the reciprocal: that a ÷ b is 2 says that b ÷ a is ½. For
    /// estimates of positive quantities, such as ratios; a non-positive end is lost.
    ///
    /// ```
    /// let there = stats::paired_ratio(&[(1.0, 2.0); 3], 0.0, 0.95)?;
    /// assert!((there.point - 2.0).abs() < 1e-12);
    /// assert!((there.reciprocal().point - 0.5).abs() < 1e-12);
    /// # Ok::<(), stats::SampleError>(())
    /// ```
    pub fn reciprocal(&self) -> Self {
        let interval = self.interval.and_then(|interval| {
            let bounds = Bounds {
                low: interval.high.recip(),
                high: interval.low.recip(),
                confidence: interval.confidence,
            };
            Interval::around(self.point.recip(), bounds, interval.method)
        });
        Self { point: self.point.recip(), interval, n: self.n }
    }
}

impl Interval {
    /// Between `bounds`; `None` where an end is beyond what a number can hold. The ends give way
    /// to `point` where rounding errors in the last digit put it outside.
    pub(crate) fn around(point: f64, bounds: Bounds, method: IntervalMethod) -> Option<Self> {
        let (low, high) = (bounds.low.min(point), bounds.high.max(point));
        (low.is_finite() && high.is_finite()).then_some(Self {
            low,
            high,
            confidence: bounds.confidence,
            method,
        })
    }

    /// Between the exponentials of `bounds`, each end wider by the relative `rounding`; `None`
    /// where an end is beyond what a number can hold.
    pub(crate) fn from_logs(
        point: f64,
        bounds: Bounds,
        rounding: f64,
        method: IntervalMethod,
    ) -> Option<Self> {
        let low = (bounds.low - rounding).exp();
        let high = (bounds.high + rounding).exp();
        let positive = low > 0.0;
        positive.then(|| Self::around(point, Bounds { low, high, ..bounds }, method)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn estimate(values: &[f64]) -> Estimate {
        Estimate::of_median(&Sample::new(values.to_vec()).unwrap(), 0.95)
    }

    #[test]
    fn one_value_has_no_interval() {
        assert_eq!(estimate(&[5.0]), Estimate { point: 5.0, interval: None, n: 1 });
    }

    #[test]
    fn three_values_use_student_on_logarithms() {
        // ln: 0, 1, 2: mean 1, s = 1, so e^(1 ± 2.484138).
        let e = std::f64::consts::E;
        let estimate = estimate(&[1.0, e, e * e]);
        let interval = estimate.interval.unwrap();
        assert!((estimate.point - e).abs() < 1e-12);
        assert_eq!(interval.method, IntervalMethod::StudentLog);
        assert!((interval.low.ln() + 1.484_137_7).abs() < 1e-6);
        assert!((interval.high.ln() - 3.484_137_7).abs() < 1e-6);
    }

    #[test]
    fn a_few_values_that_are_not_positive_have_no_interval() {
        assert_eq!(estimate(&[0.0, 1.0, 2.0]).interval, None);
        assert!(estimate(&[-3.0, -2.0, -1.0, 0.0, 1.0, 2.0]).interval.is_some());
    }

    #[test]
    fn rounding_widens_both_kinds_of_interval() {
        for n in [3, 6] {
            let sample = Sample::new(vec![100.0; n]).unwrap();
            let exact = Estimate::of_median(&sample, 0.95).interval.unwrap();
            assert!((exact.high - exact.low) < 1e-9);
            let rounded = Estimate::of_median(&sample.with_rounding(0.1), 0.95).interval.unwrap();
            assert!(rounded.low < 91.0 && rounded.high > 109.0, "{rounded:?}");
        }
    }

    #[test]
    fn a_reciprocal_turns_the_ends_round() {
        let there = estimate(&[1.0, 2.0, 4.0]);
        let back = there.reciprocal();
        let (a, b) = (there.interval.unwrap(), back.interval.unwrap());
        assert_eq!((back.point, back.n), (0.5, 3));
        assert!((b.low * a.high - 1.0).abs() < 1e-12 && (b.high * a.low - 1.0).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn the_point_lies_within_a_finite_interval(
            values in prop::collection::vec(1e-9..1e9_f64, 1..40),
            confidence in 0.01..0.9999_f64,
        ) {
            let n = values.len();
            let estimate = Estimate::of_median(&Sample::new(values).unwrap(), confidence);
            prop_assert_eq!(estimate.n, n);
            if let Some(interval) = estimate.interval {
                prop_assert!(interval.low.is_finite() && interval.high.is_finite());
                prop_assert!(interval.low <= estimate.point && estimate.point <= interval.high);
                prop_assert!(interval.confidence >= confidence);
                prop_assert!(n > 1);
            }
        }

        #[test]
        fn more_confidence_never_gives_a_narrower_interval(
            values in prop::collection::vec(0.1..10.0_f64, 6..30),
        ) {
            let sample = Sample::new(values).unwrap();
            let width = |confidence| {
                let interval = Estimate::of_median(&sample, confidence).interval.unwrap();
                interval.high - interval.low
            };
            prop_assert!(width(0.5) <= width(0.8));
            prop_assert!(width(0.8) <= width(0.95));
        }
    }
}
