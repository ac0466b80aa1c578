//! A log of changes that was damaged, cut off or lost gives an earlier state of the run: that is said.

use std::fs;
use std::path::{Path, PathBuf};
use store::Store;
use tempfile::TempDir;
use test_support::varied::{Draw, host, plan, record, study};

/// Trials that the store has recorded.
const TRIALS: usize = 6;

/// Bytes before all frames of a log, and of each frame.
const HEADER: usize = 32;
const FRAME: usize = 24 + 4096;

fn side(path: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", path.display()))
}

/// A store as a run leaves it that is killed, and the bytes of its log.
fn killed(directory: &TempDir) -> (PathBuf, Vec<u8>) {
    let running = directory.path().join("running.weighin");
    let mut store = Store::create(&running, &study(), &plan(), &host(), "1", 1.0).unwrap();
    for trial in plan().trials().take(TRIALS) {
        store.append(&record(trial, 3)).unwrap();
    }
    // Whoever reads beside a writer is told nothing.
    assert_eq!(Store::open(&running).unwrap().log_trouble(), None);
    let path = directory.path().join("run.weighin");
    put(&running, &path);
    (path.clone(), fs::read(side(&path, "-wal")).unwrap())
}

/// Copies a store with all beside it.
fn put(from: &Path, to: &Path) {
    for suffix in ["", "-wal", "-shm"] {
        fs::copy(side(from, suffix), side(to, suffix)).unwrap();
    }
}

/// What is read of a store: its trials, and what is said of its log.
fn read(path: &Path) -> (usize, Option<String>) {
    let store = Store::open(path).unwrap();
    let said = store.log_trouble().map(str::to_owned);
    let dataset = store.dataset().unwrap();
    assert_eq!(dataset.notes.iter().map(|note| note.text.clone()).next_back(), said);
    (dataset.trials.len(), said)
}

#[test]
fn a_log_that_is_whole_is_taken_without_a_word() {
    let directory = TempDir::new().unwrap();
    let (path, log) = killed(&directory);
    assert!(log.len() > 6 * FRAME && (log.len() - HEADER).is_multiple_of(FRAME));
    assert_eq!(read(&path), (TRIALS, None));
    let mut store = Store::resume(&path).unwrap();
    assert_eq!(store.log_trouble(), None);
    store.append(&record(plan().trials().nth(TRIALS).unwrap(), 3)).unwrap();
    drop(store);
    assert_eq!(read(&path), (TRIALS + 1, None));
}

#[test]
fn a_bit_that_flips_in_a_log_costs_no_trial_without_a_word() {
    let directory = TempDir::new().unwrap();
    let (path, log) = killed(&directory);
    let whole = directory.path().join("whole.weighin");
    put(&path, &whole);
    let mut random = Draw::salted(7);
    let of_frame = |frame: usize, place: usize| HEADER + frame * FRAME + place;
    let frames = (log.len() - HEADER) / FRAME;
    let heads = (0..24).map(|place| of_frame(frames - 1, place));
    let places: Vec<usize> = (0..HEADER)
        .chain(heads)
        .chain((0..40).map(|_| random.below(log.len() as u64) as usize))
        .collect();
    let mut lost = 0;
    for with_index in [true, false] {
        for &place in &places {
            put(&whole, &path);
            let mut flipped = log.clone();
            flipped[place] ^= 1 << random.below(8);
            fs::write(side(&path, "-wal"), flipped).unwrap();
            if !with_index {
                fs::remove_file(side(&path, "-shm")).unwrap();
            }
            // What SQLite itself does not take for a log is an error.
            let Ok(store) = Store::open(&path) else { continue };
            let trials = store.dataset().unwrap().trials.len();
            lost += usize::from(trials < TRIALS);
            assert_eq!(trials < TRIALS, store.log_trouble().is_some(), "byte {place}");
        }
    }
    assert!(lost > 80, "{lost}");
}

#[test]
fn a_log_that_is_cut_off_says_how_much_is_missing() {
    let directory = TempDir::new().unwrap();
    let (path, log) = killed(&directory);
    let whole = directory.path().join("whole.weighin");
    put(&path, &whole);
    let frames = (log.len() - HEADER) / FRAME;
    for frame in 0..frames {
        for more in [0, 100] {
            put(&whole, &path);
            let cut = HEADER + frame * FRAME + more;
            fs::write(side(&path, "-wal"), &log[..cut]).unwrap();
            let (trials, said) = read(&path);
            // The index of the log still knows of all frames.
            let said = said.unwrap_or_else(|| panic!("{trials} trials of {cut} bytes"));
            assert!(said.contains("run.weighin-wal is damaged or was cut off"), "{said}");
            assert!(said.contains(&format!("of its {frames} frames")), "{said}");
            // Without it, a change that ends too early shows it.
            if more > 0 {
                put(&whole, &path);
                fs::write(side(&path, "-wal"), &log[..cut]).unwrap();
                fs::remove_file(side(&path, "-shm")).unwrap();
                let (_, said) = read(&path);
                let said = said.unwrap();
                let words = ["a change that was not completed", "is damaged or was cut off"];
                assert!(words.iter().any(|words| said.contains(words)), "{said}");
                assert!(said.contains(&format!("of its {} frames", frame + 1)), "{said}");
            }
        }
    }
    fs::write(side(&path, "-wal"), &log[..20]).unwrap();
    assert!(read(&path).1.unwrap().contains("nothing in it can be read"));
}

#[test]
fn a_log_that_is_missing_is_named() {
    let directory = TempDir::new().unwrap();
    let (path, _) = killed(&directory);
    for is_empty in [false, true] {
        match is_empty {
            true => fs::write(side(&path, "-wal"), "").unwrap(),
            false => fs::remove_file(side(&path, "-wal")).unwrap(),
        }
        let (trials, said) = read(&path);
        assert_eq!(trials, 0);
        assert!(said.unwrap().contains("run.weighin-wal is missing"));
    }
}

#[test]
fn a_run_that_goes_on_notes_what_was_lost() {
    let directory = TempDir::new().unwrap();
    let (path, mut log) = killed(&directory);
    let place = log.len() - FRAME - 100;
    log[place] ^= 1;
    fs::write(side(&path, "-wal"), log).unwrap();
    let mut store = Store::resume(&path).unwrap();
    let said = store.log_trouble().unwrap().to_owned();
    assert!(said.contains("is damaged"), "{said}");
    let recorded = store.completed().len();
    assert!(recorded < TRIALS, "{recorded}");
    for trial in plan().trials().skip(recorded).take(TRIALS - recorded) {
        store.append(&record(trial, 3)).unwrap();
    }
    assert_eq!(store.dataset().unwrap().notes.len(), 1);
    drop(store);
    // Its log is gone by now, and the note stays.
    let store = Store::open(&path).unwrap();
    assert_eq!(store.log_trouble(), None);
    let dataset = store.dataset().unwrap();
    assert_eq!(dataset.trials.len(), TRIALS);
    let notes: Vec<_> = dataset.notes.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(notes, [said]);
}
