use super::*;
use test_support::varied::{host, plan, record, study};

/// Fills a store up to a limit of its size, as a full disk would.
#[test]
fn a_full_disk_is_named_and_loses_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("run.weighin");
    let mut store = Store::create(&path, &study(), &plan(), &host(), "1", 1.0).unwrap();
    let pages: i64 =
        store.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    let limit = |store: &Store, pages: i64| {
        let set = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
        store.connection.pragma_update_and_check(None, "max_page_count", pages, set).unwrap()
    };
    limit(&store, pages + 1);
    let mut kept = Vec::new();
    let mut refused = None;
    for trial in plan().trials() {
        let record = record(trial, 5);
        match store.append(&record) {
            Ok(()) => kept.push(record),
            Err(error) => {
                refused = Some((record, error));
                break;
            }
        }
    }
    let (record, error) = refused.expect("16 records need more than a page");
    assert!(matches!(error, StoreError::Full(_)), "{error}");
    assert!(error.to_string().contains("no space left"), "{error}");
    assert_eq!(store.dataset().unwrap().trials, kept);
    limit(&store, pages + 1000);
    store.append(&record).unwrap();
    kept.push(record);
    drop(store);
    assert_eq!(Store::open(&path).unwrap().dataset().unwrap().trials, kept);
}
