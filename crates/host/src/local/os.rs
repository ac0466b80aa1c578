//! What weighin needs of the operating system besides files and sockets.

use crate::waiting::Waiting;
use model::{Failure, FailureKind, Stop};
use rustix::fs::{Advice, FallocateFlags, fadvise, fallocate, statfs};
use rustix::io::Errno;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitId, WaitIdOptions, WaitIdStatus, getrlimit, kill_process,
    setrlimit, waitid,
};
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How often a program that is waited for is looked after.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// Whoever may write to it may empty the caches.
const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";

/// A process, told apart from later ones with the same id by when it started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessIdentity {
    /// Process id.
    pub pid: u32,
    /// When it started, in clock ticks since boot.
    pub started: u64,
}

impl ProcessIdentity {
    /// The process that has this id now; `None` when there is none.
    pub fn for_pid(pid: u32) -> Option<Self> {
        Some(Self { pid, started: read_stat(pid)?.start_ticks })
    }

    /// Whether that very process still exists; a zombie counts.
    pub fn exists(&self) -> bool {
        Self::for_pid(self.pid) == Some(*self)
    }
}

/// What `/proc/<pid>/stat` says of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) parent: u32,
    pub(crate) cpu_ticks: u64,
    /// What of them was spent in the kernel.
    pub(crate) system_ticks: u64,
    /// Those of its children that have ended, and what of them was spent in the kernel.
    pub(crate) waited_ticks: [u64; 2],
    /// When it started, since boot.
    pub(crate) start_ticks: u64,
}

pub(crate) fn read_stat(pid: u32) -> Option<Stat> {
    parse_stat(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// Reads `/proc/<pid>/stat`. The command in parentheses may itself hold blanks and parentheses,
/// so that fields are counted from the last closing one.
pub(crate) fn parse_stat(text: &str) -> Option<Stat> {
    let (_, fields) = text.rsplit_once(')')?;
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    // The first field here is the third of proc(5).
    let field = |number: usize| fields.get(number - 3)?.parse::<u64>().ok();
    let (user, system) = (field(14)?, field(15)?);
    let waited_system = field(17)?;
    Some(Stat {
        parent: field(4)?.try_into().ok()?,
        cpu_ticks: user.saturating_add(system),
        system_ticks: system,
        waited_ticks: [field(16)?.saturating_add(waited_system), waited_system],
        start_ticks: field(22)?,
    })
}

/// Whether weighin runs as root.
pub fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0)
}

/// The numbers of the user and the group that weighin runs as, such as `1000:1000`.
pub(crate) fn own_numbers() -> String {
    let (user, group) = (rustix::process::geteuid(), rustix::process::getegid());
    format!("{}:{}", user.as_raw(), group.as_raw())
}

/// Lets children of root open as many files as the kernel allows a process, also those that have
/// become another account's by the time they ask for it. What this process itself may open stays.
pub(crate) fn allow_many_files() {
    let most = fs::read_to_string("/proc/sys/fs/nr_open").ok();
    let Some(most) = most.and_then(|text| text.trim().parse().ok()) else { return };
    let limit = getrlimit(Resource::Nofile);
    if limit.maximum.is_some_and(|maximum| maximum < most) {
        // A container may refuse it. Then the server says by itself what it has too little of.
        let _ = setrlimit(Resource::Nofile, Rlimit { maximum: Some(most), ..limit });
    }
}

/// How many open files and processes this process may have at most, by the names that container
/// engines have for these limits. What has no limit is left out.
pub(crate) fn process_limits() -> impl Iterator<Item = (&'static str, u64)> {
    // More than all numbers of processes are no limit, and podman may refuse it.
    let numbers = fs::read_to_string("/proc/sys/kernel/pid_max").ok();
    let numbers = numbers.and_then(|text| text.trim().parse().ok()).unwrap_or(u64::MAX);
    let limits = [("nofile", Resource::Nofile, u64::MAX), ("nproc", Resource::Nproc, numbers)];
    limits
        .into_iter()
        .filter_map(|(name, limit, most)| Some((name, getrlimit(limit).maximum?.min(most))))
}

/// Asks a process to end (SIGTERM). One that has ended already is no error.
///
/// # Errors
/// When the process may not be signalled.
pub fn terminate(pid: u32) -> io::Result<()> {
    signal(pid, Signal::TERM)
}

/// Asks a process to end by SIGINT. One that has ended already is no error.
///
/// # Errors
/// When the process may not be signalled.
pub(crate) fn interrupt(pid: u32) -> io::Result<()> {
    signal(pid, Signal::INT)
}

/// Asks a process to end by SIGQUIT. One that has ended already is no error.
///
/// # Errors
/// When the process may not be signalled.
pub(crate) fn quit(pid: u32) -> io::Result<()> {
    signal(pid, Signal::QUIT)
}

/// Ends a process at once (SIGKILL). One that has ended already is no error.
///
/// # Errors
/// When the process may not be signalled.
pub fn kill(pid: u32) -> io::Result<()> {
    signal(pid, Signal::KILL)
}

