use crate::apart::{EffectApart, LastingApart};
use crate::centre::Centre;
use crate::incomplete::{Partners, SharedVariance, between_blocks};
use crate::interval::Bounds;
use crate::scatter::Scatter;
use crate::{
    BetweenRuns, Chance, Estimate, Interval, IntervalMethod, Looks, Relation, Sample, SampleError,
};
use std::sync::Arc;

/// A ratio candidate ÷ base, with what is needed to judge it at any confidence: its interval and
/// its p-value come from one test.
///
/// All is found on the logarithms, so that exchanging the two gives exactly the reciprocal: neither
/// is favoured.
#[derive(Clone, Debug, PartialEq)]
pub struct Ratio {
    /// The geometric mean over the repeats, outliers counting as less far off than they are (see
    /// [`Scatter`]); of unpaired values the ratio of two such means.
    pub point: f64,
    /// Pairs that it rests on; where there are none, values on the smaller side.
    pub n: usize,
    /// Of the logarithm; absent for fewer than two repeats, which say nothing of their scatter.
    pub(crate) centre: Option<Centre>,
    /// By how much the logarithm may be off because the values were rounded; of a mean also because of
    /// outliers.
    pub(crate) rounding: f64,
    /// When it is looked at, where that is not once.
    pub(crate) looks: Option<Arc<Looks>>,
    /// How far the logarithm of each pair is from the mean, outliers moved in; empty without pairs.
    pub(crate) deviations: Vec<f64>,
}

/// What one repeat has of two targets.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Repeat {
    pub base: Option<f64>,
    pub candidate: Option<f64>,
}

/// How logarithms scatter in the cells that two samples are of.
#[derive(Clone, Copy, Debug)]
pub struct KnownScatter<'a> {
    /// Of ratios within a repeat.
    pub ratios: &'a Scatter,
    /// From repeat to repeat of a cell, of the base and of the candidate.
    pub cells: (&'a Scatter, &'a Scatter),
    pub shared: SharedVariance,
}

impl Ratio {
    /// Over pairs `(base, candidate)` measured under the same conditions (in one block of a plan).
    /// What moves both partners of a pair, such as a slow hour of the host, cancels out. `rounding`
    /// is how much each ratio may be off because its parts were rounded (see
    /// [`Sample::with_rounding`]). `scatter` is that of the logarithms of such ratios, where others
    /// are known; where it is absent the pairs speak for themselves.
    ///
    /// # Errors
    /// When there is no pair, or a value is not a number above zero.
    ///
    /// ```
    /// // The second block ran in a slow hour; the ratio is the same.
    /// let blocks = [(1000.0, 1500.0), (100.0, 150.0), (1000.0, 1500.0)];
    /// let ratio = stats::Ratio::paired(&blocks, 0.0, None)?.estimate(0.95);
    /// let interval = ratio.interval.expect("three pairs are enough");
    /// assert!((interval.low - 1.5).abs() < 1e-9 && (interval.high - 1.5).abs() < 1e-9);
    /// # Ok::<(), stats::SampleError>(())
    /// ```
    pub fn paired(
        pairs: &[(f64, f64)],
        rounding: f64,
        scatter: Option<&Scatter>,
    ) -> Result<Self, SampleError> {
        let logs = pairs
            .iter()
            .map(|&(base, candidate)| Ok(logarithm(candidate)? - logarithm(base)?))
            .collect::<Result<Vec<f64>, SampleError>>()?;
        let only = *logs.first().ok_or(SampleError::Empty)?;
        let rounding = rounding.max(0.0);
        let centre =
            Centre::from_values(&logs, scatter).map(|centre| hidden_scatter(centre, rounding));
        let value = centre.as_ref().map_or(only, |centre| centre.value);
        let deviations = match scatter {
            Some(scatter) => scatter.deviations(&logs),
            None => logs.iter().map(|log| log - value).collect(),
        };
        let (point, n) = (value.exp(), logs.len());
        Self { point, n, centre, rounding, looks: None, deviations }.checked()
    }

