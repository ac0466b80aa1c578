//! The trials of one target at one level, with what was concluded of each.

pub(crate) mod burst;
pub(crate) mod cross_check;
pub(crate) mod events;
pub(crate) mod fleet;
pub(crate) mod items;
pub(crate) mod means;
pub(crate) mod named;
pub(crate) mod profile;
pub(crate) mod repeats;
pub(crate) mod series;
pub(crate) mod side_by_side;
pub(crate) mod stalled;
mod summary;
pub(crate) mod sustained;
pub(crate) mod volume;

pub use summary::{Cell, TrialAssessment};

use crate::cell::series::{Kin, Series, persistence};
use crate::trial::check::{CheckResult, CheckedTrial};
use crate::trial::checked_run::{CheckedRun, OfTest};
use crate::trial::figures::{Figures, is_printed_as_zero};
use crate::{Basis, Metric};
use findings::{Contradiction, Drift, Evidence, Finding, Subject, Validity};
use model::{Level, LoadResult, Target, Task, Test, TrialRecord};
use stats::Looks;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::{Deref, DerefMut, Range};
use std::sync::Arc;

/// The most targets all pairs of which tell how ratios scatter; of more, neighbours do.
const MOST_PAIRED: usize = 8;

/// More blocks than a run has: numbers of blocks that were added to later begin beyond them.
const BLOCKS_APART: u32 = 1_000_000;
/// The share of an offered rate from which on it is kept up with.
const KEPT_UP: f64 = 0.99;
/// How many operations were due is not known of a load elsewhere. Of 1,000 that come at random less
/// than this share is due once in a thousand trials, so a trial below it fell behind whatever its
/// other repeats say.
const BY_CHANCE: f64 = 0.9;

/// The cells of a test: target by target in the order of the study, each by ascending level.
#[derive(Default)]
pub(crate) struct Cells<'a> {
    cells: Vec<CellData<'a>>,
    /// Where the cells of each target are. A study may have thousands of targets, and every pair
    /// of them looks its cells up.
    of_target: HashMap<&'a str, Range<usize>>,
}

impl<'a> Cells<'a> {
    fn new(cells: Vec<CellData<'a>>) -> Self {
        let mut of_target: HashMap<&str, Range<usize>> = HashMap::new();
        for (place, cell) in cells.iter().enumerate() {
            of_target.entry(cell.target).or_insert(place..place).end = place + 1;
        }
        Self { cells, of_target }
    }

    /// Those of one target.
    pub(crate) fn for_target(&self, target: &str) -> &[CellData<'a>] {
        self.of_target.get(target).map_or(&[], |range| &self.cells[range.clone()])
    }

    /// How a figure scatters over all of them. A target is known by the place of its first cell.
    fn kin(&self, test: &Test, metric: Metric) -> Kin {
        let of_target = |cell: &CellData| self.of_target[cell.target].start;
        let all: Vec<(usize, &Series)> =
            self.cells.iter().map(|cell| (of_target(cell), cell.series(metric))).collect();
        let at = |target: &Range<usize>, level: Level| {
            let own = &self.cells[target.clone()];
            let place = own.binary_search_by_key(&level, |cell| cell.level).ok()?;
            Some(all[target.start + place])
        };
        let mut targets: Vec<&Range<usize>> = self.of_target.values().collect();
        targets.sort_by_key(|range| range.start);
        if let [only] = targets.as_slice() {
            // A single target has ratios from level to level alone.
            let steps = all[(*only).clone()].windows(2);
            return Kin::from_series(&all, steps.map(|two| [two[0], two[1]]), 1.0);
        }
        let all_pairs = targets.len() <= MOST_PAIRED;
        let others = |first: usize| {
            let last = if all_pairs { targets.len() } else { (first + 2).min(targets.len()) };
            (first + 1..last).map(move |second| (first, second))
        };
        let pairs: Vec<(usize, usize)> = (0..targets.len()).flat_map(others).collect();
        let ratios = test.levels().iter().flat_map(|&level| {
            let both =
                |&(a, b): &(usize, usize)| Some([at(targets[a], level)?, at(targets[b], level)?]);
            pairs.iter().filter_map(both).collect::<Vec<_>>()
        });
        let independent = if all_pairs { 2.0 / targets.len() as f64 } else { 1.0 };
        Kin::from_series(&all, ratios, independent)
    }

    /// Learns how each figure scatters over all cells of the test.
    pub(crate) fn learn(&mut self, test: &Test) {
        for metric in Metric::ALL {
            if self.cells.iter().all(|cell| !cell.series.contains_key(metric)) {
                continue;
            }
            let kin = Arc::new(self.kin(test, *metric));
            for cell in self.cells.iter_mut() {
                if let Some(series) = cell.series.get_mut(metric) {
                    series.belongs_to(&kin, self.of_target[cell.target].start);
                }
            }
            self.learn_persistence(*metric);
        }
    }

