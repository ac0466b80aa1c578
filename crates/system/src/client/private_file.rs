//! Files that a login needs: who may have written or read them, and how they are read without
//! waiting or reading for ever.

use rustix::fs::{Mode, OFlags, fstatfs, openat};
use std::ffi::OsStr;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Bytes that such a file may have.
const LARGEST: u64 = 1 << 20;
/// How long whoever writes into a pipe may take.
const PIPE_TIMEOUT: Duration = Duration::from_secs(30);
/// How often a pipe is looked after meanwhile.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// Permissions of the group and of all others.
const NOT_THE_OWNERS: u32 = 0o077;
/// Permission of all others to write.
const WORLD_WRITABLE: u32 = 0o002;

/// File systems whose files the kernel makes up, by the numbers of `statfs(2)` and `linux/magic.h`:
/// among them are the environments and memories of processes, and keys of the kernel.
const MADE_UP: [u32; 22] = [
    0x0000_9fa0, // proc
    0x6265_6572, // sysfs
    0x6462_6720, // debugfs
    0x7472_6163, // tracefs
    0x7363_6673, // securityfs
    0x0027_e0eb, // cgroup
    0x6367_7270, // cgroup2
    0xcafe_4a11, // bpf
    0x6265_6570, // configfs
    0x6165_676c, // pstore
    0xde5e_81e4, // efivarfs
    0xf97c_ff8c, // selinuxfs
    0x4341_5d53, // smackfs
    0x5a3c_69f0, // AppArmor
    0x4249_4e4d, // binfmt_misc
    0x6e73_6673, // nsfs
    0x1980_0202, // mqueue
    0x0000_1cd1, // devpts
    0x0765_5821, // resctrl
    0x0904_1934, // anonymous inodes
    0x6573_5543, // fusectl
    0x0000_9fa1, // openprom
];

/// Why a file is not read.
#[derive(Debug)]
pub enum Unreadable {
    /// It cannot be opened or read.
    Failed(io::Error),
    /// It is neither a file nor a pipe, larger than any such file, or a pipe that gives nothing.
    NotAFile(&'static str),
    /// Other accounts may read or write it: its permissions.
    Exposed(u32),
    /// It belongs to another account, of this number.
    Foreign(u32),
}

/// Who may own a password file besides root.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Owners {
    /// The user of this process.
    pub(super) own: u32,
    /// Who called sudo, where this process is root's.
    pub(super) caller: Option<u32>,
}

impl Owners {
    /// Of this process. Its effective user owns `/proc/self`.
    pub(super) fn of_this_process(sudo_uid: Option<&str>) -> io::Result<Self> {
        let own = std::fs::metadata("/proc/self")?.uid();
        let caller = sudo_uid.filter(|_| own == 0).and_then(|uid| uid.parse().ok());
        Ok(Self { own, caller })
    }

    fn include(self, uid: u32) -> bool {
        uid == 0 || uid == self.own || self.caller == Some(uid)
    }
}

/// A file that was opened once: what is checked of it is what is read.
#[derive(Debug)]
pub(super) struct Opened {
    file: File,
    pub(super) facts: Metadata,
}

impl Opened {
    /// Opens without waiting for a pipe's other end. Links are followed.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
        Self::from_file(OpenOptions::new().read(true).custom_flags(flags).open(path)?)
    }

    fn from_file(file: File) -> io::Result<Self> {
        let facts = file.metadata()?;
        Ok(Self { file, facts })
    }
}

/// Opens what has these names from a directory on, where no link is on the way.
///
/// # Errors
/// When there is a link, or it cannot be opened.
pub(super) fn open_within(directory: &Path, names: &[&OsStr]) -> io::Result<Opened> {
    let (name, directories) = names.split_last().ok_or(io::ErrorKind::InvalidInput)?;
    let mut at = OwnedFd::from(File::open(directory)?);
    let through = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for name in directories {
        at = openat(&at, *name, through, Mode::empty())?;
    }
    let to_read = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW;
    Opened::from_file(openat(&at, *name, to_read | OFlags::CLOEXEC, Mode::empty())?.into())
}