    /// Over repeats of which some lack one of the two. Values without a partner count by how little
    /// blocks share.
    ///
    /// # Errors
    /// When there are fewer than two pairs, or a value is not above zero.
    pub fn incomplete(
        repeats: &[Repeat],
        rounding: f64,
        known: &KnownScatter<'_>,
    ) -> Result<Self, SampleError> {
        let logs = |pick: fn(&Repeat) -> Option<f64>, cells: &Scatter| {
            let logs = repeats.iter().filter_map(pick).map(logarithm);
            let logs = logs.collect::<Result<Vec<f64>, SampleError>>()?;
            Ok(if logs.is_empty() { logs } else { cells.moved_in(&logs) })
        };
        let (of_bases, of_candidates) = known.cells;
        let mut bases = logs(|repeat| repeat.base, of_bases)?.into_iter();
        let mut candidates = logs(|repeat| repeat.candidate, of_candidates)?.into_iter();
        let mut partners = Partners::default();
        let mut differences = Vec::new();
        for Repeat { base, candidate } in repeats {
            if let Some((base, candidate)) = base.zip(*candidate) {
                differences.push(logarithm(candidate)? - logarithm(base)?);
            }
            let base = base.and_then(|_| bases.next());
            match (base, candidate.and_then(|_| candidates.next())) {
                (Some(base), Some(candidate)) => partners.pairs.push((base, candidate)),
                (Some(base), None) => partners.base_alone.push(base),
                (None, Some(candidate)) => partners.candidate_alone.push(candidate),
                (None, None) => {}
            }
        }
        let more = between_blocks(&partners, known.shared);
        let centre = known.ratios.centre_with(&differences, more).ok_or(SampleError::Empty)?;
        let (point, n) = (centre.value.exp(), differences.len());
        let (centre, rounding) = (Some(centre), rounding.max(0.0));
        let deviations = known.ratios.deviations(&differences);
        Self { point, n, centre, rounding, looks: None, deviations }.checked()
    }

    /// For values that are not pairs: the fallback when fewer than two pairs are left. What differs
    /// between blocks counts as scatter, and the degrees of freedom are Satterthwaite's (B. L.
    /// Welch, *Biometrika* 34, 1947). `scatter` is that of the logarithms of such values, of the base
    /// and of the candidate, as all were learned together.
    ///
    /// # Errors
    /// When a value is not above zero, or the ratio is beyond what a number can hold.
    ///
    /// ```
    /// use stats::{Ratio, Sample};
    /// // Student's sleep data (*Biometrika* 6, 1908), the hours taken as logarithms.
    /// let first = [0.7_f64, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0];
    /// let second = [1.9_f64, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
    /// let sample = |hours: [f64; 10]| Sample::new(hours.map(f64::exp).to_vec());
    /// let ratio = Ratio::unpaired(&sample(first)?, &sample(second)?, None, None)?;
    /// // R: t.test(extra ~ group, data = sleep): p-value = 0.07939, and of group 1 − group 2:
    /// // -3.3654832 0.2054832
    /// assert!((ratio.p_value().expect("ten are enough") - 0.079_39).abs() < 5e-6);
    /// let interval = ratio.estimate(0.95).interval.expect("ten are enough");
    /// assert!((interval.low.ln() + 0.205_483_2).abs() < 1e-6);
    /// assert!((interval.high.ln() - 3.365_483_2).abs() < 1e-6);
    /// # Ok::<(), stats::SampleError>(())
    /// ```
    pub fn unpaired(
        base: &Sample,
        candidate: &Sample,
        scatter: Option<(&Scatter, &Scatter)>,
        lasting: Option<&LastingApart>,
    ) -> Result<Self, SampleError> {
        let logs = |sample: &Sample| {
            sample.sorted().iter().map(|&value| logarithm(value)).collect::<Result<Vec<f64>, _>>()
        };
        let (base_logs, candidate_logs) = (logs(base)?, logs(candidate)?);
        let effects = lasting.map(|lasting| lasting.effects([base.len(), candidate.len()]));
        let effects = effects.unwrap_or_else(|| vec![EffectApart::NONE]);
        let centre = |logs: &[f64], scatter: Option<&Scatter>| match scatter {
            Some(scatter) if lasting.is_some() => scatter.independent_centre(logs),
            _ => Centre::from_values(logs, scatter),
        };
        let centre = centre(&base_logs, scatter.map(|(base, _)| base))
            .zip(centre(&candidate_logs, scatter.map(|(_, candidate)| candidate)))
            .map(|(base, candidate)| Centre::difference(&base, &candidate, &effects));
        let of_medians = || candidate.median().ln() - base.median().ln();
        let value = centre.as_ref().map_or_else(of_medians, |centre| centre.value);
        let (n, rounding) =
            (base.len().min(candidate.len()), base.rounding() + candidate.rounding());
        let centre = centre.map(|centre| hidden_scatter(centre, rounding));
        let deviations = Vec::new();
        Self { point: value.exp(), n, centre, rounding, looks: None, deviations }.checked()
    }