    /// How far the noise of each target lasts, where repeats make no pairs.
    fn learn_persistence(&mut self, metric: Metric) {
        for range in self.of_target.values() {
            let own = &mut self.cells[range.clone()];
            let known = || own.iter().filter_map(|cell| cell.series.get(&metric));
            if !known().all(Series::is_apart) {
                continue;
            }
            let persistence = persistence(known()).map(Arc::new);
            for series in own.iter_mut().filter_map(|cell| cell.series.get_mut(&metric)) {
                series.lasts_as(persistence.as_ref());
            }
        }
    }

    /// The figures that there were after so many blocks and extensions.
    pub(crate) fn up_to(&self, test: &Test, block: u32, extension: u32) -> Self {
        self.as_of(test, |_| true, block, extension)
    }

    /// The same at some levels alone.
    pub(crate) fn as_of(
        &self,
        test: &Test,
        has: impl Fn(Level) -> bool,
        block: u32,
        extension: u32,
    ) -> Self {
        let was_there =
            |number: u32| number % BLOCKS_APART <= block && number / BLOCKS_APART <= extension;
        let cell = |cell: &CellData<'a>| {
            let series = cell.series.iter().map(|(metric, all)| (*metric, all.only(was_there)));
            CellData {
                trials: Vec::new(),
                series: series.filter(|(_, series)| !series.is_empty()).collect(),
                ..*cell
            }
        };
        let own = self.cells.iter().filter(|cell| has(cell.level));
        let mut cells = Self::new(own.map(cell).collect());
        cells.learn(test);
        cells
    }

    pub(crate) fn at(&self, target: &str, level: Level) -> Option<&CellData<'a>> {
        let own = self.for_target(target);
        own.binary_search_by_key(&level, |cell| cell.level).ok().map(|place| &own[place])
    }
}

impl<'a> Deref for Cells<'a> {
    type Target = [CellData<'a>];

    fn deref(&self) -> &Self::Target {
        &self.cells
    }
}

impl DerefMut for Cells<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.cells
    }
}

/// All trials of one target at one level of one test, in order of repeat.
pub(crate) struct CellData<'a> {
    pub(crate) target: &'a str,
    pub(crate) level: Level,
    test: &'a str,
    trials: Vec<CellTrial<'a>>,
    /// What its trials are worth at most.
    at_most: Validity,
    /// The figures that are known, over the trials that are not void.
    series: BTreeMap<Metric, Series>,
}

struct CellTrial<'a> {
    /// Index in the dataset's trials.
    index: usize,
    record: &'a TrialRecord,
    /// What ran in one block is paired: its repeat, or a number of its own where the trial was added
    /// to a block that had run.
    block: u32,
    checked: &'a CheckedTrial,
    /// Absent when the trial failed.
    figures: Option<Figures>,
    /// A burst that ended while it was measured; its throughput is what was left.
    burst: Option<burst::Burst>,
    /// Whether it fell behind the rate that it offered.
    fell_behind: bool,
}

/// Each of these targets × every level of a test in their order, none of which has learned from the others
/// yet ([`Cells::learn`]), those without trials included; not
/// those of imported results, whose study may never have meant to put every target to every test.
pub(crate) fn collect<'a>(
    run: &'a CheckedRun<'a>,
    targets: &'a [Target],
    test: &'a Test,
    basis: Option<&Basis>,
    looks: Option<&Arc<Looks>>,
) -> Cells<'a> {
    let confidence = run.dataset.study.confidence;
    let mut by_cell: HashMap<(&str, Level), Vec<CellTrial<'a>>> = HashMap::new();
    for OfTest { index, record, checked, extension } in run.trials(&test.name) {
        model::deadline::look();
        let known = record.outcome().zip(basis);
        let mut figures = known.map(|(outcome, basis)| {
            Figures::from_record(record, outcome, run.metrics, (basis, confidence))
        });
        let burst = burst::of_trial(record);
        if let Some((figures, burst)) = figures.as_mut().zip(burst.as_ref()) {
            figures.keep_lasting(burst.lasting_share, burst.operations);
        }
        let trials = by_cell.entry((&record.key.target, record.key.level)).or_default();
        let block = record.key.repeat.saturating_add(extension.saturating_mul(BLOCKS_APART));
        // What was due and answered is known of a load that was recorded.
        let fell_behind = record.load().is_some_and(LoadResult::is_overloaded);
        let mut trial =
            CellTrial { index, record, block, checked, figures, burst, fell_behind: false };
        trial.set_fell_behind(fell_behind);
        trials.push(trial);
    }
    let imported = test.is_imported();
    let apart = matches!(&test.task, Task::Imported(task) if !task.in_turns);
    let cells = targets
        .iter()
        .flat_map(|target| test.levels().iter().map(|&level| (target.name.as_str(), level)))
        .map(|(target, level)| {
            model::deadline::look();
            let mut trials = by_cell.remove(&(target, level)).unwrap_or_default();
            trials.sort_by_key(|trial| trial.record.key.repeat);
            let series = BTreeMap::new();
            let at_most = Validity::Valid;
            let mut cell = CellData { target, level, test: &test.name, trials, at_most, series };
            cell.series = cell.known();
            cell.series.values_mut().for_each(|series| series.set_apart(apart));
            cell
        })
        .filter(|cell| !imported || !cell.trials.is_empty());
    let mut cells = Cells::new(cells.collect());
    for series in cells.iter_mut().flat_map(|cell| cell.series.values_mut()) {
        series.looked_at(looks);
    }
    if imported && test.is_open() {
        // How far its repeats scatter says whether a rate was reached.
        cells.learn(test);
        cells.iter_mut().for_each(|cell| cell.judge_rate(confidence));
    }
    cells
}