/// Makes a process hang (SIGSTOP). One that has ended already is no error.
///
/// # Errors
/// When the process may not be signalled.
pub fn freeze(pid: u32) -> io::Result<()> {
    signal(pid, Signal::STOP)
}

/// Lets a process go on that hangs (SIGCONT). One that has ended already is no error.
///
/// # Errors
/// When the process may not be signalled.
pub fn thaw(pid: u32) -> io::Result<()> {
    signal(pid, Signal::CONT)
}

fn signal(pid: u32, signal: Signal) -> io::Result<()> {
    // Zero and negative numbers would signal groups of processes.
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    match kill_process(pid.ok_or(io::ErrorKind::InvalidInput)?, signal) {
        Err(Errno::SRCH) => Ok(()),
        done => Ok(done?),
    }
}

/// Has a command begin a session of its own: signals to the processes of weighin's session or terminal
/// do not reach it.
pub(crate) fn own_session(command: &mut Command) {
    // SAFETY: setsid is a system call without memory, allowed between fork and exec.
    unsafe {
        command.pre_exec(|| rustix::process::setsid().map(drop).map_err(io::Error::from));
    }
}

/// Has a command killed when the thread ends that starts it: for one that this thread waits for, and that
/// is not to outlive it where weighin is killed.
pub(crate) fn ends_with_thread(command: &mut Command) {
    let own = std::process::id();
    // SAFETY: prctl and getppid are system calls without memory, allowed between fork and exec.
    unsafe {
        command.pre_exec(move || {
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            // Weighin may have been killed before that.
            let parent = rustix::process::getppid().map(|pid| pid.as_raw_nonzero().get());
            match parent.and_then(|pid| u32::try_from(pid).ok()) == Some(own) {
                true => Ok(()),
                false => Err(io::ErrorKind::BrokenPipe.into()),
            }
        });
    }
}

/// How a child ended that remains to be waited for; `None` while it runs.
pub(crate) fn has_ended(pid: Pid) -> Option<WaitIdStatus> {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::Pid(pid), look).ok().flatten()
}

/// A process, and its children that have its name: those of a server that is several processes.
pub(crate) fn family(pid: u32) -> Vec<u32> {
    let name = |pid: u32| fs::read(format!("/proc/{pid}/comm")).ok();
    let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
    let children = children.unwrap_or_default();
    let children = children.split_ascii_whitespace().filter_map(|child| child.parse().ok());
    let own = name(pid);
    std::iter::once(pid).chain(children.filter(|&child| name(child) == own)).collect()
}

/// All processes; none where that cannot be seen.
pub(crate) fn processes() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The processes that have this word among their arguments.
pub fn processes_with_argument(argument: &str) -> Vec<u32> {
    processes()
        .filter(|pid| {
            let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
            words.split(|&byte| byte == 0).any(|word| word == argument.as_bytes())
        })
        .collect()
}

/// The processes whose working directory that is.
pub fn processes_working_in(directory: &Path) -> Vec<u32> {
    processes()
        .filter(|pid| fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd == directory))
        .collect()
}