    fn checked(self) -> Result<Self, SampleError> {
        let held = self.point.is_finite() && self.point > 0.0;
        if held { Ok(self) } else { Err(SampleError::NotFinite(self.point)) }
    }

    /// The same of two runs, of which it is known how much runs differ: its error is no less than that. A
    /// run that was measured once gets an interval by it.
    #[must_use]
    pub fn between_runs(self, runs: Option<&BetweenRuns>) -> Self {
        let Some(runs) = runs else { return self };
        let centre = self.centre.clone().unwrap_or_else(|| Centre::exact(self.point.ln()));
        Self { centre: Some(centre.erring_at_least(runs.error(), runs.freedom)), ..self }
    }

    /// The same of repeats that are looked at again and again, until something is found: p-values and
    /// intervals hold at all looks together.
    #[must_use]
    pub fn looked_at(self, looks: Option<&Arc<Looks>>) -> Self {
        Self { looks: looks.cloned(), ..self }
    }

    /// Whether it is looked at again and again.
    pub fn has_looks(&self) -> bool {
        self.looks.is_some()
    }

    /// Whether something is known of how far off it may be.
    pub fn has_interval(&self) -> bool {
        self.centre.is_some()
    }

    /// How likely a ratio at least this far from 1 would be if base and candidate were equal and
    /// repeats scattered log-normally, on either side; what rounding may account for is taken off
    /// first. `None` where there is no interval.
    pub fn p_value(&self) -> Option<f64> {
        let centre = self.centre.as_ref()?;
        let p_value = centre.p_value(centre.value.abs() - self.rounding);
        Some(self.looks.as_ref().map_or(p_value, |looks| looks.overall(self.n, p_value)))
    }

    /// The same with what it counts as among others that are held together; see [`crate::closed_groups`].
    pub fn chance(&self) -> Option<Chance> {
        let centre = self.centre.as_ref()?;
        let chance = centre.chance(centre.value.abs() - self.rounding);
        let overall = |p_value| match &self.looks {
            Some(looks) => looks.overall(self.n, p_value),
            None => p_value,
        };
        Some(Chance { alone: overall(chance.alone), among: overall(chance.among) })
    }

    /// The error that a test of so many repeats by itself may have.
    pub(crate) fn nominal(&self, repeats: usize, error: f64) -> f64 {
        self.looks.as_ref().map_or(error, |looks| looks.nominal(repeats, error))
    }

    /// The same of the test that both are the same, with the two-sided error of its interval.
    pub(crate) fn nominal_same(&self, repeats: usize, error: f64) -> f64 {
        self.looks.as_ref().map_or(error, |looks| looks.nominal_same(repeats, error))
    }

    /// The ratio alone.
    pub fn bare(&self) -> Estimate {
        Estimate { point: self.point, interval: None, n: self.n }
    }

    /// The ratio with its interval of that confidence.
    pub fn estimate(&self, confidence: f64) -> Estimate {
        self.with_interval(confidence, self.nominal(self.n, 1.0 - confidence))
    }

