//! What is known of a run while it goes on.

use crate::progress::TimeLeft;
use analyse::{Severity, Validity};
use model::{
    ErrorClass, Interval, LoadResult, Phase, Sample, Trial, TrialEnd, TrialKey, TrialRecord,
    UnixMillis,
};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// The percentiles of latencies that are given; the last is the longest.
pub(super) const PERCENTILES: [(&str, f64); 5] =
    [("50", 50.0), ("95", 95.0), ("99", 99.0), ("99.9", 99.9), ("100", 100.0)];

/// What came of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verdict {
    Valid,
    Suspect,
    Void,
    Failed,
    NotOffered,
    /// It completed, and nobody has looked at it yet.
    Unjudged,
}

impl Verdict {
    pub(super) const ALL: [Self; 6] =
        [Self::Valid, Self::Suspect, Self::Void, Self::Failed, Self::NotOffered, Self::Unjudged];

    /// Of a trial that is over; `validity` where somebody has looked at it.
    pub(crate) fn for_record(record: &TrialRecord, validity: Option<Validity>) -> Self {
        match (&record.end, validity) {
            (TrialEnd::Failed(failure), _) if failure.is_not_offered() => Self::NotOffered,
            (TrialEnd::Failed(_), _) => Self::Failed,
            (TrialEnd::Completed(_), None) => Self::Unjudged,
            (TrialEnd::Completed(_), Some(Validity::Valid)) => Self::Valid,
            (TrialEnd::Completed(_), Some(Validity::Suspect)) => Self::Suspect,
            (TrialEnd::Completed(_), Some(Validity::Void)) => Self::Void,
        }
    }

    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Suspect => "suspect",
            Self::Void => "void",
            Self::Failed => "failed",
            Self::NotOffered => "not_offered",
            Self::Unjudged => "unjudged",
        }
    }
}

/// Target, test and level: what all repeats have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Cell([String; 3]);

impl Cell {
    fn for_key(key: &TrialKey) -> Self {
        Self([key.target.clone(), key.test.clone(), key.level.to_string()])
    }

    /// Its labels, and one more.
    pub(super) fn and<'a>(&'a self, last: &'a str) -> [&'a str; 4] {
        let [target, test, level] = &self.0;
        [target, test, level, last]
    }

    pub(super) fn labels(&self) -> [&str; 3] {
        self.0.each_ref().map(String::as_str)
    }
}

/// What loads did, over all trials of a cell in this process.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Totals {
    pub(super) transactions: u64,
    pub(super) statements: u64,
    pub(super) failed: u64,
    pub(super) read: u64,
    pub(super) written: u64,
    pub(super) seconds: f64,
}

/// A trial under way.
pub(super) struct Running {
    pub(super) cell: Cell,
    pub(super) repeat: String,
    pub(super) clients: u32,
    pub(super) rate: Option<u32>,
    pub(super) load_time: Duration,
    /// `None` until its load began.
    pub(super) phase: Option<Phase>,
    pub(super) elapsed: Duration,
    pub(super) last: Option<Second>,
}

/// A second of a load.
pub(super) struct Second {
    pub(super) transactions: f64,
    pub(super) statements: f64,
    pub(super) failed: f64,
    /// By [`PERCENTILES`], in seconds; empty where nothing succeeded.
    pub(super) latencies: Vec<f64>,
    /// In seconds.
    pub(super) longest_statement: Option<f64>,
}

