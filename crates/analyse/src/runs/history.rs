//! Many runs: where the level of a figure changes.

use super::{Side, compared_metrics, deciding, figure};
use crate::trial::extended;
use crate::{Basis, Metric};
use findings::ConditionChange;
use model::{Dataset, HostFacts, Level, Test, UnixMillis};
use serde::Serialize;
use stats::{ChangeFinder, Changes, Estimate, Ratio, Sample, fewest_values};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Seeds the permutations: the same runs give the same answer.
const SEED: u64 = 1;

/// What a history needs of a run.
#[derive(Clone, Debug)]
pub struct RunPoints {
    pub file: String,
    pub study: String,
    /// When its first trial began, as far as that is known.
    pub started_at: UnixMillis,
    weighin_version: String,
    host: HostFacts,
    /// Of each target's server.
    versions: BTreeMap<String, String>,
    confidence: f64,
    cells: BTreeMap<CellKey, CellPoints>,
}

/// The cell that points are of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CellKey {
    pub(super) study: String,
    pub(super) test: String,
    pub(super) target: String,
    pub(super) level: Level,
}

/// What a run has of a cell.
#[derive(Clone, Debug)]
struct CellPoints {
    /// What its test did.
    test: Arc<Test>,
    /// The metric that decides.
    decides: Metric,
    /// By all that are compared.
    figures: Vec<(Metric, f64)>,
}

impl CellPoints {
    fn figure(&self, metric: Metric) -> Option<f64> {
        self.figures.iter().find(|(of, _)| *of == metric).map(|(_, figure)| *figure)
    }
}

impl RunPoints {
    /// About how much memory they take, in bytes.
    pub fn memory(&self) -> u64 {
        let of_cell = |(place, cell): (&CellKey, &CellPoints)| {
            let names = place.study.len() + place.test.len() + place.target.len();
            let figures = cell.figures.len() * size_of::<(Metric, f64)>();
            size_of::<(CellKey, CellPoints)>() + size_of::<Test>() + names + figures
        };
        let points = self.cells.iter().map(of_cell);
        let versions = self.versions.iter().map(|(target, version)| target.len() + version.len());
        points.chain(versions).map(|bytes| 2 * bytes as u64).sum()
    }

    /// The figure of a cell, with what its test did.
    pub(super) fn point(&self, place: &CellKey, metric: Metric) -> Option<(f64, &Test)> {
        let cell = self.cells.get(place)?;
        Some((cell.figure(metric)?, &cell.test))
    }

    /// When a run's first trial began, as far as that is known.
    pub fn began(dataset: &Dataset) -> UnixMillis {
        let began = dataset.trials.iter().map(|record| record.started_at);
        began.filter(|at| at.0 > 0).min().unwrap_or(dataset.run.started_at)
    }

    /// The figures by which the tests of a run are compared, of each cell.
    pub fn from_dataset(file: String, dataset: &Dataset) -> Self {
        let side = Side::for_dataset(dataset);
        let confidence = dataset.study.confidence;
        let mut cells = BTreeMap::new();
        for test in &dataset.study.tests {
            let Some(basis) = Basis::for_test(None, test, side.run.records(&test.name)) else {
                continue;
            };
            let (decides, metrics) = (deciding(test, basis), compared_metrics(test, basis));
            let done = Arc::new(test.without_levels());
            for cell in side.cells(test, Some(&basis)).iter() {
                model::deadline::look();
                let of = |&metric: &Metric| {
                    Some((metric, figure(test, cell, metric).estimate(confidence)?.point))
                };
                let figures: Vec<(Metric, f64)> = metrics.iter().filter_map(of).collect();
                if figures.is_empty() {
                    continue;
                }
                let place = CellKey {
                    study: dataset.study.name.clone(),
                    test: test.name.clone(),
                    target: cell.target.to_owned(),
                    level: cell.level,
                };
                cells.insert(place, CellPoints { test: Arc::clone(&done), decides, figures });
            }
        }
        Self {
            file,
            study: dataset.study.name.clone(),
            started_at: Self::began(dataset),
            weighin_version: dataset.run.weighin_version.clone(),
            host: dataset.run.host.clone(),
            versions: dataset
                .targets
                .iter()
                .map(|facts| (facts.target.clone(), facts.server.version.clone()))
                .collect(),
            confidence,
            cells,
        }
    }
}

/// What many runs show.
#[derive(Clone, Debug, Serialize)]
pub struct History {
    /// In order of time.
    pub runs: Vec<HistoryRun>,
    /// Every cell that has results in at least two runs.
    pub cells: Vec<CellHistory>,
    /// All cells together have a change where there is none with at most this chance.
    pub error: f64,
    /// In fewer runs no change of a cell can show; absent where there are too many cells for any.
    pub fewest_runs: Option<usize>,
}

#[derive(Clone, Debug, Serialize)]
pub struct HistoryRun {
    pub file: String,
    pub study: String,
    pub started_at: UnixMillis,
}

