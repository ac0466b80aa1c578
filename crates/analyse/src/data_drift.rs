//! How far the data of a workload of the user's own drifted, where what trials change stays for the next.

use findings::{
    DataDrifted, DataKept, DriftOfTarget, DriftedTable, DriftsDiffer, Evidence, Finding, Subject,
};
use model::{Dataset, Restore, TableChange, Target, Test, TrialRecord};
use std::collections::BTreeMap;

/// How much further one target's table must have grown than another's: of rows that were counted, and of rows
/// that servers estimate.
const COUNTED_APART: f64 = 1.05;
const ESTIMATED_APART: f64 = 1.3;

/// What is to be said of each target of each test, and of targets that drifted differently.
pub(crate) fn findings(dataset: &Dataset) -> Vec<Finding> {
    dataset.study.tests.iter().flat_map(|test| of_test(dataset, test)).collect()
}

/// How far the tables of a target drifted.
struct Drift<'d> {
    target: &'d Target,
    is_restored: bool,
    trials: u32,
    tables: Vec<DriftedTable>,
}

fn of_test(dataset: &Dataset, test: &Test) -> Vec<Finding> {
    let drifts: Vec<Drift<'_>> =
        dataset.study.targets.iter().filter_map(|target| drift(dataset, test, target)).collect();
    let of_targets = drifts.iter().map(|drift| {
        Finding::new(Subject::test(&test.name).on(&drift.target.name), evidence(drift))
    });
    let apart = differing(&drifts).map(|found| Finding::new(Subject::test(&test.name), found));
    of_targets.chain(apart).collect()
}

/// `None` where nobody looked at tables.
fn drift<'d>(dataset: &'d Dataset, test: &Test, target: &'d Target) -> Option<Drift<'d>> {
    let own = test.data()?.transactions()?;
    let is_restored = own.data.restored_where(target.can_undo()) == Restore::Block;
    let is_its =
        |record: &&TrialRecord| record.key.test == test.name && record.key.target == target.name;
    let mut records: Vec<&TrialRecord> = dataset.trials.iter().filter(is_its).collect();
    records.sort_by_key(|record| record.started_at);
    // What is undone before each repeat drifts within one.
    let mut spans: BTreeMap<u32, Vec<&[TableChange]>> = BTreeMap::new();
    for record in records {
        let data = record.outcome().and_then(|outcome| outcome.data.as_ref());
        if let Some(data) = data.filter(|data| !data.tables.is_empty()) {
            let span = if is_restored { record.key.repeat } else { 0 };
            spans.entry(span).or_default().push(&data.tables);
        }
    }
    let trials = spans.values().map(Vec::len).max()? as u32;
    // Every trial begins with the same data then.
    if is_restored && trials == 1 {
        return None;
    }
    let mut furthest: BTreeMap<String, DriftedTable> = BTreeMap::new();
    for found in spans.values().flat_map(|trials| over(trials)) {
        let known = furthest.get(&found.table);
        if known.is_none_or(|known| known.share() < found.share()) {
            furthest.insert(found.table.clone(), found);
        }
    }
    let mut tables: Vec<DriftedTable> = furthest.into_values().collect();
    tables.sort_by(|a, b| b.share().total_cmp(&a.share()));
    Some(Drift { target, is_restored, trials, tables })
}

/// Each table before the first of these trials and after the last one; what others did between them counts.
fn over<'t>(trials: &'t [&[TableChange]]) -> impl Iterator<Item = DriftedTable> + 't {
    let last = trials.last().copied().unwrap_or_default();
    last.iter().map(|after| {
        let first =
            trials.iter().find_map(|trial| trial.iter().find(|one| one.table == after.table));
        DriftedTable {
            table: after.table.clone(),
            before: first.unwrap_or(after).before,
            after: after.after,
        }
    })
}

fn evidence(drift: &Drift<'_>) -> Evidence {
    let Drift { is_restored, trials, .. } = *drift;
    let drifted: Vec<DriftedTable> =
        drift.tables.iter().filter(|table| table.share() > 0.0).cloned().collect();
    match drifted.is_empty() {
        true => {
            let counted = drift.tables.iter().filter(|table| table.is_counted()).count();
            DataKept { tables: drift.tables.len(), counted, trials }.into()
        }
        false => DataDrifted { tables: drifted, trials, is_restored }.into(),
    }
}

/// The table that grew most differently from target to target, where it did.
fn differing(drifts: &[Drift<'_>]) -> Option<DriftsDiffer> {
    let apart = |table: &str| {
        let of = |drift: &Drift<'_>| drift.tables.iter().find(|one| one.table == table).cloned();
        let mut on: Vec<(&str, DriftedTable)> = drifts
            .iter()
            .filter_map(|drift| Some((drift.target.name.as_str(), of(drift)?)))
            .collect();
        on.sort_by(|(_, a), (_, b)| a.growth().total_cmp(&b.growth()));
        let factor = on.last()?.1.growth() / on.first()?.1.growth();
        let all_counted = on.iter().all(|(_, table)| table.is_counted());
        let least = if all_counted { COUNTED_APART } else { ESTIMATED_APART };
        (factor >= least).then_some((factor, on))
    };
    let tables = drifts.first()?.tables.iter();
    let (_, on) =
        tables.filter_map(|table| apart(&table.table)).max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    let table = on.first()?.1.table.clone();
    let target = |(target, table): (&str, DriftedTable)| DriftOfTarget {
        target: target.to_owned(),
        rows: (table.before.rows, table.after.rows),
    };
    Some(DriftsDiffer { table, targets: on.into_iter().map(target).collect() })
}
