//! Devices that really fail: loop devices over files that are too short or cannot grow. They need
//! root; elsewhere these tests have nothing to say.

use crate::support::{BYTES, METHODS, load, run, storage};
use engine::storage::{FileSpec, StorageLoad};
use engine::{ErrorPolicy, Limit, LoadError, Progress, Stop};
use model::{ErrorClass, LoadResult, Storage};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A loop device, gone with this value.
struct Loop(PathBuf);

impl Loop {
    /// Over that file; `None` where loop devices are not permitted.
    fn over(file: &Path) -> Option<Self> {
        let output = Command::new("losetup").args(["--find", "--show"]).arg(file).output().ok()?;
        let name = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| Self(name.trim().into()))
    }

    fn spec(&self) -> FileSpec {
        FileSpec { path: self.0.clone(), offset: 0, length: BYTES, volume: 0, vm: 0 }
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.0).status();
    }
}

/// A small file system in memory, gone with this value.
struct Tmpfs(PathBuf);

impl Tmpfs {
    fn at(path: &Path, size: &str) -> Option<Self> {
        std::fs::create_dir(path).unwrap();
        let size = format!("size={size}");
        let mounted =
            Command::new("mount").args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(path).status();
        mounted.ok()?.success().then(|| Self(path.to_owned()))
    }
}

impl Drop for Tmpfs {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

#[test]
fn a_device_that_cannot_read_gives_errors_with_their_number_and_the_load_goes_on() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("image");
    std::fs::write(&file, vec![1; BYTES as usize]).unwrap();
    let Some(device) = Loop::over(&file) else { return };
    // The device keeps its size, and has nothing behind its second half any more.
    let image = std::fs::OpenOptions::new().write(true).open(&file).unwrap();
    image.set_len(BYTES / 2).unwrap();
    for method in METHODS {
        let reads = Storage { read_percent: 100, ..storage(1) };
        let mut load = load(reads, vec![device.spec()], method, 1_000);
        let result = run(&load).unwrap();
        assert_eq!(result.ledger.ok + result.ledger.failed, 1_000);
        assert!((400..600).contains(&result.ledger.failed), "{:?}", result.ledger);
        let error = &result.errors[0];
        assert_eq!((error.class, &error.code), (ErrorClass::Device, &libc::EIO.to_string()));
        assert_eq!(error.count, result.ledger.failed);
        load.policy = ErrorPolicy::default();
        let Err(LoadError::Storage(error)) = run(&load).map(drop) else { panic!("it went on") };
        assert_eq!(error.class(), ErrorClass::Device);
        assert!(error.to_string().contains("Input/output error"), "{error}");
    }
}

#[test]
fn a_device_that_fails_throughout_is_said_to_be_gone() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("image");
    std::fs::write(&file, vec![1; BYTES as usize]).unwrap();
    let Some(device) = Loop::over(&file) else { return };
    std::fs::OpenOptions::new().write(true).open(&file).unwrap().set_len(0).unwrap();
    let reads = Storage { read_percent: 100, ..storage(1) };
    let result = run(&load(reads, vec![device.spec()], METHODS[0], 100));
    let Err(LoadError::Storage(error)) = result.map(drop) else { panic!("something was read") };
    let device = format!(" of {} failed: Input/output error", device.0.display());
    for part in ["none succeeded after that: a read of 4096 bytes at byte ", &device] {
        assert!(error.to_string().contains(part), "{error}");
    }
}

/// Takes what is behind a device away in the second second of a load of six, and gives it back two seconds
/// later; `None` where this was held up, and did neither in time.
fn with_outage(load: &StorageLoad, image: &File) -> Option<LoadResult> {
    let (mut seconds, mut began) = (0, Instant::now());
    let (mut taken, mut given) = (Duration::MAX, Duration::MAX);
    let result = engine::run(load, &Stop::default(), &mut |progress| match progress {
        Progress::Started(at) => began = at,
        Progress::Interval(..) => {
            seconds += 1;
            match seconds {
                1 => {
                    image.set_len(0).unwrap();
                    taken = began.elapsed();
                }
                3 => {
                    given = began.elapsed();
                    image.set_len(BYTES).unwrap();
                }
                _ => {}
            }
        }
        Progress::Waiting(_) => {}
    });
    let result = result.unwrap();
    (taken + Duration::from_secs(1) < given && given < Duration::from_secs(4)).then_some(result)
}

#[test]
fn a_device_that_is_gone_for_a_while_is_an_outage_that_is_measured() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("image");
    std::fs::write(&file, vec![1; BYTES as usize]).unwrap();
    let Some(device) = Loop::over(&file) else { return };
    let image = File::options().write(true).open(&file).unwrap();
    let reads = Storage { read_percent: 100, ..storage(1) };
    let mut load = load(reads, vec![device.spec()], METHODS[0], 0);
    load.schedule.limit = Limit::Window(Duration::from_secs(6));
    let result = (0..20).find_map(|_| with_outage(&load, &image)).expect("it is always held up");
    assert!(result.ledger.balances() && result.ledger.failed > 32, "{:?}", result.ledger);
    let [outage] = result.outages.as_slice() else { panic!("{:?}", result.outages) };
    assert!(outage.first_error >= Duration::from_secs(1), "{outage:?}");
    assert!(outage.downtime().unwrap() > Duration::from_millis(100), "{outage:?}");
    let afterwards = &result.intervals[4..];
    assert!(afterwards.iter().any(|second| second.transactions > 0), "it works again at the end");
}

#[test]
fn a_full_device_gives_errors_for_writes_alone() {
    let directory = tempfile::tempdir().unwrap();
    let Some(full) = Tmpfs::at(&directory.path().join("full"), "4m") else { return };
    let image = full.0.join("image");
    let file = File::create(&image).unwrap();
    file.set_len(BYTES).unwrap();
    let Some(device) = Loop::over(&image) else { return };
    let result = run(&load(storage(1), vec![device.spec()], METHODS[0], 6_000)).unwrap();
    assert!(result.ledger.failed > 100, "{:?}", result.ledger);
    assert!(
        result.errors.iter().all(|error| {
            [libc::ENOSPC, libc::EIO].map(|errno| errno.to_string()).contains(&error.code)
                && error.message.starts_with("a write of ")
        }),
        "{:?}",
        result.errors
    );
}

#[test]
fn a_device_with_larger_blocks_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("image");
    std::fs::write(&file, vec![1; BYTES as usize]).unwrap();
    let Some(device) = Loop::over(&file) else { return };
    let larger = Command::new("blockdev").args(["--getss"]).arg(&device.0).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&larger.stdout).trim(), "512");
    drop(device);
    let output = Command::new("losetup")
        .args(["--find", "--show", "--sector-size", "4096"])
        .arg(&file)
        .output()
        .unwrap();
    assert!(output.status.success());
    let device = Loop(String::from_utf8(output.stdout).unwrap().trim().into());
    let blocks = vec![model::BlockShare { bytes: 512, weight: 1 }];
    let small = Storage { blocks, ..storage(1) };
    let Err(LoadError::Storage(error)) =
        run(&load(small, vec![device.spec()], METHODS[0], 10)).map(drop)
    else {
        panic!("it ran")
    };
    assert!(
        error
            .to_string()
            .ends_with("cannot be read or written in blocks of 512 bytes: its own have 4096 bytes"),
        "{error}"
    );
}
