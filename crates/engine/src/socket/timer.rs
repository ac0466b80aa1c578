use mio::unix::SourceFd;
use mio::{Interest, Registry, Token};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
    timerfd_settime,
};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
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
        let flags = TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC;
        let descriptor = timerfd_create(TimerfdClockId::Monotonic, flags)?;
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
        let it_value = Timespec::try_from(after).unwrap_or_default();
        let once = Itimerspec { it_interval: Timespec::default(), it_value };
        timerfd_settime(&self.descriptor, TimerfdTimerFlags::empty(), &once)?;
        self.armed = fine;
        Ok(())
    }
}
