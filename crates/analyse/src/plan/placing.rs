//! Levels that a test places itself: where more of them would tell more, and why each was placed.

use crate::cell::Cells;
use crate::cell::series::Series;
use crate::curve::{self, CurveData, Point};
use crate::study::each_pair;
use crate::{Analysis, Metric};
use findings::{Evidence, Finding, LevelsPlaced, PlacedAround, PlacedLevel, PlacementEnd, Subject};
use model::{Dataset, Level, LevelPlacement, Study, Test};
use stats::{Estimate, Relation};
use std::collections::{BTreeMap, BTreeSet};

/// Levels further apart than this are halved also where they cannot be told apart: between two that
/// are as high as each other a curve may have its peak. Below, what it could hide is small: of a curve
/// by the Universal Scalability Law 6 % at most.
const WIDE: f64 = 2.0;

/// The levels that a run whose plan is done measures next, by test. Empty where all are close enough.
///
/// Depends on what is recorded alone, so that a run that was interrupted goes on as it would have.
pub fn levels_to_place(analysis: &Analysis<'_>) -> BTreeSet<(String, Level)> {
    let next = analysis.findings.iter().filter_map(|finding| match &finding.evidence {
        Evidence::LevelsPlaced(placed) => Some((finding.subject.test.as_ref()?, &placed.next)),
        _ => None,
    });
    next.flat_map(|(test, next)| next.iter().map(|level| (test.clone(), *level))).collect()
}

/// What is known of a test when its levels are placed.
struct TestSoFar<'a> {
    study: &'a Study,
    placement: LevelPlacement,
    cells: Cells<'a>,
    levels: BTreeSet<Level>,
}

/// A gap between neighbouring levels that is to be halved.
struct Gap {
    low: Level,
    high: Level,
    why: Why,
    around: PlacedAround,
}

/// Why a gap is halved: what tells most comes first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Why {
    /// Different targets are ahead at its ends.
    Crossing,
    /// Its ends differ.
    Apart,
    /// It is wide, or nothing is known of one of its ends.
    Wide,
}

/// A level that is asked for.
struct LevelRequest {
    why: Why,
    around: Vec<PlacedAround>,
}

/// The levels that the first pass of a test and each later one added to a plan, with the place of its
/// first block there.
fn passes(dataset: &Dataset, test: &Test) -> Vec<(usize, BTreeSet<Level>)> {
    let mut there = BTreeSet::new();
    let mut passes = Vec::new();
    for (place, block) in dataset.plan.blocks.iter().enumerate() {
        let own = block.trials.iter().filter(|trial| trial.key.test == test.name);
        let new: BTreeSet<Level> =
            own.map(|trial| trial.key.level).filter(|level| there.insert(*level)).collect();
        if !new.is_empty() {
            passes.push((place, new));
        }
    }
    passes
}

/// Which levels were placed and why, of a test that places them.
pub(crate) fn finding(dataset: &Dataset, test: &Test, cells: &Cells) -> Option<Finding> {
    let (study, plan) = (&dataset.study, &dataset.plan);
    let placement = test.placement()?;
    let known = |levels: &BTreeSet<Level>, blocks: usize| {
        let blocks = &plan.blocks[..blocks];
        let number = blocks.iter().map(|block| block.number).max().unwrap_or(0);
        let extension = blocks.iter().map(|block| block.extension).max().unwrap_or(0);
        let cells = cells.as_of(test, |level| levels.contains(&level), number, extension);
        TestSoFar { study, placement, cells, levels: levels.clone() }
    };
    let mut passes = passes(dataset, test).into_iter();
    let (_, first) = passes.next()?;
    let mut there = first.clone();
    let mut placed = Vec::new();
    for (place, new) in passes {
        let mut asked = known(&there, place).asked();
        placed.extend(new.iter().map(|&level| PlacedLevel {
            level,
            around: asked.remove(&level).map(|asked| asked.around).unwrap_or_default(),
        }));
        there.extend(new);
    }
    let is_measured = dataset.missing().all(|key| key.test != test.name);
    // Looks judge the levels that there are at the first of them.
    let min = study.until.map_or(u32::MAX, |until| until.min);
    let mut blocks = plan.blocks.iter();
    let at_look = blocks.position(|block| block.number > min).unwrap_or(plan.blocks.len());
    let asked = known(&there, at_look).asked();
    let free = (placement.most as usize).saturating_sub(there.len());
    let next = match is_measured && at_look == plan.blocks.len() {
        true => foremost(&asked, &there, free),
        false => Vec::new(),
    };
    let ended = match () {
        () if !is_measured || !next.is_empty() => PlacementEnd::Open,
        () if !asked.is_empty() => PlacementEnd::Most,
        () => PlacementEnd::CloseEnough,
    };
    let (resolution, most) = (placement.resolution, placement.most);
    let first = first.into_iter().collect();
    let placed = LevelsPlaced { first, placed, next, resolution, most, ended };
    Some(Finding::new(Subject::test(&test.name), placed))
}

/// So many of the levels that are asked for: those that tell most and, of these, those in the widest
/// gaps.
fn foremost(
    asked: &BTreeMap<Level, LevelRequest>,
    there: &BTreeSet<Level>,
    count: usize,
) -> Vec<Level> {
    let width = |level: &Level| {
        let clients = |level: Option<&Level>| level.map_or(1.0, |level| f64::from(level.clients));
        clients(there.range(level..).next()) / clients(there.range(..level).next_back())
    };
    let mut levels: Vec<(Level, Why)> =
        asked.iter().map(|(level, asked)| (*level, asked.why)).collect();
    // Stable: of gaps that are as wide the lower comes first.
    levels.sort_by(|(a, why_a), (b, why_b)| {
        why_a.cmp(why_b).then_with(|| width(b).total_cmp(&width(a)))
    });
    levels.truncate(count);
    let mut levels: Vec<Level> = levels.into_iter().map(|(level, _)| level).collect();
    levels.sort_unstable();
    levels
}

