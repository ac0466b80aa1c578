//! The same result twice: copies of a file are no repeats.

use crate::{ImportedTrial, Problem};
use model::{Figure, FigureValue, Level, TrialEnd};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Figures of trials that agree by chance have fewer digits together: of two repeats that scatter by a
/// tenth of a per cent fewer than one in 10,000 agree in so many.
const TELLING_DIGITS: f64 = 8.0;

/// Takes out trials whose figures are those of a trial of the same target, test and level in another
/// file, digit by digit: a repeat that agrees so far is a copy, and an interval over both would be too
/// narrow. What one file tells of several repeats is taken at its word.
pub(crate) fn leave_out(
    trials: Vec<ImportedTrial>,
    problems: &mut Vec<Problem>,
) -> Vec<ImportedTrial> {
    let mut values: HashMap<Cell, BTreeMap<String, BTreeSet<String>>> = HashMap::new();
    for trial in &trials {
        let known = values.entry(cell(trial)).or_default();
        for figure in figures(trial) {
            known.entry(figure.metric.clone()).or_default().insert(text(figure));
        }
    }
    let mut seen: HashMap<(Cell, String), String> = HashMap::new();
    let mut kept = Vec::with_capacity(trials.len());
    for trial in trials {
        let cell = cell(&trial);
        // What is the same in all trials of a cell, such as a number of events that a tool was given,
        // tells none of them from another; of two copies everything is.
        let known = &values[&cell];
        let differs = |metric: &str| known.get(metric).is_some_and(|values| values.len() > 1);
        let any = known.keys().any(|metric| differs(metric));
        let telling = figures(&trial).filter(|figure| !any || differs(&figure.metric));
        if telling.map(digits).sum::<f64>() < TELLING_DIGITS {
            kept.push(trial);
            continue;
        }
        let mut all: Vec<String> = figures(&trial).map(text).collect();
        all.sort();
        let earlier =
            seen.entry((cell, all.join("\n"))).or_insert_with(|| trial.file.clone()).clone();
        if earlier == trial.file {
            kept.push(trial);
            continue;
        }
        problems.push(Problem {
            file: trial.file,
            line: 0,
            message: format!(
                "left out a trial of {} on {}: it has the figures of another in {earlier}, digit by \
                 digit, so it is the same result and no repeat",
                trial.test, trial.target
            ),
        });
    }
    kept
}

/// Target, test and level.
type Cell = (String, String, Level);

fn cell(trial: &ImportedTrial) -> Cell {
    (trial.target.clone(), trial.test.clone(), trial.level)
}

/// None of a trial that failed.
fn figures(trial: &ImportedTrial) -> impl Iterator<Item = &Figure> {
    let figures = match &trial.end {
        TrialEnd::Completed(outcome) => outcome.figures.as_slice(),
        TrialEnd::Failed(_) => &[],
    };
    figures.iter()
}

fn text(figure: &Figure) -> String {
    match &figure.value {
        FigureValue::Number(number) => format!("{}={:?} {}", figure.metric, number, figure.unit),
        FigureValue::Text(text) => format!("{}={text:?}", figure.metric),
    }
}

fn digits(figure: &Figure) -> f64 {
    match &figure.value {
        FigureValue::Number(number) if number.resolution > 0.0 => {
            (number.value.abs() / number.resolution).max(1.0).log10()
        }
        FigureValue::Number(_) | FigureValue::Text(_) => 0.0,
    }
}
