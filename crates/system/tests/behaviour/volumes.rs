//! Private servers on volumes that are built for them. Only root can build any.

use crate::support::start_sandbox;
use crate::support::{self, can_build, loops_below, shared_directory};
use host::local::sandbox::{Sandbox, SandboxOptions};
use host::local::volume;
use model::{BuiltVolume, FailureKind, FileSystem, IoLimits, System};
use mysql::client::Connection;
use redis::client::RedisConnection;
use redis::protocol::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;
use system::client::{Credentials, Secret};

const MIB: u64 = 1 << 20;
/// The first group of version 1, by which limits are kept where it is mounted.
const BLKIO: &str = "/sys/fs/cgroup/blkio";

fn plain(file_system: FileSystem, mib: u64) -> BuiltVolume {
    BuiltVolume {
        devices: 1,
        device_bytes: mib * MIB,
        chunk_bytes: None,
        file_system,
        limits: IoLimits::default(),
    }
}

/// A server on a volume, in a directory of the test's own.
struct OnVolume {
    sandbox: Sandbox,
    directory: tempfile::TempDir,
}

impl OnVolume {
    fn start(system: System, settings: &[(&str, &str)], volume: BuiltVolume) -> Self {
        let directory = shared_directory();
        let sandbox = start_sandbox(SandboxOptions {
            system,
            name: "volume".to_owned(),
            settings: settings.iter().map(|&(n, v)| (n.to_owned(), v.to_owned())).collect(),
            directory: Some(directory.path().to_owned()),
            volume: Some(volume),
            ..SandboxOptions::default()
        });
        Self { sandbox: sandbox.unwrap(), directory }
    }

    /// The loop devices over files of its directory.
    fn devices(&self) -> Vec<String> {
        loops_below(self.directory.path())
    }

    fn redis(&self) -> RedisConnection {
        let password = Secret::new(self.sandbox.password().reveal());
        RedisConnection::open(self.sandbox.address(), &password).unwrap()
    }

    /// Ends the server; asserts that everything that was made for it is gone.
    fn end(self) {
        let Self { sandbox, directory } = self;
        drop(sandbox);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
        assert_eq!(loops_below(directory.path()), Vec::<String>::new());
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        assert!(!mounts.contains(directory.path().to_str().unwrap()), "{mounts}");
    }
}

/// Writes that a device has completed since boot, those that were merged being one.
fn writes(device: &str) -> u64 {
    let stat = fs::read_to_string(format!("/sys/block/{device}/stat")).unwrap();
    stat.split_whitespace().nth(4).unwrap().parse().unwrap()
}

fn set(connection: &mut RedisConnection, key: &str, value: &[u8]) {
    let answer = connection.command(&[b"SET", key.as_bytes(), value]).unwrap();
    assert_eq!(answer, Value::Status("OK".into()));
}

#[test]
fn a_limit_of_writes_bounds_what_a_server_that_syncs_can_do() {
    const LIMIT: u64 = 100;
    const COMMANDS: u64 = 100;
    let limits = IoLimits { write_iops: Some(LIMIT), ..IoLimits::default() };
    for file_system in FileSystem::ALL {
        let volume = BuiltVolume { limits, ..plain(file_system, 320) };
        if !can_build(&volume) {
            continue;
        }
        let settings = [("appendonly", "ON"), ("appendfsync", "always"), ("save", "")];
        let server = OnVolume::start(System::Redis, &settings, volume);
        let [device] = &server.devices()[..] else { panic!("{:?}", server.devices()) };
        let mut connection = server.redis();

        let start = Instant::now();
        let before = writes(device);
        (0..COMMANDS).for_each(|i| set(&mut connection, &format!("key{i}"), b"value"));
        let done = writes(device) - before;
        let seconds = start.elapsed().as_secs_f64();
        // Each command was on the device before it was answered.
        assert!(done >= COMMANDS, "{done} writes for {COMMANDS} commands");
        // A second more: the kernel lets what was not used of the last tenths be made up for.
        let most = LIMIT as f64 * (seconds + 1.0);
        let name = file_system.name();
        assert!(done as f64 <= most, "{name}: {done} writes in {seconds} s, {most} allowed");
        server.end();
    }
}

#[test]
fn the_server_is_in_the_limited_group_and_the_limit_goes_with_it() {
    let limits = IoLimits {
        read_iops: Some(5_000),
        write_iops: Some(2_000),
        read_bytes: Some(100 * MIB),
        write_bytes: Some(50 * MIB),
    };
    let volume = BuiltVolume { limits, ..plain(FileSystem::Ext4, 64) };
    if !can_build(&volume) {
        return;
    }
    let mut server = OnVolume::start(System::Redis, &[("save", "")], volume);
    let device = server.devices().remove(0);
    let numbers = fs::read_to_string(format!("/sys/block/{device}/dev")).unwrap();
    let group = group_of(server.sandbox.pid());
    let set_now = || limits_of(&group, numbers.trim());
    let limited = ["104857600", "2000", "5000", "52428800"];
    assert_eq!(set_now(), limited);

    // What it has to write when it ends is none of a trial's business.
    server.sandbox.stop().unwrap();
    assert_eq!(set_now(), Vec::<String>::new());
    server.sandbox.start_again().unwrap();
    assert_eq!(set_now(), limited);
    assert_eq!(group_of(server.sandbox.pid()), group);
    let was_made = group.file_name().is_some_and(|name| name.to_string_lossy().contains("weighin"));
    server.end();
    if was_made {
        assert!(!group.exists());
    } else {
        // The device's number may belong to the volume of another test by now, with other limits.
        let left = limits_of(&group, numbers.trim());
        assert!(left.iter().all(|limit| !limited.contains(&limit.as_str())), "{left:?}");
    }
}

