//! What a report shows of a cell.

use super::series::Series;
use super::{CellData, CellTrial, volume};
use crate::trial::check::CheckedTrial;
use crate::trial::figures::Figures;
use crate::{Basis, CellVolume, Extent, Metric};
use findings::{BurstEnds, Check, Evidence, Validity};
use model::{Level, TrialRecord};
use serde::Serialize;
use stats::{Estimate, Interval};
use std::collections::BTreeMap;

/// All repeats of one target at one level.
#[derive(Clone, Debug, Serialize)]
pub struct Cell {
    pub target: String,
    pub level: Level,
    /// One for each trial that has a record, in order of repeat.
    pub trials: Vec<TrialAssessment>,
    /// What is known, over the trials that are not void. All latencies are response times where the
    /// level has a rate, and absent where a trial fell behind it; else they are service
    /// times. Percentiles are absent where a trial has too few transactions for them (see
    /// [`crate::percentile_ms`]).
    pub estimates: BTreeMap<Metric, Estimate>,
    /// Where one further trial would lie, 5 % of trials (at a confidence of 95 %) being beyond either
    /// end; absent for fewer than two trials, and of an analysis for pages.
    pub next: BTreeMap<Metric, Interval>,
    /// (max − min) / median of the metric that decides, over the trials, 0.05 being 5 %;
    /// absent for fewer than two.
    pub spread: Option<f64>,
    /// Bytes by which a transaction made the tables grow; absent where that was not measured.
    #[serde(skip)]
    pub growth: Option<Estimate>,
    /// What the disks did that the server's data stands on; absent where they are not known.
    pub volume: Option<CellVolume>,
    /// Trials that fell behind the offered rate, of those that are not void.
    pub overloaded: usize,
    /// Trials that put work off more and more while they were measured, of those that are not void: what
    /// they achieved does not last.
    pub indebted: usize,
    /// Trials that failed or are void, those that the user skipped aside. What the others measured says
    /// nothing of them: a server that breaks in one trial of three does not bear the load.
    pub lost: usize,
    /// Those of them that failed before there was any load, as without a connection: they say nothing
    /// of what the target bears.
    pub unstarted: usize,
    /// Trials that count in which nothing succeeded: throughput was zero.
    pub stalled: usize,
    /// What its trials show of a rate that lasts only until something is used up.
    pub burst: Option<BurstEnds>,
}

impl Cell {
    /// Whether there was never a load: the level was not measured, whatever is known of others.
    pub fn never_started(&self) -> bool {
        self.unstarted > 0 && self.unstarted == self.trials.len()
    }

    /// What is known of one metric.
    pub fn estimate(&self, metric: Metric) -> Option<Estimate> {
        self.estimates.get(&metric).copied()
    }
}

/// One trial and how far it may be trusted.
#[derive(Clone, Debug, Serialize)]
pub struct TrialAssessment {
    pub repeat: u32,
    /// Whether conclusions may rest on it.
    pub validity: Validity,
    /// Checks of its load that lacked what they look at, so that it passed them only as far as is known.
    pub not_checked: Vec<Check>,
    /// What is known of it; nothing where it failed. Percentiles are absent where it had too few
    /// transactions for them (see [`crate::percentile_ms`]).
    pub figures: BTreeMap<Metric, f64>,
    /// Index in the dataset's trials.
    pub record: usize,
}

/// Whether a debt grew while a trial was measured.
fn puts_off(checked: &CheckedTrial) -> bool {
    checked.results.iter().any(|result| match &*result.evidence {
        Evidence::DebtChanged(changed) => changed.has_grown(),
        _ => false,
    })
}

impl CellData<'_> {
    /// Bytes by which a transaction made the tables grow, over the trials that count.
    pub(crate) fn growth(&self, confidence: f64) -> Option<Estimate> {
        let each = |(record, _): (&TrialRecord, _)| {
            Some((record.key.repeat, record.growth_per_operation()?))
        };
        let values = self.usable_records().filter_map(each).collect();
        Series::from_values(values, 0.0).estimate(confidence)
    }

    /// What each of its trials is worth, without what they say together.
    pub(crate) fn of_trials(&self) -> Cell {
        Cell {
            target: self.target.to_owned(),
            level: self.level,
            trials: self.trials.iter().map(|trial| trial.assessment(self.at_most)).collect(),
            estimates: BTreeMap::new(),
            next: BTreeMap::new(),
            spread: None,
            growth: None,
            volume: None,
            overloaded: self.usable().filter(|trial| trial.fell_behind).count(),
            indebted: self.usable().filter(|trial| puts_off(trial.checked)).count(),
            lost: self.lost(),
            unstarted: self.unstarted(),
            stalled: self.stalled(),
            burst: None,
        }
    }

    /// What a report shows of the cell.
    pub(crate) fn summarise(&self, basis: Option<Basis>, confidence: f64, extent: Extent) -> Cell {
        let predicted = self.series.iter().filter(|_| extent != Extent::Pages);
        let estimate = |metric| self.series(metric).estimate(confidence);
        Cell {
            estimates: Metric::ALL
                .iter()
                .filter_map(|&metric| Some((metric, estimate(metric)?)))
                .collect(),
            // Each end is a claim by itself.
            next: predicted
                .filter_map(|(metric, series)| {
                    Some((*metric, series.next(1.0 - 2.0 * (1.0 - confidence))?))
                })
                .collect(),
            spread: basis.and_then(|basis| self.series(basis.metric).spread()),
            growth: self.growth(confidence),
            volume: volume::of_cell(self, confidence),
            burst: self.burst(),
            ..self.of_trials()
        }
    }
}

impl CellTrial<'_> {
    /// With a validity that is no better than `at_most`.
    fn assessment(&self, at_most: Validity) -> TrialAssessment {
        TrialAssessment {
            repeat: self.record.key.repeat,
            validity: self.checked.validity.max(at_most),
            not_checked: self.checked.not_made.clone(),
            figures: self.figures.as_ref().map_or_else(BTreeMap::new, Figures::values),
            record: self.index,
        }
    }
}
