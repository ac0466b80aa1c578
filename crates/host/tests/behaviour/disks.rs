//! Figures of a disk that nobody else uses: a loop device, which only root may make.

#![allow(clippy::print_stderr, reason = "a test that was skipped says so")]

use host::DiskCounters;
use host::local::sample::{HostReader, rates};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const BLOCK: usize = 8192;

/// A disk of 8 MiB, gone when dropped.
struct Disk {
    /// Such as `loop3`.
    name: String,
    _backing: TempDir,
}

impl Disk {
    /// `None`, with the reason printed, where this machine does not allow it.
    fn make() -> Option<Self> {
        let backing = TempDir::new().unwrap();
        let file = backing.path().join("disk");
        File::create(&file).unwrap().set_len(8 << 20).unwrap();
        let made = Command::new("losetup").args(["--find", "--show"]).arg(&file).output();
        match made {
            Ok(made) if made.status.success() => {
                let path = String::from_utf8(made.stdout).unwrap();
                let name = path.trim().strip_prefix("/dev/").unwrap().to_owned();
                Some(Self { name, _backing: backing })
            }
            Ok(made) => {
                eprintln!("skipped: {}", String::from_utf8_lossy(&made.stderr).trim());
                None
            }
            Err(error) => {
                eprintln!("skipped: losetup: {error}");
                None
            }
        }
    }

    /// Writes so many blocks past the operating system's cache, each by itself.
    fn write(&self, blocks: usize) -> File {
        let disk = OpenOptions::new()
            .write(true)
            .custom_flags(libc::O_DIRECT)
            .open(format!("/dev/{}", self.name))
            .unwrap();
        // Direct IO wants aligned memory.
        let room = vec![7_u8; 2 * BLOCK];
        let start = room.as_ptr().align_offset(BLOCK);
        for block in 0..blocks {
            disk.write_all_at(&room[start..start + BLOCK], (block * BLOCK) as u64).unwrap();
        }
        disk
    }

    /// Its counters since boot.
    fn counters(&self) -> DiskCounters {
        HostReader::new().read().disks[&self.name]
    }

    /// The same, and what else is said of them at that time: whoever watches devices reads one that was
    /// written to.
    fn counters_with<T>(&self, look: impl Fn() -> T) -> (DiskCounters, T) {
        let deadline = Instant::now() + Duration::from_secs(60);
        loop {
            let before = self.counters();
            let seen = look();
            if self.counters() == before {
                return (before, seen);
            }
            assert!(Instant::now() < deadline, "somebody else uses {}", self.name);
        }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let device = format!("/dev/{}", self.name);
        let detached = Command::new("losetup").arg("--detach").arg(device).status();
        if !std::thread::panicking() {
            assert!(detached.unwrap().success());
        }
    }
}

#[test]
fn every_write_is_counted_with_its_bytes() {
    let Some(disk) = Disk::make() else { return };
    disk.write(1); // A device that did nothing since boot is not looked at.
    let mut host = HostReader::new();
    let earlier = host.read();
    disk.write(64);
    let later = host.read();

    let seconds = (later.taken_at - earlier.taken_at).as_secs_f64();
    let (_, disks) = rates(&earlier, &later);
    let found = disks.iter().find(|rates| rates.device == disk.name).unwrap();
    assert_eq!((found.writes * seconds).round(), 64.0, "{found:?}");
    assert_eq!((found.written_bytes * seconds).round(), (64 * BLOCK) as f64);
    assert_eq!(found.flushes, 0.0);
    assert_eq!(found.write_size(), Some(BLOCK as f64));
    assert_eq!(found.writes_merged, 0.0);

    let before_sync = disk.counters();
    disk.write(0).sync_all().unwrap();
    let counters = disk.counters();
    assert_eq!(counters.flushes, before_sync.flushes + 1);
    assert_eq!(counters.writes, before_sync.writes + 1, "asked for as a write without data");
    assert_eq!(counters.sectors_written, before_sync.sectors_written);

    // The file of this device alone has the same columns, without the names before them.
    let stat = format!("/sys/block/{}/stat", disk.name);
    let (counters, columns) = disk.counters_with(|| fs::read_to_string(&stat).unwrap());
    let columns: Vec<u64> = columns.split_whitespace().map(|word| word.parse().unwrap()).collect();
    assert_eq!(
        columns[4..8],
        [counters.writes, counters.writes_merged, counters.sectors_written, counters.write_ms]
    );
    assert_eq!(columns[9..11], [counters.busy_ms, counters.weighted_ms]);
    let flushes = columns.get(15..17).map(|columns| (columns[0], columns[1]));
    assert_eq!((counters.flushes, counters.flush_ms), flushes.unwrap_or_default());
}

#[test]
fn iostat_says_the_same() {
    let Some(disk) = Disk::make() else { return };
    disk.write(200).sync_all().unwrap();
    let (counters, printed) = disk.counters_with(|| iostat(&disk.name));
    let printed = match printed {
        Ok(printed) => printed,
        Err(error) => return eprintln!("skipped: iostat: {error}"),
    };
    // Its only report is of the time since boot, in which quotients do not depend on the time.
    let uptime = fs::read_to_string("/proc/uptime").unwrap();
    let uptime: f64 = uptime.split_whitespace().next().unwrap().parse().unwrap();
    let since_boot =
        counters.rates_since(&DiskCounters::default(), Duration::from_secs_f64(uptime), &disk.name);
    let kib = |bytes: Option<f64>| bytes.unwrap_or(0.0) / 1024.0;
    let percent = |share: Option<f64>| share.unwrap_or(0.0) * 100.0;
    for (column, own) in [
        ("r_await", since_boot.read_await_ms.unwrap_or(0.0)),
        ("w_await", since_boot.write_await_ms.unwrap_or(0.0)),
        ("f_await", since_boot.flush_await_ms.unwrap_or(0.0)),
        ("d_await", since_boot.discard_await_ms.unwrap_or(0.0)),
        ("rareq-sz", kib(since_boot.read_size())),
        ("wareq-sz", kib(since_boot.write_size())),
        ("%rrqm", percent(since_boot.reads_merged_share())),
        ("%wrqm", percent(since_boot.writes_merged_share())),
        ("w/s", since_boot.writes),
        ("wkB/s", since_boot.written_bytes / 1024.0),
        ("aqu-sz", since_boot.queue),
        ("%util", since_boot.utilisation * 100.0),
    ] {
        let theirs = printed[column];
        // Two decimals are printed.
        assert!((theirs - own).abs() < 0.0051, "{column}: iostat {theirs}, weighin {own}");
    }
}

/// What iostat prints of a disk, by column.
fn iostat(disk: &str) -> io::Result<BTreeMap<String, f64>> {
    let run = Command::new("iostat").args(["-x", "-d", disk]).env("LC_ALL", "C").output()?;
    let text = String::from_utf8(run.stdout).unwrap();
    let line = |start: &str| {
        let line = text.lines().find(|line| line.split_whitespace().next() == Some(start));
        line.unwrap_or_else(|| panic!("no line of {start} in {text}")).split_whitespace().skip(1)
    };
    let numbers = line(disk).map(|number| number.parse().unwrap());
    Ok(line("Device").map(str::to_owned).zip(numbers).collect())
}
