//! The figures beside a ratio: those that give it.

use crate::cell::series::Series;
use serde::Serialize;
use stats::Sample;

/// The two figures that a ratio is of, in the unit of its metric: candidate ÷ baseline is the ratio.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Means {
    pub baseline: f64,
    pub candidate: f64,
}

impl Means {
    /// Those with the same geometric middle that give a ratio.
    pub(crate) fn giving(self, ratio: f64) -> Self {
        let (middle, half) = ((self.baseline * self.candidate).sqrt(), ratio.sqrt());
        Self { baseline: middle / half, candidate: middle * half }
    }
}

impl Series {
    /// The figures that a ratio self ÷ base is of: geometric means over the repeats that it rests on.
    ///
    /// Each has outliers as far off as they count, over the pairs, or all values where those without a
    /// partner go into the ratio too. A ratio clips the differences of pairs and weighs what has no
    /// partner, so it may differ from the quotient of these; that difference is shared between both
    /// alike, as no target is favoured.
    pub(crate) fn means(&self, base: &Self, ratio: f64) -> Means {
        let pairs = if self.is_apart() { Vec::new() } else { self.pairs_with(base) };
        let weighs_all = self.weighs_all() || base.weighs_all();
        let (bases, own): (Vec<f64>, Vec<f64>) = match pairs.len() {
            2.. if !weighs_all => pairs.into_iter().unzip(),
            _ => (base.counted_values().collect(), self.counted_values().collect()),
        };
        // One value and several have the ratio of their medians.
        let is_alone = bases.len() < 2 || own.len() < 2;
        let mean = |values: Vec<f64>| match is_alone {
            true => Sample::new(values).map_or(0.0, |sample| sample.median()),
            false => {
                let logs: f64 = values.iter().map(|value| value.ln()).sum();
                (logs / values.len() as f64).exp()
            }
        };
        Means { baseline: mean(bases), candidate: mean(own) }.giving(ratio)
    }
}
