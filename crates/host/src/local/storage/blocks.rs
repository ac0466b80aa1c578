//! A block device or a file as a volume: its virtual machines each have a part of it.

use super::contents::{Contents, HEAD, Look, TAIL, mark_of};
use super::identity::check_same;
use super::mark::{EDGE, MARK_BYTES, Mark, end_of};
use super::{LESS, check_parent, holds, probe, refused, trouble};
use crate::local::sample::{device_of, volume_of};
use crate::local::{os, size};
use crate::question::{HeldVolume, Looking, Share, Space, VolumeFacts};
use engine::storage::{FileSpec, Filling, fill};
use model::{Failure, FailureKind, VolumeLayout, VolumePlace};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A device or file, held so that nothing else can claim it. Its virtual machines have their parts
/// between the first and the last MiB.
#[derive(Debug)]
pub(super) struct Blocks {
    path: PathBuf,
    /// Where that led when it was taken, without links.
    resolved: PathBuf,
    file: File,
    length: u64,
    is_device: bool,
    /// Weighin's own mark, where it has one and nothing was made over it.
    mark: Option<Mark>,
    /// Whether it may hold something that study and command line allow to erase: then all of it
    /// becomes weighin's own.
    erasable: bool,
    /// The smallest block that it must take, in bytes.
    block: u32,
    facts: VolumeFacts,
}

impl Blocks {
    /// Opens it for weighin alone. What it holds is looked at by [`HeldVolume::check_contents`].
    ///
    /// # Errors
    /// When it is in use, cannot be read and written, or is in a directory in which others could
    /// exchange it for something else.
    pub(super) fn open(path: &Path, block: u32) -> Result<Self, Failure> {
        let look = |error| trouble("look at", path, &error);
        let resolved = path.canonicalize().map_err(look)?;
        let facts = fs::metadata(&resolved).map_err(look)?;
        check_parent(path, &resolved)?;
        let is_device = facts.file_type().is_block_device();
        if let Some(user) = user_of(&resolved, is_device.then_some(facts.rdev())) {
            return Err(in_use(path, &user));
        }
        let mut options = File::options();
        // The kernel lets one only claim a device: not while it is mounted, swap or in an array.
        let claim = if is_device { libc::O_EXCL } else { 0 };
        options.read(true).write(true).custom_flags(claim | libc::O_NOFOLLOW);
        let mut file = options.open(&resolved).map_err(|error| match error.raw_os_error() {
            Some(libc::EBUSY) => {
                in_use(path, "the kernel: it is mounted, swap or part of an array")
            }
            _ => trouble("open", path, &error),
        })?;
        if file.try_lock().is_err() {
            return Err(in_use(path, "another process, which has locked it"));
        }
        let read = |error| trouble("read", path, &error);
        let length = file.seek(SeekFrom::End(0)).map_err(read)?;
        // While somebody else has a device open its cache stays, and would answer for a dead device.
        os::forget_cached(&file);
        let mark = mark_of(&file, length).map_err(read)?;
        let under = device_of(path).or_else(|| volume_of(path));
        let facts = VolumeFacts { is_blocks: true, under };
        let path = path.to_owned();
        Ok(Self { path, resolved, file, length, is_device, mark, erasable: false, block, facts })
    }

    /// What is on it up to an end, in words.
    fn find(
        &mut self,
        place: &VolumePlace,
        consented: bool,
        end: u64,
        looking: Looking<'_>,
    ) -> Result<String, Failure> {
        match self.look(end, looking)? {
            Contents::Foreign(what) if !(place.erase && consented) => {
                Err(holds(place, consented, &what))
            }
            Contents::Foreign(what) => {
                (self.mark, self.erasable) = (None, true);
                Ok(format!("held {what}, which may be erased"))
            }
            Contents::Empty => {
                let (looked, what) = match self.is_device {
                    true => (end.saturating_sub(EDGE), "that will be written"),
                    false => (self.length, "of the file"),
                };
                Ok(format!("checked all {} {what}: empty", size::in_words(looked)))
            }
            Contents::Own(mark) => Ok(match end.checked_sub(mark.end) {
                Some(rest @ 1..) if self.is_device => format!(
                    "weighin's own; checked all {} behind that will be written: empty",
                    size::in_words(rest)
                ),
                _ => "weighin's own".to_owned(),
            }),
        }
    }

