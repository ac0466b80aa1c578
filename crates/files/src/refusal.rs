//! Why something in a directory was not used.

use crate::Kind;
use std::io;
use std::path::PathBuf;

/// Something that another account may have put in the way. It travels in an [`io::Error`] of the
/// kind `Other`, whose text is that of the refusal; [`Refusal::find_in`] finds it there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// An entry is something else than was asked for: a link, a FIFO, a device.
    #[error("{} is {kind}, where {wanted} was expected", path.display())]
    Kind {
        /// The entry.
        path: PathBuf,
        /// What it is.
        kind: Kind,
        /// What it should be.
        wanted: Kind,
    },
    /// A file has further names, which may be anybody's.
    #[error("{} is one of {links} hard links to its file", path.display())]
    HardLinks {
        /// The file.
        path: PathBuf,
        /// How many names it has.
        links: u64,
    },
    /// An entry belongs to another account than weighin's, and not to root.
    #[error("{} belongs to user {uid}", path.display())]
    Owner {
        /// The entry.
        path: PathBuf,
        /// Its owner.
        uid: u32,
    },
    /// Other accounts may write to a file, or exchange what is in a directory.
    #[error("{} can be written by others (mode {mode:04o})", path.display())]
    Writable {
        /// The entry.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
    /// A tree is nested more deeply than anything that weighin or its servers make.
    #[error("{} is nested too deeply", path.display())]
    Depth {
        /// The directory that was not entered.
        path: PathBuf,
    },
    /// A tree is larger than whoever copies it allows.
    #[error("with {} it is more than may be copied", path.display())]
    Size {
        /// The entry that was too much.
        path: PathBuf,
    },
}

impl Refusal {
    /// The refusal in an error, if it is one.
    pub fn find_in(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

impl From<Refusal> for io::Error {
    fn from(refusal: Refusal) -> Self {
        Self::other(refusal)
    }
}
