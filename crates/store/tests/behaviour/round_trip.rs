//! What was appended comes back, and what must not be appended is refused.

use model::{Block, Failure, FailureKind, Study, Trial, TrialEnd, TrialKey, TrialRecord};
use proptest::prelude::*;
use std::path::Path;
use store::{Store, StoreError};
use tempfile::TempDir;
use test_support::varied::{facts, host, plan, record, study};

fn create(directory: &TempDir) -> Store {
    let path = directory.path().join("run.weighin");
    Store::create(&path, &study(), &plan(), &host(), "1.2.3", 0.5).expect("a new file")
}

fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).expect("a directory");
    let mut names: Vec<_> =
        entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_dataset_is_exactly_what_was_appended(salt: u64, skipped in 1..17_u32) {
        let directory = TempDir::new().unwrap();
        let mut store = create(&directory);
        let mut records: Vec<_> = plan()
            .trials()
            .filter(|trial| trial.position != skipped)
            .map(|trial| record(trial, salt))
            .collect();
        for record in records.iter().rev() {
            store.append(record).unwrap();
        }
        drop(store);
        let dataset = Store::open(&directory.path().join("run.weighin")).unwrap().dataset().unwrap();
        records.sort_by_key(|record| record.position);
        prop_assert_eq!(&dataset.trials, &records);
        prop_assert_eq!(&dataset.study, &study());
        prop_assert_eq!(&dataset.plan, &plan());
        prop_assert_eq!(dataset.missing().count(), 1);
    }
}

#[test]
fn the_run_is_described() {
    let directory = TempDir::new().unwrap();
    let run = create(&directory).dataset().unwrap().run;
    assert_eq!((run.id, run.weighin_version.as_str(), run.scale), (1, "1.2.3", 0.5));
    assert_eq!(run.host, host());
    assert!(run.started_at.0 > 1_700_000_000_000, "milliseconds: {}", run.started_at.0);
}

#[test]
fn targets_come_back_in_the_order_of_the_study_with_what_was_said_last() {
    let directory = TempDir::new().unwrap();
    let mut store = create(&directory);
    store.record_target(&facts("remote")).unwrap();
    store.record_target(&facts("durable")).unwrap();
    let mut later = facts("remote");
    later.server.variables.remove("x");
    later.server.dataset_bytes = None;
    store.record_target(&later).unwrap();
    assert_eq!(store.dataset().unwrap().targets, [facts("durable"), later]);
    let stranger = store.record_target(&facts("stranger")).unwrap_err();
    assert!(matches!(stranger, StoreError::UnknownTarget(name) if name == "stranger"));
}

#[test]
fn a_record_is_never_replaced() {
    let directory = TempDir::new().unwrap();
    let mut store = create(&directory);
    let trial = plan().blocks[0].trials[1].clone();
    let first = record(&trial, 1);
    store.append(&first).unwrap();
    let error = store.append(&record(&trial, 2)).unwrap_err();
    assert!(matches!(error, StoreError::AlreadyRecorded(key) if key == trial.key));
    assert_eq!(store.dataset().unwrap().trials, [first]);
    assert_eq!(store.completed(), std::slice::from_ref(&trial.key));
}

#[test]
fn a_trial_outside_the_plan_is_refused() {
    let directory = TempDir::new().unwrap();
    let mut store = create(&directory);
    let planned = plan().blocks[0].trials[0].clone();
    let mut other = record(&planned, 1);
    other.key.level.clients = 3;
    assert!(matches!(store.append(&other), Err(StoreError::NotPlanned(_))));
    let mut other = record(&planned, 1);
    other.seed += 1;
    assert!(matches!(store.append(&other), Err(StoreError::NotPlanned(_))));
    assert_eq!(store.completed(), []);
}

#[test]
fn a_resumed_run_continues_where_it_stopped() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("run.weighin");
    let plan = plan();
    let trials: Vec<_> = plan.trials().collect();
    let mut store = create(&directory);
    store.append(&record(trials[0], 1)).unwrap();
    drop(store);
    let mut store = Store::resume(&path).unwrap();
    assert_eq!(store.completed(), std::slice::from_ref(&trials[0].key));
    assert_eq!((store.study(), store.plan()), (&study(), &plan));
    store.append(&record(trials[1], 1)).unwrap();
    assert_eq!(Store::open(&path).unwrap().completed().len(), 2);
}

