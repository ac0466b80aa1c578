use mio::unix::SourceFd;
use mio::{Interest, Registry, Token};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::time::Duration;

/// A timer that wakes a poll to the microsecond, where waiting with a time limit would round up
/// to whole milliseconds.
#[derive(Debug)]
pub(crate) struct Timer {
    descriptor: OwnedFd,
    armed: bool,
}

/// Waits that are longer need no such timer.
const COARSE: Duration = Duration::from_millis(50);

impl Timer {
    pub(crate) fn new(registry: &Registry, token: Token) -> io::Result<Self> {
        // SAFETY: takes no pointers; the result is checked and owned from here on.
        let descriptor = unsafe {
            let raw =
                libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_NONBLOCK | libc::TFD_CLOEXEC);
            if raw < 0 {
                return Err(io::Error::last_os_error());
            }
            OwnedFd::from_raw_fd(raw)
        };
        registry.register(&mut SourceFd(&descriptor.as_raw_fd()), token, Interest::READABLE)?;
        Ok(Self { descriptor, armed: false })
    }

    /// Wakes the poll after that time; not at all for a time that is long enough for the poll's
    /// own limit.
    pub(crate) fn set(&mut self, after: Duration) -> io::Result<()> {
        let fine = after < COARSE;
        if !fine && !self.armed {
            return Ok(());
        }
        // Zero would disarm it.
        let after = if fine { after.max(Duration::from_nanos(1)) } else { Duration::ZERO };
        let value = libc::itimerspec {
            it_interval: libc::timespec { tv_sec: 0, tv_nsec: 0 },
            it_value: libc::timespec {
                tv_sec: after.as_secs() as _,
                tv_nsec: libc::c_long::from(after.subsec_nanos() as i32),
            },
        };
        // SAFETY: reads a live itimerspec; no old value is asked for.
        let result = unsafe {
            libc::timerfd_settime(
                self.descriptor.as_raw_fd(),
                0,
                &raw const value,
                std::ptr::null_mut(),
            )
        };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
        self.armed = fine;
        Ok(())
    }
}