impl CellTrial<'_> {
    fn set_fell_behind(&mut self, fell_behind: bool) {
        self.fell_behind = fell_behind;
        if let Some(figures) = self.figures.as_mut().filter(|_| fell_behind) {
            figures.forget_latencies();
        }
    }

    fn throughput(&self) -> Option<f64> {
        self.figures.as_ref()?.value(Metric::Throughput)
    }
}

impl<'a> CellData<'a> {
    /// What load generators recorded of the trials that are not void, each with its block.
    pub(crate) fn loads(&self) -> impl Iterator<Item = (u32, &'a LoadResult)> {
        self.usable().filter_map(|trial| Some((trial.block, trial.record.load()?)))
    }

    fn known(&self) -> BTreeMap<Metric, Series> {
        let figures =
            || self.usable().filter_map(|trial| Some((trial.block, trial.figures.as_ref()?)));
        let metrics: BTreeSet<Metric> =
            figures().flat_map(|(_, figures)| figures.metrics()).collect();
        let series = |metric| (metric, Series::from_trials(metric, figures()));
        metrics.into_iter().map(series).filter(|(_, series)| !series.is_empty()).collect()
    }

    /// Finds the trials that fell behind the rate that others offered, by the throughput that they
    /// print. The rate was kept up with from 99 % on, or where the interval of all repeats reaches it.
    fn judge_rate(&mut self, confidence: f64) {
        let Some(rate) = self.level.rate.map(f64::from) else { return };
        let all = self.series(Metric::Throughput).estimate(confidence);
        let is_reached = all.is_some_and(|all| {
            let reaches = all.interval.is_some_and(|interval| interval.high >= rate);
            all.point >= KEPT_UP * rate || reaches
        });
        let least = if is_reached { BY_CHANCE } else { KEPT_UP };
        for trial in self.trials.iter_mut().filter(|trial| trial.record.load().is_none()) {
            let behind = trial.throughput().is_some_and(|printed| printed < least * rate);
            trial.set_fell_behind(behind);
        }
        let (apart, looks) = {
            let old = self.series(Metric::Throughput);
            (old.is_apart(), old.looks().cloned())
        };
        self.series = self.known();
        for series in self.series.values_mut() {
            series.set_apart(apart);
            series.looked_at(looks.as_ref());
        }
    }

    /// A figure over the trials that are not void.
    pub(crate) fn series(&self, metric: Metric) -> &Series {
        static UNKNOWN: Series = Series::unknown();
        self.series.get(&metric).unwrap_or(&UNKNOWN)
    }

    /// Whether a trial did all that it was offered.
    pub(crate) fn keeps_up(&self) -> bool {
        self.usable().any(|trial| !trial.fell_behind)
    }

    /// Whether several trials did all that they were offered, and none did not.
    pub(crate) fn always_keeps_up(&self) -> bool {
        self.usable().count() > 1
            && self.lost() == 0
            && self.usable().all(|trial| !trial.fell_behind)
    }

    /// Whether several trials fell behind the rate that they were offered, and none did not.
    pub(crate) fn always_falls_behind(&self) -> bool {
        self.usable().count() > 1 && self.usable().all(|trial| trial.fell_behind)
    }

    /// Of its trials; 0 where there are none.
    pub(crate) fn share_lost(&self) -> f64 {
        self.lost() as f64 / self.trials.len().max(1) as f64
    }

    /// As [`Cell::stalled`].
    pub(crate) fn stalled(&self) -> usize {
        self.series(Metric::Throughput).values().filter(|value| *value == 0.0).count()
    }

