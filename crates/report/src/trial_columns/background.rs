//! What is said of interventions, and of a server's work in the background in the measured phase.

use super::{Column, Field, TrialRow};
use analyse::{TrialBackground, TrialSeconds};
use model::ActResult;

/// The columns. Those of background work are null on servers whose counters do not show it.
pub(super) const COLUMNS: [Column; 10] = [
    ("interventions", |row| row.interventions(|_| true)),
    ("interventions_failed", |row| row.interventions(|result| result == ActResult::Failed)),
    ("interventions_cut_off", |row| row.interventions(|result| result == ActResult::CutOff)),
    ("snapshots", |row| row.background(|seen| seen.snapshots.into())),
    ("log_rewrites", |row| row.background(|seen| seen.log_rewrites.into())),
    ("delayed_syncs", |row| row.background(|seen| seen.delayed_syncs.into())),
    ("touched_seconds", |row| row.seconds(|(touched, _)| touched.seconds)),
    ("quiet_seconds", |row| row.seconds(|(_, quiet)| quiet.seconds)),
    ("touched_transactions_per_second", |row| row.seconds(|(touched, _)| touched.throughput)),
    ("quiet_transactions_per_second", |row| row.seconds(|(_, quiet)| quiet.throughput)),
];

impl TrialRow<'_> {
    /// How many began and came to this; null of trials without a load.
    fn interventions(&self, is: fn(ActResult) -> bool) -> Field<'static> {
        let Some(record) = self.record.filter(|record| record.load().is_some()) else {
            return Field::Null;
        };
        record.interventions().filter(|mark| mark.result.is_some_and(is)).count().into()
    }

    fn background(
        &self,
        figure: impl FnOnce(&TrialBackground) -> Field<'static>,
    ) -> Field<'static> {
        self.background.as_ref().map_or(Field::Null, figure)
    }

    /// A figure of the seconds that were touched and of those that were not.
    fn seconds(&self, figure: impl FnOnce(&(TrialSeconds, TrialSeconds)) -> f64) -> Field<'static> {
        self.background(|seen| seen.seconds.as_ref().map(figure).into())
    }
}
