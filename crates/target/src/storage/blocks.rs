//! A block device or a file as a volume: its virtual machines each have a part of it.

use super::contents::{Contents, EDGE, MARK_BYTES, look};
use super::identity::check_same;
use super::mark::{Mark, TITLE};
use super::{LESS, holds, refused, trouble};
use crate::{os, size};
use model::{Failure, FailureKind, VolumeLayout, VolumePlace};
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A device or file, held so that nothing else can claim it. Its virtual machines have their parts
/// between the first and the last MiB.
#[derive(Debug)]
pub struct Blocks {
    path: PathBuf,
    file: File,
    length: u64,
    contents: Contents,
}

impl Blocks {
    /// Opens it for weighin alone.
    ///
    /// # Errors
    /// When it is in use, or cannot be read and written.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let facts = fs::metadata(path).map_err(|error| trouble("look at", path, &error))?;
        let device = facts.file_type().is_block_device();
        if let Some(user) = user_of(path, device.then_some(facts.rdev())) {
            return Err(in_use(path, &user));
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        if device {
            // The kernel lets one only claim a device: not while it is mounted, swap or in an array.
            options.custom_flags(libc::O_EXCL);
        }
        let mut file = options.open(path).map_err(|error| match error.raw_os_error() {
            Some(libc::EBUSY) => {
                in_use(path, "the kernel: it is mounted, swap or part of an array")
            }
            _ => trouble("open", path, &error),
        })?;
        if file.try_lock().is_err() {
            return Err(in_use(path, "another process, which has locked it"));
        }
        let length = file.seek(SeekFrom::End(0)).map_err(|error| trouble("read", path, &error))?;
        // While somebody else has a device open its cache stays, and would answer for a dead device.
        os::forget_cached(&file);
        let contents =
            look(&file, length, !device, TITLE).map_err(|error| trouble("read", path, &error))?;
        Ok(Self { path: path.to_owned(), file, length, contents })
    }

    /// Says whether it may be written, as the study and (`consented`) the command line have it, and
    /// has room.
    ///
    /// # Errors
    /// `ForeignData` where it holds something and not both allow to overwrite it; `DiskFull` where
    /// it is too small.
    pub fn check(
        &self,
        place: &VolumePlace,
        consented: bool,
        layout: VolumeLayout,
    ) -> Result<(), Failure> {
        if let (Contents::Foreign(what), false) = (&self.contents, place.erase && consented) {
            return Err(holds(place, consented, what));
        }
        let needed = bytes(layout).saturating_add(2 * EDGE);
        if self.length < needed {
            let (there, needed) = (size::in_words(self.length), size::in_words(needed));
            let message = format!("has {there}, and {needed} are needed");
            return Err(refused(FailureKind::DiskFull, &self.path, &message, LESS));
        }
        Ok(())
    }

    /// Makes sure that its path still leads to it.
    ///
    /// # Errors
    /// `VolumeFailed` where it does not.
    pub fn check_same(&self) -> Result<(), Failure> {
        check_same(&self.path, &self.file)
    }

    /// Whether weighin filled it already for that layout.
    pub fn is_filled(&self, layout: VolumeLayout) -> bool {
        let Contents::Own(text) = &self.contents else { return false };
        Mark::read(text).is_some_and(|mark| mark.filled && mark.serves(layout))
    }

    /// Marks it as weighin's own, and whether all of its data was written once; erases the
    /// signatures of whatever was there. To be called only when [`Self::check`] allows it.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn mark(&mut self, layout: VolumeLayout, filled: bool) -> Result<(), Failure> {
        let mark = Mark { layout, filled };
        self.write(mark).map_err(|error| trouble("write", &self.path, &error))?;
        self.contents = Contents::Own(mark.text());
        Ok(())
    }

    fn write(&self, mark: Mark) -> io::Result<()> {
        if !matches!(self.contents, Contents::Own(_)) {
            let zeros = vec![0; EDGE as usize];
            self.file.write_all_at(&zeros, self.length.saturating_sub(EDGE))?;
            self.file.write_all_at(&zeros, 0)?;
        }
        let mut block = mark.text().into_bytes();
        block.resize(MARK_BYTES, 0);
        self.file.write_all_at(&block, 0)?;
        self.file.sync_all()
    }

    /// Where the data of a virtual machine begins, counted from 0 on this volume.
    pub fn offset_of(layout: VolumeLayout, vm: u32) -> u64 {
        EDGE + u64::from(vm) * layout.bytes_per_vm
    }

    /// Makes all of it zeros again where it is weighin's own; whether it was.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn erase(&self) -> Result<bool, Failure> {
        if !matches!(self.contents, Contents::Own(_)) {
            return Ok(false);
        }
        os::zero(&self.file, self.length)
            .and_then(|()| self.file.sync_all())
            .map_err(|error| trouble("erase", &self.path, &error))?;
        Ok(true)
    }
}

fn bytes(layout: VolumeLayout) -> u64 {
    u64::from(layout.vms).saturating_mul(layout.bytes_per_vm)
}

fn in_use(path: &Path, user: &str) -> Failure {
    refused(
        FailureKind::NotPermitted,
        path,
        &format!("is in use by {user}"),
        "name a volume that nothing uses; erase does not help here",
    )
}

/// Who uses a device (by its number) or a file, where that can be seen.
fn user_of(path: &Path, device: Option<u64>) -> Option<String> {
    let canonical = path.canonicalize().ok()?;
    let numbers = device.map(|number| format!("{}:{}", libc::major(number), libc::minor(number)));
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mounted = numbers.as_deref().and_then(|numbers| {
        mounts.lines().find_map(|line| {
            let mut fields = line.split(' ').skip(2);
            (fields.next()? == numbers).then(|| fields.nth(1).map(str::to_owned))?
        })
    });
    if let Some(point) = mounted {
        return Some(format!("the file system mounted at {point}"));
    }
    let swaps = fs::read_to_string("/proc/swaps").unwrap_or_default();
    if swaps.lines().any(|line| line.split_whitespace().next() == canonical.to_str()) {
        return Some("the kernel, as swap".to_owned());
    }
    let loops = fs::read_dir("/sys/block").into_iter().flatten().flatten();
    for entry in loops {
        let backing = fs::read_to_string(entry.path().join("loop/backing_file"));
        if backing.is_ok_and(|file| Path::new(file.trim_end()) == canonical) {
            return Some(format!("the loop device {}", entry.file_name().to_string_lossy()));
        }
    }
    let numbers = numbers?;
    let holders = fs::read_dir(format!("/sys/dev/block/{numbers}/holders")).ok()?;
    let holder = holders.flatten().next()?;
    Some(format!("the device {}", holder.file_name().to_string_lossy()))
}

/// Whether a path can be a volume of blocks: a block device or a file.
pub(super) fn can_be(path: &Path) -> io::Result<bool> {
    let kind = fs::metadata(path)?.file_type();
    if kind.is_block_device() || kind.is_file() {
        return Ok(true);
    }
    if kind.is_dir() { Ok(false) } else { Err(ErrorKind::InvalidInput.into()) }
}
