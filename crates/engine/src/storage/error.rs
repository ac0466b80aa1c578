use crate::OperationError;
use model::{ErrorClass, ErrorCount, Failure, FailureKind};
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Why storage cannot be used as asked, or could not be used to the end.
#[derive(Debug, thiserror::Error)]
pub enum StorageError {
    /// A file or device cannot be opened.
    #[error("cannot open {}: {source}", path.display())]
    Open {
        /// Which.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The file system does not do input and output past the page cache (`O_DIRECT`).
    #[error("{} cannot be read and written past the page cache (O_DIRECT)", path.display())]
    NoDirect {
        /// Which file.
        path: PathBuf,
    },
    /// The device works in larger blocks.
    #[error(
        "{} cannot be read or written in blocks of {block} bytes{}", path.display(),
        at_least(*.logical)
    )]
    Block {
        /// Which file or device.
        path: PathBuf,
        /// The block that was asked for, in bytes.
        block: u32,
        /// The smallest block of the device, in bytes, where it is known.
        logical: Option<u32>,
    },
    /// A file or device has less room than it needs.
    #[error("{} has {there} bytes where {needed} are needed", path.display())]
    TooShort {
        /// Which.
        path: PathBuf,
        /// Bytes that it has.
        there: u64,
        /// Bytes that are needed.
        needed: u64,
    },
    /// The buffers for what is to be under way take too much memory.
    #[error(
        "the buffers for everything under way at once take {needed} bytes, more than half of the \
         memory ({memory} bytes): keep fewer or smaller blocks in flight"
    )]
    Memory {
        /// Bytes that are needed.
        needed: u64,
        /// Bytes of memory that there are.
        memory: u64,
    },
    /// A load that makes no sense.
    #[error("{0}")]
    Nonsense(String),
    /// A read, write or sync failed in a way that the policy does not survive.
    #[error("{}", .0.message)]
    Failed(Box<OperationError>),
    /// Everything failed to the end.
    #[error(
        "reads and writes failed {seconds:.1} s into the load, and none succeeded after that: \
         {error}"
    )]
    Gone {
        /// From when on, counted from the start of the load.
        seconds: f64,
        /// The first of the errors that came most often.
        error: String,
    },
    /// A directory that files are to be made in cannot be used.
    #[error("cannot use the directory {}: {source}", path.display())]
    Directory {
        /// Which.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Something is in the way that weighin did not make.
    #[error("{} is not weighin's own, and is left as it is: {why}", path.display())]
    Foreign {
        /// What.
        path: PathBuf,
        /// By what it is known.
        why: String,
    },
    /// Filling a file failed.
    #[error("cannot fill {}{}: {source}", path.display(), at_byte(*.offset))]
    Fill {
        /// Which.
        path: PathBuf,
        /// Where a write failed, in bytes from its beginning; absent where something else did.
        offset: Option<u64>,
        /// Why not.
        source: io::Error,
    },
    /// A write that fills a file ended before its end, as one does that comes to the end of the
    /// room.
    #[error("only {written} of {of} bytes were written at byte {offset} of {}", path.display())]
    Short {
        /// Which file.
        path: PathBuf,
        /// Where, in bytes from its beginning.
        offset: u64,
        /// Bytes that were written.
        written: u32,
        /// Bytes that were to be.
        of: u32,
    },
    /// What limits the virtual machines to their processors does not work.
    #[error("the virtual machines cannot be limited to their processors: {source}")]
    Processors {
        /// Why not.
        source: io::Error,
    },
    /// What the virtual machines did with their processors is not known.
    #[error("what the virtual machines used of their processors cannot be read: {reason}")]
    Uncounted {
        /// Why not.
        reason: String,
    },
    /// Somebody asked to stop.
    #[error("stopped")]
    Stopped,
}

fn at_least(logical: Option<u32>) -> String {
    logical.map_or_else(String::new, |bytes| format!(": its own have {bytes} bytes"))
}

fn at_byte(offset: Option<u64>) -> String {
    offset.map_or_else(String::new, |offset| format!(" at byte {offset}"))
}

impl StorageError {
    /// What to say when nothing worked any more from that moment of a load on.
    pub(super) fn gone(since: Duration, errors: &[ErrorCount]) -> Self {
        let of_device = errors.iter().filter(|error| error.class == ErrorClass::Device);
        let most = of_device.max_by_key(|error| error.count);
        let error = most.map_or_else(String::new, |error| error.message.clone());
        Self::Gone { seconds: since.as_secs_f64(), error }
    }