impl TestSoFar<'_> {
    /// The levels half-way through all gaps that are to be halved, with what they are to show.
    fn asked(&self) -> BTreeMap<Level, LevelRequest> {
        let mut asked: BTreeMap<Level, LevelRequest> = BTreeMap::new();
        let curves = curve::peaks(self.study, &self.cells);
        let gaps = curves.iter().flat_map(|curve| self.around_best(curve));
        for gap in gaps.chain(self.around_crossovers()) {
            let middle = self.placement.between(gap.low.clients, gap.high.clients);
            let Some(middle) = middle else { continue };
            let level = Level::clients(middle).counting(gap.low.unit);
            let one =
                asked.entry(level).or_insert(LevelRequest { why: gap.why, around: Vec::new() });
            one.why = one.why.min(gap.why);
            if !one.around.contains(&gap.around) {
                one.around.push(gap.around);
            }
        }
        asked
    }

    /// The gaps on both sides of a target's peak, and of its knee.
    fn around_best(&self, curve: &CurveData) -> Vec<Gap> {
        let target = || curve.curve.target.clone();
        let throughput = |rate: f64, _: f64| rate;
        // Throughput ÷ latency, which by Little's law is throughput² ÷ clients.
        let power = |rate: f64, clients: f64| rate * rate / clients;
        let mut gaps = self.around(curve, throughput, &PlacedAround::Peak { target: target() });
        gaps.extend(self.around(curve, power, &PlacedAround::Knee { target: target() }));
        gaps
    }

    /// The gaps on both sides of the level with the highest score, which follows from throughput and
    /// clients: of a level over that of another from the ratios of these.
    fn around(
        &self,
        curve: &CurveData,
        score: fn(f64, f64) -> f64,
        around: &PlacedAround,
    ) -> Vec<Gap> {
        let times = |a: &Point, b: &Point| f64::from(a.level.clients) / f64::from(b.level.clients);
        let of = |point: &Point| score(point.throughput.point, f64::from(point.level.clients));
        let best = curve.points.iter().rev().max_by(|a, b| of(a).total_cmp(&of(b)));
        let Some(best) = best else { return Vec::new() };
        let to_best = |level: Level| -> Option<Estimate> {
            let point = curve.points.iter().find(|point| point.level == level)?;
            let ratio = point.series.ratio_to(&best.series, self.study.confidence)?;
            Some(ratio.map(|ratio| score(ratio, times(point, best))))
        };
        let below = self.levels.range(..best.level).next_back().copied();
        let above = self.levels.iter().find(|level| **level > best.level).copied();
        let neighbours: Vec<(Level, Option<Estimate>)> =
            below.into_iter().chain(above).map(|level| (level, to_best(level))).collect();
        let same = |ratio: &Option<Estimate>| {
            ratio.is_some_and(|r| r.relation(self.study.margin) == Relation::Equivalent)
        };
        if neighbours.len() == 2 && neighbours.iter().all(|(_, ratio)| same(ratio)) {
            return Vec::new();
        }
        let worth = |(level, ratio): &(Level, Option<Estimate>)| {
            let (low, high) = (best.level.min(*level), best.level.max(*level));
            let is_wide = f64::from(high.clients) > f64::from(low.clients) * WIDE;
            // Where trials fail at a level, the highest that works is between the two.
            let why = match ratio {
                Some(ratio) if side(ratio).is_some() => Why::Apart,
                Some(_) if !is_wide => return None,
                _ => Why::Wide,
            };
            Some(Gap { low, high, why, around: around.clone() })
        };
        neighbours.iter().filter_map(worth).collect()
    }

    /// The outermost gaps between two levels at which different targets of a pair are ahead. Those
    /// between them, where neither surely is, are left as they are.
    fn around_crossovers(&self) -> Vec<Gap> {
        let mut gaps = Vec::new();
        for (baseline, candidate) in each_pair(self.study) {
            let series = |target: &str, level: Level| -> Option<&Series> {
                Some(self.cells.at(target, level)?.series(Metric::Throughput))
            };
            let ahead = |level: Level| {
                let (base, other) = (series(baseline, level)?, series(candidate, level)?);
                Some((level, side(&other.ratio_to(base, self.study.confidence)?)))
            };
            let all: Vec<(Level, Option<bool>)> =
                self.levels.iter().filter_map(|level| ahead(*level)).collect();
            let decided: Vec<(usize, bool)> =
                all.iter().enumerate().filter_map(|(i, (_, side))| Some((i, (*side)?))).collect();
            for pair in decided.windows(2) {
                let [(low, first), (high, second)] = [pair[0], pair[1]];
                if first == second {
                    continue;
                }
                for (from, to) in BTreeSet::from([(low, low + 1), (high - 1, high)]) {
                    let (baseline, candidate) = (baseline.to_owned(), candidate.to_owned());
                    let around = PlacedAround::Crossover { baseline, candidate };
                    let (low, high) = (all[from].0, all[to].0);
                    gaps.push(Gap { low, high, why: Why::Crossing, around });
                }
            }
        }
        gaps
    }
}

/// Whether a ratio is surely above 1 (or below); `None` where it is neither.
fn side(ratio: &Estimate) -> Option<bool> {
    let interval = ratio.interval?;
    match () {
        () if interval.low > 1.0 => Some(true),
        () if interval.high < 1.0 => Some(false),
        () => None,
    }
}
