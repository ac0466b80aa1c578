//! Check 4: debts of a server while a trial is measured, and when it began.

use crate::support::{count, dataset, found, load_of, trial};
use analyse::{Evidence, Validity, analyse};
use model::{Dataset, Debt, DebtChange, Sample, ServerCounters, Settled, signal};
use std::time::Duration;

const LIMIT: i64 = 100_000;

/// A trial whose checkpoint had these ages in per cent of the log, at even steps from 2 s to 12 s, the ends
/// of the measured phase.
fn aged(ages: &[i64]) -> Dataset {
    let step = 10.0 / (ages.len() - 1) as f64;
    let sample = |(place, age): (usize, &i64)| Sample {
        at_seconds: 2.0 + step * place as f64,
        length: Duration::from_secs_f64(step),
        counters: Some(ServerCounters::from_iter([
            (signal::CHECKPOINT_AGE.to_owned(), age * LIMIT / 100),
            (signal::CHECKPOINT_AGE_LIMIT.to_owned(), LIMIT),
        ])),
        ..Sample::default()
    };
    let mut data = dataset(&["only"], &[4], 1, |_, _, _| 1000.0);
    trial(&mut data, "only", 4, 1).sampling.samples = ages.iter().enumerate().map(sample).collect();
    data
}

/// From what share of the log to what share a trial is said to have gone, in per cent.
fn said(data: &Dataset) -> Option<(u64, u64)> {
    let analysis = analyse(data);
    let cell = &analysis.tests[0].cells[0];
    let found = found(&analysis, |e| matches!(e, Evidence::DebtChanged(_)));
    assert_eq!(cell.trials[0].validity == Validity::Suspect, !found.is_empty());
    let Evidence::DebtChanged(changed) = &found.first()?.evidence else { return None };
    assert_eq!(cell.indebted, usize::from(changed.has_grown()));
    assert_eq!(changed.debt.debt, Debt::CheckpointAge);
    Some((changed.debt.from / 1000, changed.debt.to / 1000))
}

#[test]
fn a_trial_that_changed_a_debt_by_a_quarter_of_what_the_server_takes_is_suspect() {
    assert_eq!(said(&aged(&[10, 30, 55, 78])), Some((10, 78)));
    assert_eq!(
        said(&aged(&[78, 70, 60, 50, 40, 30, 20, 10])),
        Some((78, 10)),
        "it paid for what was before"
    );
    assert_eq!(said(&aged(&[60, 66, 72, 84])), None);
    assert_eq!(said(&aged(&[10, 20, 30, 35])), Some((10, 35)));
}

#[test]
fn a_phase_with_a_checkpoint_in_it_has_seen_what_that_costs() {
    assert_eq!(said(&aged(&[10, 50, 90, 5, 40])), None);
    assert_eq!(said(&aged(&[60, 90, 2, 10, 20])), None);
}

#[test]
fn a_load_that_only_reads_has_no_debts() {
    let mut data = aged(&[10, 30, 55, 78]);
    let load = load_of(trial(&mut data, "only", 4, 1));
    for kind in ["insert", "update", "delete"] {
        *count(load, kind) = 0;
    }
    assert_eq!(said(&data), None);
}

/// What is said of a trial that began after settling, and what it is worth.
fn began(debts: &[DebtChange]) -> (Evidence, Validity) {
    let mut data = dataset(&["only"], &[4], 1, |_, _, _| 1000.0);
    let (took, at_most) = (Duration::from_secs(42), Duration::from_secs(600));
    load_of(trial(&mut data, "only", 4, 1)).settled =
        Some(Settled { took, at_most, debts: debts.to_vec() });
    let analysis = analyse(&data);
    let is_start = |e: &Evidence| {
        matches!(e, Evidence::SteadyStart(_) | Evidence::NotLevel(_) | Evidence::DebtsNotTold(_))
    };
    let found = found(&analysis, is_start);
    let validity = analysis.tests[0].cells[0].trials[0].validity;
    (found.first().expect("how it began").evidence.clone(), validity)
}

#[test]
fn a_trial_that_could_not_begin_steady_is_suspect() {
    let change = |debt, to, is_level| DebtChange { debt, from: 0, to, limit: Some(100), is_level };
    let level = change(Debt::ChangedData, 30, true);
    let (said, validity) = began(&[level]);
    assert!(matches!(said, Evidence::SteadyStart(_)));
    assert_eq!(validity, Validity::Valid);
    let (grows, hardly) =
        (change(Debt::CheckpointAge, 50, false), change(Debt::DeadRows, 1, false));
    let (said, validity) = began(&[level, grows, hardly]);
    let Evidence::NotLevel(found) = said else { panic!("{said:?}") };
    assert_eq!((found.debts, validity), (vec![grows], Validity::Suspect));
    let (said, validity) = began(&[]);
    assert!(matches!(said, Evidence::DebtsNotTold(_)));
    assert_eq!(validity, Validity::Suspect);
}
