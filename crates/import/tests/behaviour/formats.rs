//! What other tools print, read from what they printed.

mod bounds;
mod clickhouse;
mod companion;
mod cut_short;
mod diskspd;
mod fio;
mod fio_printed;
mod fio_reports;
mod hlog;
mod iostat;
mod memtier;
mod pgbench;
mod printed;
mod redis_benchmark;
mod robust;
mod show;
mod suites;
mod sysbench;

use import::{ImportedTrial, Naming, Parsed, Source, name_trials, recognise};
use model::Outcome;
use model::ReadBudget;

/// Reads a file of that name, whose format has to be recognised.
fn read(file: &str, text: &str) -> Parsed {
    recognise(text).unwrap().parse(Source { file, text, budget: &ReadBudget::default() })
}

/// The same, with the names that its path says.
fn parse(file: &str, text: &str) -> Parsed {
    let mut files = [read(file, text)];
    name_trials(&mut files, &Naming::default()).unwrap();
    let [parsed] = files;
    parsed
}

fn outcome(trial: &ImportedTrial) -> &Outcome {
    match &trial.end {
        model::TrialEnd::Completed(outcome) => outcome,
        other => panic!("{other:?}"),
    }
}

/// A figure's number and unit.
fn figure<'a>(trial: &'a ImportedTrial, metric: &str) -> (f64, &'a str) {
    let outcome = outcome(trial);
    let unit = &outcome.figure(metric).unwrap_or_else(|| panic!("{metric}: {outcome:?}")).unit;
    (outcome.number(metric).unwrap().value, unit)
}
