//! What the trials of a run say so far.

use crate::metrics::Verdict;
use crate::progress::{Judgement, RunProgress};
use crate::view::Sentence;
use analyse::Validity;
use model::TrialRecord;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use store::Store;

/// So many times as long as looking at the trials takes nobody looks again.
const SHARE: u32 = 50;

/// Looks before the first trial and between two at what they say so far, where somebody watches: never for more than a
/// small share of the time that the run takes.
#[derive(Default)]
pub(super) struct Judge {
    /// When it last looked, and how long that took.
    last: Option<(Instant, Duration)>,
}

impl Judge {
    pub(super) fn look(&mut self, progress: &mut RunProgress, store: &Store) {
        let is_due = self.last.is_none_or(|(at, took)| at.elapsed() >= took * SHARE);
        // Nothing is computed while a trial measures.
        if !progress.is_watched() || !is_due || progress.under_way() > 0 {
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
            let validities: BTreeMap<u32, Validity> = validities.collect();
            let verdict = |trial: &TrialRecord| {
                let validity = validities.get(&trial.position).copied();
                (trial.position, Verdict::for_record(trial, validity))
            };
            let verdicts = dataset.trials.iter().map(verdict).collect();
            let severities = analysis.findings.iter().map(|finding| finding.severity).collect();
            let said = report::so_far(&analysis).into_iter();
            let sentences = said.map(|(severity, text)| Sentence::new(severity, &text)).collect();
            progress.judged(&Judgement { validities, verdicts, sentences, severities });
        }
        self.last = Some((Instant::now(), began.elapsed()));
    }
}
