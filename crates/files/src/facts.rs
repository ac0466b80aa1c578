//! What an entry of a directory is.

use rustix::fs::{FileType, Stat};
use std::fmt;

/// The kind of an entry of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link, wherever it leads.
    Link,
    /// A FIFO.
    Fifo,
    /// A socket.
    Socket,
    /// A block device.
    BlockDevice,
    /// A character device.
    CharacterDevice,
    /// Something else.
    Other,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "a regular file",
            Self::Directory => "a directory",
            Self::Link => "a symbolic link",
            Self::Fifo => "a FIFO",
            Self::Socket => "a socket",
            Self::BlockDevice => "a block device",
            Self::CharacterDevice => "a character device",
            Self::Other => "neither a file nor a directory",
        })
    }
}

/// Facts about one entry of a directory, or about an open file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// What it is.
    pub kind: Kind,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Permission bits with set-user-id, set-group-id and sticky bit: 12 bits.
    pub mode: u32,
    /// Hard links to it.
    pub links: u64,
    /// Length in bytes.
    pub length: u64,
    /// Bytes that are allocated to it.
    pub allocated: u64,
    /// The device that it is on and its number there: two entries with the same are one file.
    pub identity: (u64, u64),
}

impl From<Stat> for Facts {
    // The fields of `Stat` differ in width and sign between architectures.
    #[allow(clippy::unnecessary_cast)]
    fn from(stat: Stat) -> Self {
        let kind = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Kind::File,
            FileType::Directory => Kind::Directory,
            FileType::Symlink => Kind::Link,
            FileType::Fifo => Kind::Fifo,
            FileType::Socket => Kind::Socket,
            FileType::BlockDevice => Kind::BlockDevice,
            FileType::CharacterDevice => Kind::CharacterDevice,
            FileType::Unknown => Kind::Other,
        };
        Self {
            kind,
            uid: stat.st_uid,
            gid: stat.st_gid,
            mode: stat.st_mode & 0o7777,
            links: stat.st_nlink as u64,
            length: stat.st_size as u64,
            allocated: stat.st_blocks as u64 * 512,
            identity: (stat.st_dev as u64, stat.st_ino as u64),
        }
    }
}
