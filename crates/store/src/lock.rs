use crate::StoreError;
use crate::beside::{self, suffixed};
use files::{Access, Directory};
use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

/// How often a lock file that its holder removed in the meantime is made anew.
const ATTEMPTS: usize = 8;
/// How often, and how long apart, a lock is tried that somebody has: who only looks whether there is a
/// writer has it for a moment.
const TRIES: usize = 20;
const BETWEEN_TRIES: Duration = Duration::from_millis(5);
/// Digits of the highest process id, and some more.
const LONGEST: u64 = 20;
/// Everybody may read who holds a store.
const MODE: u32 = 0o644;

/// The right to write to a store: one process at a time, given back at the end of the process,
/// however that comes.
///
/// A file of its own beside the store carries the lock. SQLite's own exclusive mode would keep
/// readers out too, and closing a second handle on the store would break SQLite's locks.
#[derive(Debug)]
pub(crate) struct WriterLock {
    directory: Directory,
    name: OsString,
    // Held for the lock on it.
    file: File,
}

impl WriterLock {
    /// Takes the lock of a store, whose path has no links.
    pub fn take(store: &Path) -> Result<Self, StoreError> {
        let not_writable = |error: io::Error| StoreError::not_writable(store, &error);
        let (directory, name) = Directory::of_file(store).map_err(not_writable)?;
        let owner = directory.facts_of(&name).map_err(not_writable)?.map(|facts| facts.uid);
        let name = suffixed(&name, ".lock");
        for _ in 0..ATTEMPTS {
            let mut file = match directory.create_file(&name, MODE) {
                Ok(file) => file,
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    beside::check(store, &directory, &name, owner)?;
                    match directory.open_file(&name, Access::ReadWrite) {
                        Err(error) if error.kind() == ErrorKind::NotFound => continue,
                        opened => opened.map_err(not_writable)?,
                    }
                }
                Err(error) => return Err(not_writable(error)),
            };
            match patiently(&file) {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let holder = holder(&mut file);
                    return Err(StoreError::InUse { path: store.to_path_buf(), holder });
                }
                Err(TryLockError::Error(error)) => return Err(not_writable(error)),
            }
            // Between opening and locking, the last holder may have removed the file; a lock on
            // what nobody else will find is worth nothing.
            let named = directory.facts_of(&name).map_err(not_writable)?;
            let open = file.metadata().map_err(not_writable)?;
            if named.is_some_and(|named| named.identity == (open.dev(), open.ino())) {
                check_contents(&mut file, store, &directory.path().join(&name))?;
                // From here on it is removed with this.
                let mut lock = Self { directory, name, file };
                sign(&mut lock.file).map_err(not_writable)?;
                return Ok(lock);
            }
        }
        Err(StoreError::InUse { path: store.to_path_buf(), holder: "other processes".into() })
    }
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        // Left behind, the file would do no harm: the lock is what counts.
        let _ = self.directory.remove_file(&self.name);
    }
}

/// Takes a lock, past those who only look.
fn patiently(file: &File) -> Result<(), TryLockError> {
    for _ in 1..TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => sleep(BETWEEN_TRIES),
            other => return other,
        }
    }
    file.try_lock()
}

/// Whether a process has the lock of a store. It is looked at by a lock that readers share, held for a
/// moment: a writer that comes just then tries again.
pub(crate) fn is_held(directory: &Directory, store: &OsStr) -> bool {
    let opened = directory.open_file(suffixed(store, ".lock"), Access::Read);
    opened.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Checks that a lock's file holds a process id or nothing: anything else is somebody's.
fn check_contents(file: &mut File, store: &Path, path: &Path) -> Result<(), StoreError> {
    let mut text = String::new();
    let is_lock = match file.take(LONGEST).read_to_string(&mut text) {
        Ok(length) => (length as u64) < LONGEST && text.bytes().all(|byte| byte.is_ascii_digit()),
        Err(_) => false,
    };
    is_lock.then_some(()).ok_or_else(|| StoreError::Foreign {
        path: store.to_path_buf(),
        reason: format!("{} is not a lock file of weighin's", path.display()),
    })
}

/// Writes who holds the lock into its file.
fn sign(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    write!(file, "{}", std::process::id())
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    match file.take(LONGEST).read_to_string(&mut text).map(|_| text.parse::<u32>()) {
        Ok(Ok(pid)) => format!("process {pid}, which writes to it"),
        _ => "another process, which writes to it".into(),
    }
}
