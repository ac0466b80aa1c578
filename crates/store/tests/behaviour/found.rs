//! Stores in a directory, as who shows them finds them.

use files::Directory;
use model::ReadLimit;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use store::{Store, StoreError};
use test_support::varied::{host, plan, record, study};

fn create(path: &Path) -> Store {
    Store::create(path, &study(), &plan(), &host(), "1", 1.0).expect("a new file")
}

#[test]
fn a_store_is_read_while_it_is_written_and_no_link_is_followed() {
    let place = tempfile::tempdir().unwrap();
    let directory = Directory::open(place.path()).unwrap();
    let mut store = create(&place.path().join("run.weighin"));
    for (done, trial) in plan().trials().take(3).enumerate() {
        store.append(&record(trial, 3)).unwrap();
        let found =
            Store::open_found(&directory, "run.weighin".as_ref(), ReadLimit::default()).unwrap();
        assert_eq!(found.dataset().unwrap().trials.len(), done + 1);
    }
    symlink("run.weighin", place.path().join("link.weighin")).unwrap();
    let error =
        Store::open_found(&directory, "link.weighin".as_ref(), ReadLimit::default()).unwrap_err();
    assert!(matches!(error, StoreError::NotAStore(_)), "{error}");
    let error =
        Store::open_found(&directory, "none.weighin".as_ref(), ReadLimit::default()).unwrap_err();
    assert!(matches!(error, StoreError::Missing(_)), "{error}");
}

#[test]
fn whoever_looks_for_a_writer_finds_it_and_never_keeps_one_out() {
    let place = tempfile::tempdir().unwrap();
    let directory = Directory::open(place.path()).unwrap();
    let path = place.path().join("run.weighin");
    drop(create(&path));
    let is_held = || Store::is_held(&directory, "run.weighin".as_ref());
    assert!(!is_held());
    let (is_over, seen) = (AtomicBool::new(false), AtomicU32::new(0));
    let writes = |while_held: &dyn Fn()| {
        let store = Store::resume(&path).unwrap();
        assert!(is_held());
        while_held();
        drop(store);
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Acquire) {
                seen.fetch_add(u32::from(is_held()), Ordering::Release);
            }
        });
        (0..40).for_each(|_| writes(&|| ()));
        // However late the other thread begins to look.
        writes(&|| {
            while seen.load(Ordering::Acquire) == 0 {
                std::thread::yield_now();
            }
        });
        is_over.store(true, Ordering::Release);
    });
    // What a killed writer leaves behind holds nothing.
    std::fs::write(place.path().join("run.weighin.lock"), "123").unwrap();
    assert!(!is_held());
}
