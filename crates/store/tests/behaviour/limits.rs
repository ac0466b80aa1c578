//! What reading a store may take.

use model::{ByLength, ReadLimit, TrialEnd};
use store::fuzzing::multiply;
use store::{Store, StoreError};
use test_support::varied::{host, plan, record, study};

/// A store with one trial of a load, whose first interval is there so many times.
fn store_of(path: &std::path::Path, intervals: u32) {
    let mut store = Store::create(path, &study(), &plan(), &host(), "1", 1.0).unwrap();
    let plan = plan();
    let trial = plan.trials().next().unwrap();
    let loaded = (0..100)
        .map(|salt| record(trial, salt))
        .find(|record| record.load().is_some_and(|load| load.intervals.len() > 1));
    store.append(&loaded.unwrap()).unwrap();
    drop(store);
    let of_intervals = |store: &Store| {
        let dataset = store.dataset().unwrap();
        let TrialEnd::Completed(outcome) = &dataset.trials[0].end else { panic!("it failed") };
        outcome.load.as_ref().unwrap().intervals.len()
    };
    let before = of_intervals(&Store::open(path).unwrap());
    // Tables in the order of their names, then documents; the others stay as they are.
    for place in (0..20).flat_map(|table| (0..20).map(move |list| (table, list))) {
        let copy = path.with_extension("copy");
        std::fs::copy(path, &copy).unwrap();
        multiply(&copy, place, 1).unwrap();
        let is_found = Store::open(&copy)
            .and_then(|store| store.dataset().map(|_| of_intervals(&store) > before))
            .unwrap_or(false);
        std::fs::remove_file(&copy).unwrap();
        if is_found {
            return multiply(path, place, intervals).unwrap();
        }
    }
    panic!("there is no list of intervals");
}

#[test]
fn what_goes_beyond_the_limit_is_named_with_the_way_to_raise_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.weighin");
    store_of(&path, 5_000);
    let all = Store::open(&path).unwrap().dataset().unwrap();
    assert!(all.trials[0].load().unwrap().intervals.len() > 5_000);

    let limit = ReadLimit { bytes: 1 << 20, ..ReadLimit::default() };
    let open = || Store::open_within(&path, limit);
    for error in [
        open().and_then(|store| store.dataset()).unwrap_err(),
        Store::resume_within(&path, limit).unwrap_err(),
    ] {
        assert!(matches!(error, StoreError::TooLarge { .. }), "{error:?}");
        let told = error.to_string();
        assert!(told.contains("run.weighin is not read: trial 1"), "{told}");
        assert!(told.contains("limit is 1 MiB; raise it with --read-limit"), "{told}");
    }
    // A longer file may take more, and this one is long enough.
    let by_length = ByLength { bytes: 1 << 20, ..ByLength::NONE };
    let longer = ReadLimit { by_length, ..limit };
    let read = |store: Store| store.into_dataset().map(|dataset| dataset.trials);
    assert_eq!(Store::open_within(&path, longer).and_then(read).unwrap(), all.trials);
    // What was opened for writing is not held to what was read of it before.
    let store = Store::resume(&path).unwrap();
    assert_eq!(store.dataset().unwrap().trials, all.trials);
}

#[test]
fn time_is_a_limit_as_well() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.weighin");
    drop(Store::create(&path, &study(), &plan(), &host(), "1", 1.0).unwrap());
    let clock = || {
        use std::sync::atomic::{AtomicU64, Ordering};
        static NOW: AtomicU64 = AtomicU64::new(0);
        std::time::Duration::from_secs(NOW.fetch_add(6, Ordering::Relaxed))
    };
    let limit = ReadLimit { clock, ..ReadLimit::default() };
    let told = Store::open_within(&path, limit).unwrap_err().to_string();
    assert!(told.contains("takes more than 10 s; raise the limit with --read-time"), "{told}");
}
