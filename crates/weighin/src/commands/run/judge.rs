//! What the trials of a run say so far.

use crate::progress::RunProgress;
use crate::view::Said;
use std::time::{Duration, Instant};
use store::Store;

/// So many times as long as looking at the trials takes nobody looks again.
const SHARE: u32 = 50;

/// Looks between two trials at what they say so far, where somebody watches: never for more than a
/// small share of the time that the run takes.
#[derive(Default)]
pub(super) struct Judge {
    /// When it last looked, and how long that took.
    last: Option<(Instant, Duration)>,
}

impl Judge {
    pub(super) fn look(&mut self, progress: &RunProgress, store: &Store) {
        let is_due = self.last.is_none_or(|(at, took)| at.elapsed() >= took * SHARE);
        if !progress.is_watched() || !is_due {
            return;
        }
        let began = Instant::now();
        // A store that cannot be read ends the run where it has to be.
        if let Ok(dataset) = store.dataset() {
            let analysis = analyse::analyse_without_laws(&dataset);
            let cells = analysis.tests.iter().flat_map(|test| &test.cells);
            let trials = cells.flat_map(|cell| &cell.trials);
            let position = |record: usize| dataset.trials.get(record).map(|trial| trial.position);
            let validities =
                trials.filter_map(|trial| Some((position(trial.record)?, trial.validity)));
            let said = report::so_far(&analysis).into_iter();
            let said = said.map(|(severity, text)| Said::new(severity, &text)).collect();
            progress.judged(validities.collect(), said);
        }
        self.last = Some((Instant::now(), began.elapsed()));
    }
}
