//! How much an analysis takes, before it is made.

use model::{Dataset, Level, TrialEnd};
use std::collections::{BTreeSet, HashMap};

/// Bytes of memory for a pair of targets that is compared at a level.
const BYTES_OF_PAIR: u64 = 512;
/// Bytes of memory that are taken for each value of a trial or more.
const BYTES_OF_VALUE: u64 = 16;

/// About how much memory an analysis of a dataset takes, with a report of it, beside the dataset, in
/// bytes: at each level of a test all pairs of targets are compared, so that it grows with the square
/// of the number of targets.
pub fn memory(dataset: &Dataset) -> u64 {
    let mut targets: HashMap<(&str, Level), BTreeSet<&str>> = HashMap::new();
    let mut values = 0;
    for trial in &dataset.trials {
        let TrialEnd::Completed(outcome) = &trial.end else { continue };
        let key = &trial.key;
        targets.entry((&key.test, key.level)).or_default().insert(&key.target);
        let intervals = outcome.load.as_ref().map_or(0, |load| load.intervals.len());
        let series = outcome.series.iter().map(|series| series.values.len()).sum::<usize>();
        values += (intervals + series + outcome.figures.len()) as u64;
    }
    let pairs = targets.values().map(|targets| {
        let count = targets.len() as u64;
        count * (count - 1) / 2
    });
    pairs.sum::<u64>() * BYTES_OF_PAIR + values * BYTES_OF_VALUE
}
