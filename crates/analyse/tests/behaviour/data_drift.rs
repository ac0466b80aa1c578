//! How far data drifted where what trials change stays.

use crate::support::{dataset, found};
use analyse::{DataDrifted, Evidence, analyse};
use model::{
    DataState, Dataset, OwnData, Restore, TableChange, TableSize, Transactions, UnixMillis,
    Workload,
};

/// A run of two targets with so many rows of `orders` before the first trial and more after each; `items` keeps
/// its rows.
fn run(restore: Restore, rows: [u64; 2], more: [u64; 2], is_counted: bool) -> Dataset {
    let mut data = dataset(&["a", "b"], &[1, 2], 2, |_, _, _| 1000.0);
    let own = Transactions {
        transactions: Vec::new(),
        set: Default::default(),
        prepared: true,
        writes: false,
        change_data: true,
        data: OwnData { restore, ..OwnData::default() },
    };
    data.study.tests[0].load_mut().expect("it runs a load").workload = Workload::Transactions(own);
    let mut at = [rows; 2];
    for (number, record) in data.trials.iter_mut().enumerate() {
        let target = usize::from(record.key.target == "b");
        let block = if restore == Restore::Block { record.key.repeat as usize % 2 } else { 0 };
        let before = at[block][target];
        at[block][target] += more[target];
        let size = |rows: u64| TableSize { rows, is_counted, bytes: 100 * rows };
        let table = |table: &str, before, after| TableChange {
            table: table.to_owned(),
            before: size(before),
            after: size(after),
        };
        record.started_at = UnixMillis(number as u64);
        let model::TrialEnd::Completed(outcome) = &mut record.end else { continue };
        outcome.data = Some(DataState {
            tables: vec![table("items", 10, 10), table("orders", before, at[block][target])],
            ..DataState::default()
        });
    }
    // Their order is that of time, and not that of the store.
    data.trials.reverse();
    data
}

fn drifted(data: &Dataset) -> Vec<DataDrifted> {
    let analysis = analyse(data);
    let of = |evidence: &Evidence| match evidence {
        Evidence::DataDrifted(found) => Some(found.clone()),
        _ => None,
    };
    analysis.findings.iter().filter_map(|finding| of(&finding.evidence)).collect()
}

/// From how many rows to how many each target's `orders` went.
fn rows(data: &Dataset) -> Vec<(u64, u64)> {
    let of = |found: &DataDrifted| {
        let [table] = &found.tables[..] else { panic!("{found:?}") };
        assert_eq!(table.table, "orders");
        (table.before.rows, table.after.rows)
    };
    drifted(data).iter().map(of).collect()
}

fn differs(data: &Dataset) -> bool {
    !found(&analyse(data), |one| matches!(one, Evidence::DriftsDiffer(_))).is_empty()
}

#[test]
fn drift_is_from_before_the_first_trial_to_after_the_last() {
    let data = run(Restore::None, [1_000, 1_000], [50, 50], true);
    assert_eq!(rows(&data), [(1_000, 1_200); 2]);
    let found = drifted(&data);
    assert!(found.iter().all(|one| one.trials == 4 && !one.is_restored), "{found:?}");
    assert!(!differs(&data));
    // Where each repeat begins anew, it is that of a repeat.
    let data = run(Restore::Block, [1_000, 1_000], [50, 50], true);
    assert_eq!(rows(&data), [(1_000, 1_100); 2]);
    assert!(drifted(&data).iter().all(|one| one.trials == 2 && one.is_restored));
}

#[test]
fn targets_that_drift_differently_are_found() {
    assert!(differs(&run(Restore::None, [1_000, 1_000], [10, 30], true)));
    // A hundredth more or less is no other data.
    assert!(!differs(&run(Restore::None, [1_000, 1_000], [10, 12], true)));
    // What servers estimate differs by itself.
    assert!(!differs(&run(Restore::None, [1_000, 1_000], [10, 30], false)));
    assert!(differs(&run(Restore::None, [1_000, 1_000], [10, 200], false)));
}

#[test]
fn data_that_did_not_drift_is_said_to_be_the_same() {
    let data = run(Restore::None, [1_000, 1_000], [0, 0], true);
    assert!(drifted(&data).is_empty() && !differs(&data));
    let kept = found(&analyse(&data), |one| matches!(one, Evidence::DataKept(_))).len();
    assert_eq!(kept, 2);
    // Estimates that move by a few hundredths say nothing.
    let data = run(Restore::None, [1_000, 1_000], [5, 5], false);
    assert!(drifted(&data).is_empty());
}