    /// What kind of trouble it is; [`ErrorClass::Other`] for what is no trouble of the storage.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Open { source, .. }
            | Self::Directory { source, .. }
            | Self::Fill { source, .. } => {
                source.raw_os_error().map_or(ErrorClass::Other, class_of)
            }
            Self::Failed(error) => error.class,
            Self::Gone { .. } => ErrorClass::Device,
            Self::NoDirect { .. } | Self::Block { .. } => ErrorClass::Statement,
            Self::TooShort { .. } | Self::Memory { .. } | Self::Short { .. } => {
                ErrorClass::Resource
            }
            Self::Foreign { .. } | Self::Processors { .. } | Self::Uncounted { .. } => {
                ErrorClass::Permission
            }
            Self::Nonsense(_) | Self::Stopped => ErrorClass::Other,
        }
    }
}

/// With how to fix it.
impl From<&StorageError> for Failure {
    fn from(error: &StorageError) -> Self {
        let (kind, remedy) = match (error, error.class()) {
            (StorageError::Stopped, _) => return Self::stopped(),
            (StorageError::NoDirect { .. }, _) => (
                FailureKind::Other,
                "choose a directory on a file system that supports direct I/O (O_DIRECT)",
            ),
            (StorageError::Block { .. }, _) => {
                (FailureKind::Other, "ask for blocks that are a multiple of the device's own")
            }
            (StorageError::Memory { .. }, _) => (
                FailureKind::Other,
                "keep fewer or smaller blocks in flight, or fewer virtual machines",
            ),
            (StorageError::TooShort { .. }, _) => {
                (FailureKind::DiskFull, "make the files anew, or ask for less data")
            }
            (StorageError::Foreign { .. }, _) => {
                (FailureKind::ForeignData, "move it elsewhere, or choose another directory")
            }
            (StorageError::Processors { .. }, _) => (
                FailureKind::NotPermitted,
                "make sure that nothing else moves or removes weighin's control groups",
            ),
            (StorageError::Uncounted { .. }, _) => (
                FailureKind::NotPermitted,
                "use a kernel whose control groups count processor time (CONFIG_CFS_BANDWIDTH), or \
                 leave `cpu_oversubscription` out",
            ),
            (_, ErrorClass::Permission) => {
                (FailureKind::AccessDenied, "let this user read and write what the message names")
            }
            (_, ErrorClass::Resource) => {
                (FailureKind::DiskFull, "make room on the volume, or ask for less data")
            }
            (_, ErrorClass::Device) => {
                (FailureKind::VolumeFailed, "see with dmesg what the kernel says of the device")
            }
            (_, ErrorClass::Corruption) => (
                FailureKind::Other,
                "do not store data on this device before you know what changed the block",
            ),
            _ => (FailureKind::Other, "see with dmesg what the kernel says of the device"),
        };
        Self::new(kind, error.to_string(), remedy)
    }
}

/// What kind of trouble an error number of the operating system is.
pub(super) fn class_of(errno: i32) -> ErrorClass {
    match errno {
        libc::EIO
        | libc::ENODEV
        | libc::ENXIO
        | libc::ENOMEDIUM
        | libc::EREMOTEIO
        | libc::ETIMEDOUT
        | libc::ENOLINK
        | libc::EILSEQ
        | libc::ESTALE => ErrorClass::Device,
        libc::ENOSPC | libc::EDQUOT | libc::ENOMEM | libc::EFBIG | libc::EMFILE | libc::ENFILE => {
            ErrorClass::Resource
        }
        libc::EPERM | libc::EACCES | libc::EROFS => ErrorClass::Permission,
        libc::EINVAL | libc::EOPNOTSUPP | libc::EBADF => ErrorClass::Statement,
        _ => ErrorClass::Other,
    }
}

/// The operating system's words for an error number.
pub(super) fn words_of(errno: i32) -> String {
    io::Error::from_raw_os_error(errno).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_apart_by_what_can_be_done_about_them() {
        assert_eq!(class_of(libc::EIO), ErrorClass::Device);
        assert_eq!(class_of(libc::ENOSPC), ErrorClass::Resource);
        assert_eq!(class_of(libc::EROFS), ErrorClass::Permission);
        assert_eq!(class_of(libc::EINVAL), ErrorClass::Statement);
    }
}