    /// As [`Cell::unstarted`].
    fn unstarted(&self) -> usize {
        let failures = self.trials.iter().filter_map(|trial| trial.record.failure());
        failures.filter(|failure| failure.is_before_load()).count()
    }

    /// As [`Cell::lost`].
    pub(crate) fn lost(&self) -> usize {
        let is_lost = |trial: &&CellTrial<'a>| match trial.record.outcome() {
            Some(_) => trial.checked.validity == Validity::Void,
            None => trial.record.is_lost(),
        };
        self.trials.iter().filter(is_lost).count()
    }

    /// What the checks of its trials found. What characterises the cell (see
    /// [`FindingKind::of_cell`](crate::FindingKind::of_cell)) and shows in all its completed trials
    /// is said once.
    pub(crate) fn findings(&self) -> Vec<Finding> {
        let mut findings: Vec<Finding> = Vec::new();
        for trial in &self.trials {
            for result in &trial.checked.results {
                let of_trial = Finding {
                    severity: result.severity(),
                    subject: Subject {
                        repeat: Some(trial.record.key.repeat),
                        ..self.of_test().on(self.target).at(self.level)
                    },
                    evidence: Evidence::clone(&result.evidence),
                };
                let Some(evidence) = self.of_cell(&result.evidence) else {
                    findings.push(of_trial);
                    continue;
                };
                let subject = Subject { repeat: None, ..of_trial.subject };
                if !findings.iter().any(|said| said.evidence.is_same_kind(&evidence)) {
                    findings.push(Finding { subject, evidence, ..of_trial });
                }
            }
        }
        findings
    }

    /// The finding that says once what all completed trials, two at least, show.
    fn of_cell(&self, evidence: &Evidence) -> Option<Evidence> {
        let of_trial = |trial: &CellTrial<'a>| {
            let mut results = trial.checked.results.iter().map(|result| &*result.evidence);
            results.find(|other| other.is_same_kind(evidence))
        };
        let completed = self.trials.iter().filter(|trial| trial.record.load().is_some());
        let of_trials: Vec<&Evidence> = completed.map(of_trial).collect::<Option<_>>()?;
        if of_trials.len() > 1 { evidence.of_cell(&of_trials) } else { None }
    }

    /// Something that shows only in all its trials together makes each of them suspect.
    pub(crate) fn cast_doubt(&mut self) {
        self.at_most = Validity::Suspect;
    }

    /// Whether a trial that conclusions may rest on prints figures that cannot all be true, of a metric
    /// among them, by more than that margin.
    pub(crate) fn is_contradicted(&self, metric: Metric, margin: f64) -> bool {
        let against = |result: &CheckResult| {
            let found = result.evidence.get::<Contradiction>();
            found.is_some_and(|found| found.is_against(metric, margin))
        };
        self.usable().any(|trial| trial.checked.results.iter().any(against))
    }

    /// Whether a trial that conclusions may rest on has 0 printed for a time.
    pub(crate) fn is_printed_as_zero(&self, metric: Metric) -> bool {
        let mut outcomes = self.usable_records().filter_map(|(record, _)| record.outcome());
        outcomes.any(|outcome| is_printed_as_zero(outcome, metric))
    }

    /// Whether none of the trials that conclusions may rest on was seen to drift.
    pub(crate) fn is_steady(&self) -> bool {
        let drifts = |result: &CheckResult| result.evidence.get::<Drift>().is_some();
        !self.usable().any(|trial| trial.checked.results.iter().any(drifts))
    }

    /// All its records, in order of repeat.
    pub(crate) fn records(&self) -> impl Iterator<Item = &TrialRecord> {
        self.trials.iter().map(|trial| trial.record)
    }

    /// The same, each with its index in the dataset's trials.
    pub(crate) fn indexed_records(&self) -> impl Iterator<Item = (&TrialRecord, usize)> {
        self.trials.iter().map(|trial| (trial.record, trial.index))
    }

    /// The records that conclusions may rest on, with their figures.
    pub(crate) fn usable_records(&self) -> impl Iterator<Item = (&TrialRecord, &Figures)> {
        self.usable().filter_map(|trial| Some((trial.record, trial.figures.as_ref()?)))
    }

    /// The same, each with its block.
    pub(crate) fn usable_in_blocks(&self) -> impl Iterator<Item = (&TrialRecord, u32)> {
        self.usable().map(|trial| (trial.record, trial.block))
    }

    /// What a finding on the cell's test is about.
    pub(crate) fn of_test(&self) -> Subject {
        Subject::test(self.test)
    }

    /// The trials that conclusions may rest on.
    fn usable(&self) -> impl Iterator<Item = &CellTrial<'a>> {
        self.trials.iter().filter(|trial| trial.checked.validity != Validity::Void)
    }
}