/// Files and sockets that this process may have open at a time; `None` where that is not limited.
pub(crate) fn open_files() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Random hexadecimal digits from the kernel, two per byte.
///
/// # Errors
/// When `/dev/urandom` can't be read.
pub fn random_hex(bytes: usize) -> io::Result<String> {
    let mut random = vec![0; bytes];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    Ok(random.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether a directory is kept in memory (tmpfs, ramfs), where a disk would not be measured.
pub fn is_in_memory(directory: &Path) -> bool {
    // C libraries do not agree on the type.
    let kind = statfs(directory).map(|facts| i128::from(facts.f_type));
    kind.is_ok_and(|kind| kind == i128::from(libc::TMPFS_MAGIC) || kind == RAMFS_MAGIC)
}

/// Bytes that an ordinary account may still write to the file system of a path: what is kept for root
/// keeps the machine going when everybody else has filled it, and is not for data.
///
/// # Errors
/// When the path can't be looked at.
pub fn free_space(path: &Path) -> io::Result<u64> {
    let facts = statfs(path)?;
    Ok(facts.f_bavail.saturating_mul(u64::try_from(facts.f_bsize).unwrap_or(0)))
}

/// `linux/magic.h`; libc lacks it.
const RAMFS_MAGIC: i128 = 0x8584_58f6;

/// Makes the first `length` bytes of a device or file zeros, and frees their space where that is
/// possible.
///
/// # Errors
/// When it can't be written.
pub fn zero(file: &File, length: u64) -> io::Result<()> {
    let over_all = |how| fallocate(file, how | FallocateFlags::KEEP_SIZE, 0, length);
    match over_all(FallocateFlags::PUNCH_HOLE) {
        Err(Errno::OPNOTSUPP) => Ok(over_all(FallocateFlags::ZERO_RANGE)?),
        made => Ok(made?),
    }
}

/// Has the kernel forget what it caches of a device or file, as far as that is on the disk, so that
/// what is read next comes from there. A kernel that does not do so is no failure.
pub(crate) fn forget_cached(file: &File) {
    let _ = fadvise(file, 0, None, Advice::DontNeed);
}

/// Writes a file system's pending data to its disk.
///
/// # Errors
/// When the directory can't be opened, or its disk fails.
pub fn sync_filesystem_of(directory: &Path) -> io::Result<()> {
    sync_filesystem(&File::open(directory)?)
}

/// The same of a file or directory that is open.
///
/// # Errors
/// When its disk fails.
pub(crate) fn sync_filesystem(open: impl AsFd) -> io::Result<()> {
    Ok(rustix::fs::syncfs(open)?)
}

/// Writes dirty pages out and empties the operating system's page, dentry and inode caches.
///
/// # Errors
/// `Stopped` when asked to stop meanwhile; `NotPermitted` unless run by root, on a machine that lets
/// root do it.
pub fn drop_os_caches(stop: &Stop) -> Result<(), Failure> {
    // Dirty pages can't be dropped.
    write_dirty_pages(stop)?;
    fs::write(DROP_CACHES, "3").map_err(|error| no_drop(&error))
}

/// Whether the caches may be emptied; empties nothing.
///
/// # Errors
/// `NotPermitted` where they may not.
pub(crate) fn check_os_caches() -> Result<(), Failure> {
    File::options().write(true).open(DROP_CACHES).map(drop).map_err(|error| no_drop(&error))
}

fn no_drop(error: &io::Error) -> Failure {
    Failure::new(
        FailureKind::NotPermitted,
        format!(
            "the caches of the operating system could not be dropped: writing to {DROP_CACHES}: {error}"
        ),
        "run weighin as root and outside of containers, or set cache = \"warm\" in the test",
    )
}

/// Runs `sync`. Nothing interrupts the system call, which takes minutes where gigabytes are not
/// written yet: a process that makes it itself could not end before.
fn write_dirty_pages(stop: &Stop) -> Result<(), Failure> {
    let failed = |how: &str| {
        let message = format!("the operating system's dirty pages could not be written: {how}");
        Failure::new(FailureKind::Other, message, "make sure that the program sync is on the PATH")
    };
    let mut sync = crate::local::command::command("sync")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| failed(&format!("sync: {error}")))?;
    let _waiting = Waiting::for_the("the disks to take what is not written yet (sync)");
    loop {
        match sync.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(failed(&format!("sync ended with {status}"))),
            Ok(None) if stop.is_requested() => return Err(Failure::stopped()),
            Ok(None) => std::thread::sleep(POLL_INTERVAL),
            Err(error) => return Err(failed(&error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_is_to_stop_does_not_wait_for_the_disk() {
        let stop = Stop::default();
        write_dirty_pages(&stop).unwrap();
        stop.request();
        // A sync that has ended already is as good.
        let stopped = (0..100).find_map(|_| write_dirty_pages(&stop).err());
        assert_eq!(stopped.expect("one that is not waited for").kind, FailureKind::Stopped);
    }

    #[test]
    fn the_command_may_hold_anything() {
        let text =
            "4242 (my) (sql d) S 1 2 3 0 -1 4194304 98 0 0 0 150 25 7 8 20 0 1 0 126501 31 39";
        assert_eq!(
            parse_stat(text),
            Some(Stat {
                parent: 1,
                cpu_ticks: 175,
                system_ticks: 25,
                waited_ticks: [15, 8],
                start_ticks: 126_501,
            })
        );
        assert_eq!(parse_stat("4242 (cut off) S 1 2"), None);
        assert_eq!(parse_stat(""), None);
    }

    #[test]
    fn a_process_is_known_by_its_start() {
        let own = ProcessIdentity::for_pid(std::process::id()).unwrap();
        assert!(own.exists());
        assert!(!ProcessIdentity { started: own.started + 1, ..own }.exists());
        assert_eq!(ProcessIdentity::for_pid(u32::MAX), None);
    }

    #[test]
    fn groups_of_processes_are_never_signalled() {
        assert!(terminate(0).is_err());
        assert!(kill(u32::MAX).is_err());
    }

    #[test]
    fn own_arguments_are_found_and_only_as_whole_words() {
        let program = std::env::args().next().unwrap();
        assert!(processes_with_argument(&program).contains(&std::process::id()));
        assert!(!processes_with_argument(&program[1..]).contains(&std::process::id()));
    }

    #[test]
    fn random_digits_differ() {
        let digits = random_hex(16).unwrap();
        assert_eq!(digits.len(), 32);
        assert_ne!(digits, random_hex(16).unwrap());
    }

    #[test]
    fn file_systems_in_memory_are_told_apart() {
        assert!(!is_in_memory(Path::new("/proc")));
        assert!(!is_in_memory(Path::new("/no/such/directory")));
    }

    #[test]
    fn free_space_is_seen_where_there_is_a_file_system() {
        assert!(free_space(Path::new("/var/tmp")).is_ok());
        assert!(free_space(Path::new("/no/such/directory")).is_err());
    }

    #[test]
    fn caches_are_dropped_or_the_reason_is_said() {
        if let Err(failure) = drop_os_caches(&Stop::default()) {
            assert_eq!(failure.kind, FailureKind::NotPermitted);
            assert!(failure.remedy.contains("cache = \"warm\""));
        }
    }
}
