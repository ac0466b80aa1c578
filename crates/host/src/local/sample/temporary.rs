//! Temporary files of a server: those that it holds open and that have no name any more, or one that
//! begins with `#sql`.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Time between two looks. What comes and goes between them is not seen.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Watches how much temporary space a process has in files, until it is asked.
#[derive(Debug)]
pub struct TemporarySpace {
    stop: Sender<()>,
    thread: JoinHandle<Option<u64>>,
}

impl TemporarySpace {
    /// Begins to watch a process of this host. What it holds already does not count.
    pub fn watch(pid: u32) -> Self {
        let (stop, stopped) = channel();
        // Before this returns, so that nothing of what comes next counts as there already.
        let before = bytes_of(pid);
        let thread = thread::spawn(move || {
            let before = before?;
            let mut most = before;
            loop {
                let ended = stopped.recv_timeout(POLL_INTERVAL) != Err(RecvTimeoutError::Timeout);
                most = most.max(bytes_of(pid).unwrap_or(0));
                if ended {
                    return Some(most - before);
                }
            }
        });
        Self { stop, thread }
    }

    /// The most bytes that there were beyond those at the beginning; `None` where the process's
    /// files may not be seen.
    pub fn most(self) -> Option<u64> {
        // Nobody listens where the thread has ended already.
        let _ = self.stop.send(());
        self.thread.join().ok().flatten()
    }
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
    use std::io::Write;

    #[test]
    fn files_without_a_name_count_and_others_do_not() {
        let watch = TemporarySpace::watch(std::process::id());
        let mut unnamed = tempfile::tempfile().unwrap();
        let mut named = tempfile::NamedTempFile::new().unwrap();
        unnamed.write_all(&[1; 70_000]).unwrap();
        named.write_all(&[1; 1_000_000]).unwrap();
        let most = watch.most().unwrap();
        assert!((70_000..1_000_000).contains(&most), "{most}");
    }

    #[test]
    fn a_process_that_is_not_there_has_no_space() {
        assert_eq!(TemporarySpace::watch(u32::MAX).most(), None);
    }

    #[test]
    fn temporary_tables_have_a_name_that_says_so() {
        assert!(is_temporary(b"/tmp/#sql-temptable-1-2-3.MAD"));
        assert!(is_temporary(b"/tmp/MYx7Wq (deleted)"));
        assert!(!is_temporary(b"/data/sbtest/sbtest1.ibd"));
        assert!(!is_temporary(b"socket:[1]"));
    }
}
