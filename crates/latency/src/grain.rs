//! Which values an HDR histogram tells apart, without its counters.

/// The arithmetic of a histogram's counters: which values each of them counts. As HdrHistogram
/// defines it: counters go in buckets, each of which reaches twice as far as the one before at half
/// the resolution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grain {
    /// Binary digits that no value keeps.
    unit: u32,
    /// Binary digits of a place in one half of a bucket.
    half: u32,
}

impl Grain {
    /// `None` where no histogram can have such bounds.
    pub(crate) const fn new(lowest: u64, digits: u32) -> Option<Self> {
        if lowest == 0 || lowest > u64::MAX / 2 || digits > 5 {
            return None;
        }
        // Single units up to here keep that many digits.
        let largest = 2 * 10_u64.pow(digits);
        let (unit, whole) = (lowest.ilog2(), largest.next_power_of_two().ilog2());
        if unit + whole > 63 {
            return None;
        }
        Some(Self { unit, half: whole - 1 })
    }

    /// How many counters reach up to a value.
    pub(crate) fn counters(self, highest: u64) -> usize {
        // The first bucket has both halves.
        ((self.index(highest) >> self.half).max(1) + 1) << self.half
    }

    fn bucket(self, value: u64) -> u32 {
        let whole = self.unit + self.half + 1;
        (u64::BITS - value.leading_zeros()).saturating_sub(whole)
    }

    /// The counter of a value.
    pub(crate) fn index(self, value: u64) -> usize {
        let bucket = self.bucket(value);
        let place = (value >> (bucket + self.unit)) as usize;
        ((bucket as usize) << self.half) + place
    }

    /// The least value of a counter.
    pub(crate) fn lowest(self, index: usize) -> u64 {
        let bucket = (index >> self.half).saturating_sub(1);
        let place = (index - (bucket << self.half)) as u64;
        let shift = bucket as u32 + self.unit;
        if place.leading_zeros() < shift { u64::MAX } else { place << shift }
    }

    fn range(self, index: usize) -> u64 {
        let bucket = (index >> self.half).saturating_sub(1) as u32;
        1_u64.checked_shl(bucket + self.unit).unwrap_or(u64::MAX)
    }

    /// The largest value of a counter.
    pub(crate) fn highest(self, index: usize) -> u64 {
        self.lowest(index).saturating_add(self.range(index) - 1)
    }

    /// The middle of a counter's values, rounded up.
    pub(crate) fn middle(self, index: usize) -> u64 {
        self.lowest(index).saturating_add(self.range(index) / 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::Histogram;

    #[test]
    fn counters_are_those_of_the_library() {
        for (lowest, digits) in [(1, 0), (1, 2), (1, 3), (100, 2), (100, 3), (1_000, 5), (7, 1)] {
            let grain = Grain::new(lowest, digits.into()).unwrap();
            for exponent in 1..60 {
                for value in [0, 1, 3].map(|more| (1_u64 << exponent) + (more << exponent) / 7) {
                    let highest = value.max(2 * lowest);
                    let mut library =
                        Histogram::<u64>::new_with_bounds(lowest, highest, digits).unwrap();
                    let index = grain.index(value);
                    assert_eq!(grain.lowest(index), library.lowest_equivalent(value));
                    assert_eq!(grain.highest(index), library.highest_equivalent(value));
                    assert_eq!(grain.middle(index), library.median_equivalent(value));
                    assert_eq!(grain.counters(highest), library.distinct_values());
                    library.record(value).unwrap();
                    assert_eq!(grain.highest(index), library.max(), "{lowest} {digits} {value}");
                }
            }
        }
        assert_eq!(Grain::new(0, 3), None);
        assert_eq!(Grain::new(1, 6), None);
        assert_eq!(Grain::new(1 << 60, 3), None);
    }
}
