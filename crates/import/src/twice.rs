//! The same result twice: copies of a file are no repeats.

use crate::{ImportedTrial, Problem};
use model::{Figure, FigureValue, Level, Outcome, TrialEnd};
use std::collections::HashMap;

/// All figures of trials that agree by chance have fewer digits together: of two repeats that scatter
/// by a tenth of a per cent fewer than one in 10,000 agree in so many.
const TELLING_DIGITS: f64 = 8.0;

/// Takes out trials whose figures are those of an earlier trial of the same target, test and level,
/// digit by digit: a repeat that agrees so far is the same one, and an interval over both would be
/// too narrow.
pub(crate) fn leave_out(
    trials: Vec<ImportedTrial>,
    problems: &mut Vec<Problem>,
) -> Vec<ImportedTrial> {
    let mut seen: HashMap<(String, String, Level, String), String> = HashMap::new();
    let mut kept = Vec::with_capacity(trials.len());
    for trial in trials {
        let Some(fingerprint) = fingerprint(&trial.end) else {
            kept.push(trial);
            continue;
        };
        let cell = (trial.target.clone(), trial.test.clone(), trial.level, fingerprint);
        match seen.get(&cell) {
            Some(earlier) => problems.push(Problem {
                file: trial.file,
                line: 0,
                message: format!(
                    "left out a trial of {} on {}: it has the figures of another in {earlier}, digit \
                     by digit, so it is the same result and no repeat",
                    trial.test, trial.target
                ),
            }),
            None => {
                seen.insert(cell, trial.file.clone());
                kept.push(trial);
            }
        }
    }
    kept
}

/// All figures of a trial as text; `None` where too little is known for them to tell it from others.
fn fingerprint(end: &TrialEnd) -> Option<String> {
    let TrialEnd::Completed(outcome) = end else { return None };
    let Outcome { figures, .. } = outcome.as_ref();
    let digits = |figure: &Figure| match &figure.value {
        FigureValue::Number(number) if number.resolution > 0.0 => {
            (number.value.abs() / number.resolution).max(1.0).log10()
        }
        FigureValue::Number(_) | FigureValue::Text(_) => 0.0,
    };
    if figures.iter().map(digits).sum::<f64>() < TELLING_DIGITS {
        return None;
    }
    let text = |figure: &Figure| match &figure.value {
        FigureValue::Number(number) => format!("{}={:?} {}", figure.metric, number, figure.unit),
        FigureValue::Text(text) => format!("{}={text:?}", figure.metric),
    };
    let mut all: Vec<String> = figures.iter().map(text).collect();
    all.sort();
    Some(all.join("\n"))
}