/// Reads a file that holds nothing but a password: as `ssh` does with keys, only when no other
/// account may read or write it. Links are followed: what counts is the file. A pipe, such as the
/// shell's `<(command)`, is read to its end.
///
/// # Errors
/// Why it is not read.
pub(super) fn read_password(path: &Path, owners: Owners) -> Result<Vec<u8>, Unreadable> {
    read_private(&Opened::open(path)?, owners)
}

/// The same of a file that is open.
///
/// # Errors
/// Why it is not read.
pub(super) fn read_private(opened: &Opened, owners: Owners) -> Result<Vec<u8>, Unreadable> {
    let facts = &opened.facts;
    if facts.file_type().is_file() {
        if !owners.include(facts.uid()) {
            return Err(Unreadable::Foreign(facts.uid()));
        }
        if facts.mode() & NOT_THE_OWNERS != 0 {
            return Err(Unreadable::Exposed(facts.mode() & 0o7777));
        }
    }
    read(opened)
}

/// Reads an option file; `None` when every account may write it, which the servers' own clients
/// take for a reason to ignore it.
///
/// # Errors
/// Why it is not read.
pub fn read_options(path: &Path) -> Result<Option<Vec<u8>>, Unreadable> {
    read_unless(path, WORLD_WRITABLE)
}

/// The same of a file of passwords; `None` when other accounts may read or write it.
///
/// # Errors
/// Why it is not read.
pub fn read_private_options(path: &Path) -> Result<Option<Vec<u8>>, Unreadable> {
    read_unless(path, NOT_THE_OWNERS)
}

fn read_unless(path: &Path, permissions: u32) -> Result<Option<Vec<u8>>, Unreadable> {
    let opened = Opened::open(path)?;
    if opened.facts.file_type().is_file() && opened.facts.mode() & permissions != 0 {
        return Ok(None);
    }
    read(&opened).map(Some)
}

/// Reads a file without secrets, such as certificates, whoever may read or write it.
///
/// # Errors
/// Why it is not read.
pub fn read_public(path: &Path) -> Result<Vec<u8>, Unreadable> {
    read(&Opened::open(path)?)
}

/// Whether the kernel makes up what a file holds, wherever that is mounted.
fn is_made_up(file: &File) -> io::Result<bool> {
    // The type has another width and sign on each architecture; the numbers have 32 bits.
    let kind = fstatfs(file)?.f_type as u32;
    Ok(MADE_UP.contains(&kind))
}

