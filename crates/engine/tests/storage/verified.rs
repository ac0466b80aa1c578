use crate::support::{METHODS, files, load, run, storage};
use engine::{ErrorPolicy, LoadError};
use model::{BlockShare, ErrorClass, Storage, Verified};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Small enough for every unit to be read many times over.
fn verified() -> Storage {
    Storage { verify: true, ..storage(1) }
}

fn units(result: &model::LoadResult) -> Verified {
    result.fleet.as_ref().unwrap().verified.unwrap()
}

#[test]
fn what_was_written_is_found_again_by_blocks_of_every_size() {
    let directory = tempfile::tempdir().unwrap();
    for method in METHODS {
        let blocks = [1024, 4096, 16_384].map(|bytes| BlockShare { bytes, weight: 1 }).to_vec();
        let workload = Storage { blocks, ..verified() };
        let unit = workload::storage::unit(&workload);
        assert_eq!(unit, 1024);
        let files = files(directory.path(), 1, Some(unit));
        let mut first = load(workload.clone(), files.clone(), method, 3_000);
        first.checksummed = true;
        first.policy = ErrorPolicy::default();
        let result = run(&first).unwrap();
        let Verified { units: checked, unknown } = units(&result);
        assert!(checked > 5_000 && unknown < checked / 10, "{checked} and {unknown}");
        // The blocks of an earlier load are known to be whole as well.
        (first.seed, first.mark) = (first.seed + 1, engine::storage::mark());
        assert!(units(&run(&first).unwrap()).units > 5_000);
        engine::storage::remove_files(directory.path()).unwrap();
    }
}

/// Spoils one byte in every unit of a file, behind everybody's back.
fn spoil(path: &Path) {
    let file = std::fs::OpenOptions::new().read(true).write(true).open(path).unwrap();
    for at in (0..file.metadata().unwrap().len()).step_by(4096) {
        let mut byte = [0];
        file.read_exact_at(&mut byte, at + 2000).unwrap();
        file.write_all_at(&[!byte[0]], at + 2000).unwrap();
    }
    file.sync_all().unwrap();
}

#[test]
fn a_changed_byte_is_corruption_and_ends_the_load_unless_it_is_to_be_counted() {
    let directory = tempfile::tempdir().unwrap();
    let files = files(directory.path(), 1, Some(4096));
    spoil(&files[0].path);
    for method in METHODS {
        let mut load =
            load(Storage { read_percent: 100, ..verified() }, files.clone(), method, 200);
        load.checksummed = true;
        let result = run(&load).unwrap();
        assert_eq!((result.ledger.failed, result.ledger.ok), (200, 0));
        assert_eq!(result.errors[0].class, ErrorClass::Corruption);
        load.policy = ErrorPolicy::default();
        let Err(LoadError::Storage(error)) = run(&load).map(drop) else { panic!("it went on") };
        assert_eq!(error.class(), ErrorClass::Corruption);
        let words = error.to_string();
        assert!(words.contains("the content does not have its checksum"), "{words}");
        assert!(words.contains("weighin-vm-000.dat"), "{words}");
    }
}

#[test]
fn blocks_of_which_nothing_is_known_are_not_judged() {
    let directory = tempfile::tempdir().unwrap();
    let files = files(directory.path(), 1, None);
    let result = run(&load(Storage { read_percent: 100, ..verified() }, files, METHODS[0], 100));
    assert_eq!(units(&result.unwrap()), Verified { units: 0, unknown: 100 });
}