    /// What [`Estimate::relation`] says of the ratio at that confidence. Where the ratio is beyond the
    /// margin, its p-value mostly says the same, several times sooner than an interval is found.
    pub fn relation(&self, margin: f64, confidence: f64) -> Relation {
        let upper = 1.0 + margin;
        let ahead = match self.point {
            point if (upper..ORDINARY).contains(&point) => Some(Relation::Larger),
            point if (ORDINARY.recip()..=upper.recip()).contains(&point) => Some(Relation::Smaller),
            _ => None,
        };
        let share = self.p_value().map(|p_value| p_value / (1.0 - confidence));
        match (ahead, share) {
            (Some(_), Some(1.01..)) if !self.has_looks() => Relation::Unresolved,
            (Some(ahead), Some(..0.99)) if !self.has_looks() => ahead,
            _ => self.estimate(confidence).relation(margin),
        }
    }

    /// The ratio with the interval that lies within the margin where base and candidate are the same
    /// at that confidence: that of two one-sided tests.
    pub fn equivalence(&self, confidence: f64) -> Estimate {
        let error = 2.0 * (1.0 - confidence);
        self.with_interval(1.0 - error, self.nominal_same(self.n, error))
    }

    fn with_interval(&self, confidence: f64, error: f64) -> Estimate {
        let interval = self.centre.as_ref().and_then(|centre| {
            let bounds = Bounds { confidence, ..centre.bounds(1.0 - error)? };
            let method = if centre.is_alone() {
                IntervalMethod::StudentLog
            } else {
                IntervalMethod::BorrowedScatter
            };
            Interval::from_logs(self.point, bounds, self.rounding, method)
        });
        Estimate { interval, ..self.bare() }
    }

    /// The ratio as it stands after [`crate::closed_groups`] has adjusted its p-value: at
    /// `confidence` the interval excludes 1 exactly where the adjusted p-value is below 1 −
    /// `confidence`. It is as much wider as the family demands, and never narrower than by itself.
    pub fn held(&self, adjusted_p: f64, confidence: f64) -> Estimate {
        let own = self.p_value().unwrap_or(1.0);
        let share = if adjusted_p > own { own / adjusted_p } else { 1.0 };
        // Beyond the digits of a number no confidence below 1 is left.
        let error = ((1.0 - confidence) * share).max(f64::EPSILON);
        let wide = self.estimate(1.0 - error);
        let stated = |interval| Interval { confidence, ..interval };
        Estimate { interval: wide.interval.map(stated), ..wide }
    }

    /// How many repeats in all would probably decide between the two if ratio and scatter stay as
    /// they are: a ratio beyond `margin` turns out a difference, whose p-value the family makes
    /// `family` times as large; one within it turns out equivalence. `None` where there is no
    /// interval, and where more than 1,000 would be needed, as for a ratio at the very margin.
    pub fn repeats_to_resolve(&self, margin: f64, confidence: f64, family: f64) -> Option<u32> {
        let centre = self.centre.as_ref()?;
        let (seen, band) = ((centre.value.abs() - self.rounding).max(0.0), margin.ln_1p());
        let error = 1.0 - confidence;
        let room = if seen > band { seen } else { band - seen };
        let resolves = |n: u32| {
            let nominal = match seen > band {
                true => self.nominal(n as usize, error / family.max(1.0)),
                false => self.nominal_same(n as usize, 2.0 * error),
            };
            centre.with_repeats(f64::from(n)).is_some_and(|more| more.p_value(room) < nominal)
        };
        let mut too_few = u32::try_from(self.n).unwrap_or(u32::MAX);
        if resolves(too_few) {
            return Some(too_few);
        }
        let mut enough = MOST_REPEATS;
        if too_few >= enough || !resolves(enough) {
            return None;
        }
        while enough - too_few > 1 {
            let middle = too_few.midpoint(enough);
            if resolves(middle) { enough = middle } else { too_few = middle }
        }
        Some(enough)
    }
}

/// Ratios below this and above its reciprocal have intervals that numbers can hold.
const ORDINARY: f64 = 1e100;
/// More repeats than this are not worth naming.
const MOST_REPEATS: u32 = 1000;