/// The directory of the group in which a process's IO is counted.
fn group_of(pid: u32) -> PathBuf {
    let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap();
    let path = |name: &str| {
        groups.lines().find_map(|line| line.split_once(name).map(|(_, path)| path.to_owned()))
    };
    let (root, path) = match path(":blkio:") {
        Some(path) => (BLKIO, path),
        None => ("/sys/fs/cgroup", path("::").unwrap()),
    };
    Path::new(root).join(path.trim_start_matches('/'))
}

/// The limits of a device in a group, sorted as texts.
fn limits_of(group: &Path, device: &str) -> Vec<String> {
    let files = ["read_iops", "write_iops", "read_bps", "write_bps"]
        .map(|name| format!("blkio.throttle.{name}_device"));
    let files = files.iter().map(String::as_str).chain(["io.max"]);
    let text: String = files.filter_map(|name| fs::read_to_string(group.join(name)).ok()).collect();
    let lines = text.lines().filter_map(|line| line.strip_prefix(device)?.strip_prefix(' '));
    let mut limits: Vec<String> = lines
        .flat_map(|line| line.split(' '))
        .map(|limit| limit.rsplit('=').next().unwrap_or_default().to_owned())
        .filter(|limit| limit != "max")
        .collect();
    limits.sort();
    limits
}

#[test]
fn every_file_system_holds_the_data_of_either_server() {
    for file_system in FileSystem::ALL {
        let volume = plain(file_system, 320);
        if !can_build(&volume) {
            continue;
        }
        let mut server = OnVolume::start(System::Redis, &[("appendonly", "ON")], volume);
        set(&mut server.redis(), "kept", b"value");
        server.sandbox.restart().unwrap();
        let kept = server.redis().command(&[b"GET", b"kept"]).unwrap();
        assert_eq!(kept, Value::Bytes(b"value".to_vec()));
        server.end();
    }
    let volume = plain(FileSystem::Xfs, 512);
    if can_build(&volume) {
        let server = OnVolume::start(System::Mysql, &[], volume);
        let login = Credentials::new("weighin", Secret::new(server.sandbox.password().reveal()));
        let mut connection = Connection::open(server.sandbox.address(), &login).unwrap();
        let mut ask = |sql: &str| support::value(&mut connection, sql);
        let (data, temporary) = (ask("SELECT @@datadir"), ask("SELECT @@tmpdir"));
        for directory in [data, temporary] {
            let device = Command::new("findmnt").args(["-no", "SOURCE", "-T", &directory]).output();
            let device = String::from_utf8(device.unwrap().stdout).unwrap();
            assert_eq!(device.trim(), format!("/dev/{}", server.devices()[0]), "{directory}");
        }
        server.end();
    }
}

#[test]
fn striped_data_is_written_to_every_device() {
    let volume = BuiltVolume {
        devices: 2,
        chunk_bytes: Some(FileSystem::BTRFS_CHUNK),
        ..plain(FileSystem::Btrfs, 128)
    };
    if !can_build(&volume) {
        return;
    }
    let settings = [("appendonly", "ON"), ("appendfsync", "always"), ("save", "")];
    let server = OnVolume::start(System::Redis, &settings, volume);
    let devices = server.devices();
    assert_eq!(devices.len(), 2);
    let sectors = |device: &String| -> u64 {
        let stat = fs::read_to_string(format!("/sys/block/{device}/stat")).unwrap();
        stat.split_whitespace().nth(6).unwrap().parse().unwrap()
    };
    let before: Vec<u64> = devices.iter().map(sectors).collect();
    let mut connection = server.redis();
    // 4 MiB of a program, 64 stripes.
    let value = fs::read("/proc/self/exe").unwrap().into_iter().take(64 << 10).collect::<Vec<u8>>();
    (0..64).for_each(|i| set(&mut connection, &format!("key{i}"), &value));
    let written = devices.iter().zip(before).map(|(device, before)| sectors(device) - before);
    for sectors in written {
        assert!(sectors * 512 >= MIB, "{sectors} sectors");
    }
    server.end();
}

#[test]
fn a_volume_without_room_is_refused_before_anything_is_made() {
    let small = plain(FileSystem::Ext4, 64);
    if !can_build(&small) {
        return;
    }
    let directory = shared_directory();
    let huge = BuiltVolume { devices: 1, device_bytes: 1 << 50, ..small };
    let failure = volume::check(&huge, directory.path(), huge.bytes()).unwrap_err();
    assert_eq!(failure.kind, FailureKind::DiskFull);
    assert!(failure.message.contains("1.0 PiB"), "{failure}");
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0);
}
