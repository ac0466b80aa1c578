use crate::support::{BYTES, METHODS, files, load, run, storage};
use engine::storage::{
    DIRECTORY, FileSpec, Filling, StorageError, files_within, fill, made_files, make_files,
    remove_files,
};
use engine::{LoadError, Stop};
use model::{BlockShare, Storage};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::Path;
use std::process::Command;

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

/// What another account can have planted under the name of weighin's own directory, with links as
/// data files, and what must not happen to what they lead to.
#[test]
fn a_directory_that_others_can_have_made_is_refused_with_the_reason() {
    const MARKER: &str = "made-by-weighin.txt";
    const STRANGER: u32 = 3_999_999_999;
    let place = tempfile::tempdir().unwrap();
    let canary = place.path().join("canary");
    fs::write(&canary, vec![7; BYTES as usize]).unwrap();
    // A real one, for its marker.
    let real = place.path().join("real");
    fs::create_dir(&real).unwrap();
    files(&real, 1, None);
    let planted = |how: &dyn Fn(&Path)| {
        let within = tempfile::tempdir_in(place.path()).unwrap();
        let own = within.path().join(DIRECTORY);
        fs::create_dir(&own).unwrap();
        fs::copy(real.join(DIRECTORY).join(MARKER), own.join(MARKER)).unwrap();
        symlink(&canary, own.join("weighin-vm-000.dat")).unwrap();
        symlink(&canary, own.join("weighin-vm-001.part")).unwrap();
        how(&own);
        within
    };
    let replaced = |name: &Path| fs::rename(name, name.with_extension("aside")).unwrap();
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    // How it is refused, whether it can be planted here, and how.
    type Case<'a> = (&'static str, bool, &'a dyn Fn(&Path));
    let cases: [Case<'_>; 6] = [
        ("belongs to user 3999999999", is_root, &|own| {
            chown(own, Some(STRANGER), None).unwrap();
        }),
        ("txt belongs to user 3999999999", is_root, &|own| {
            chown(own.join(MARKER), Some(STRANGER), None).unwrap();
        }),
        ("can be written by others (mode 0777)", true, &|own| {
            fs::set_permissions(own, Permissions::from_mode(0o777)).unwrap();
        }),
        ("weighin-storage is a symbolic link", true, &|own| {
            replaced(own);
            symlink(real.join(DIRECTORY), own).unwrap();
        }),
        ("txt is a symbolic link", true, &|own| {
            replaced(&own.join(MARKER));
            symlink(real.join(DIRECTORY).join(MARKER), own.join(MARKER)).unwrap();
        }),
        ("hard links", true, &|own| {
            fs::hard_link(own.join(MARKER), own.join("second")).unwrap();
        }),
    ];
    let stop = Stop::default();
    for (why, _, how) in cases.into_iter().filter(|(_, possible, _)| *possible) {
        let within = planted(how);
        let path = within.path();
        let made = make_files(path, 0, &[0, 1], BYTES, &mut filling(&stop, &mut |_, _| {}));
        let is_refused = |result: Result<(), StorageError>| {
            let Err(error @ StorageError::Foreign { .. }) = result else { panic!("{result:?}") };
            assert!(error.to_string().contains(why), "{error}");
        };
        is_refused(made.map(drop));
        is_refused(remove_files(path).map(drop));
        is_refused(made_files(path).map(drop));
        let load = load(storage(1), files_within(path, 0, &[0], BYTES), METHODS[0], 10);
        let Err(LoadError::Storage(error)) = run(&load).map(drop) else { panic!("it ran") };
        is_refused(Err(error));
        assert!(fs::read(&canary).unwrap() == vec![7; BYTES as usize], "{why}");
        assert!(real.join(DIRECTORY).join("weighin-vm-000.dat").exists(), "{why}");
    }
}

/// Planted where others should never have been able to write.
#[test]
fn links_and_fifos_in_weighins_own_directory_are_neither_opened_nor_followed() {
    let place = tempfile::tempdir().unwrap();
    let own = place.path().join(DIRECTORY);
    let canary = place.path().join("canary");
    fs::write(&canary, vec![7; BYTES as usize]).unwrap();
    files(place.path(), 1, None);
    let data = own.join("weighin-vm-000.dat");
    let cases: [(&str, &dyn Fn()); 3] = [
        ("is a symbolic link", &|| symlink(&canary, &data).unwrap()),
        ("is one of 2 hard links", &|| fs::hard_link(&canary, &data).unwrap()),
        ("is a FIFO", &|| {
            assert!(Command::new("mkfifo").arg(&data).status().unwrap().success());
        }),
    ];
    for (why, plant) in cases {
        fs::remove_file(&data).unwrap();
        plant();
        let load = load(storage(1), files_within(place.path(), 0, &[0], BYTES), METHODS[0], 10);
        let Err(LoadError::Storage(error)) = run(&load).map(drop) else { panic!("it ran") };
        assert!(error.to_string().contains(why), "{error}");
    }
    // In the place of what is to be made, and removed.
    symlink(&canary, own.join("weighin-vm-001.part")).unwrap();
    fs::remove_file(&data).unwrap();
    symlink(&canary, &data).unwrap();
    files(place.path(), 2, None);
    assert!(fs::symlink_metadata(&data).unwrap().is_file());
    fs::remove_file(&data).unwrap();
    symlink(&canary, &data).unwrap();
    assert!(remove_files(place.path()).unwrap());
    assert!(!own.exists());
    assert!(fs::read(&canary).unwrap() == vec![7; BYTES as usize]);
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
