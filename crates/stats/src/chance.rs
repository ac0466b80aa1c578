//! How likely further repeats are to resolve a comparison.

use crate::Ratio;
use crate::p_value::normal_score;
use statrs::distribution::{ContinuousCDF, Normal};

/// Of an interval of one standard error.
const TWO_TAILS: f64 = 0.3173;
/// Fewer other ratios than this say nothing of how ratios differ from one another.
const MIN_OTHERS: usize = 2;

/// Where the logarithm of a ratio lies by what is known of others of its kind, before its own values
/// are looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    mean: f64,
    variance: f64,
}

impl Expected {
    /// For each of several ratios, such as those of one pair of targets at each level, what the others
    /// say: the mean of a model with random effects, and what it is not known by, their scatter from
    /// one to the other included (R. DerSimonian and N. Laird, *Meta-analysis in clinical trials*,
    /// Controlled Clinical Trials 7, 1986). `None` where fewer than two others have an interval.
    ///
    /// It serves to plan, and never to judge: no ratio is shown or tested anywhere else than where its
    /// own values put it.
    pub fn by_others(ratios: &[&Ratio]) -> Vec<Option<Self>> {
        let known: Vec<Option<LogRatio>> =
            ratios.iter().map(|ratio| LogRatio::from_ratio(ratio)).collect();
        let others = |own: usize| {
            let others = known.iter().enumerate().filter(|(place, _)| *place != own);
            Self::from_ratios(&others.filter_map(|(_, known)| *known).collect::<Vec<LogRatio>>())
        };
        (0..ratios.len()).map(others).collect()
    }

    fn from_ratios(all: &[LogRatio]) -> Option<Self> {
        if all.len() < MIN_OTHERS {
            return None;
        }
        let fixed = Weighted::from_ratios(all, 0.0);
        let apart: f64 =
            all.iter().map(|one| (one.log - fixed.mean).powi(2) / one.variance).sum::<f64>();
        let beyond_chance = apart - (all.len() - 1) as f64;
        let between = (beyond_chance / (fixed.weight - fixed.squares / fixed.weight)).max(0.0);
        let random = Weighted::from_ratios(all, between);
        let expected = Self { mean: random.mean, variance: between + 1.0 / random.weight };
        (expected.mean.is_finite() && expected.variance.is_finite()).then_some(expected)
    }
}

/// The logarithm of a ratio, with its squared standard error.
#[derive(Clone, Copy)]
struct LogRatio {
    log: f64,
    variance: f64,
}

impl LogRatio {
    fn from_ratio(ratio: &Ratio) -> Option<Self> {
        let variance = ratio.standard_error()?.powi(2);
        (variance > 0.0).then(|| Self { log: ratio.point.ln(), variance })
    }
}

/// A mean weighted by what each is known to.
struct Weighted {
    mean: f64,
    weight: f64,
    squares: f64,
}

impl Weighted {
    fn from_ratios(all: &[LogRatio], between: f64) -> Self {
        let weight = |one: &LogRatio| 1.0 / (one.variance + between);
        let sum: f64 = all.iter().map(weight).sum();
        Self {
            mean: all.iter().map(|one| weight(one) * one.log).sum::<f64>() / sum,
            weight: sum,
            squares: all.iter().map(|one| weight(one).powi(2)).sum(),
        }
    }
}

impl Ratio {
    /// Of the logarithm.
    fn standard_error(&self) -> Option<f64> {
        Some(self.centre.as_ref()?.half_width(1.0 - TWO_TAILS)? / normal_score(TWO_TAILS))
    }

    /// How likely the last look will decide between the two if they scatter as they do, given what
    /// is known of the ratio so far, or by what is `expected` of it as well where that is more: the
    /// predictive probability, for normal means. `margin`, `confidence` and `family` are those of [`Self::repeats_to_resolve`].
    /// `None` where there is no interval, or only one look.
    pub fn chance_to_resolve(
        &self,
        margin: f64,
        confidence: f64,
        family: f64,
        expected: Option<Expected>,
    ) -> Option<f64> {
        let centre = self.centre.as_ref()?;
        let last = self.looks.as_ref()?.last();
        let (now, then) = (self.n as f64, f64::from(last));
        let at_last = centre.with_repeats(then.max(now))?;
        let half_width =
            |error: f64| at_last.half_width(1.0 - error).map(|width| width + self.rounding);
        let (alpha, band) = (1.0 - confidence, margin.ln_1p());
        let by_difference = self.nominal(last as usize, alpha / family.max(1.0));
        let differs = half_width(by_difference)?.max(band);
        let same = band - half_width(self.nominal_same(last as usize, 2.0 * alpha))?;
        let variance = self.standard_error()?.powi(2);
        let done = (now / then).min(1.0);
        let to_come = 1.0 - done;
        // By the true mean, and what is not known of it.
        let chance = |mean: f64, unknown: f64| {
            // The latter and the scatter of what is still to come move the last mean.
            let moves = (to_come.powi(2) * unknown + to_come * done * variance).sqrt();
            let at_end = done * centre.value + to_come * mean;
            let below = |bound: f64| match moves > 0.0 {
                true => Normal::standard().cdf((bound - at_end) / moves),
                false => f64::from(u8::from(at_end < bound)),
            };
            let equivalent = if same > 0.0 { below(same) - below(-same) } else { 0.0 };
            (below(-differs) + 1.0 - below(differs) + equivalent).clamp(0.0, 1.0)
        };
        let alone = chance(centre.value, variance);
        let together = expected.filter(|_| variance > 0.0).map_or(0.0, |expected| {
            let own = expected.variance / (expected.variance + variance);
            chance(own * centre.value + (1.0 - own) * expected.mean, own * variance)
        });
        // Others that agree must not give up the one level that differs.
        Some(alone.max(together))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Looks;
    use std::sync::Arc;

    /// Pairs whose logarithms lie around a mean.
    fn ratio(mean: f64) -> Ratio {
        let pairs = [-0.04, 0.05, -0.03, 0.02].map(|off: f64| (1.0, (mean + off).exp()));
        let looks = Looks::new(3, 20).map(Arc::new);
        Ratio::paired(&pairs, 0.0, None).unwrap().looked_at(looks.as_ref())
    }

    fn chance(own: f64, others: &[f64]) -> f64 {
        let all: Vec<Ratio> = [own].iter().chain(others).map(|mean| ratio(*mean)).collect();
        let all: Vec<&Ratio> = all.iter().collect();
        all[0].chance_to_resolve(0.03, 0.95, 1.0, Expected::by_others(&all)[0]).unwrap()
    }

    #[test]
    fn others_that_agree_move_what_is_expected_and_others_that_do_not_leave_it() {
        let alone = chance(0.02, &[]);
        assert_eq!(alone, chance(0.02, &[0.08]), "one other says nothing");
        assert!(chance(0.02, &[0.08; 6]) > alone + 0.2);
        assert!(chance(0.02, &[0.02; 6]) >= alone, "others take no chance away");
        let scattered = chance(0.02, &[0.5, -0.5, 0.3, -0.4, 0.1, -0.1]);
        assert!((scattered - alone).abs() < 0.02, "{scattered} {alone}");
    }

    #[test]
    fn ratios_without_scatter_or_interval_say_nothing_of_others() {
        let exact = Ratio::paired(&[(1.0, 1.1); 3], 0.0, None).unwrap();
        let single = Ratio::paired(&[(1.0, 1.1)], 0.0, None).unwrap();
        assert_eq!(Expected::by_others(&[&exact, &exact, &single, &single]), [None; 4]);
        assert_eq!(Expected::by_others(&[]), []);
    }
}
