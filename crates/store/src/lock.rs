use crate::StoreError;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// How often a lock file that its holder removed in the meantime is made anew.
const ATTEMPTS: usize = 8;

/// The right to write to a store: one process at a time, given back at the end of the process,
/// however that comes.
///
/// A file of its own beside the store carries the lock. SQLite's own exclusive mode would keep
/// readers out too, and closing a second handle on the store would break SQLite's locks.
#[derive(Debug)]
pub(crate) struct WriterLock {
    path: PathBuf,
    // Held for the lock on it.
    _file: File,
}

impl WriterLock {
    /// Takes the lock of a store.
    pub fn take(store: &Path) -> Result<Self, StoreError> {
        let path = lock_path(store);
        let not_writable = |error: std::io::Error| StoreError::NotWritable {
            path: store.to_path_buf(),
            detail: error.to_string(),
        };
        for _ in 0..ATTEMPTS {
            let mut file = OpenOptions::new()
                .read(true)
                .write(true)
                .create(true)
                .truncate(false)
                .open(&path)
                .map_err(not_writable)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let holder = holder(&mut file);
                    return Err(StoreError::InUse { path: store.to_path_buf(), holder });
                }
                Err(TryLockError::Error(error)) => return Err(not_writable(error)),
            }
            // Between opening and locking, the last holder may have removed the file; a lock on
            // what nobody else will find is worth nothing.
            if is_at(&file, &path) {
                file.set_len(0).map_err(not_writable)?;
                write!(file, "{}", std::process::id()).map_err(not_writable)?;
                return Ok(Self { path, _file: file });
            }
        }
        Err(StoreError::InUse { path: store.to_path_buf(), holder: "other processes".into() })
    }
}

impl Drop for WriterLock {
    fn drop(&mut self) {
        // Left behind, the file would do no harm: the lock is what counts.
        let _ = fs::remove_file(&self.path);
    }
}

fn lock_path(store: &Path) -> PathBuf {
    let mut name = OsString::from(store);
    name.push(".lock");
    name.into()
}

fn is_at(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

fn holder(file: &mut File) -> String {
    let mut text = String::new();
    match file.take(32).read_to_string(&mut text).map(|_| text.parse::<u32>()) {
        Ok(Ok(pid)) => format!("process {pid}, which writes to it"),
        _ => "another process, which writes to it".into(),
    }
}
