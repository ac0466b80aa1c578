//! However weighin ends, its private servers end with it.

use crate::support::start_sandbox;
use crate::support::{can_build, loops_below, own_process};
use host::local::os::{self, ProcessIdentity};
use host::local::sandbox::SandboxOptions;
use model::{BuiltVolume, FileSystem, IoLimits};
use std::fs::{self, Permissions};
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command};
use std::thread;
use std::time::{Duration, Instant};

/// Names the directory that the helper makes its sandbox in.
const HELPER_DIRECTORY: &str = "WEIGHIN_TEST_HELPER_DIRECTORY";
/// Has the helper build a volume for its sandbox, with limits.
const HELPER_VOLUME: &str = "WEIGHIN_TEST_HELPER_VOLUME";
/// An account that owns nothing.
const NOBODY: u32 = 65_534;

/// Not a test: what the tests run as a process of its own, and end.
#[test]
#[ignore = "run by other tests as a process of its own"]
fn helper() {
    let Some(directory) = std::env::var_os(HELPER_DIRECTORY) else { return };
    let options = SandboxOptions {
        name: "helper".to_owned(),
        directory: Some(directory.into()),
        volume: std::env::var_os(HELPER_VOLUME).map(|_| limited_volume()),
        ..SandboxOptions::default()
    };
    let sandbox = start_sandbox(options).unwrap();
    println!("\nsandbox {} {}", sandbox.pid(), sandbox.data_directory().display());
    // Until the test closes its end.
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

/// A helper process with a running sandbox.
struct Helper {
    process: Child,
    server: ProcessIdentity,
    data: PathBuf,
    /// Kept open, or the helper could not report its own end.
    _output: BufReader<ChildStdout>,
}

impl Helper {
    /// Starts the helper from a copy in `parent`, which any user can run.
    fn start(parent: &Path, user: Option<u32>) -> Self {
        Self::start_with(parent, user, &[])
    }

    fn start_with(parent: &Path, user: Option<u32>, environment: &[(&str, &str)]) -> Self {
        let mut process = Self::spawn(parent, user, environment);
        let mut output = BufReader::new(process.stdout.take().unwrap());
        let line = output
            .by_ref()
            .lines()
            .map_while(Result::ok)
            .find(|line| line.starts_with("sandbox "))
            .expect("the helper says where its sandbox is");
        let words: Vec<&str> = line.split(' ').collect();
        let server = ProcessIdentity::for_pid(words[1].parse().unwrap()).unwrap();
        Self { process, server, data: PathBuf::from(words[2]), _output: output }
    }

    fn spawn(parent: &Path, user: Option<u32>, environment: &[(&str, &str)]) -> Child {
        own_process("sandbox_ends::helper", parent, user)
            .env(HELPER_DIRECTORY, parent.join("sandboxes"))
            .envs(environment.iter().copied())
            .process_group(0)
            .spawn()
            .unwrap()
    }

    /// The directory of the sandbox.
    fn root(&self) -> &Path {
        let root = self.data.ancestors().find(|path| path.join("weighin-sandbox").exists());
        root.expect("the sandbox is there")
    }

    /// Kills both processes that watch over the sandbox.
    fn kill_guardians(&self) {
        let root = self.root().to_str().unwrap();
        let found = || os::processes_with_argument(root);
        // The second is on its own, and may have to wait for a processor before it is what it will be.
        wait_until("both guardians are there", || found().len() == 2);
        found().into_iter().for_each(|guardian| os::kill(guardian).unwrap());
    }

    fn is_clean(&self) -> bool {
        let argument = format!("--datadir={}", self.data.display());
        !self.data.parent().unwrap().exists() && os::processes_with_argument(&argument).is_empty()
    }
}

fn parent() -> tempfile::TempDir {
    let parent = tempfile::tempdir_in("/var/tmp").unwrap();
    fs::set_permissions(parent.path(), Permissions::from_mode(0o755)).unwrap();
    for part in ["sandboxes", "cache"] {
        fs::create_dir(parent.path().join(part)).unwrap();
    }
    parent
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !condition() {
        assert!(Instant::now() < deadline, "in vain waited until {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn killed_with_sigkill_nothing_stays_behind() {
    let parent = parent();
    let mut helper = Helper::start(parent.path(), None);
    assert!(helper.server.exists() && helper.data.is_dir());
    helper.process.kill().unwrap();
    helper.process.wait().unwrap();
    wait_until("server and data are gone", || helper.is_clean());
}

#[test]
fn interrupted_from_the_terminal_nothing_stays_behind() {
    let parent = parent();
    let mut helper = Helper::start(parent.path(), None);
    // As Ctrl-C does: to the helper and everything in its process group.
    let group = helper.process.id();
    let status = Command::new("kill").args(["-INT", "--", &format!("-{group}")]).status().unwrap();
    assert!(status.success());
    helper.process.wait().unwrap();
    wait_until("server and data are gone", || helper.is_clean());
}

#[test]
fn ended_in_peace_nothing_stays_behind() {
    let parent = parent();
    let mut helper = Helper::start(parent.path(), None);
    // `wait` closes the helper's standard input.
    assert!(helper.process.wait().unwrap().success());
    assert!(helper.is_clean());
}

#[test]
fn the_next_sandbox_sweeps_up_when_the_guardians_were_killed_too() {
    let parent = parent();
    let mut helper = Helper::start(parent.path(), None);
    helper.kill_guardians();
    helper.process.kill().unwrap();
    helper.process.wait().unwrap();
    assert!(helper.server.exists() && helper.data.is_dir());
    let mut next = Helper::start(parent.path(), None);
    wait_until("server and data are gone", || helper.is_clean());
    assert!(next.server.exists() && next.data.is_dir());
    assert!(next.process.wait().unwrap().success());
}

/// What a loop device is made of, and its limits.
struct OnDevice {
    root: PathBuf,
    device: String,
    numbers: String,
}

impl OnDevice {
    fn left_by(helper: &Helper) -> Self {
        let root = helper.root().to_owned();
        let devices = loops_below(&root);
        let [device] = &devices[..] else { panic!("{devices:?}") };
        let numbers = fs::read_to_string(format!("/sys/block/{device}/dev")).unwrap();
        Self { root, device: device.clone(), numbers: numbers.trim().to_owned() }
    }

    /// Whether something is limited on the device although nobody has it; known where limits are of
    /// version 1. A device that is free may be somebody else's the next moment, with limits of theirs.
    fn is_limited(&self) -> bool {
        if Path::new("/sys/block").join(&self.device).join("loop").exists() {
            return false;
        }
        let limits = fs::read_to_string("/sys/fs/cgroup/blkio/blkio.throttle.write_iops_device");
        let start = format!("{} ", self.numbers);
        limits.is_ok_and(|limits| limits.lines().any(|line| line.starts_with(&start)))
    }

    fn is_gone(&self) -> bool {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
        let (root, groups) = (self.root.to_str().unwrap(), Path::new("/sys/fs/cgroup"));
        let is_mounted = mounts.contains(root);
        let has_group = groups.join(self.root.file_name().unwrap()).exists();
        !self.root.exists() && !is_mounted && !has_group && loops_below(&self.root).is_empty()
    }
}

/// So slow that what the server has to write would be waited for if its limit stayed.
fn limited_volume() -> BuiltVolume {
    BuiltVolume {
        devices: 1,
        device_bytes: 256 << 20,
        chunk_bytes: None,
        file_system: FileSystem::Ext4,
        limits: IoLimits { write_iops: Some(100), ..IoLimits::default() },
    }
}

/// A loop device of somebody else's, over a file in that directory.
struct Theirs(String);

impl Theirs {
    fn make(directory: &Path) -> Self {
        let file = directory.join("theirs.img");
        fs::File::create(&file).unwrap().set_len(8 << 20).unwrap();
        let output = Command::new("losetup").args(["--find", "--show"]).arg(&file).output();
        let device = String::from_utf8(output.unwrap().stdout).unwrap();
        Self(device.trim().trim_start_matches("/dev/").to_owned())
    }
}

impl Drop for Theirs {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(format!("/dev/{}", self.0)).status();
    }
}

#[test]
fn killed_with_sigkill_no_device_mount_or_limit_stays_behind() {
    if !can_build(&limited_volume()) {
        return;
    }
    let parent = parent();
    let mut helper = Helper::start_with(parent.path(), None, &[(HELPER_VOLUME, "yes")]);
    let stood = OnDevice::left_by(&helper);
    assert!(!stood.is_gone());
    helper.process.kill().unwrap();
    helper.process.wait().unwrap();
    wait_until("server and volume are gone", || stood.is_gone());
    wait_until("the limit is gone", || !stood.is_limited());
}

#[test]
fn killed_while_it_builds_a_volume_nothing_stays_behind() {
    if !can_build(&limited_volume()) {
        return;
    }
    let parent = parent();
    let sandboxes = parent.path().join("sandboxes");
    let homes = || fs::read_dir(&sandboxes).unwrap().flatten().map(|home| home.path());
    let mounts = || fs::read_to_string("/proc/self/mountinfo").unwrap();
    let is_mounted = || mounts().contains(sandboxes.to_str().unwrap());
    let has_device = || !loops_below(&sandboxes).is_empty();
    let has_file = || homes().any(|home| home.join("devices/0.img").exists());
    for (stage, reached) in [
        ("a file", &has_file as &dyn Fn() -> bool),
        ("a device", &has_device),
        ("a file system", &is_mounted),
    ] {
        let mut process = Helper::spawn(parent.path(), None, &[(HELPER_VOLUME, "yes")]);
        wait_until(stage, reached);
        process.kill().unwrap();
        process.wait().unwrap();
        wait_until("all is gone", || homes().next().is_none() && !has_device() && !is_mounted());
    }
}

#[test]
fn the_next_sandbox_takes_a_dead_ones_volume_apart_and_no_other_device() {
    if !can_build(&limited_volume()) {
        return;
    }
    let parent = parent();
    let theirs = Theirs::make(&parent.path().join("sandboxes"));
    let mut helper = Helper::start_with(parent.path(), None, &[(HELPER_VOLUME, "yes")]);
    let stood = OnDevice::left_by(&helper);
    helper.kill_guardians();
    helper.process.kill().unwrap();
    helper.process.wait().unwrap();
    assert!(helper.server.exists() && !stood.is_gone());

    let mut next = Helper::start(parent.path(), None);
    wait_until("server and volume are gone", || helper.is_clean() && stood.is_gone());
    wait_until("the limit is gone", || !stood.is_limited());
    assert!(next.process.wait().unwrap().success());
    assert_eq!(loops_below(parent.path()), [theirs.0.as_str()]);
}

#[test]
fn a_living_neighbour_is_left_alone() {
    let parent = parent();
    let mut first = Helper::start(parent.path(), None);
    let mut second = Helper::start(parent.path(), None);
    assert!(first.server.exists());
    second.process.kill().unwrap();
    second.process.wait().unwrap();
    wait_until("the second is gone", || second.is_clean());
    assert!(first.server.exists() && first.data.is_dir());
    assert!(first.process.wait().unwrap().success());
}

#[test]
fn an_ordinary_user_has_sandboxes_too() {
    if !os::is_root() {
        // Then all the other tests show it.
        return;
    }
    let parent = parent();
    for part in ["sandboxes", "cache"] {
        chown(parent.path().join(part), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    for _from_cache in [false, true] {
        let mut helper = Helper::start(parent.path(), Some(NOBODY));
        assert_eq!(helper.data.metadata().unwrap().uid(), NOBODY);
        helper.process.kill().unwrap();
        helper.process.wait().unwrap();
        wait_until("server and data are gone", || helper.is_clean());
    }
    let templates = fs::read_dir(parent.path().join("cache/weighin")).unwrap().count();
    assert_eq!(templates, 1);
}
