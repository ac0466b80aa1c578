use model::{ErrorClass, Latencies, NamedError};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Errors of one name that are told apart: the first ones; others count as one.
pub(crate) const MAX_NAMED_ERRORS: usize = 16;

/// How long requests of one kind waited, as [`super::Recorder`] keeps it of operations, and what became
/// of them.
#[derive(Debug)]
pub(super) struct KindTimes {
    /// Answered without error in the measured phase.
    measured: Latencies,
    /// Of the measured phase, and without an answer in it: refused, lost with their connection, or cut off
    /// by its end.
    waits: Latencies,
    /// Never answered.
    unanswered: Latencies,
    failed: u64,
    pub(super) retries: u64,
    rows: u64,
    errors: Vec<NamedError>,
}

impl KindTimes {
    pub(super) fn new() -> Self {
        Self {
            measured: Latencies::new(),
            waits: Latencies::new(),
            unanswered: Latencies::new(),
            failed: 0,
            retries: 0,
            rows: 0,
            errors: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn measured(&mut self, took: Duration, rows: u64) {
        self.measured.record(took);
        self.rows += rows;
    }

    pub(super) fn waited(&mut self, took: Duration) {
        self.waits.record(took);
    }

    pub(super) fn failed(&mut self, took: Duration) {
        self.failed += 1;
        self.waits.record(took);
    }

    pub(super) fn never_answered(&mut self, waited: Duration) {
        self.failed += 1;
        self.unanswered.record(waited);
    }

    pub(super) fn note(&mut self, class: ErrorClass, code: &str) {
        let error = NamedError { class, code: code.to_owned(), count: 1 };
        add_error(&mut self.errors, error);
    }

    /// All that was never answered, and what waited longer than anything that was answered.
    pub(super) fn close(mut self) -> NamedRecord {
        let ok = self.measured.count();
        let waits = self.waits.longer_than(&self.measured);
        self.measured.merge(&waits);
        self.measured.merge(&self.unanswered);
        let Self { measured: latencies, failed, retries, rows, errors, .. } = self;
        NamedRecord { latencies, ok, failed, retries, rows, errors }
    }
}

/// What became of the requests of one kind in the measured phase; errors are those of all phases.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct NamedRecord {
    pub(crate) latencies: Latencies,
    pub(crate) ok: u64,
    pub(crate) failed: u64,
    pub(crate) retries: u64,
    pub(crate) rows: u64,
    pub(crate) errors: Vec<NamedError>,
}

impl From<Latencies> for NamedRecord {
    fn from(latencies: Latencies) -> Self {
        Self { ok: latencies.count(), latencies, ..Self::default() }
    }
}

impl NamedRecord {
    pub(super) fn merge(&mut self, other: &Self) {
        self.latencies.merge(&other.latencies);
        self.ok = self.ok.saturating_add(other.ok);
        self.failed = self.failed.saturating_add(other.failed);
        self.retries = self.retries.saturating_add(other.retries);
        self.rows = self.rows.saturating_add(other.rows);
        other.errors.iter().cloned().for_each(|error| add_error(&mut self.errors, error));
    }
}

fn add_error(errors: &mut Vec<NamedError>, mut error: NamedError) {
    let same = |known: &NamedError, other: &NamedError| {
        known.class == other.class && known.code == other.code
    };
    if errors.len() + 1 >= MAX_NAMED_ERRORS && !errors.iter().any(|known| same(known, &error)) {
        (error.class, error.code) = (ErrorClass::Other, String::new());
    }
    match errors.iter_mut().find(|known| same(known, &error)) {
        Some(known) => known.count = known.count.saturating_add(error.count),
        None => errors.push(error),
    }
}