/// The first trial failed, the second completed.
fn with_a_failure(directory: &TempDir) -> (Store, TrialRecord, TrialRecord) {
    let mut store = create(directory);
    let plan = plan();
    let trials: Vec<_> = plan.trials().collect();
    let failure = Failure::new(FailureKind::ServerLost, "it was killed", "start it");
    let failed = TrialRecord { end: TrialEnd::Failed(failure), ..record(trials[0], 1) };
    let failed = TrialRecord { cross_check: None, search: None, ..failed };
    let completed = record(trials[1], 1);
    store.append(&failed).expect("a planned trial");
    store.append(&completed).expect("a planned trial");
    (store, failed, completed)
}

/// A block in which these trials stand once more, as the next of the plan.
fn again(store: &Store, keys: &[&TrialKey], extension: u32) -> Vec<Block> {
    let plan = store.plan();
    let last = plan.all_trials().count() as u32;
    let planned = |key: &&TrialKey| {
        plan.trials().find(|trial| trial.key == **key).expect("in the plan").clone()
    };
    let trials = (last + 1..).zip(keys.iter().map(planned));
    let trials = trials.map(|(position, trial)| Trial { position, ..trial }).collect();
    vec![Block { number: 1, extension, trials }]
}

/// A comment that changed is an extension without trials.
#[test]
fn trials_that_are_added_after_an_extension_without_any_are_of_their_own() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("run.weighin");
    let (mut store, failed, _) = with_a_failure(&directory);
    store.extend("2", &host(), None, &[]).unwrap();
    let blocks = again(&store, &[&failed.key], 1);
    store.extend("3", &host(), None, &blocks).unwrap();
    assert_eq!(store.plan().blocks.last().map(|block| block.extension), Some(2));
    drop(store);
    let dataset = Store::open(&path).unwrap().dataset().unwrap();
    assert_eq!(dataset.run.extensions.len(), 2);
    assert_eq!(dataset.plan.blocks.last().map(|block| block.extension), Some(2));
    let at = dataset.run.extensions[1].at;
    assert_eq!(dataset.superseded[0].at, at, "by the extension that planned it anew");
}

#[test]
fn a_failed_trial_that_is_planned_anew_keeps_its_record() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("run.weighin");
    let (mut store, failed, completed) = with_a_failure(&directory);
    assert_eq!(store.failed().unwrap(), std::slice::from_ref(&failed.key));
    let blocks = again(&store, &[&failed.key, &completed.key], 1);
    let refused = store.extend("2", &host(), None, &blocks).unwrap_err();
    assert!(matches!(refused, StoreError::NotFailed(key) if key == completed.key));
    assert_eq!(store.plan(), &plan());

    let blocks = again(&store, &[&failed.key], 1);
    store.extend("2", &host(), None, &blocks).unwrap();
    drop(store);
    let mut store = Store::resume(&path).unwrap();
    assert_eq!(store.failed().unwrap(), []);
    assert_eq!(store.completed(), std::slice::from_ref(&completed.key));
    let dataset = store.dataset().unwrap();
    assert_eq!(dataset.trials, std::slice::from_ref(&completed));
    assert_eq!(dataset.superseded.len(), 1);
    assert_eq!(dataset.superseded[0].record, failed);
    assert!(dataset.superseded[0].at.0 > 0);
    assert_eq!(dataset.plan.blocks.last(), blocks.last());
    assert_eq!(dataset.run.extensions[0].weighin_version, "2");
    // The earlier record is as safe as before.
    assert!(matches!(store.append(&failed), Err(StoreError::AlreadyRecorded(_))));
    let drawn = (0..).map(|salt| record(&blocks[0].trials[0], salt));
    let anew = drawn.into_iter().find(|record| record.outcome().is_some()).unwrap();
    store.append(&anew).unwrap();
    let dataset = store.dataset().unwrap();
    assert_eq!(dataset.trials, [completed, anew]);
    assert_eq!(dataset.superseded.len(), 1);
    let sql = rusqlite::Connection::open(&path).unwrap();
    let superseded: Vec<(u32, Option<u64>)> = sql
        .prepare("SELECT position, superseded_at_ms FROM trial_summary WHERE outcome = 'failed'")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(superseded, [(failed.position, Some(dataset.superseded[0].at.0))]);
}

