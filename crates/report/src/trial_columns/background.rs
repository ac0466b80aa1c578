//! What is said of a server's work in the background, in the measured phase.

use super::{Column, TrialRow};
use analyse::{TrialBackground, TrialSeconds};
use serde_json::Value;

/// The columns; null on servers whose counters do not show such work.
pub(super) const COLUMNS: [Column; 7] = [
    ("snapshots", |row| row.background(|seen| seen.snapshots.into())),
    ("log_rewrites", |row| row.background(|seen| seen.log_rewrites.into())),
    ("delayed_syncs", |row| row.background(|seen| seen.delayed_syncs.into())),
    ("touched_seconds", |row| row.seconds(|(touched, _)| touched.seconds)),
    ("quiet_seconds", |row| row.seconds(|(_, quiet)| quiet.seconds)),
    ("touched_transactions_per_second", |row| row.seconds(|(touched, _)| touched.throughput)),
    ("quiet_transactions_per_second", |row| row.seconds(|(_, quiet)| quiet.throughput)),
];

impl TrialRow<'_> {
    fn background(&self, figure: impl FnOnce(&TrialBackground) -> Value) -> Value {
        self.background.as_ref().map_or(Value::Null, figure)
    }

    /// A figure of the seconds that were touched and of those that were not.
    fn seconds(&self, figure: impl FnOnce(&(TrialSeconds, TrialSeconds)) -> f64) -> Value {
        self.background(|seen| seen.seconds.as_ref().map(figure).into())
    }
}