/// One cell over time.
#[derive(Clone, Debug, Serialize)]
pub struct CellHistory {
    pub study: String,
    pub test: String,
    pub target: String,
    pub level: Level,
    pub metric: Metric,
    /// The runs that it has results of, by place in [`History::runs`], each with its median.
    pub points: Vec<(usize, f64)>,
    /// Runs whose test did something else than that of the latest one, and which are left out.
    pub left_out: usize,
    pub changes: Vec<LevelChange>,
    /// Where something looks like a change that slow drift explains, how much a run resembles the one before:
    /// a coefficient of autoregression, up to 0.95.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drift: Option<f64>,
}

/// A figure has a new level from a run on.
#[derive(Clone, Debug, Serialize)]
pub struct LevelChange {
    /// The last run of the former level and the first of the new one, by place in [`History::runs`].
    pub between: (usize, usize),
    /// Geometric means over the runs of both levels; medians where a run has zero.
    pub before: f64,
    pub after: f64,
    /// after ÷ before; absent where a run has zero. Its interval does not know that the place of the
    /// change was searched for.
    pub ratio: Option<Estimate>,
    /// What else changed between these two runs.
    pub conditions: Vec<ConditionChange>,
}

/// The values of a figure, by the place of their runs, each with the test that it was measured in.
type Series<'a> = Vec<(usize, f64, &'a Test)>;

/// Looks for changes in every cell of the runs. Runs of different studies have nothing in common.
pub fn history(mut runs: Vec<RunPoints>) -> History {
    runs.sort_by(|a, b| (a.started_at, &a.file).cmp(&(b.started_at, &b.file)));
    let mut series: BTreeMap<(&CellKey, Metric), Series<'_>> = BTreeMap::new();
    for (index, run) in runs.iter().enumerate() {
        for (place, cell) in &run.cells {
            if let Some(value) = cell.figure(cell.decides) {
                series.entry((place, cell.decides)).or_default().push((index, value, &cell.test));
            }
        }
    }
    series.retain(|_, points| points.len() > 1);
    let confidence = runs.last().map_or(0.95, |run| run.confidence);
    let alpha = 1.0 - confidence;
    // Bonferroni: of all cells together.
    let each = alpha / series.len().max(1) as f64;
    let mut finder = ChangeFinder::new(each, SEED);
    let cells = series.into_iter().map(|((place, metric), points)| {
        model::deadline::look();
        let latest = points.last().map(|(_, _, test)| *test);
        let all = points.len();
        let points: Vec<(usize, f64)> = points
            .into_iter()
            .filter(|(_, _, test)| latest == Some(*test))
            .map(|(index, value, _)| (index, value))
            .collect();
        let left_out = all - points.len();
        let found = finder.find(&points.iter().map(|(_, value)| *value).collect::<Vec<f64>>());
        let changes = changes(&runs, place, &points, &found, confidence);
        let CellKey { study, test, target, level } = place.clone();
        let drift = found.drift;
        CellHistory { study, test, target, level, metric, points, left_out, changes, drift }
    });
    let cells = cells.collect();
    let of = |run: &RunPoints| HistoryRun {
        file: run.file.clone(),
        study: run.study.clone(),
        started_at: run.started_at,
    };
    History {
        cells,
        error: alpha,
        fewest_runs: fewest_values(each),
        runs: runs.iter().map(of).collect(),
    }
}

fn changes(
    runs: &[RunPoints],
    place: &CellKey,
    points: &[(usize, f64)],
    Changes { starts, .. }: &Changes,
    confidence: f64,
) -> Vec<LevelChange> {
    let values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
    let ends = |at: usize| starts.get(at).copied().unwrap_or(values.len());
    let level = |from: usize, to: usize| Sample::new(values.get(from..to)?.to_vec()).ok();
    let mean = |level: &Sample| {
        let logs: f64 = level.sorted().iter().map(|value| value.ln()).sum();
        (logs / level.len() as f64).exp()
    };
    let change = |(number, &at): (usize, &usize)| {
        let from = number.checked_sub(1).map_or(0, ends);
        let to = ends(number + 1);
        let (old_level, new_level) = (level(from, at)?, level(at, to)?);
        let ratio = Ratio::unpaired(&old_level, &new_level, None, None).ok();
        let between = (points.get(at.checked_sub(1)?)?.0, points.get(at)?.0);
        let (old, new) = (&runs[between.0], &runs[between.1]);
        let mut conditions =
            extended::changes((&old.weighin_version, &old.host), (&new.weighin_version, &new.host));
        let version = |run: &RunPoints| run.versions.get(&place.target).cloned();
        if let Some((before, after)) = version(old).zip(version(new)).filter(|(a, b)| a != b) {
            conditions.push(ConditionChange { what: "version of the target", before, after });
        }
        let (before, after) = match ratio {
            Some(_) => (mean(&old_level), mean(&new_level)),
            None => (old_level.median(), new_level.median()),
        };
        let ratio = ratio.map(|ratio| ratio.estimate(confidence));
        Some(LevelChange { between, before, after, ratio, conditions })
    };
    starts.iter().enumerate().filter_map(change).collect()
}
