//! One metric of one cell, repeat by repeat.

use crate::Metric;
use crate::trial::figures::{Figures, is_any_latency};
use stats::{
    Autocorrelation, ByTarget, Estimate, InCommon, Interval, KnownScatter, LastingApart, Looks,
    OfTargets, Part, Persistence, Ratio, Relation, Repeat, Sample, Scatter, SharedVariance,
};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, OnceLock};

/// The confidence of the intervals of figures that give a ratio: hardly any study asks for less.
const GIVEN: f64 = 0.9;

/// Values by repeat, ascending.
type Values = Vec<(u32, f64)>;
/// Values of two cells in the same repeats.
type Pairs = Vec<(f64, f64)>;

/// A figure by repeat, over the trials that conclusions may rest on.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Series {
    values: Values,
    /// The same with outliers as far off as they count, once that was asked for.
    counted: OnceLock<Values>,
    /// Those of them that chance explains, which ratios rest on, likewise.
    explained: OnceLock<Values>,
    /// The estimate at the confidence that was asked for first, with that: the study's, which every
    /// comparison asks for again.
    estimate: OnceLock<(f64, Option<Estimate>)>,
    /// The largest relative rounding of any value.
    rounding: f64,
    /// How others of its kind scatter; absent where there are none.
    kin: Option<Arc<Kin>>,
    /// Which of their targets it is of.
    target: usize,
    /// Repeats of one number have nothing in common with those of other targets.
    apart: bool,
    /// When ratios are looked at, where that is not once.
    looks: Option<Arc<Looks>>,
    /// How far the noise of its target lasts, where repeats make no pairs.
    persistence: Option<Arc<Persistence>>,
}

/// How far noise lasts that tells two series apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LastingNoise {
    /// How likely it lasts, from 0 to 1.
    pub(crate) likely: f64,
    /// How blocks in a row correlate then.
    pub(crate) autocorrelation: f64,
    /// By what factor the interval of their ratio is wider for it.
    pub(crate) widening: f64,
}

/// How a figure scatters over the cells of a test, on logarithms.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Kin {
    /// From repeat to repeat of a cell.
    cells: Option<ByTarget>,
    /// Of the ratio of two cells within a repeat, once that was asked for: most figures are never
    /// compared.
    ratios: OnceLock<Option<ByTarget>>,
    /// The ratios that this is learned from.
    pairs: Vec<Pair>,
    /// What of their variance the cells of a repeat share.
    shared: Option<SharedVariance>,
    /// What the cells of a block have in common.
    in_common: InCommon,
}

/// The logarithms of two cells, repeat by repeat, with the target of each.
type Pair = ([usize; 2], Vec<(f64, f64)>);

