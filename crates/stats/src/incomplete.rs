//! Two targets of which some repeats lack one: what pairs say, and what the others add to it.
//!
//! A mixed model (F. Yates, *Annals of Eugenics* 10, 1940, on the recovery of inter-block
//! information): a value is that of its target, plus what its block shares, plus its own scatter.
//! Pairs say the difference free of what blocks share. Values without a partner say it as well, the
//! better the less blocks share.

/// How much of the variance of a value its block shares, from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SharedVariance(f64);

/// The highest share that is told from all: beyond it single values say nothing.
const HIGHEST: f64 = 0.99;

impl SharedVariance {
    /// The share, from 0 to 1.
    pub fn share(&self) -> f64 {
        self.0
    }

    /// From pairs of logarithms by cell: the correlation of partners, plus one standard error of its
    /// Fisher transform, since too low a share would promise too much. `independent` is the share
    /// of the pairs that says nothing twice, in (0, 1]. All of it where nothing is known.
    pub fn from_cells(cells: &[Vec<(f64, f64)>], independent: f64) -> Self {
        let Partnership { correlation, freedom, .. } = Partnership::from_cells(cells);
        let freedom = freedom * independent.clamp(0.0, 1.0);
        if !correlation.is_finite() || freedom <= 1.0 {
            return Self(1.0);
        }
        let raised = correlation.clamp(-HIGHEST, HIGHEST).atanh() + (freedom - 1.0).sqrt().recip();
        Self(raised.tanh().clamp(0.0, 1.0))
    }
}

/// What the partners of pairs have in common.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct InCommon {
    /// Of their variance at least this share, 39 times in 40.
    pub share: f64,
    /// Its standard deviation.
    pub deviation: f64,
}

impl InCommon {
    /// From pairs of logarithms as [`SharedVariance::from_cells`]; nothing where that is not known.
    pub fn from_cells(cells: &[Vec<(f64, f64)>], independent: f64) -> Self {
        let Partnership { correlation, covariance, freedom } = Partnership::from_cells(cells);
        let freedom = freedom * independent.clamp(0.0, 1.0);
        if !correlation.is_finite() || freedom <= 1.0 || covariance <= 0.0 {
            return Self::default();
        }
        let error = 1.96 * (freedom - 1.0).sqrt().recip();
        let share = (correlation.min(HIGHEST).atanh() - error).tanh().max(0.0);
        Self { share, deviation: covariance.sqrt() }
    }
}

/// How partners vary together, within their cells.
struct Partnership {
    /// Not a number where nothing scatters.
    correlation: f64,
    covariance: f64,
    /// Degrees of freedom.
    freedom: f64,
}

impl Partnership {
    fn from_cells(cells: &[Vec<(f64, f64)>]) -> Self {
        let (mut both, mut a_squared, mut b_squared, mut freedom) = (0.0, 0.0, 0.0, 0.0);
        for pairs in cells.iter().filter(|pairs| pairs.len() > 1) {
            let n = pairs.len() as f64;
            let mean_a = pairs.iter().map(|pair| pair.0).sum::<f64>() / n;
            let mean_b = pairs.iter().map(|pair| pair.1).sum::<f64>() / n;
            for (a, b) in pairs {
                both += (a - mean_a) * (b - mean_b);
                a_squared += (a - mean_a).powi(2);
                b_squared += (b - mean_b).powi(2);
            }
            freedom += n - 1.0;
        }
        let correlation = 2.0 * both / (a_squared + b_squared);
        Self { correlation, covariance: both / freedom, freedom }
    }
}

/// The logarithms of two targets, by what the repeats have.
#[derive(Clone, Debug, Default)]
pub(crate) struct Partners {
    /// Base and candidate of the repeats that have both.
    pub(crate) pairs: Vec<(f64, f64)>,
    pub(crate) base_alone: Vec<f64>,
    pub(crate) candidate_alone: Vec<f64>,
}

/// What values without a partner say of the difference candidate − base.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct BetweenBlocks {
    pub(crate) difference: f64,
    /// As many pairs would say as much.
    pub(crate) worth: f64,
}

