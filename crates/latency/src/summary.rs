//! What is asked for of a distribution again and again.

use crate::contents::GRAIN;

/// Percentiles that are kept once anything was asked for, ascending.
pub(crate) const KEPT: [f64; 4] = [50.0, 95.0, 99.0, 99.9];

/// Found in one walk through all counters, in nanoseconds. An analysis and its checks ask for all of it.
#[derive(Clone, Debug)]
pub(crate) struct Summary {
    pub(crate) mean: f64,
    pub(crate) least: u64,
    pub(crate) most: u64,
    /// In the order of [`KEPT`].
    pub(crate) percentiles: [u64; KEPT.len()],
}

impl Summary {
    /// Of so many values, by counter, ascending.
    pub(crate) fn from_counts(values: u64, counts: impl Iterator<Item = (usize, u64)>) -> Self {
        let all = values as f64;
        let wanted = KEPT.map(|percentile| ((percentile / 100.0 * all).ceil() as u64).max(1));
        let (mut mean, mut percentiles) = (0.0, [0; KEPT.len()]);
        let (mut reached, mut found) = (0_u64, 0);
        let mut ends: Option<(usize, usize)> = None;
        for (index, count) in counts {
            ends = Some((ends.map_or(index, |(first, _)| first), index));
            mean += GRAIN.middle(index) as f64 * count as f64 / all;
            reached = reached.saturating_add(count);
            while wanted.get(found).is_some_and(|wanted| reached >= *wanted) {
                percentiles[found] = GRAIN.highest(index);
                found += 1;
            }
        }
        let (least, most) =
            ends.map_or((0, 0), |(first, last)| (GRAIN.lowest(first), GRAIN.highest(last)));
        percentiles[found..].fill(most);
        Self { mean, least, most, percentiles }
    }
}
