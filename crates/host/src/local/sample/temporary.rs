//! The space that a server takes: in temporary files, which are those that it holds open and that
//! have no name any more, or one that begins with `#sql`, and in its data directory.

use crate::question::SpaceUsed;
use files::Directory;
use rustix::time::{ClockId, clock_gettime};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Least time between two looks. What comes and goes between them is not seen.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(2);
/// Looks of each kind take at most one part in so many of a processor: it may be the one that the
/// server works on.
const SHARE: u32 = 100;

/// A number of bytes that is looked at again and again.
struct Grows<F> {
    look: F,
    /// `None` where it could not be seen: it has nothing to grow from then.
    before: Option<u64>,
    most: Option<u64>,
    /// When to look next.
    due: Instant,
}

impl<F: Fn() -> Option<u64>> Grows<F> {
    fn new(look: F) -> Self {
        let before = look();
        Self { look, before, most: before, due: Instant::now() }
    }

    fn look(&mut self) {
        let before = processor_time();
        let now = (self.look)().unwrap_or(0);
        self.most = self.most.map(|most| most.max(now));
        // Not the time that it took: a look that had to wait for a processor took none meanwhile.
        let used = processor_time().saturating_sub(before);
        self.due = Instant::now() + (used * SHARE).max(SHORTEST_INTERVAL);
    }

    fn by(&self) -> Option<u64> {
        Some(self.most? - self.before?)
    }
}

/// Watches how much space a process has in temporary files, and a directory in all, until it is asked.
#[derive(Debug)]
pub struct SpaceWatch {
    stop: Sender<()>,
    thread: JoinHandle<SpaceUsed>,
}

impl SpaceWatch {
    /// Begins to watch a process of this host and a directory. What is there already does not count.
    /// `None` where there is nothing to watch.
    pub fn begin(pid: Option<u32>, data: Option<&Path>) -> Option<Self> {
        if pid.is_none() && data.is_none() {
            return None;
        }
        // Opened once: the path may be another's to change.
        let data = data.and_then(|data| Directory::open(data).ok());
        let (stop, stopped) = channel();
        // Before this returns, so that nothing of what comes next counts as there already.
        let mut temporary = Grows::new(move || pid.and_then(bytes_of));
        let mut data = Grows::new(move || data.as_ref().and_then(|data| data.bytes().ok()));
        let thread = thread::spawn(move || {
            loop {
                let due = temporary.due.min(data.due);
                let wait = due.saturating_duration_since(Instant::now());
                let ended = stopped.recv_timeout(wait) != Err(RecvTimeoutError::Timeout);
                let now = Instant::now();
                if ended || temporary.due <= now {
                    temporary.look();
                }
                if ended || data.due <= now {
                    data.look();
                }
                if ended {
                    return SpaceUsed { temporary: temporary.by(), data: data.by() };
                }
            }
        });
        Some(Self { stop, thread })
    }

    /// The most that there was beyond the beginning; nothing where it may not be seen.
    pub fn most(self) -> SpaceUsed {
        // Nobody listens where the thread has ended already.
        let _ = self.stop.send(());
        self.thread.join().unwrap_or_default()
    }
}

/// What this thread has used of processors.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    let part = |value: i64| u64::try_from(value).unwrap_or(0);
    Duration::from_secs(part(time.tv_sec)) + Duration::from_nanos(part(time.tv_nsec))
}

/// Bytes on disk of the temporary files that a process holds open; `None` where that may not be seen.
fn bytes_of(pid: u32) -> Option<u64> {
    let directory = PathBuf::from(format!("/proc/{pid}/fd"));
    let files = fs::read_dir(directory).ok()?.filter_map(Result::ok).filter(|entry| {
        fs::read_link(entry.path()).is_ok_and(|target| is_temporary(target.as_os_str().as_bytes()))
    });
    // A file that was closed meanwhile has no size any more.
    Some(files.filter_map(|entry| Some(fs::metadata(entry.path()).ok()?.len())).sum())
}

fn is_temporary(target: &[u8]) -> bool {
    let name = target.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    target.starts_with(b"/")
        && !target.starts_with(b"/memfd:")
        && !target.starts_with(b"/[aio]")
        && (target.ends_with(b" (deleted)") || name.starts_with(b"#sql"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};

    #[test]
    fn files_without_a_name_count_and_others_do_not() {
        let (directory, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        // Not of this process: other tests have such files in it.
        let script = "read -r _; exec 3>unnamed 4>named; rm unnamed; head -c 70000 /dev/zero >&3; \
                      head -c 1000000 /dev/zero >&4; echo; read -r _";
        let mut holder = Command::new("sh")
            .args(["-c", script])
            .current_dir(&elsewhere)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let watch = SpaceWatch::begin(Some(holder.id()), Some(directory.path())).unwrap();
        holder.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        holder.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        let mut named = tempfile::NamedTempFile::new_in(&directory).unwrap();
        named.write_all(&[1; 1_000_000]).unwrap();
        named.as_file().sync_all().unwrap();
        let SpaceUsed { temporary, data } = watch.most();
        drop(holder.stdin.take());
        holder.wait().unwrap();
        assert!((70_000..1_000_000).contains(&temporary.unwrap()), "{temporary:?}");
        assert!((1_000_000..1_100_000).contains(&data.unwrap()), "{data:?}");
    }

    #[test]
    fn a_process_that_is_not_there_has_no_space() {
        assert_eq!(SpaceWatch::begin(Some(u32::MAX), None).unwrap().most(), SpaceUsed::default());
        assert!(SpaceWatch::begin(None, None).is_none());
    }

    #[test]
    fn temporary_tables_have_a_name_that_says_so() {
        assert!(is_temporary(b"/tmp/#sql-temptable-1-2-3.MAD"));
        assert!(is_temporary(b"/tmp/MYx7Wq (deleted)"));
        assert!(!is_temporary(b"/data/sbtest/sbtest1.ibd"));
        assert!(!is_temporary(b"socket:[1]"));
    }
}