fn read(Opened { file, facts }: &Opened) -> Result<Vec<u8>, Unreadable> {
    let mut file = file;
    let kind = facts.file_type();
    if kind.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
    }
    if !kind.is_file() && !kind.is_fifo() {
        return Err(Unreadable::NotAFile("it is neither a file nor a pipe"));
    }
    if kind.is_file() && is_made_up(file)? {
        return Err(Unreadable::NotAFile(
            "the kernel makes it up: it tells of processes and devices",
        ));
    }
    let deadline = Instant::now() + PIPE_TIMEOUT;
    let mut content = Vec::new();
    loop {
        // What had arrived before the pipe was empty has been kept.
        let limit = LARGEST + 1 - content.len() as u64;
        match (&mut file).take(limit).read_to_end(&mut content) {
            Ok(_) if content.len() as u64 > LARGEST => {
                return Err(Unreadable::NotAFile("it is larger than 1 MiB"));
            }
            Ok(_) if content.is_empty() && kind.is_fifo() => {
                return Err(Unreadable::NotAFile("it is a pipe that nobody writes into"));
            }
            // Also of a file system of the kernel's that is not known here.
            Ok(_) if kind.is_file() && content.len() as u64 != facts.size() => {
                return Err(Unreadable::NotAFile("it has another size than its file system says"));
            }
            Ok(_) => return Ok(content),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                if Instant::now() > deadline {
                    return Err(Unreadable::NotAFile("it is a pipe that does not end"));
                }
                sleep(POLL_INTERVAL);
            }
            Err(error) => return Err(error.into()),
        }
    }
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Failed(error) => error.fmt(f),
            Self::NotAFile(why) => f.write_str(why),
            Self::Exposed(mode) => {
                write!(f, "other accounts may read or write it (mode {mode:04o})")
            }
            Self::Foreign(uid) => write!(f, "it belongs to another account (uid {uid})"),
        }
    }
}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn owners() -> Owners {
        Owners::of_this_process(None).unwrap()
    }

    fn file(directory: &Path, mode: u32) -> std::path::PathBuf {
        let path = directory.join(format!("{mode:o}"));
        std::fs::write(&path, "geheim\n").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
        path
    }

    #[test]
    fn password_files_are_read_only_when_they_are_private() {
        let directory = tempfile::tempdir().unwrap();
        for mode in [0o600, 0o400, 0o700] {
            let path = file(directory.path(), mode);
            assert_eq!(read_password(&path, owners()).unwrap(), b"geheim\n", "{mode:o}");
        }
        for mode in [0o644, 0o640, 0o604, 0o620, 0o602, 0o660] {
            let refused = read_password(&file(directory.path(), mode), owners());
            assert!(matches!(refused, Err(Unreadable::Exposed(m)) if m == mode), "{refused:?}");
        }
    }

    #[test]
    fn links_are_as_good_as_the_files_they_lead_to() {
        let directory = tempfile::tempdir().unwrap();
        for (mode, good) in [(0o600, true), (0o644, false)] {
            let link = directory.path().join(format!("link-{mode:o}"));
            symlink(file(directory.path(), mode), &link).unwrap();
            assert_eq!(read_password(&link, owners()).is_ok(), good, "{mode:o}");
        }
    }

    #[test]
    fn files_of_other_accounts_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = file(directory.path(), 0o600);
        let own = std::fs::metadata(&path).unwrap().uid();
        let stranger = Owners { own: own + 1, caller: None };
        if own == 0 {
            // Root may change whatever it likes anyhow; its files are good for everybody.
            assert!(read_password(&path, stranger).is_ok());
            std::os::unix::fs::chown(&path, Some(12345), None).unwrap();
            let refused = read_password(&path, owners());
            assert!(matches!(refused, Err(Unreadable::Foreign(12345))), "{refused:?}");
            let caller = Owners::of_this_process(Some("12345")).unwrap();
            assert!(read_password(&path, caller).is_ok());
        } else {
            assert!(matches!(read_password(&path, stranger), Err(Unreadable::Foreign(_))));
        }
    }

    #[test]
    fn what_is_no_file_is_refused_without_waiting() {
        let directory = tempfile::tempdir().unwrap();
        let fifo = directory.path().join("fifo");
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        for path in [fifo.as_path(), Path::new("/dev/zero"), Path::new("/dev/tty")] {
            assert!(read_password(path, owners()).is_err(), "{}", path.display());
            assert!(read_options(path).is_err(), "{}", path.display());
            assert!(read_public(path).is_err(), "{}", path.display());
        }
        let large = file(directory.path(), 0o600);
        std::fs::write(&large, vec![b'x'; LARGEST as usize + 1]).unwrap();
        assert!(matches!(read_password(&large, owners()), Err(Unreadable::NotAFile(_))));
    }

    #[test]
    fn a_pipe_is_read_to_its_end_however_slowly_it_is_written() {
        let mut child = std::process::Command::new("sh")
            .args(["-c", "printf ge; sleep 0.2; printf 'heim\\n'"])
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        use std::os::fd::AsRawFd;
        let pipe = child.stdout.take().unwrap();
        let path = format!("/proc/self/fd/{}", pipe.as_raw_fd());
        assert_eq!(read_password(Path::new(&path), owners()).unwrap(), b"geheim\n");
        child.wait().unwrap();
    }

    #[test]
    fn option_files_that_everybody_may_write_are_ignored() {
        let directory = tempfile::tempdir().unwrap();
        for (mode, read) in [(0o600, true), (0o644, true), (0o664, true), (0o666, false)] {
            let content = read_options(&file(directory.path(), mode)).unwrap();
            assert_eq!(content.is_some(), read, "{mode:o}");
        }
    }
}