/// Weighted least squares on what does not lie within pairs: the values without a partner, and the
/// means of the pairs, which tell a side that has none where it stands. `None` where that tells
/// nothing.
pub(crate) fn between_blocks(partners: &Partners, shared: SharedVariance) -> Option<BetweenBlocks> {
    if shared.0 >= HIGHEST {
        return None;
    }
    // In units of a value's own variance.
    let block = shared.0 / (1.0 - shared.0);
    let of = |values: &[f64], variance: f64| {
        let n = values.len() as f64;
        let mean = if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / n };
        (mean, n / variance)
    };
    let middles: Vec<f64> = partners.pairs.iter().map(|&(a, b)| f64::midpoint(a, b)).collect();
    let (base, base_weight) = of(&partners.base_alone, 1.0 + block);
    let (candidate, candidate_weight) = of(&partners.candidate_alone, 1.0 + block);
    let (middle, middle_weight) = of(&middles, 0.5 + block);
    // Normal equations of the middle m and the difference d: base is m − d/2, candidate m + d/2.
    let both = base_weight + candidate_weight + middle_weight;
    let across = (candidate_weight - base_weight) / 2.0;
    let own = (candidate_weight + base_weight) / 4.0;
    let information = own - across.powi(2) / both;
    if !(information > 0.0 && information.is_finite()) {
        return None;
    }
    let sum = base_weight * base + candidate_weight * candidate + middle_weight * middle;
    let difference = (candidate_weight * candidate - base_weight * base) / 2.0;
    // A pair says the difference with variance 2.
    Some(BetweenBlocks {
        difference: (difference - across * sum / both) / information,
        worth: 2.0 * information,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partners() -> Partners {
        Partners {
            pairs: vec![(1.0, 2.1), (1.2, 2.0), (0.9, 1.9)],
            base_alone: vec![0.8, 1.1],
            candidate_alone: vec![2.2],
        }
    }

    #[test]
    fn without_shared_variance_all_values_count_alike() {
        let found = between_blocks(&partners(), SharedVariance(0.0)).unwrap();
        let within = (2.1 - 1.0 + 2.0 - 1.2 + 1.9 - 0.9) / 3.0;
        let n = 3.0 + found.worth;
        let all = (3.0 * within + found.worth * found.difference) / n;
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let expected = mean(&[2.1, 2.0, 1.9, 2.2]) - mean(&[1.0, 1.2, 0.9, 0.8, 1.1]);
        assert!((all - expected).abs() < 1e-12);
        // 2 ÷ n is the variance of a difference of means of four and five.
        assert!((2.0 / n - (0.25 + 0.2)).abs() < 1e-12);
    }

    #[test]
    fn what_blocks_share_makes_single_values_worth_less() {
        let worth = |share| between_blocks(&partners(), SharedVariance(share)).map(|b| b.worth);
        let worths: Vec<f64> = [0.0, 0.3, 0.6, 0.9].map(|share| worth(share).unwrap()).to_vec();
        assert!(worths.windows(2).all(|two| two[1] < two[0]), "{worths:?}");
        assert_eq!(worth(1.0), None);
        let whole = Partners { base_alone: vec![], candidate_alone: vec![], ..partners() };
        assert_eq!(between_blocks(&whole, SharedVariance(0.0)), None);
    }

    #[test]
    fn the_share_is_the_correlation_of_partners_and_a_little_more() {
        let alike: Vec<Vec<(f64, f64)>> = (0..40)
            .map(|i| (0..5).map(|k| (f64::from((i * k) % 7), f64::from((i * k) % 7))).collect())
            .collect();
        assert!(SharedVariance::from_cells(&alike, 1.0).0 > 0.98);
        let apart: Vec<Vec<(f64, f64)>> = (0..400)
            .map(|i| {
                (0..5)
                    .map(|k| (f64::from((i * 3 + k * 5) % 7), f64::from((i * 5 + k) % 11)))
                    .collect()
            })
            .collect();
        let share = SharedVariance::from_cells(&apart, 1.0).0;
        assert!(share < 0.15, "{share}");
        assert_eq!(SharedVariance::from_cells(&[], 1.0), SharedVariance(1.0));
        assert_eq!(
            SharedVariance::from_cells(&[vec![(1.0, 1.0), (1.0, 1.0)]], 1.0),
            SharedVariance(1.0)
        );
    }
}
