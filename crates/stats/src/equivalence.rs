use crate::Estimate;

/// What a ratio with its interval allows to say of numerator and denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// The numerator is larger: significantly (the whole interval lies above 1) and relevantly
    /// (the point lies beyond the margin).
    Larger,
    /// The numerator is smaller, likewise.
    Smaller,
    /// Whatever the ratio is, it lies within the margin.
    Equivalent,
    /// None of these can be said.
    Unresolved,
}

impl Estimate {
    /// Judges an estimate of a ratio against 1 with a relative margin, 0.03 being 3 %.
    ///
    /// *Equivalent* is tested by inclusion: the whole interval lies within 1/(1 + margin) to
    /// 1 + margin, ends included; the zone is symmetric on the logarithmic scale, so that it does
    /// not matter which of the two is the numerator. This is the two one-sided tests procedure
    /// (D. J. Schuirmann, *Journal of Pharmacokinetics and Biopharmaceutics* 15, 1987), which
    /// would be content with an interval of confidence 1 − 2α: with the same interval as for a
    /// difference, 95 % giving α = 2.5 %, it errs on the side of not claiming equivalence.
    /// A difference that is significant and yet surely within the margin is equivalence.
    ///
    /// An estimate without interval is unresolved; so is one that differs from 1 significantly,
    /// but by an amount of which one cannot say whether it matters.
    ///
    /// ```
    /// use stats::{Relation, paired_ratio};
    /// let relation =
    ///     |pairs: &[(f64, f64)]| paired_ratio(pairs, 0.0, 0.95).map(|ratio| ratio.relation(0.03));
    /// assert_eq!(relation(&[(100.0, 110.0); 3])?, Relation::Larger);
    /// assert_eq!(relation(&[(100.0, 99.0); 3])?, Relation::Equivalent);
    /// assert_eq!(relation(&[(100.0, 110.0)])?, Relation::Unresolved, "measured once");
    /// # Ok::<(), stats::SampleError>(())
    /// ```
    pub fn relation(&self, margin: f64) -> Relation {
        let Some(interval) = self.interval else { return Relation::Unresolved };
        let upper = 1.0 + margin;
        let lower = upper.recip();
        if interval.low >= lower && interval.high <= upper {
            Relation::Equivalent
        } else if interval.low > 1.0 && self.point >= upper {
            Relation::Larger
        } else if interval.high < 1.0 && self.point <= lower {
            Relation::Smaller
        } else {
            Relation::Unresolved
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Interval, IntervalMethod};

    fn relation(low: f64, point: f64, high: f64) -> Relation {
        let method = IntervalMethod::OrderStatistics;
        let interval = Some(Interval { low, high, confidence: 0.95, method });
        Estimate { point, interval, n: 6 }.relation(0.03)
    }

    #[test]
    fn a_relation_is_read_off_the_interval() {
        for (low, point, high, expected) in [
            (1.10, 1.20, 1.30, Relation::Larger),
            (0.70, 0.80, 0.90, Relation::Smaller),
            (0.99, 1.00, 1.01, Relation::Equivalent),
            (0.90, 1.20, 1.50, Relation::Unresolved),
            (0.95, 1.00, 1.05, Relation::Unresolved),
            // Significant, surely irrelevant.
            (1.01, 1.015, 1.02, Relation::Equivalent),
            // Significant, perhaps relevant.
            (1.005, 1.02, 1.05, Relation::Unresolved),
            (0.95, 0.98, 0.995, Relation::Unresolved),
            // Surely relevant, and only just.
            (1.031, 1.032, 1.033, Relation::Larger),
        ] {
            assert_eq!(relation(low, point, high), expected, "{low} {point} {high}");
        }
    }

    #[test]
    fn the_margin_is_symmetric_under_exchange() {
        for (low, point, high) in [(1.0 / 1.03, 1.0, 1.03), (1.01, 1.031, 1.2), (0.5, 0.6, 0.7)] {
            let there = relation(low, point, high);
            let back = relation(1.0 / high, 1.0 / point, 1.0 / low);
            let expected = match there {
                Relation::Larger => Relation::Smaller,
                Relation::Smaller => Relation::Larger,
                same => same,
            };
            assert_eq!(back, expected, "{low} {point} {high}");
        }
    }

    #[test]
    fn without_an_interval_nothing_is_said() {
        let single = Estimate { point: 5.0, interval: None, n: 1 };
        assert_eq!(single.relation(0.03), Relation::Unresolved);
    }
}
