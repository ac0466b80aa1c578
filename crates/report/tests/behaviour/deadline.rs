//! How long a report may take to make.

use analyse::runs::{EarlierRuns, RunPoints, compare_runs, history};
use model::{Dataset, OverBudget, ReadLimit};
use report::{Format, RunName, Runs, RunsFormat};
use std::cell::Cell;
use std::time::Duration;
use test_support::{dataset, load, plan, record, study};

thread_local! {
    static LOOKS: Cell<u64> = const { Cell::new(0) };
}

/// A budget of so many looks at the clock.
fn looks(most: u64) -> ReadLimit {
    let clock = || {
        LOOKS.set(LOOKS.get() + 1);
        Duration::from_nanos(LOOKS.get())
    };
    ReadLimit { time: Duration::from_nanos(most), clock, ..ReadLimit::NONE }
}

/// A run with one test and so many trials.
fn run(repeats: u32) -> Dataset {
    let study = study(&["one", "two"], &[8], repeats);
    let plan = plan(&study, 0);
    dataset(study, plan, |trial| record(trial, load(8, 1_000.0 + f64::from(trial.position % 7))))
}

/// How often work looks at the clock; with half of that it is ended, and soon.
#[track_caller]
fn looked(work: impl Fn()) -> u64 {
    LOOKS.set(0);
    looks(u64::MAX).budget().bound(&work).unwrap();
    let all = LOOKS.get();
    LOOKS.set(0);
    let most = all / 2;
    assert_eq!(
        looks(most).budget().bound(&work),
        Err(OverBudget::Time(Duration::from_nanos(most)))
    );
    assert!(LOOKS.get() <= most + 3, "{} of {all}", LOOKS.get());
    all
}

/// The clock is looked at within a table: as much more often as there are more rows.
#[test]
fn pages_end_with_their_time_also_within_one_table() {
    let (few, many) = (run(100), run(400));
    // Markdown has no table of all trials.
    for format in [Format::Html, Format::Json, Format::Csv] {
        let of = |data: &Dataset| {
            let analysis = analyse::analyse_without_laws(data);
            looked(|| report::render(&analysis, format, &mut std::io::sink()).unwrap())
        };
        let (few, many) = (of(&few), of(&many));
        // 600 more trials, and a look at every 65th call.
        assert!(many >= few + 600 / 65, "{format:?}: {few}, {many}");
    }
    let data = levels(1);
    let analysis = analyse::analyse_without_laws(&data);
    looked(|| report::render(&analysis, Format::Markdown, &mut std::io::sink()).unwrap());
}

#[test]
fn comparisons_and_histories_end_with_their_time_too() {
    let (old, new) = (run(300), run(300));
    looked(|| drop(compare_runs(&old, &new, &EarlierRuns::default())));
    looked(|| drop(RunPoints::from_dataset("old".to_owned(), &old)));
    let runs: Vec<_> =
        (0..40).map(|n| RunPoints::from_dataset(n.to_string(), &levels(n))).collect();
    looked(|| drop(history(runs.clone())));
    let (old, new) = (levels(1), levels(2));
    let found = compare_runs(&old, &new, &EarlierRuns::default());
    let name = |file, dataset| RunName { file, dataset };
    let runs = Runs { old: name("a", &old), new: name("b", &new), found: &found, study: &[] };
    looked(|| drop(report::render_runs(&runs, RunsFormat::Html)));
}

/// A run with a hundred levels.
fn levels(salt: u32) -> Dataset {
    let clients: Vec<u32> = (1..=100).collect();
    let study = study(&["one", "two"], &clients, 3);
    let plan = plan(&study, 0);
    dataset(study, plan, |trial| {
        record(trial, load(8, 1_000.0 + f64::from((trial.position + salt) % 7)))
    })
}
