use crate::{Level, LevelUnit};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Levels that a test places itself: a coarse pass over the whole range, then halving where it
/// matters.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LevelPlacement {
    /// The lowest level, at least 1.
    pub from: u32,
    /// The highest, above `from`.
    pub to: u32,
    /// A level of the first pass ÷ the one before it, above 1.
    pub step: f64,
    /// Neighbouring levels this far apart, as a ratio above 1, are close enough.
    pub resolution: f64,
    /// The most levels, at least as many as the first pass has.
    pub most: u32,
}

impl LevelPlacement {
    /// How far the levels of a first pass are apart where a study does not say.
    pub const STEP: f64 = 4.0;
    /// How close levels get where a study does not say.
    pub const RESOLUTION: f64 = 1.25;

    /// The levels of the first pass, ascending: evenly spaced on a logarithmic scale, at most a
    /// step apart, both ends included.
    pub fn first_pass(&self) -> Vec<u32> {
        let (from, to) = (f64::from(self.from), f64::from(self.to));
        // A step that divides the range exactly may seem not to, by rounding.
        let steps = ((to / from).ln() / self.step.ln() - 1e-9).ceil().max(1.0);
        let level = |place: f64| (from * (to / from).powf(place / steps)).round() as u32;
        let places = (0..=steps as u32).map(f64::from);
        let levels: BTreeSet<u32> = places.map(level).collect();
        levels.into_iter().collect()
    }

    /// The level half-way between two on a logarithmic scale; `None` where they are close enough.
    pub fn between(&self, low: u32, high: u32) -> Option<u32> {
        let (low, high) = (low.min(high), low.max(high));
        let wide = f64::from(high) > f64::from(low) * self.resolution;
        let middle = (f64::from(low) * f64::from(high)).sqrt().round() as u32;
        // Two that differ by one have none between them.
        (wide && low < middle && middle < high).then_some(middle)
    }

    /// The levels of a sweep over all of the range, as close as these get where they matter.
    pub fn sweep(&self) -> Vec<u32> {
        let mut levels = self.first_pass();
        loop {
            let middles = levels.windows(2).filter_map(|pair| self.between(pair[0], pair[1]));
            let middles: Vec<u32> = middles.collect();
            if middles.is_empty() {
                return levels;
            }
            levels.extend(middles);
            levels.sort_unstable();
        }
    }

    /// The most levels where a study does not say: half of those of a sweep.
    pub fn half_of_sweep(&self) -> u32 {
        let first = self.first_pass().len();
        (self.sweep().len() / 2).max(first) as u32
    }

    /// How many levels there can be.
    pub fn most_levels(&self) -> usize {
        self.sweep().len().min(self.most as usize)
    }

    /// Whether it is a level that this may place.
    pub(crate) fn holds(&self, level: Level, unit: LevelUnit) -> bool {
        let Level { clients, rate, search, unit: own } = level;
        (self.from..=self.to).contains(&clients) && (rate, search, own) == (None, None, unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placement(from: u32, to: u32, step: f64, resolution: f64) -> LevelPlacement {
        LevelPlacement { from, to, step, resolution, most: 16 }
    }

    #[test]
    fn a_first_pass_has_both_ends_and_no_longer_steps() {
        assert_eq!(placement(1, 256, 4.0, 1.25).first_pass(), [1, 4, 16, 64, 256]);
        assert_eq!(placement(1, 128, 4.0, 1.25).first_pass(), [1, 3, 11, 38, 128]);
        assert_eq!(placement(3, 4, 4.0, 1.25).first_pass(), [3, 4]);
        assert_eq!(placement(1, 2, 1.01, 1.01).first_pass(), [1, 2]);
    }

    #[test]
    fn halving_ends_at_the_resolution_and_between_whole_numbers() {
        let placement = placement(1, 256, 4.0, 1.25);
        assert_eq!(placement.between(16, 64), Some(32));
        assert_eq!(placement.between(64, 16), Some(32));
        assert_eq!(placement.between(32, 39), None);
        assert_eq!(placement.between(1, 2), None);
        assert_eq!(placement.between(2, 4), Some(3));
        let sweep = placement.sweep();
        let close = |pair: &[u32]| placement.between(pair[0], pair[1]).is_none();
        assert!(sweep.windows(2).all(|pair| pair[0] < pair[1] && close(pair)), "{sweep:?}");
    }
}
