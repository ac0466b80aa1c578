//! The end of connections.

use crate::{Clock, Nanos};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::os::fd::AsFd;
use std::time::Duration;

/// How long servers may take to close their side of connections.
const PATIENCE: Duration = Duration::from_secs(2);

/// The wait for servers that were told that connections end. Until a server has closed its side it counts a
/// connection among those that it allows: the next load could find no room, and would share the machine with
/// the end of this one.
pub(super) struct Goodbye {
    clock: Clock,
    until: Nanos,
}

impl Goodbye {
    /// One that all connections together wait for.
    pub(super) fn begin(clock: Clock) -> Self {
        Self { clock, until: clock.now().plus(PATIENCE) }
    }

    /// Waits until the server has closed its side, or time is up.
    pub(super) fn wait_for(&self, socket: &impl AsFd) {
        let left = self.until.since(self.clock.now());
        let left =
            Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
        // Nothing is lost where it cannot be waited for.
        let _ = poll(&mut [PollFd::new(socket, PollFlags::RDHUP)], Some(&left));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    #[test]
    fn the_servers_end_is_waited_for() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let closes = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(Duration::from_millis(100));
                closes.store(true, Ordering::SeqCst);
                drop(theirs);
            });
            Goodbye::begin(Clock).wait_for(&ours);
            assert!(closes.load(Ordering::SeqCst));
        });
    }

    #[test]
    fn a_server_that_closes_nothing_is_waited_for_once() {
        let pairs = [(); 3].map(|()| UnixStream::pair().unwrap());
        let goodbye = Goodbye { clock: Clock, until: Clock.now().plus(Duration::from_millis(100)) };
        pairs.iter().for_each(|(ours, _)| goodbye.wait_for(ours));
        let begun = Clock.now();
        assert!(begun >= goodbye.until);
        goodbye.wait_for(&pairs[0].0);
        assert!(Clock.now().since(begun) < PATIENCE, "time is up already");
    }
}