#[test]
fn a_block_that_was_planned_after_a_look_is_part_of_the_run() {
    let directory = TempDir::new().unwrap();
    let mut first = plan();
    let block = first.blocks.pop().unwrap();
    let path = directory.path().join("run.weighin");
    let mut store = Store::create(&path, &study(), &first, &host(), "1", 1.0).unwrap();
    store.add_blocks(std::slice::from_ref(&block)).unwrap();
    assert_eq!(store.plan(), &plan());
    store.append(&record(&block.trials[0], 1)).unwrap();
    assert!(store.add_blocks(&[block]).is_err(), "it is planned already");
    assert_eq!(store.plan(), &plan());
    drop(store);
    let store = Store::resume(&path).unwrap();
    assert_eq!((store.plan(), store.completed().len()), (&plan(), 1));
}

#[test]
fn the_study_as_it_was_stays_beside_what_it_became() {
    let directory = TempDir::new().unwrap();
    let (mut store, ..) = with_a_failure(&directory);
    let changed = Study { question: Some("Why?".into()), source: "changed".into(), ..study() };
    store.extend("1", &host(), Some((&changed, vec!["question".into()])), &[]).unwrap();
    assert_eq!(store.study(), &changed);
    let path = store.path().to_owned();
    drop(store);
    let store = Store::open(&path).unwrap();
    assert_eq!((store.study(), store.plan()), (&changed, &plan()));
    assert_eq!(store.run().extensions[0].changes, ["question"]);
    let sql = rusqlite::Connection::open(&path).unwrap();
    let first: String = sql.query_row("SELECT study_file FROM run", [], |row| row.get(0)).unwrap();
    assert_eq!(first, study().source);
}

#[test]
fn a_run_that_ended_is_one_file() {
    let directory = TempDir::new().unwrap();
    let mut store = create(&directory);
    store.append(&record(&plan().blocks[0].trials[0], 1)).unwrap();
    drop(store);
    assert_eq!(names(directory.path()), ["run.weighin"]);
    // Not in WAL mode any more, for which a reader would need to write beside it.
    let sql = rusqlite::Connection::open(directory.path().join("run.weighin")).unwrap();
    let mode: String = sql.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
    assert_eq!(mode, "delete");
}

#[test]
fn a_reader_reads_while_a_run_writes_and_cannot_write() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("run.weighin");
    let plan = plan();
    let trials: Vec<_> = plan.trials().collect();
    let mut writer = create(&directory);
    let mut reader = Store::open(&path).unwrap();
    assert_eq!(reader.dataset().unwrap().trials.len(), 0);
    writer.append(&record(trials[0], 1)).unwrap();
    assert_eq!(reader.dataset().unwrap().trials.len(), 1);
    let error = reader.append(&record(trials[1], 1)).unwrap_err();
    assert!(error.to_string().contains("opened for reading"), "{error}");
    writer.append(&record(trials[1], 1)).unwrap();
}

#[test]
fn a_figure_that_is_not_a_number_does_not_cost_the_trial() {
    let directory = TempDir::new().unwrap();
    let mut store = create(&directory);
    let trial = plan().blocks[0].trials[0].clone();
    let mut odd = (0..).map(|salt| record(&trial, salt)).find(|r| !r.sampling.samples.is_empty());
    odd.as_mut().unwrap().sampling.samples[0].cpu.user = f64::NAN;
    store.append(&odd.unwrap()).unwrap();
    let trials = store.dataset().unwrap().trials;
    assert!(trials[0].sampling.samples[0].cpu.user.is_nan());
}