/// [`Ratio::paired`] by itself, with its interval.
///
/// # Errors
/// As there.
pub fn paired_ratio(
    pairs: &[(f64, f64)],
    rounding: f64,
    confidence: f64,
) -> Result<Estimate, SampleError> {
    Ok(Ratio::paired(pairs, rounding, None)?.estimate(confidence))
}

/// A centre of values that were rounded by up to `rounding`: what their digits hide is scatter of a
/// rectangular distribution of that half width, whose variance is a third of its square (W. F.
/// Sheppard, *Proceedings of the London Mathematical Society* 29, 1898).
fn hidden_scatter(centre: Centre, rounding: f64) -> Centre {
    centre.scattering_at_least(rounding / 3.0_f64.sqrt())
}

/// The logarithm of a value above zero.
pub(crate) fn logarithm(value: f64) -> Result<f64, SampleError> {
    match value {
        _ if !value.is_finite() => Err(SampleError::NotFinite(value)),
        _ if value <= 0.0 => Err(SampleError::NotPositive(value)),
        _ => Ok(value.ln()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_moves_both_partners_cancels_out() {
        // Blocks differ by a factor of ten, the ratio within each is 1.5.
        let pairs = [(100.0, 150.0), (10.0, 15.0), (1000.0, 1500.0)];
        let ratio = paired_ratio(&pairs, 0.0, 0.95).unwrap();
        let interval = ratio.interval.unwrap();
        assert!((ratio.point - 1.5).abs() < 1e-12);
        assert!((interval.low - 1.5).abs() < 1e-9 && (interval.high - 1.5).abs() < 1e-9);

        let (base, candidate): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
        let (base, candidate) = (Sample::new(base).unwrap(), Sample::new(candidate).unwrap());
        let unpaired = Ratio::unpaired(&base, &candidate, None, None)
            .unwrap()
            .estimate(0.95)
            .interval
            .unwrap();
        assert!(unpaired.low < 0.1 && unpaired.high > 10.0, "{unpaired:?}");
    }

    #[test]
    fn counts_of_a_few_events_do_not_prove_a_difference() {
        let pairs = [(10.0, 11.0); 3];
        let rounding = 1.0 / 10.0 + 1.0 / 11.0;
        let interval = paired_ratio(&pairs, rounding, 0.95).unwrap().interval.unwrap();
        assert!(interval.low < 1.0 && interval.high > 1.2);
    }

    #[test]
    fn one_pair_has_a_ratio_and_no_interval() {
        let ratio = paired_ratio(&[(2.0, 3.0)], 0.0, 0.95).unwrap();
        assert_eq!((ratio.interval, ratio.n), (None, 1));
        assert!((ratio.point - 1.5).abs() < 1e-12);
    }

    #[test]
    fn interval_and_p_value_are_of_one_test() {
        let ratio = Ratio::paired(&[(100.0, 110.0), (100.0, 118.0), (100.0, 104.0)], 0.0, None);
        let ratio = ratio.unwrap();
        let p = ratio.p_value().unwrap();
        assert!((ratio.estimate(1.0 - p).interval.unwrap().low - 1.0).abs() < 1e-6);
        // Twice the p-value is at 95 % what the same is at 97.5 %.
        let held = ratio.held(2.0 * p, 0.95).interval.unwrap();
        let alone = ratio.estimate(0.975).interval.unwrap();
        assert!((held.low - alone.low).abs() < 1e-9 && held.confidence == 0.95, "{held:?}");
        assert_eq!(ratio.held(p / 2.0, 0.95), ratio.estimate(0.95), "no narrower than by itself");
    }

    #[test]
    fn equal_pairs_and_rounding_prove_nothing() {
        let p = |pair, rounding| Ratio::paired(&[pair; 3], rounding, None).unwrap().p_value();
        assert_eq!(p((5.0, 5.0), 0.0), Some(1.0));
        assert_eq!(p((10.0, 11.0), 0.2), Some(1.0));
        assert_eq!(p((10.0, 11.0), 0.0), Some(0.0));
        assert_eq!(Ratio::paired(&[(1.0, 2.0)], 0.0, None).unwrap().p_value(), None);
    }

    #[test]
    fn figures_that_are_alike_in_every_repeat_have_an_interval_in_any_family() {
        for rounding in [0.0, 1.0 / 4000.0 + 1.0 / 8000.0] {
            let ratio = Ratio::paired(&[(4000.0, 8000.0); 3], rounding, None).unwrap();
            let own = ratio.p_value().unwrap();
            assert!(own < 1e-3 && (own > 0.0) == (rounding > 0.0), "{own}");
            for adjusted in [own, 2.0 * own, 1e-6, 0.01] {
                let held = ratio.held(adjusted, 0.95);
                let interval = held.interval.expect("three pairs");
                assert!(interval.low > 1.0 && interval.high < 8.0, "{interval:?}");
                assert_eq!(held.relation(0.03), Relation::Larger);
            }
        }
    }

    #[test]
    fn more_scatter_and_larger_families_take_more_repeats() {
        let needed = |deviation: f64, family: f64| {
            let pairs = [-1.0, 1.0, -1.0, 1.0]
                .map(|side| (1.0, (0.1 + side * deviation * 0.75_f64.sqrt()).exp()));
            Ratio::paired(&pairs, 0.0, None).unwrap().repeats_to_resolve(0.03, 0.95, family)
        };
        // t(0.975, 3) · 0.05 / √4 = 0.0796 is below 0.1.
        assert_eq!(needed(0.05, 1.0), Some(4));
        assert!(needed(0.05, 1.0) < needed(0.1, 1.0));
        assert!(needed(0.1, 1.0) < needed(0.1, 12.0));
        let single = Ratio::paired(&[(1.0, 2.0)], 0.0, None).unwrap();
        assert_eq!(single.repeats_to_resolve(0.03, 0.95, 1.0), None);
    }

    #[test]
    fn what_has_no_ratio_is_refused() {
        assert_eq!(paired_ratio(&[], 0.0, 0.95), Err(SampleError::Empty));
        assert_eq!(paired_ratio(&[(0.0, 1.0)], 0.0, 0.95), Err(SampleError::NotPositive(0.0)));
        assert!(paired_ratio(&[(1.0, f64::NAN)], 0.0, 0.95).is_err());
        assert!(paired_ratio(&[(f64::MAX, f64::MIN_POSITIVE)], 0.0, 0.95).is_err());
    }

    proptest! {
        #[test]
        fn exchanging_the_partners_gives_the_reciprocal(
            pairs in prop::collection::vec((0.01..100.0_f64, 0.01..100.0_f64), 1..12),
        ) {
            let there = paired_ratio(&pairs, 0.001, 0.95).unwrap();
            let exchanged: Vec<(f64, f64)> = pairs.iter().map(|&(a, b)| (b, a)).collect();
            let back = paired_ratio(&exchanged, 0.001, 0.95).unwrap();
            prop_assert!((there.point * back.point - 1.0).abs() < 1e-9);
            if let (Some(a), Some(b)) = (there.interval, back.interval) {
                prop_assert!((a.low * b.high - 1.0).abs() < 1e-9);
                prop_assert!(a.low <= there.point && there.point <= a.high);
            }
        }

        #[test]
        fn an_unpaired_interval_holds_its_point(
            base in prop::collection::vec(1e-6..1e6_f64, 1..8),
            candidate in prop::collection::vec(1e-6..1e6_f64, 1..8),
        ) {
            let (base, candidate) = (Sample::new(base).unwrap(), Sample::new(candidate).unwrap());
            let ratio = Ratio::unpaired(&base, &candidate, None, None).unwrap().estimate(0.95);
            if let Some(interval) = ratio.interval {
                prop_assert!(interval.low > 0.0 && interval.high.is_finite());
                prop_assert!(interval.low <= ratio.point && ratio.point <= interval.high);
            }
        }
    }
}
