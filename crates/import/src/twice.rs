//! The same result twice: copies of a file, or of a row, are no repeats.

use crate::{ImportedTrial, Problem};
use model::{Figure, FigureNumber, FigureValue, Level, TrialEnd};
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Figures of trials that agree by chance have fewer digits together: of two repeats that scatter by a
/// tenth of a per cent fewer than one in 10,000 agree in so many.
const TELLING_DIGITS: f64 = 8.0;

/// Figures of two rows of one file must agree in so many digits, beyond those in which repeats resemble
/// each other, to be one row that was copied: by chance one pair in a million does. The file says that
/// they are repeats, and rounding, rates and limits can make repeats agree: so only digits count that
/// none of these explain (see [`unexplained_digits`]).
const COPIED_DIGITS: f64 = 6.0;

/// Digits in which repeats agree that scatter by a tenth of a per cent.
const COMMON_DIGITS: f64 = 3.0;

/// Takes out trials whose figures are those of another trial of the same target, test and level, digit
/// by digit: a repeat that agrees so far is a copy, and an interval over both would be too narrow.
pub(crate) fn leave_out(
    trials: Vec<ImportedTrial>,
    problems: &mut Vec<Problem>,
) -> Vec<ImportedTrial> {
    let mut counts: HashMap<Cell, u32> = HashMap::new();
    for trial in &trials {
        *counts.entry(cell(trial)).or_default() += 1;
    }
    let mut values: HashMap<Cell, BTreeMap<String, BTreeSet<String>>> = HashMap::new();
    for trial in &trials {
        let cell = cell(trial);
        // What is the only one of its cell is no copy: files of many targets have little else.
        if counts.get(&cell) == Some(&1) {
            continue;
        }
        let known = values.entry(cell).or_default();
        for figure in figures(trial) {
            known.entry(figure.metric.clone()).or_default().insert(text(figure));
        }
    }
    let mut seen: HashMap<(Cell, String), (String, u32)> = HashMap::new();
    let mut kept = Vec::with_capacity(trials.len());
    for trial in trials {
        let cell = cell(&trial);
        // What is the same in all trials of a cell, such as a number of events that a tool was given,
        // tells none of them from another; of two copies everything is.
        let Some(known) = values.get(&cell) else {
            kept.push(trial);
            continue;
        };
        let differs = |metric: &str| known.get(metric).is_some_and(|values| values.len() > 1);
        let any = known.keys().any(|metric| differs(metric));
        let telling = || figures(&trial).filter(|figure| !any || differs(&figure.metric));
        if telling().map(digits).sum::<f64>() < TELLING_DIGITS {
            kept.push(trial);
            continue;
        }
        let mut all: Vec<String> = figures(&trial).map(text).collect();
        all.sort();
        let place = line(&trial);
        let (file, earlier) = match seen.entry((cell, all.join("\n"))) {
            Entry::Occupied(seen) => seen.get().clone(),
            Entry::Vacant(new) => {
                new.insert((trial.file.clone(), place));
                kept.push(trial);
                continue;
            }
        };
        let is_in_one_file = file == trial.file;
        if is_in_one_file && unexplained_digits(telling()) < COPIED_DIGITS {
            kept.push(trial);
            continue;
        }
        let (another, what) = match (is_in_one_file, earlier) {
            (false, _) => (format!("another in {file}"), "the same result"),
            (true, 0) => ("another in the same file".to_owned(), "a copy"),
            (true, line) => (format!("the one at line {line}"), "a copy"),
        };
        problems.push(Problem {
            message: format!(
                "left out a trial of {} on {}: it has the figures of {another}, digit by digit, so it \
                 is {what} and no repeat",
                trial.test, trial.target
            ),
            // A file that is there twice is one thing to say; a row has its place.
            line: if is_in_one_file { place } else { 0 },
            file: trial.file,
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
pub(crate) fn figures(trial: &ImportedTrial) -> impl Iterator<Item = &Figure> {
    let figures = match &trial.end {
        TrialEnd::Completed(outcome) => outcome.figures.as_slice(),
        TrialEnd::Failed(_) => &[],
    };
    figures.iter()
}

pub(crate) fn text(figure: &Figure) -> String {
    match &figure.value {
        FigureValue::Number(number) => format!("{}={:?} {}", figure.metric, number, figure.unit),
        FigureValue::Text(text) => format!("{}={text:?}", figure.metric),
    }
}

pub(crate) fn digits(figure: &Figure) -> f64 {
    match &figure.value {
        FigureValue::Number(number) if number.resolution > 0.0 => {
            (number.value.abs() / number.resolution).max(1.0).log10()
        }
        FigureValue::Number(_) | FigureValue::Text(_) => 0.0,
    }
}

/// The line of its first figure; 0 where lines mean nothing.
fn line(trial: &ImportedTrial) -> u32 {
    figures(trial).find_map(|figure| figure.printed.as_ref()).map_or(0, |printed| printed.line)
}

/// The digits of figures that nothing but a copy explains: of those with decimals, as others count or
/// are rounded; without zeros at the end, as limits and rounding make them; not of a rate that whole
/// operations in whole seconds make, as a limited load has; of figures of which one follows from
/// another by a whole factor, such as queries and transactions, those of one; and none of the first
/// three, in which repeats resemble each other.
fn unexplained_digits<'f>(figures: impl Iterator<Item = &'f Figure>) -> f64 {
    let mut counted: Vec<FigureNumber> = Vec::new();
    for figure in figures {
        let FigureValue::Number(number) = &figure.value else { continue };
        let has_decimals = number.resolution > 0.0 && number.resolution < 1.0;
        if has_decimals && !is_nominal(number) && !counted.iter().any(|one| follows(one, number)) {
            counted.push(*number);
        }
    }
    counted.iter().map(|number| (digits_without_zeros(number) - COMMON_DIGITS).max(0.0)).sum()
}

/// Whether whole operations in whole seconds of an hour, or of a part of it, make this rate.
fn is_nominal(number: &FigureNumber) -> bool {
    let (in_an_hour, precision) = (number.value * 3600.0, number.resolution * 3600.0);
    precision < 0.01 && (in_an_hour - in_an_hour.round()).abs() <= precision
}

/// Whether one of two numbers is the other times a whole number, where they are known so well that
/// this is seldom so by chance.
fn follows(one: &FigureNumber, other: &FigureNumber) -> bool {
    let [low, high] = if one.value.abs() < other.value.abs() { [one, other] } else { [other, one] };
    let factor = (high.value / low.value).round();
    let precision = low.resolution * factor.abs() + high.resolution;
    precision < 0.005 * low.value.abs() && (low.value * factor - high.value).abs() <= precision
}

fn digits_without_zeros(number: &FigureNumber) -> f64 {
    // Beyond this not every whole number is one of `f64`.
    const EXACT: f64 = 9e15;
    let steps = (number.value.abs() / number.resolution).round();
    if steps > EXACT {
        return steps.log10();
    }
    let mut steps = steps as u64;
    while steps > 0 && steps.is_multiple_of(10) {
        steps /= 10;
    }
    (steps.max(1) as f64).log10()
}
