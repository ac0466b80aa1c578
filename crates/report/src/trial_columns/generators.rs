//! What is said of the processes that made a trial's load.

use super::{Column, TrialRow};
use model::{GeneratorShare, LoadResult};
use serde_json::Value;

/// The columns; the shares are null where one process made the load.
pub(super) const COLUMNS: [Column; 3] = [
    ("load_generators", |row| row.loaded(|load| load.generators.len().max(1).into())),
    ("generator_share_min", |row| row.share(|shares| shares.reduce(f64::min))),
    ("generator_share_max", |row| row.share(|shares| shares.reduce(f64::max))),
];

impl TrialRow<'_> {
    /// A figure of the shares that the generators have of all transactions.
    fn share(&self, figure: impl FnOnce(&mut dyn Iterator<Item = f64>) -> Option<f64>) -> Value {
        self.loaded(|load: &LoadResult| {
            let all = load.measure.transactions;
            let share = |part: &GeneratorShare| part.transactions as f64 / all as f64;
            let shares = &mut load.generators.iter().map(share);
            if all > 0 { figure(shares).into() } else { Value::Null }
        })
    }
}
