use super::{comes_to_hold, not_tested};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A file of zeros that takes no room yet.
pub fn file_of(directory: &Path, name: &str, mebibytes: u64) -> PathBuf {
    let path = directory.join(name);
    std::fs::File::create(&path).unwrap().set_len(mebibytes << 20).unwrap();
    path
}

/// A loop device over a file, gone with this.
pub struct LoopDevice(pub PathBuf);

impl LoopDevice {
    /// `None` where this user may not have one.
    pub fn over(file: &Path) -> Option<Self> {
        let output = Command::new("losetup").args(["--find", "--show"]).arg(file).output().ok()?;
        if !output.status.success() {
            not_tested("this user may not make loop devices");
            return None;
        }
        Some(Self(String::from_utf8(output.stdout).ok()?.trim().into()))
    }

    pub fn path(&self) -> &str {
        self.0.to_str().unwrap()
    }

    /// Reads and writes that it has finished since the machine was started.
    pub fn ios(&self) -> u64 {
        let name = self.0.file_name().unwrap().to_str().unwrap();
        let text = std::fs::read_to_string(format!("/sys/class/block/{name}/stat")).unwrap();
        let counters: Vec<u64> =
            text.split_whitespace().map(|word| word.parse().unwrap()).collect();
        counters[0] + counters[4]
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.0).status();
    }
}

/// A file system in a file, mounted where everybody sees it; gone with this.
pub struct Disk {
    at: PathBuf,
    device: LoopDevice,
    _directory: tempfile::TempDir,
}

impl Disk {
    /// Made by `mkfs.KIND`; `None` where this user may not mount it.
    pub fn with_size(kind: &str, mebibytes: u64) -> Option<Self> {
        let directory = super::shared_directory();
        let image = file_of(directory.path(), "image", mebibytes);
        Self::in_file(kind, &image, directory)
    }

    /// One whose file lies on this one, and takes room there only as it is written to; this one must
    /// outlive it.
    pub fn thin(&self, kind: &str, mebibytes: u64) -> Option<Self> {
        let image = file_of(&self.at, "image", mebibytes);
        Self::in_file(kind, &image, super::shared_directory())
    }

    fn in_file(kind: &str, image: &Path, directory: tempfile::TempDir) -> Option<Self> {
        let made = Command::new(format!("mkfs.{kind}")).arg("-q").arg(image).status();
        if !made.is_ok_and(|status| status.success()) {
            not_tested(&format!("mkfs.{kind} is not there"));
            return None;
        }
        let device = LoopDevice::over(image)?;
        let at = directory.path().join("disk");
        std::fs::create_dir(&at).unwrap();
        let mounted = Command::new("mount").arg(&device.0).arg(&at).stderr(Stdio::null()).status();
        if !mounted.is_ok_and(|status| status.success()) {
            not_tested(&format!("this user may not mount {kind}"));
            return None;
        }
        Some(Self { at, device, _directory: directory })
    }

    pub fn path(&self) -> &Path {
        &self.at
    }

    /// What it is on.
    pub fn device(&self) -> &LoopDevice {
        &self.device
    }

    /// Takes it out of sight; whoever has a file of it open can go on with that.
    pub fn unmount(&self) {
        let lazily = Command::new("umount").arg("--lazy").arg(&self.at).status();
        assert!(lazily.is_ok_and(|status| status.success()));
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let unmounted = || {
            let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
            !mounts.contains(self.at.to_str().unwrap_or_default())
        };
        if !unmounted() {
            let _ = Command::new("umount").arg("--lazy").arg(&self.at).status();
            // A test that fails already must not fail here once more: that would end all tests at
            // once, and leave what they made.
            comes_to_hold(unmounted);
        }
    }
}