impl Kin {
    /// Learned from these cells, each with its target, and from ratios of which only that share says
    /// nothing twice (see [`Scatter::from_samples`]).
    pub(crate) fn from_series<'a>(
        cells: &[(usize, &'a Series)],
        ratios: impl Iterator<Item = [(usize, &'a Series); 2]>,
        independent: f64,
    ) -> Self {
        // Counts may be zero, which no ratio says anything of.
        let logs = |values: Vec<f64>| {
            let logs: Vec<f64> = values.into_iter().map(f64::ln).collect();
            logs.iter().all(|log| log.is_finite()).then_some(logs)
        };
        let own = |(target, series): &(usize, &Series)| {
            Some(([*target; 2], logs(series.values().collect())?))
        };
        let values: Vec<OfTargets> = cells.iter().filter_map(own).collect();
        let alone = ByTarget::from_samples(&values);
        // Each is in the ratios of many pairs.
        let log = |&(repeat, value): &(u32, f64)| (repeat, value.ln());
        let moved = |(target, series): &(usize, &'a Series)| {
            let scatter = alone.as_ref().map(|alone| alone.target(*target));
            let values = explained(&series.values, scatter);
            let known: Values = values.iter().map(log).collect();
            (std::ptr::from_ref(*series), known)
        };
        let moved: HashMap<*const Series, Values> = cells.iter().map(moved).collect();
        let pairs = |[(target, base), (other_target, other)]: [(usize, &Series); 2]| {
            let of = |series: &Series| moved.get(&std::ptr::from_ref(series));
            let pairs: Pairs = in_both(of(base)?, of(other)?).collect();
            let is_finite = |(base, other): &(f64, f64)| base.is_finite() && other.is_finite();
            if !pairs.iter().all(is_finite) {
                return None;
            }
            Some(([target, other_target], pairs))
        };
        let (targets, paired): (Vec<[usize; 2]>, Vec<Pairs>) = ratios.filter_map(pairs).unzip();
        // Cells may have equally many values and no partners for all: what was measured anew has none.
        let incomplete = cells.windows(2).any(|two| !two[0].1.repeats().eq(two[1].1.repeats()));
        let shared = SharedVariance::from_cells(&paired, independent);
        // What blocks share is in the order of all cells, which then tell the same thing many times:
        // sums of squares of values that correlate by r correlate by r². Imported repeats that were not
        // measured in turns share no blocks.
        let in_blocks = !cells.iter().all(|(_, series)| series.apart);
        let others = if in_blocks { values.len().saturating_sub(1) as f64 } else { 0.0 };
        let orders = (1.0 + others * shared.share().powi(2)).recip();
        let values: Vec<Vec<f64>> = values.into_iter().map(|(_, sample)| sample).collect();
        let alike = Autocorrelation::from_samples(&values, orders);
        let in_common = if in_blocks {
            InCommon::from_cells(&paired, independent)
        } else {
            InCommon::default()
        };
        Self {
            cells: alone.map(|cells| cells.with_autocorrelation(alike)),
            ratios: OnceLock::new(),
            pairs: targets.into_iter().zip(paired).collect(),
            shared: incomplete.then_some(shared),
            in_common,
        }
    }

    /// How ratios of two cells within a repeat scatter, where there are enough to borrow from.
    fn borrowed_ratios(&self) -> Option<&ByTarget> {
        self.ratios().filter(|all| all.is_borrowed())
    }

    /// How ratios of two cells within a repeat scatter, and what may last in them; `None` where there are
    /// none.
    fn ratios(&self) -> Option<&ByTarget> {
        let learned = || {
            let ratio = |(targets, pairs): &Pair| {
                (*targets, pairs.iter().map(|(base, other)| other - base).collect())
            };
            let ratios: Vec<OfTargets> = self.pairs.iter().map(ratio).collect();
            let all = ByTarget::from_samples(&ratios).unwrap_or_else(ByTarget::alone);
            (!self.pairs.is_empty()).then(|| all.with_pairs(self.pairs.iter().cloned()))
        };
        self.ratios.get_or_init(learned).as_ref()
    }
}

/// How far the noise of a target lasts, by its figures at all levels; `None` where one is not above zero.
pub(crate) fn persistence<'a>(levels: impl Iterator<Item = &'a Series>) -> Option<Persistence> {
    let logs = |series: &Series| series.counted_values().map(f64::ln).collect::<Vec<f64>>();
    let levels: Vec<Vec<f64>> = levels.map(logs).collect();
    let is_known = levels.iter().flatten().all(|log| log.is_finite());
    is_known.then(|| Persistence::from_levels(&levels))
}

/// Values with outliers as far off as they count by that scatter of their logarithms.
fn counted(values: &Values, scatter: Option<&Scatter>) -> Values {
    weighed(values, scatter, |scatter, logs| scatter.moved_in(logs).into_iter().map(Some).collect())
}

/// The same without those that chance does not explain.
fn explained(values: &Values, scatter: Option<&Scatter>) -> Values {
    weighed(values, scatter, Scatter::explained)
}

fn weighed(
    values: &Values,
    scatter: Option<&Scatter>,
    by: impl Fn(&Scatter, &[f64]) -> Vec<Option<f64>>,
) -> Values {
    let logs: Vec<f64> = values.iter().map(|(_, value)| value.ln()).collect();
    let Some(scatter) =
        scatter.filter(|_| logs.len() > 1 && logs.iter().all(|log| log.is_finite()))
    else {
        return values.clone();
    };
    let moved = by(scatter, &logs).into_iter().zip(&logs).zip(values);
    // What is no outlier stays as it is, to the last digit.
    let kept = |((moved, log), &(repeat, value)): ((Option<f64>, &f64), &(u32, f64))| {
        moved.map(|moved| (repeat, if moved == *log { value } else { moved.exp() }))
    };
    moved.filter_map(kept).collect()
}

/// The mean logarithm; `None` for no values.
fn mean_log(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, n), value| (sum + value.ln(), n + 1.0));
    (count > 0.0).then_some(sum / count)
}