    fn look(&self, end: u64, looking: Looking<'_>) -> Result<Contents, Failure> {
        let Looking { stop, progress } = looking;
        let look = Look { file: &self.file, length: self.length, end, stop, progress };
        let looked = look.look().map_err(|error| trouble("read", &self.path, &error))?;
        looked.ok_or_else(Failure::stopped)
    }

    /// Marks it as weighin's own, and whether all of its data was written once; erases the
    /// signatures of whatever was there. To be called only when [`HeldVolume::check_contents`] allows it.
    ///
    /// # Errors
    /// When it cannot be written.
    fn mark(&mut self, layout: VolumeLayout, filled: bool) -> Result<(), Failure> {
        let mut mark = Mark::new(layout, filled, self.mark.as_ref());
        if self.erasable {
            mark.end = mark.end.max(self.length);
        }
        self.write(mark).map_err(|error| trouble("write", &self.path, &error))?;
        self.mark = Some(mark);
        Ok(())
    }

    fn write(&self, mark: Mark) -> io::Result<()> {
        if self.mark.is_none() {
            let (head, tail) = (HEAD.min(self.length), TAIL.min(self.length));
            self.file.write_all_at(&vec![0; tail as usize], self.length - tail)?;
            self.file.write_all_at(&vec![0; head as usize], 0)?;
        }
        let mut block = mark.text().into_bytes();
        block.resize(MARK_BYTES as usize, 0);
        self.file.write_all_at(&block, 0)?;
        self.file.sync_all()
    }

    /// Makes all that weighin has ever written on it zeros again, where it is weighin's own; whether
    /// it was.
    ///
    /// # Errors
    /// When it cannot be written; [`Failure::stopped`].
    pub(super) fn erase(&self, looking: Looking<'_>) -> Result<bool, Failure> {
        let Contents::Own(mark) = self.look(0, looking)? else { return Ok(false) };
        os::zero(&self.file, mark.end.min(self.length))
            .and_then(|()| self.file.sync_all())
            .map_err(|error| trouble("erase", &self.path, &error))?;
        Ok(true)
    }
}

impl HeldVolume for Blocks {
    fn facts(&self) -> &VolumeFacts {
        &self.facts
    }

    fn check_same(&self) -> Result<(), Failure> {
        check_same(&self.path, &self.file)
    }

    fn check_contents(
        &mut self,
        place: &VolumePlace,
        consented: bool,
        layout: VolumeLayout,
        looking: Looking<'_>,
    ) -> Result<Option<String>, Failure> {
        let may_erase = place.erase && consented;
        let needed = end_of(layout).saturating_add(EDGE);
        let fits = self.length >= needed;
        // What is on it is said first; for that its ends are enough where nothing will be written.
        let end = match (fits, self.is_device) {
            (false, _) => 0,
            (true, true) => end_of(layout),
            // Of a file the holes are known, so that looking at all of it costs little.
            (true, false) => self.length,
        };
        self.erasable = may_erase && self.mark.is_none();
        let found = match self.erasable {
            true => "not checked, because all of it may be erased".to_owned(),
            false => self.find(place, consented, end, looking)?,
        };
        if !fits {
            let (there, needed) = (size::in_words(self.length), size::in_words(needed));
            let message = format!("has {there}, and {needed} are needed");
            return Err(refused(FailureKind::DiskFull, &self.path, &message, LESS));
        }
        probe::blocks(&self.resolved, self.block)?;
        Ok(Some(found))
    }

    fn space(&self) -> Result<Option<Space>, Failure> {
        Ok(None)
    }

    fn files(&self, share: &Share) -> Result<Vec<FileSpec>, Failure> {
        let length = share.layout.bytes_per_vm;
        let spec = |(index, &vm): (u64, &u32)| FileSpec {
            path: self.resolved.clone(),
            offset: EDGE + index * length,
            length,
            volume: share.volume,
            vm,
        };
        Ok((0..).zip(&share.vms).map(spec).collect())
    }

    fn is_filled(&self, share: &Share) -> Result<bool, Failure> {
        Ok(self.mark.is_some_and(|mark| mark.filled && mark.serves(share.layout)))
    }

    fn fill(&mut self, share: &Share, mut filling: Filling<'_>) -> Result<(), Failure> {
        let files = self.files(share)?;
        self.mark(share.layout, false)?;
        fill(&files, &mut filling).map_err(|error| Failure::from(&error))?;
        self.mark(share.layout, true)
    }
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
