//! What is said of the processors that the virtual machines of a trial shared, in the measured
//! phase.

use super::{Column, Field, TrialRow};
use model::FleetProcessors;

/// The columns; null where there were no virtual machines, or they were limited to no processors.
pub(super) const COLUMNS: [Column; 5] = [
    ("vm_processors", |row| row.processors(|processors| processors.count.into())),
    ("vm_processors_busy", |row| row.processors(|processors| processors.busy.into())),
    ("vm_processors_periods", |row| {
        row.processors(|processors| processors.throttling.periods.into())
    }),
    ("vm_processors_throttled_periods", |row| {
        row.processors(|processors| processors.throttling.throttled.into())
    }),
    ("vm_processors_throttled_seconds", |row| {
        row.processors(|processors| processors.throttled_seconds.into())
    }),
];

impl TrialRow<'_> {
    fn processors(&self, value: impl FnOnce(&FleetProcessors) -> Field<'static>) -> Field<'_> {
        self.loaded(|load| {
            let processors = load.fleet.as_ref().and_then(|fleet| fleet.processors.as_ref());
            processors.map_or(Field::Null, value)
        })
    }
}
