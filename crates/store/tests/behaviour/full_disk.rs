//! A disk that becomes full at any write of a store: nothing that was recorded is lost, and the run
//! goes on once there is room.

use model::TrialRecord;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use store::{Store, StoreError};
use tempfile::TempDir;
use test_support::varied::{host, plan, record, study};

const PAGE: usize = 4096;
/// Pages by which the room grows from one attempt to the next.
const STEP: usize = 3;
/// Trials that are recorded in each.
const TRIALS: usize = 3;

/// A small file system in memory; gone with this.
struct Disk(TempDir);

impl Disk {
    /// `None` where this user may not mount one.
    fn mount() -> Option<Self> {
        let at = TempDir::new().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=4m,mode=700", "small"])
            .arg(at.path())
            .stderr(Stdio::null())
            .status();
        mounted.is_ok_and(|status| status.success()).then(|| Self(at))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    /// Fills it but for so many pages; removing the file that is given makes room again.
    fn fill_but(&self, pages: usize) -> std::path::PathBuf {
        let path = self.path().join("filler");
        let mut filler = File::create(&path).unwrap();
        let mut written = 0;
        while filler.write_all(&[1; PAGE]).is_ok() {
            written += PAGE;
        }
        filler.set_len(written.saturating_sub(pages * PAGE) as u64).unwrap();
        path
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0.path()).status();
    }
}

fn records() -> Vec<TrialRecord> {
    plan().trials().take(TRIALS).map(|trial| record(trial, 2)).collect()
}

fn assert_full(error: &StoreError, pages: usize) {
    assert!(matches!(error, StoreError::Full(_)), "{pages} pages: {error}");
    assert!(error.to_string().contains("make room there"), "{error}");
}

/// Creates a store, or goes on with it, and records what is missing until there is no room; gives
/// how much was recorded before, and the error.
fn run(path: &Path) -> Result<(), (usize, StoreError)> {
    let opened = match path.exists() {
        true => Store::resume(path),
        false => Store::create(path, &study(), &plan(), &host(), "1", 1.0),
    };
    let mut store = opened.map_err(|error| (0, error))?;
    let done = store.completed().len();
    for (number, record) in records().iter().enumerate().skip(done) {
        store.append(record).map_err(|error| (number, error))?;
    }
    Ok(())
}

#[test]
fn a_run_goes_on_wherever_the_disk_was_full() {
    let Some(disk) = Disk::mount() else {
        eprintln!("not tested: this user may not mount anything");
        return;
    };
    let path = disk.path().join("run.weighin");
    let (mut refused_at, mut full) = (Vec::new(), true);
    for pages in (0..).step_by(STEP) {
        let filler = disk.fill_but(pages);
        let ended = run(&path);
        if let Err((recorded, error)) = &ended {
            assert_full(error, pages);
            refused_at.push(*recorded);
            // What was recorded can be read while the disk is still full, or when there is room.
            if path.exists() {
                let read = Store::open(&path).and_then(|store| store.dataset());
                let trials = read.map(|dataset| dataset.trials).unwrap_or_else(|error| {
                    assert!(!matches!(error, StoreError::Damaged { .. }), "{pages} pages: {error}");
                    fs::remove_file(&filler).unwrap();
                    Store::open(&path).unwrap().dataset().unwrap().trials
                });
                assert_eq!(trials, records()[..trials.len()], "{pages} pages");
                assert!(trials.len() >= *recorded, "{pages} pages: a trial is lost");
            } else {
                // Nothing is left of a store that could not be made.
                let names = fs::read_dir(disk.path()).unwrap().count();
                assert_eq!(names, 1, "{pages} pages: only the filler");
            }
        }
        let _ = fs::remove_file(&filler);
        run(&path).unwrap_or_else(|(_, error)| panic!("{pages} pages, with room again: {error}"));
        let trials = Store::open(&path).unwrap().dataset().unwrap().trials;
        assert_eq!(trials, records(), "{pages} pages");
        assert_eq!(fs::read_dir(disk.path()).unwrap().count(), 1, "{pages} pages: one file");
        fs::remove_file(&path).unwrap();
        full = ended.is_err();
        if !full {
            break;
        }
    }
    assert!(!full);
    // It was full before anything was recorded, and at every trial.
    let at = |number| refused_at.contains(&number);
    assert!((0..TRIALS).all(at), "{refused_at:?}");
    println!("full at {} writes: {refused_at:?}", refused_at.len());
}