/// The values of repeats that both have.
fn in_both(base: &[(u32, f64)], other: &[(u32, f64)]) -> impl Iterator<Item = (f64, f64)> {
    in_both_at(base, other).map(|(_, base, other)| (base, other))
}

/// The same with the repeats.
fn in_both_at(base: &[(u32, f64)], other: &[(u32, f64)]) -> impl Iterator<Item = (u32, f64, f64)> {
    let mut rest = other.iter().peekable();
    base.iter().filter_map(move |&(repeat, base)| {
        while rest.next_if(|(other, _)| *other < repeat).is_some() {}
        rest.next_if(|(other, _)| *other == repeat).map(|&(_, other)| (repeat, base, other))
    })
}

impl Series {
    /// Without any value.
    pub(crate) const fn unknown() -> Self {
        Self {
            values: Vec::new(),
            counted: OnceLock::new(),
            explained: OnceLock::new(),
            estimate: OnceLock::new(),
            rounding: 0.0,
            kin: None,
            target: 0,
            apart: false,
            looks: None,
            persistence: None,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Of these trials, each with its repeat. Empty where a trial lacks a latency, because it has too
    /// few transactions for a percentile or fell behind its rate, or where its rate never came back: it
    /// is the slow trials that do, and without them the others would make the target look good.
    pub(crate) fn from_trials<'a>(
        metric: Metric,
        trials: impl Iterator<Item = (u32, &'a Figures)>,
    ) -> Self {
        let (mut values, mut rounding) = (BTreeMap::new(), 0.0_f64);
        for (repeat, figures) in trials {
            match figures.reading(metric) {
                Some(reading) => {
                    values.insert(repeat, reading.value);
                    rounding = rounding.max(reading.rounding);
                }
                None if is_any_latency(metric) || metric == Metric::RateBack => {
                    return Self::default();
                }
                None => {}
            }
        }
        Self::from_values(values, rounding)
    }

    /// The value in a repeat, where there is one.
    pub(crate) fn at(&self, repeat: u32) -> Option<f64> {
        let place = self.values.binary_search_by_key(&repeat, |(repeat, _)| *repeat).ok()?;
        Some(self.values[place].1)
    }

    /// How far repeats in a row are alike over all cells of its test; `None` where too few tell.
    pub(crate) fn autocorrelation(&self) -> Option<Autocorrelation> {
        Some(self.kin.as_ref()?.cells.as_ref()?.autocorrelation())
    }

    /// What may last from block to block in ratios of so many repeats to others of that target; `None`
    /// where too few tell.
    pub(crate) fn lasting(&self, other: &Self, repeats: usize) -> Option<LastingNoise> {
        if let Some(lasting) = self.lasting_apart(other) {
            return Some(LastingNoise {
                likely: lasting.likely(),
                autocorrelation: lasting.coefficient(),
                widening: lasting.widening([repeats; 2]),
            });
        }
        let ratios = self.kin.as_ref().filter(|_| !self.apart)?.ratios()?;
        let lasting = ratios.lasting([self.target, other.target])?;
        Some(LastingNoise {
            likely: lasting.likely(),
            autocorrelation: lasting.coefficient(),
            widening: lasting.widening(repeats),
        })
    }

    /// The same where the two share no blocks.
    fn lasting_apart(&self, other: &Self) -> Option<LastingApart> {
        let both = self.persistence.as_ref().zip(other.persistence.as_ref());
        both.map(|(own, other)| LastingApart::between(own, other))
    }

    /// That the noise of its target lasts so far, which says what ratios of values that make no pairs are
    /// worth.
    pub(crate) fn lasts_as(&mut self, persistence: Option<&Arc<Persistence>>) {
        self.persistence = persistence.cloned();
    }

    /// What the cells of a block have in common over all of its test.
    pub(crate) fn in_common(&self) -> InCommon {
        self.kin.as_ref().map_or_else(InCommon::default, |kin| kin.in_common)
    }

    /// The values, in order of repeat.
    pub(crate) fn values(&self) -> impl Iterator<Item = f64> {
        self.values.iter().map(|(_, value)| *value)
    }

    /// The repeats that have a value, ascending.
    pub(crate) fn repeats(&self) -> impl Iterator<Item = u32> {
        self.values.iter().map(|(repeat, _)| *repeat)
    }

    /// A series of these values by repeat, each off by up to `rounding` relative to itself.
    pub(crate) fn from_values(values: BTreeMap<u32, f64>, rounding: f64) -> Self {
        Self { values: values.into_iter().collect(), rounding, ..Self::default() }
    }

    /// Sets whether repeats make pairs with those of other targets.
    pub(crate) fn set_apart(&mut self, apart: bool) {
        self.apart = apart;
    }

    pub(crate) fn is_apart(&self) -> bool {
        self.apart
    }

    /// What of it is of these blocks, without the scatter of others.
    pub(crate) fn only(&self, has: impl Fn(u32) -> bool) -> Self {
        Self {
            values: self.values.iter().copied().filter(|(block, _)| has(*block)).collect(),
            rounding: self.rounding,
            looks: self.looks.clone(),
            apart: self.apart,
            ..Self::default()
        }
    }

    /// That its ratios are looked at again and again.
    pub(crate) fn looked_at(&mut self, looks: Option<&Arc<Looks>>) {
        self.looks = looks.cloned();
    }

    pub(crate) fn looks(&self) -> Option<&Arc<Looks>> {
        self.looks.as_ref()
    }

    /// The same in blocks that no other series has.
    pub(crate) fn apart(mut self) -> Self {
        self.values.iter_mut().for_each(|(block, _)| *block = block.saturating_add(u32::MAX / 2));
        self.asked_anew();
        self
    }

    /// The same with every value so many times as large.
    pub(crate) fn times(&self, factor: f64) -> Self {
        self.with_values(
            self.values.iter().map(|(block, value)| (*block, value * factor)).collect(),
        )
    }

    /// The same with other values.
    fn with_values(&self, values: Values) -> Self {
        let mut other = Self { values, ..self.clone() };
        other.asked_anew();
        other
    }

    /// Forgets what follows from values and scatter.
    fn asked_anew(&mut self) {
        (self.counted, self.explained, self.estimate) = Default::default();
    }

    /// Its kind, whose scatter it borrows from, and its target there.
    pub(crate) fn belongs_to(&mut self, kin: &Arc<Kin>, target: usize) {
        (self.kin, self.target) = (Some(Arc::clone(kin)), target);
        self.asked_anew();
    }

    /// How its repeats scatter, by what is known of others.
    fn scatter(&self) -> Option<&Scatter> {
        Some(self.kin.as_ref()?.cells.as_ref()?.target(self.target))
    }

    /// The largest relative rounding of any value.
    pub(crate) fn rounding(&self) -> f64 {
        self.rounding
    }

    /// The median with its interval; `None` without values.
    pub(crate) fn estimate(&self, confidence: f64) -> Option<Estimate> {
        let (known, estimate) =
            self.estimate.get_or_init(|| (confidence, self.estimate_at(confidence)));
        if *known == confidence { *estimate } else { self.estimate_at(confidence) }
    }

    fn estimate_at(&self, confidence: f64) -> Option<Estimate> {
        let sample = self.sample()?;
        Some(match self.scatter() {
            Some(scatter) => Estimate::of_median_among(&sample, confidence, scatter),
            None => Estimate::of_median(&sample, confidence),
        })
    }

    /// Where the figure of one further trial would lie; `None` for fewer than two values.
    pub(crate) fn next(&self, confidence: f64) -> Option<Interval> {
        Estimate::of_next(&self.sample()?, confidence, self.scatter())
    }

    /// (max − min) ÷ median; `None` for fewer than two values, which show no spread.
    pub(crate) fn spread(&self) -> Option<f64> {
        self.sample().filter(|sample| sample.len() > 1)?.relative_range()
    }

    /// self ÷ base, paired by repeat, because partners of a pair ran in the same block and share
    /// what the host went through. With fewer than two common repeats (others failed or are void)
    /// unpaired, and so are imported results that were not measured in turns. Which of the two is decided by the number of pairs alone, never by which interval
    /// is the narrower. `None` where either has no values, or one that is not above zero.
    pub(crate) fn ratio(&self, base: &Self) -> Option<Ratio> {
        if self.is_empty() || base.is_empty() {
            return None;
        }
        // A stall is no outlier that is left out, nor is it where its partner is one, or is missing.
        if self.values().chain(base.values()).any(|value| value <= 0.0) {
            return None;
        }
        let pairs = self.pairs_with(base);
        let are_pairs = !self.apart && pairs.len() > 1;
        let (kin, targets) = self.known_with(base);
        let rounding = self.rounding + base.rounding;
        let ratio = if are_pairs {
            let ratios = kin.and_then(|kin| kin.ratios()).map(|all| all.pair(targets));
            let shared = kin.and_then(|kin| kin.shared);
            // Without the scatter of the cells nothing tells which values without a partner are outliers,
            // where the ratios of pairs leave theirs out.
            let cells = base.scatter().zip(self.scatter());
            let known = ratios.filter(|all| all.is_borrowed()).zip(shared).zip(cells);
            let known =
                known.map(|((ratios, shared), cells)| KnownScatter { ratios, cells, shared });
            match known.filter(|_| self.lacks_partners(base)) {
                Some(known) => Ratio::incomplete(&self.counted_with(base), rounding, &known),
                None => Ratio::paired(&pairs, rounding, ratios),
            }
        } else {
            let cells = kin.and_then(|kin| kin.cells.as_ref());
            let [known, other] = targets.map(|target| cells.map(|cells| cells.target(target)));
            let scatter = if base.kin.is_some() { known.zip(other) } else { other.zip(known) };
            let lasting = base.lasting_apart(self);
            Ratio::unpaired(&base.sample()?, &self.sample()?, scatter, lasting.as_ref())
        };
        Some(ratio.ok()?.looked_at(self.looks.as_ref().or(base.looks.as_ref())))
    }

    /// What is known of the scatter of both, and by which targets.
    fn known_with<'a>(&'a self, base: &'a Self) -> (Option<&'a Arc<Kin>>, [usize; 2]) {
        // What is learned elsewhere, as of an A/A control, knows none of these targets.
        let (known, other) = if base.kin.is_some() { (base, self) } else { (self, base) };
        let kin = known.kin.as_ref();
        let is_of_kin = kin.zip(other.kin.as_ref()).is_some_and(|(one, two)| Arc::ptr_eq(one, two));
        (kin, [known.target, if is_of_kin { other.target } else { known.target }])
    }

    /// [`Self::ratio`] as all of a mean.
    pub(crate) fn part(&self, base: &Self) -> Option<Part> {
        Some(self.part_with(self.ratio(base)?, base))
    }

    /// The same of what [`Self::ratio`] found.
    pub(crate) fn part_with(&self, ratio: Ratio, base: &Self) -> Part {
        let pairs = self.pairs_at(base);
        let log = ratio.point.ln();
        let moved = self.moved_by_outliers(base, &pairs, log);
        let blocks = pairs.into_iter().map(|(block, ..)| block).collect();
        let readings = Part::readings(log, base.other_reading(), self.other_reading());
        Part { ratio, blocks, weight: 1.0, moved, readings }
    }

    /// By how much the logarithm of a ratio of these pairs, or of two means where there are none, is more
    /// than without repeats of either that are far off.
    fn moved_by_outliers(&self, base: &Self, pairs: &[(u32, f64, f64)], log: f64) -> f64 {
        let [bases, own] = [base, self].map(Self::near);
        if [(base, &bases), (self, &own)].iter().all(|(all, near)| near.len() == all.values.len()) {
            return 0.0;
        }
        let is_near = |(block, ..): &&(u32, f64, f64)| {
            [&bases, &own].iter().all(|near| near.iter().any(|(repeat, _)| repeat == block))
        };
        let left = match self.apart || pairs.len() < 2 {
            true => mean_log(own.iter().map(|(_, value)| *value))
                .zip(mean_log(bases.iter().map(|(_, value)| *value)))
                .map(|(own, base)| own - base),
            false => mean_log(pairs.iter().filter(is_near).map(|(_, base, own)| own / base)),
        };
        left.map_or(0.0, |left| log - left)
    }

    /// By how much its mean logarithm would be more if the repeats that are far off were the right ones.
    fn other_reading(&self) -> Option<f64> {
        let logs: Vec<f64> = self.values().map(f64::ln).collect();
        let is_known = logs.len() > 1 && logs.iter().all(|log| log.is_finite());
        self.scatter().filter(|_| is_known)?.other_reading(&logs)
    }

    /// The values that are not far off.
    fn near(&self) -> Values {
        weighed(&self.values, self.scatter(), |scatter, logs| {
            let near = scatter.are_near(logs).into_iter().zip(logs);
            near.map(|(near, log)| near.then_some(*log)).collect()
        })
    }

    /// [`Self::ratio`] by itself, with its interval.
    pub(crate) fn ratio_to(&self, base: &Self, confidence: f64) -> Option<Estimate> {
        Some(self.ratio(base)?.estimate(confidence))
    }

    /// What that says of the two, with that margin.
    pub(crate) fn relation_to(
        &self,
        base: &Self,
        margin: f64,
        confidence: f64,
    ) -> Option<Relation> {
        Some(self.ratio(base)?.relation(margin, confidence))
    }

    /// The values with outliers as far off as they count in the figure of the cell.
    pub(crate) fn counted(&self) -> &[(u32, f64)] {
        self.counted.get_or_init(|| counted(&self.values, self.scatter()))
    }

    pub(crate) fn counted_values(&self) -> impl Iterator<Item = f64> {
        self.counted().iter().map(|(_, value)| *value)
    }

    /// A series of these.
    pub(crate) fn clipped(&self) -> Self {
        self.with_values(self.counted().to_vec())
    }

    /// Whether some values are more than twice as far off as they count: by six typical deviations, which
    /// no chance explains.
    pub(crate) fn has_outliers(&self) -> bool {
        let Some(middle) = self.sample().map(|sample| sample.median()) else { return false };
        let far = |(value, counted): (f64, f64)| {
            (value / counted).ln().abs() > (counted / middle).ln().abs()
        };
        self.values().zip(self.counted_values()).any(far)
    }

    /// Whether values without a partner go into its ratios.
    pub(crate) fn weighs_all(&self) -> bool {
        let all = |kin: &Arc<Kin>| {
            kin.shared.is_some() && kin.cells.is_some() && kin.borrowed_ratios().is_some()
        };
        self.kin.as_ref().is_some_and(all)
    }

    /// Those that chance explains.
    fn explained(&self) -> &[(u32, f64)] {
        self.explained.get_or_init(|| explained(&self.values, self.scatter()))
    }

    /// What the repeats have of base and self, outliers as far off as they count.
    fn counted_with(&self, base: &Self) -> Vec<Repeat> {
        let mut repeats: BTreeMap<u32, Repeat> = BTreeMap::new();
        for (repeat, value) in base.counted() {
            repeats.insert(*repeat, Repeat { base: Some(*value), candidate: None });
        }
        for (repeat, value) in self.counted() {
            let known = repeats.entry(*repeat).or_insert(Repeat { base: None, candidate: None });
            known.candidate = Some(*value);
        }
        repeats.into_values().collect()
    }

    /// The values that a ratio is of where there are pairs, `(base, self)`: of repeats that both have,
    /// outliers as far off as they count.
    pub(crate) fn pairs_with(&self, base: &Self) -> Vec<(f64, f64)> {
        self.pairs_at(base).into_iter().map(|(_, base, own)| (base, own)).collect()
    }

    /// The same with the repeats. What one lacks takes its partner with it: where the other's mean is
    /// another then, both count as in the figures of their cells.
    fn pairs_at(&self, base: &Self) -> Vec<(u32, f64, f64)> {
        let explained: Vec<_> = in_both_at(base.explained(), self.explained()).collect();
        let whole = |series: &Self| {
            series.scatter().is_none() || series.explained().len() == series.values.len()
        };
        if whole(base) && whole(self) {
            return explained;
        }
        if self.lacks_partners(base) {
            return in_both_at(base.counted(), self.counted()).collect();
        }
        let bases: Vec<f64> = explained.iter().map(|(_, base, _)| base.ln()).collect();
        let own: Vec<f64> = explained.iter().map(|(.., own)| own.ln()).collect();
        let ratios: Vec<f64> = bases.iter().zip(&own).map(|(base, own)| own - base).collect();
        match base.agrees(bases) && self.agrees(own) && self.gives(base, &ratios) {
            true => explained,
            false => in_both_at(base.counted(), self.counted()).collect(),
        }
    }

    /// Whether some repeats have one of the two alone.
    fn lacks_partners(&self, base: &Self) -> bool {
        let both = in_both(&base.values, &self.values).count();
        both < base.values.len().max(self.values.len())
    }

    /// Whether the figures of both give the ratio of which these are the logarithms, within their
    /// intervals.
    fn gives(&self, base: &Self, ratios: &[f64]) -> bool {
        let (kin, targets) = self.known_with(base);
        let scatter = kin.and_then(|kin| kin.borrowed_ratios()).map(|all| all.pair(targets));
        let Some(ratio) = scatter.and_then(|scatter| scatter.centre(ratios)) else { return true };
        let figure = |series: &Self| {
            let logs: Vec<f64> = series.values().map(f64::ln).collect();
            let centre = series.scatter()?.centre(&logs)?;
            Some((centre.value, centre.half_width(GIVEN)?))
        };
        figure(self).zip(figure(base)).is_none_or(|((own, room), (base, more))| {
            (ratio.value - (own - base)).abs() <= room + more
        })
    }

    /// Whether these of its logarithms have the mean that its figure has, within its interval.
    fn agrees(&self, left: Vec<f64>) -> bool {
        let logs: Vec<f64> = self.values().map(f64::ln).collect();
        self.scatter().is_none_or(|scatter| scatter.agrees(&logs, &left))
    }

    fn sample(&self) -> Option<Sample> {
        let values = self.values().collect();
        Sample::new(values).ok().map(|sample| sample.with_rounding(self.rounding))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Basis;
    use model::{
        ActResult, Figure, Interval, Latencies, LoadResult, Mark, Outcome, Phase, UnitName,
    };
    use std::time::Duration;

    const BASIS: Basis = Basis {
        metric: Metric::Elapsed,
        counted: UnitName::TRANSACTION,
        rate: None,
        whole_phase: false,
        is_at_rates: false,
    };

    /// Of a load with so many transactions a second before something was done and while it was.
    fn figures(before: u64, during: u64) -> Figures {
        let interval = |(second, transactions)| {
            let mut latencies = Latencies::new();
            latencies.record_many(2_000_000, transactions);
            Interval {
                phase: Phase::Measure,
                start: Duration::from_secs(second),
                length: Duration::from_secs(1),
                transactions,
                queries: 0,
                errors: 0,
                moved: Default::default(),
                longest_statement: None,
                latencies: (&latencies).into(),
            }
        };
        let intervals = (0..).zip([before, before, during, before]).map(interval).collect();
        let load = LoadResult { intervals, ..LoadResult::default() };
        let act = Mark { result: Some(ActResult::Done), ..Mark::span("act", 2.1, 2.9) };
        let outcome = Outcome { marks: vec![act], ..Outcome::of_load(load) };
        Figures::from_outcome(&outcome, Metric::ALL, (&BASIS, 0.95))
    }

    #[test]
    fn a_trial_in_which_nothing_succeeded_meanwhile_is_not_left_out() {
        let trials = [figures(1_000, 0), figures(1_000, 400), figures(1_000, 600)];
        let of = |metric| Series::from_trials(metric, (1..).zip(&trials));
        let kept: Vec<f64> = of(Metric::ThroughputKept).values().collect();
        assert_eq!(kept, [0.0, 0.4, 0.6]);
        assert_eq!(of(Metric::LatencyP99Before).values().count(), 3);
        // The others alone would make it look good.
        assert!(of(Metric::LatencyP99During).is_empty());
    }

    #[test]
    fn of_rates_that_did_not_all_come_back_there_is_no_time() {
        let failover = |back: Option<f64>| {
            let figure = |metric, value| Figure::measured(metric, value, 0.005);
            let mut figures = vec![figure(Metric::Downtime, 3.0)];
            figures.extend(back.map(|back| figure(Metric::RateBack, back)));
            Figures::from_outcome(&Outcome::of_figures(figures), Metric::ALL, (&BASIS, 0.95))
        };
        let trials = [failover(Some(4.0)), failover(None), failover(Some(5.0))];
        let of = |metric| Series::from_trials(metric, (1..).zip(&trials));
        assert_eq!(of(Metric::Downtime).values().count(), 3);
        assert!(of(Metric::RateBack).is_empty());
        let came = [failover(Some(4.0)), failover(Some(5.0))];
        assert_eq!(Series::from_trials(Metric::RateBack, (1..).zip(&came)).values().count(), 2);
    }
}
