use crate::question::Usage;
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::Duration;

/// Collects a child that has ended; `None` while it runs. After that its process id is free.
pub(super) fn reap(child: &Child, own_peak: u64) -> io::Result<Option<(ExitStatus, Usage)>> {
    // A process id fits: the kernel's are below 2²².
    let pid = libc::pid_t::try_from(child.id()).map_err(io::Error::other)?;
    let mut status = 0;
    // SAFETY: rusage is plain numbers, for which zero is a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: both pointers are to variables of the right type that live through the call.
    let ended = unsafe { libc::wait4(pid, &raw mut status, libc::WNOHANG, &raw mut usage) };
    match ended {
        0 => Ok(None),
        -1 => Err(io::Error::last_os_error()),
        _ => {
            // Linux gives kibibytes.
            let peak = u64::try_from(usage.ru_maxrss).unwrap_or(0) * 1024;
            let usage = Usage {
                user: time(usage.ru_utime),
                system: time(usage.ru_stime),
                peak_rss_bytes: (peak > own_peak).then_some(peak),
            };
            Ok(Some((ExitStatus::from_raw(status), usage)))
        }
    }
}

fn time(value: libc::timeval) -> Duration {
    let micros = value.tv_sec * 1_000_000 + value.tv_usec;
    Duration::from_micros(u64::try_from(micros).unwrap_or(0))
}
