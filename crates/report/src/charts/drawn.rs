//! Which trials are drawn over time where there are more than a page can hold.

use analyse::{Analysis, Cell, TestAnalysis, TrialAssessment, Validity};
use model::TrialRecord;
use std::collections::HashSet;

/// Most trials that are drawn: a page with all of ten thousand would be as large as the results.
pub(super) const MOST: usize = 300;
/// Most of them that are drawn because something is wrong with them.
const MOST_DOUBTFUL: usize = MOST / 2;

/// What is drawn, by the index of the record.
pub(crate) enum Drawn {
    All,
    Some(HashSet<usize>),
}

impl Drawn {
    /// Of more trials than can be drawn first those that are doubtful, then of each cell the one in the
    /// middle of its repeats, test by test in turn, then others from the first repeats on.
    pub(crate) fn for_analysis(analysis: &Analysis) -> Self {
        if analysis.dataset.trials.len() <= MOST {
            return Self::All;
        }
        let tests: Vec<Vec<&Cell>> =
            analysis.tests.iter().map(|test| cells_of(test).collect()).collect();
        let tests = || tests.iter();
        let cells = || tests().flatten().copied();
        let doubtful = cells().flat_map(|cell| &cell.trials);
        let doubtful =
            doubtful.filter(|trial| trial.validity != Validity::Valid).take(MOST_DOUBTFUL);
        let most_cells = tests().map(Vec::len).max().unwrap_or(0);
        let in_turn =
            (0..most_cells).flat_map(|i| tests().filter_map(move |cells| cells.get(i).copied()));
        let most_repeats = cells().map(|cell| cell.trials.len()).max().unwrap_or(0);
        let others =
            (0..most_repeats).flat_map(|i| cells().filter_map(move |cell| cell.trials.get(i)));
        let mut drawn = HashSet::new();
        for trial in doubtful.chain(in_turn.filter_map(typical)).chain(others) {
            if drawn.len() == MOST {
                break;
            }
            drawn.insert(trial.record);
        }
        Self::Some(drawn)
    }

    pub(crate) fn has(&self, record: usize) -> bool {
        match self {
            Self::All => true,
            Self::Some(drawn) => drawn.contains(&record),
        }
    }

    /// How many of so many trials.
    pub(crate) fn count(&self, trials: usize) -> usize {
        match self {
            Self::All => trials,
            Self::Some(drawn) => drawn.len(),
        }
    }
}

/// Whether anything is known of a trial over time.
pub(crate) fn is_known(record: &TrialRecord) -> bool {
    record.load().is_some() || !record.sampling.samples.is_empty()
}

/// Whether it has a place there: of what failed the reason is told.
pub(crate) fn is_drawn(record: &TrialRecord) -> bool {
    is_known(record) || record.failure().is_some()
}

/// What is drawn of a test: the cells of its targets, and those of the A/A control.
pub(crate) fn cells_of(test: &TestAnalysis) -> impl Iterator<Item = &Cell> {
    test.cells.iter().chain(&test.aa_control_cells)
}

/// The trial in the middle of a cell's repeats by the first figure that its valid ones have.
pub(crate) fn typical(cell: &Cell) -> Option<&TrialAssessment> {
    let valid = cell.trials.iter().filter(|trial| trial.validity == Validity::Valid);
    let figure = |trial: &&TrialAssessment| trial.figures.values().next().copied().unwrap_or(0.0);
    let mut sorted: Vec<&TrialAssessment> = valid.collect();
    sorted.sort_by(|a, b| figure(a).total_cmp(&figure(b)));
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trial(repeat: u32, validity: Validity, throughput: f64) -> TrialAssessment {
        let figures = [(analyse::Metric::Throughput, throughput)].into_iter().collect();
        TrialAssessment {
            repeat,
            validity,
            not_checked: Vec::new(),
            figures,
            record: repeat as usize,
        }
    }

    fn cell(trials: Vec<TrialAssessment>) -> Cell {
        Cell {
            target: "a".to_owned(),
            level: model::Level::clients(1),
            trials,
            estimates: Default::default(),
            next: Default::default(),
            spread: None,
            volume: None,
            overloaded: 0,
            indebted: 0,
            stalled: 0,
            unstarted: 0,
            lost: 0,
            burst: None,
            growth: None,
        }
    }

    #[test]
    fn the_typical_trial_is_a_valid_one_in_the_middle() {
        let validities = [Validity::Valid, Validity::Void, Validity::Valid, Validity::Valid];
        let figures = [900.0, 1.0, 1_000.0, 400.0];
        let trials = (1..).zip(validities).zip(figures).map(|((r, v), f)| trial(r, v, f)).collect();
        let mut cell = cell(trials);
        assert_eq!(typical(&cell).unwrap().repeat, 1);
        cell.trials.clear();
        assert!(typical(&cell).is_none());
    }
}
