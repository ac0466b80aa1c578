use crate::support::{BYTES, METHODS, files, load, run, storage};
use engine::storage::{DIRECTORY, FileSpec, Filling, StorageError, fill, make_files, remove_files};
use engine::{LoadError, Stop};
use model::{BlockShare, Storage};
use std::fs;
use std::path::Path;

fn filling<'a>(stop: &'a Stop, progress: &'a mut dyn FnMut(u64, u64)) -> Filling<'a> {
    Filling { seed: 5, unit: None, method: None, stop, progress }
}

#[test]
fn files_are_filled_with_what_cannot_be_compressed_and_removed_again() {
    let directory = tempfile::tempdir().unwrap();
    let files = files(directory.path(), 2, None);
    let mut seen = std::collections::HashSet::new();
    for spec in &files {
        let content = fs::read(&spec.path).unwrap();
        assert_eq!(content.len() as u64, BYTES);
        for block in content.chunks(4096) {
            assert!(seen.insert(block.to_vec()), "two equal blocks");
            let mut counts = [0; 256];
            block.iter().for_each(|byte| counts[usize::from(*byte)] += 1);
            assert!(counts.iter().all(|n| *n < 60), "noise has all bytes about as often");
        }
    }
    assert!(remove_files(directory.path()).unwrap());
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
    assert!(!remove_files(directory.path()).unwrap());
}

#[test]
fn files_that_are_there_are_kept_and_others_made() {
    let directory = tempfile::tempdir().unwrap();
    let before = fs::read(&files(directory.path(), 1, None)[0].path).unwrap();
    let again = files(directory.path(), 2, None);
    assert_eq!(fs::read(&again[0].path).unwrap(), before);
    let stop = Stop::default();
    let mut most = 0;
    let mut progress = |written, _| most = written;
    let anew = make_files(directory.path(), 0, &[0], BYTES / 2, &mut filling(&stop, &mut progress));
    assert_eq!(fs::metadata(&anew.unwrap()[0].path).unwrap().len(), BYTES / 2);
    assert_eq!(most, BYTES / 2);
}

#[test]
fn what_weighin_did_not_make_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let foreign = directory.path().join(DIRECTORY);
    fs::create_dir(&foreign).unwrap();
    let precious = foreign.join("weighin-vm-000.dat");
    fs::write(&precious, "precious").unwrap();
    let stop = Stop::default();
    let made = make_files(directory.path(), 0, &[0], BYTES, &mut filling(&stop, &mut |_, _| {}));
    assert!(matches!(made, Err(StorageError::Foreign { .. })), "{made:?}");
    assert!(matches!(remove_files(directory.path()), Err(StorageError::Foreign { .. })));
    assert_eq!(fs::read_to_string(&precious).unwrap(), "precious");
}

#[test]
fn a_file_of_the_user_in_weighins_directory_survives_cleaning_up() {
    let directory = tempfile::tempdir().unwrap();
    files(directory.path(), 1, None);
    let notes = directory.path().join(DIRECTORY).join("notes.txt");
    fs::write(&notes, "mine").unwrap();
    assert!(remove_files(directory.path()).unwrap());
    assert_eq!(fs::read_to_string(&notes).unwrap(), "mine");
}

#[test]
fn filling_that_is_stopped_or_has_no_room_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let stop = Stop::default();
    stop.request();
    let made = make_files(directory.path(), 0, &[0], BYTES, &mut filling(&stop, &mut |_, _| {}));
    assert!(matches!(made, Err(StorageError::Stopped)), "{made:?}");
    let stop = Stop::default();
    let huge = 1 << 50;
    let made = make_files(directory.path(), 0, &[0], huge, &mut filling(&stop, &mut |_, _| {}));
    let Err(error @ StorageError::Fill { .. }) = made else { panic!("{made:?}") };
    assert_eq!(error.class(), model::ErrorClass::Resource, "{error}");
    assert!(fs::read_dir(directory.path()).unwrap().next().is_none(), "not even its folder");
}

#[test]
fn filling_works_by_both_methods_within_part_of_a_file() {
    for method in METHODS {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("device");
        fs::write(&path, vec![0; 4 << 20]).unwrap();
        let spec = |vm: u32| FileSpec {
            path: path.clone(),
            offset: (1 << 20) + u64::from(vm) * (1 << 20),
            length: 1 << 20,
            volume: 0,
            vm,
        };
        let stop = Stop::default();
        let progress = &mut |_, _| {};
        let unit = Some(4096);
        let mut filling = Filling { seed: 1, unit, method: Some(method), stop: &stop, progress };
        fill(&[spec(0), spec(1)], &mut filling).unwrap();
        let content = fs::read(&path).unwrap();
        let is_empty = |mib: usize| content[mib << 20..(mib + 1) << 20].iter().all(|b| *b == 0);
        assert_eq!([0, 1, 2, 3].map(is_empty), [true, false, false, true]);
    }
}

#[test]
fn what_cannot_work_is_refused_in_words() {
    let directory = tempfile::tempdir().unwrap();
    let good = files(directory.path(), 1, None);
    let refusal = |workload: Storage, spec: FileSpec| {
        let Err(LoadError::Storage(error)) =
            run(&load(workload, vec![spec], METHODS[0], 10)).map(drop)
        else {
            panic!("it ran")
        };
        error
    };
    let missing = FileSpec { path: "/nowhere/at/all".into(), ..good[0].clone() };
    let error = refusal(storage(1), missing);
    assert!(error.to_string().starts_with("cannot open /nowhere/at/all: No such file"), "{error}");
    let longer = FileSpec { length: 2 * BYTES, ..good[0].clone() };
    let error = refusal(Storage { bytes_per_vm: 2 * BYTES, ..storage(1) }, longer);
    assert!(matches!(error, StorageError::TooShort { there: BYTES, .. }), "{error}");
    let odd = vec![BlockShare { bytes: 1000, weight: 1 }];
    let error = refusal(Storage { blocks: odd, ..storage(1) }, good[0].clone());
    assert_eq!(error.to_string(), "the size of a block must be a multiple of 512 bytes");
    // Pseudo file systems do nothing past a page cache.
    let proc = FileSpec { path: Path::new("/proc/version").into(), ..good[0].clone() };
    let error = refusal(Storage { read_percent: 100, ..storage(1) }, proc);
    assert!(matches!(error, StorageError::NoDirect { .. } | StorageError::Open { .. }), "{error}");
}