/// What the last completed trial of a cell came to.
#[derive(Default)]
pub(super) struct CellResult {
    pub(super) repeat: u32,
    pub(super) throughput: Option<f64>,
    /// By [`PERCENTILES`], in seconds.
    pub(super) latencies: Vec<f64>,
    /// By percentile, in seconds.
    pub(super) receive_delay: Vec<(&'static str, f64)>,
    pub(super) busiest_worker: Option<f64>,
    /// What a task without a load took, in seconds.
    pub(super) took: Option<f64>,
}

/// A run while it goes on.
pub(crate) struct RunState {
    pub(super) study: String,
    pub(super) results: String,
    pub(super) counted: &'static str,
    /// Since 1970, in seconds.
    pub(super) started_at: f64,
    pub(super) planned: usize,
    pub(super) left: TimeLeft,
    /// Trials that are over, by their position in the plan; those from before this process too.
    pub(super) ended: BTreeMap<u32, Verdict>,
    /// How many completed and failed in this process.
    pub(super) ended_here: [u64; 2],
    pub(super) totals: BTreeMap<(Cell, &'static str), Totals>,
    pub(super) errors: BTreeMap<(Cell, &'static str), u64>,
    pub(super) results_of: BTreeMap<Cell, CellResult>,
    pub(super) running: BTreeMap<u32, Running>,
    /// Of the machine that leads, while a trial runs.
    pub(super) sample: Option<Sample>,
    pub(super) findings: BTreeMap<&'static str, u64>,
    pub(super) paused: Option<Instant>,
    pub(super) pauses: u64,
    pub(super) paused_for: Duration,
}

impl RunState {
    pub(crate) fn new(
        study: &str,
        results: &str,
        started_at: UnixMillis,
        counted: &'static str,
        planned: usize,
        left: TimeLeft,
    ) -> Self {
        Self {
            study: study.to_owned(),
            results: results.to_owned(),
            counted,
            started_at: started_at.0 as f64 / 1_000.0,
            planned,
            left,
            ended: BTreeMap::new(),
            ended_here: [0; 2],
            totals: BTreeMap::new(),
            errors: BTreeMap::new(),
            results_of: BTreeMap::new(),
            running: BTreeMap::new(),
            sample: None,
            findings: BTreeMap::new(),
            paused: None,
            pauses: 0,
            paused_for: Duration::ZERO,
        }
    }

    pub(crate) fn planned(&mut self, total: usize) {
        self.planned = total;
    }

    /// It pauses since then, or goes on.
    pub(crate) fn paused(&mut self, since: Option<Instant>, now: Instant) {
        match since {
            Some(_) => self.pauses += 1,
            None => self.paused_for = self.paused_for(now),
        }
        self.paused = since;
    }

    pub(super) fn paused_for(&self, now: Instant) -> Duration {
        let this = self.paused.map(|since| now.saturating_duration_since(since));
        self.paused_for + this.unwrap_or_default()
    }

    pub(crate) fn trial_started(&mut self, trial: &Trial, left: TimeLeft) {
        self.left = left;
        let running = Running {
            cell: Cell::for_key(&trial.key),
            repeat: trial.key.repeat.to_string(),
            clients: trial.key.level.clients,
            rate: trial.key.level.rate,
            load_time: trial.load_time,
            phase: None,
            elapsed: Duration::ZERO,
            last: None,
        };
        self.running.insert(trial.position, running);
    }

    pub(crate) fn second(&mut self, position: u32, interval: &Interval) {
        let Some(running) = self.running.get_mut(&position) else { return };
        let seconds = interval.length.as_secs_f64();
        let rate = |count: u64| count as f64 / seconds.max(1e-9);
        let latencies = interval.latencies.unpack();
        let at = |(_, percentile): (_, f64)| Some(latencies.percentile_ms(percentile)? / 1e3);
        running.phase = Some(interval.phase);
        running.elapsed = interval.start + interval.length;
        running.last = Some(Second {
            transactions: rate(interval.transactions),
            statements: rate(interval.queries),
            failed: rate(interval.errors),
            latencies: PERCENTILES.into_iter().filter_map(at).collect(),
            longest_statement: interval.longest_statement.map(|longest| longest.as_secs_f64()),
        });
        let key = (running.cell.clone(), phase_label(Some(interval.phase)));
        let totals = self.totals.entry(key).or_default();
        totals.transactions += interval.transactions;
        totals.statements += interval.queries;
        totals.failed += interval.errors;
        totals.read += interval.moved.read;
        totals.written += interval.moved.written;
        totals.seconds += seconds;
    }

    pub(crate) fn sampled(&mut self, sample: Sample) {
        // One may come when the load is over.
        if !self.running.is_empty() {
            self.sample = Some(sample);
        }
    }

    pub(crate) fn trial_ended(&mut self, ended: Ended, left: TimeLeft) {
        self.left = left;
        self.running.remove(&ended.position);
        if self.running.is_empty() {
            self.sample = None;
        }
        self.ended.insert(ended.position, ended.verdict);
        let [completed, failed] = &mut self.ended_here;
        *if ended.result.is_some() { completed } else { failed } += 1;
        for (class, count) in ended.errors {
            *self.errors.entry((ended.cell.clone(), class)).or_default() += count;
        }
        if let Some(result) = ended.result {
            self.results_of.insert(ended.cell, result);
        }
    }

    /// What may be said of all trials so far, by their position in the plan.
    pub(crate) fn judged(&mut self, ended: BTreeMap<u32, Verdict>, severities: &[Severity]) {
        self.ended = ended;
        self.findings.clear();
        for severity in severities {
            let label = match severity {
                Severity::Severe => "severe",
                Severity::Warning => "warning",
                Severity::Notice => "notice",
                Severity::Passed => continue,
            };
            *self.findings.entry(label).or_default() += 1;
        }
    }
}

/// What is kept of a trial that is over.
pub(crate) struct Ended {
    position: u32,
    cell: Cell,
    verdict: Verdict,
    errors: Vec<(&'static str, u64)>,
    /// `None` where it failed.
    result: Option<CellResult>,
}

impl Ended {
    pub(crate) fn from_record(record: &TrialRecord) -> Self {
        let outcome = record.outcome();
        let load = outcome.and_then(|outcome| outcome.load.as_deref());
        let errors = load.map(|load| load.errors.as_slice()).unwrap_or_default();
        let result = outcome.map(|outcome| CellResult {
            repeat: record.key.repeat,
            took: outcome.took().map(|took| took.value),
            ..load.map(of_load).unwrap_or_default()
        });
        Self {
            position: record.position,
            cell: Cell::for_key(&record.key),
            verdict: Verdict::for_record(record, None),
            errors: errors.iter().map(|error| (class_label(error.class), error.count)).collect(),
            result,
        }
    }
}

fn of_load(load: &LoadResult) -> CellResult {
    let at = |(_, percentile): (_, f64)| Some(load.latencies.percentile_ms(percentile)? / 1e3);
    let delay = load.client.receive_delay;
    let delay = delay.map(|delay| {
        vec![("50", delay.p50_ms / 1e3), ("99", delay.p99_ms / 1e3), ("100", delay.max_ms / 1e3)]
    });
    CellResult {
        repeat: 0,
        throughput: Some(load.measure.transactions_per_second()),
        latencies: PERCENTILES.into_iter().filter_map(at).collect(),
        receive_delay: delay.unwrap_or_default(),
        busiest_worker: Some(load.client.busiest_worker),
        took: None,
    }
}

pub(super) fn phase_label(phase: Option<Phase>) -> &'static str {
    match phase {
        None => "preparing",
        Some(Phase::Warmup) => "warmup",
        Some(Phase::Measure) => "measure",
        Some(Phase::Drain) => "drain",
    }
}

fn class_label(class: ErrorClass) -> &'static str {
    match class {
        ErrorClass::Conflict => "conflict",
        ErrorClass::Connection => "connection",
        ErrorClass::Permission => "permission",
        ErrorClass::Resource => "resource",
        ErrorClass::Statement => "statement",
        ErrorClass::Constraint => "constraint",
        ErrorClass::Device => "device",
        ErrorClass::Corruption => "corruption",
        ErrorClass::Unanswered => "unanswered",
        ErrorClass::Other => "other",
    }
}
