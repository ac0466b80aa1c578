//! The end of connections.

use crate::{Clock, Nanos};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::os::fd::AsFd;
use std::time::Duration;

/// How long servers may take to close their side of a further connection: a busy one takes a while for a
/// thousand.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// How long they may take for all of a thread, one after another.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// The wait for servers that were told that connections end. Until a server has closed its side it counts a
/// connection among those that it allows: the next load could find no room, and would share the machine with
/// the end of this one.
pub(super) struct Goodbye {
    clock: Clock,
    patience: Duration,
    until: Nanos,
    limit: Nanos,
}

impl Goodbye {
    /// One that all connections of a thread wait for.
    pub(super) fn begin(clock: Clock) -> Self {
        Self::with(clock, CLOSE_TIMEOUT, LIMIT)
    }

    fn with(clock: Clock, patience: Duration, limit: Duration) -> Self {
        let begun = clock.now();
        Self { clock, patience, until: begun.plus(patience), limit: begun.plus(limit) }
    }

    /// Waits until the server has closed its side, or time is up.
    pub(super) fn wait_for(&mut self, socket: &impl AsFd) {
        let left = self.until.since(self.clock.now());
        let limit =
            Timespec { tv_sec: left.as_secs().cast_signed(), tv_nsec: left.subsec_nanos().into() };
        // Nothing is lost where it cannot be waited for.
        let closed = poll(&mut [PollFd::new(socket, PollFlags::RDHUP)], Some(&limit));
        // One that was closed before is no reason to wait for others again once time is up.
        if !left.is_zero() && closed.is_ok_and(|sockets| sockets > 0) {
            self.until = self.clock.now().plus(self.patience).min(self.limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;
    use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
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
            let long = Duration::from_secs(600);
            Goodbye::with(Clock, long, long).wait_for(&ours);
            assert!(closes.load(Ordering::SeqCst));
        });
    }

    #[test]
    fn a_server_that_closes_nothing_is_waited_for_once() {
        let pairs = [(); 3].map(|()| UnixStream::pair().unwrap());
        let mut goodbye = Goodbye::with(Clock, Duration::from_millis(100), LIMIT);
        pairs.iter().for_each(|(ours, _)| goodbye.wait_for(ours));
        let begun = Clock.now();
        assert!(begun >= goodbye.until);
        goodbye.wait_for(&pairs[0].0);
        assert!(begun >= goodbye.until, "time is up already");
        let [_, _, (ours, theirs)] = pairs;
        drop(theirs);
        goodbye.wait_for(&ours);
        assert!(begun >= goodbye.until, "and stays so");
    }

    /// Waits for seven sockets that are closed one after another, which together takes longer than the
    /// patience for one; whether each was closed within that of the one before.
    fn closes_in_time() -> bool {
        const PATIENCE: Duration = Duration::from_secs(3);
        let pairs = [(); 7].map(|()| UnixStream::pair().unwrap());
        let (ours, theirs): (Vec<_>, Vec<_>) = pairs.into_iter().unzip();
        let closed = AtomicU32::new(0);
        let mut before = Clock.now();
        thread::scope(|scope| {
            let closing = scope.spawn(|| {
                theirs.into_iter().all(|socket| {
                    thread::sleep(Duration::from_millis(500));
                    closed.fetch_add(1, Ordering::SeqCst);
                    drop(socket);
                    let after = Clock.now();
                    after.since(std::mem::replace(&mut before, after)) < PATIENCE
                })
            });
            let mut goodbye = Goodbye::with(Clock, PATIENCE, LIMIT);
            ours.iter().for_each(|socket| goodbye.wait_for(socket));
            let waited_for = closed.load(Ordering::SeqCst);
            let in_time = closing.join().unwrap();
            assert!(!in_time || waited_for == 7, "{waited_for}");
            in_time
        })
    }

    #[test]
    fn a_server_that_goes_on_closing_is_waited_for_up_to_the_limit() {
        // Where the thread that closes is held up, it closes later than it is waited for.
        assert!((0..20).any(|_| closes_in_time()), "it is always held up");
        let (ours, theirs) = UnixStream::pair().unwrap();
        let mut goodbye = Goodbye::with(Clock, LIMIT, CLOSE_TIMEOUT);
        drop(theirs);
        goodbye.wait_for(&ours);
        assert_eq!(goodbye.until, goodbye.limit);
    }
}
