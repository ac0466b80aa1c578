use crate::{Clock, Nanos};
use model::{Latencies, ReceiveDelay};
use std::os::fd::RawFd;
use std::time::Duration;

/// Bytes of control data that hold a time stamp of the kernel.
// SAFETY: CMSG_SPACE only computes a length.
pub(super) const CONTROL: usize =
    unsafe { libc::CMSG_SPACE(size_of::<libc::timespec>() as u32) } as usize;

/// Two clocks that were read within this time were read together.
const TOGETHER: Duration = Duration::from_micros(1);
/// How often to try to read them together.
const ATTEMPTS: u32 = 8;

/// The time stamp in the control data of a message, since 1970.
#[inline]
pub(super) fn parse(control: &[u8]) -> Option<Duration> {
    // The one message that was asked for comes first: a header and a timespec.
    let header = size_of::<libc::cmsghdr>();
    let end = header + size_of::<libc::timespec>();
    if control.len() < end {
        return None;
    }
    // SAFETY: long enough by the check above; both are plain numbers, read without alignment.
    let (message, time) = unsafe {
        (
            control.as_ptr().cast::<libc::cmsghdr>().read_unaligned(),
            control.as_ptr().add(header).cast::<libc::timespec>().read_unaligned(),
        )
    };
    let right = message.cmsg_level == libc::SOL_SOCKET
        && message.cmsg_type == libc::SCM_TIMESTAMPNS
        // Of another type in every C library.
        && message.cmsg_len as u64 >= end as u64;
    right.then(|| Duration::new(time.tv_sec as u64, time.tv_nsec as u32))
}

/// Receives once with the kernel's time stamp: how many bytes, and when the last of them came.
pub(super) fn receive(
    socket: RawFd,
    buffer: &mut [u8],
) -> std::io::Result<(usize, Option<Duration>)> {
    let mut control = [0u64; CONTROL.div_ceil(8)];
    let mut part = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    // SAFETY: msghdr is plain data for which zero is a value; all pointers are to live memory of
    // the stated lengths.
    let (read, filled) = unsafe {
        let mut message: libc::msghdr = std::mem::zeroed();
        message.msg_iov = &raw mut part;
        message.msg_iovlen = 1;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = CONTROL as _;
        let read = libc::recvmsg(socket, &raw mut message, libc::MSG_DONTWAIT);
        (read, message.msg_controllen as usize)
    };
    if read < 0 {
        return Err(std::io::Error::last_os_error());
    }
    // SAFETY: the array is CONTROL bytes long at least, and all of it is initialised.
    let bytes = unsafe { std::slice::from_raw_parts(control.as_ptr().cast(), filled.min(CONTROL)) };
    Ok((read as usize, parse(bytes)))
}

/// Turns the kernel's time stamps, which follow the wall clock, into moments of the engine's
/// clock, and keeps account of how late replies were noticed.
///
/// The two clocks are compared at every wake-up, so that a wall clock that is set meanwhile
/// spoils no more than one batch of replies.
#[derive(Debug)]
pub(super) struct Stamps {
    woke: Nanos,
    wall: Duration,
    delays: Latencies,
}

impl Stamps {
    pub(super) fn new() -> Self {
        Self { woke: Nanos(0), wall: Duration::ZERO, delays: Latencies::new() }
    }

    /// The worker has just woken up. Returns when.
    #[inline]
    pub(super) fn wake(&mut self, clock: &Clock) -> Nanos {
        // Whoever is preempted between the two clocks takes the pause for lateness of the reply.
        for _ in 0..ATTEMPTS {
            self.woke = clock.now();
            self.wall = clock.wall();
            if clock.now().since(self.woke) < TOGETHER {
                break;
            }
        }
        self.woke
    }

    /// When something that was found at this wake-up arrived.
    #[inline]
    pub(super) fn arrived(&mut self, stamp: Option<Duration>) -> Nanos {
        let Some(stamp) = stamp else { return self.woke };
        // What arrived after the wake-up and was found all the same was not late.
        let delay = self.wall.saturating_sub(stamp).as_nanos() as u64;
        self.delays.record_nanos(delay);
        Nanos(self.woke.0.saturating_sub(delay))
    }

    /// What was counted so far is not of the measured phase.
    pub(super) fn restart(&mut self) {
        self.delays.clear();
    }

    /// How late replies were noticed.
    pub(super) fn delays(&self) -> &Latencies {
        &self.delays
    }
}

/// Sums up how late replies were noticed; `None` where none had a time stamp.
pub(crate) fn receive_delay(delays: &Latencies) -> Option<ReceiveDelay> {
    Some(ReceiveDelay {
        replies: delays.count(),
        p50_ms: delays.percentile_ms(50.0)?,
        p99_ms: delays.percentile_ms(99.0)?,
        max_ms: delays.max_ms()?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::option::note_arrivals;
    use super::*;
    use std::io::Write;
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsRawFd;
    use std::time::Instant;
    use std::time::SystemTime;

    #[test]
    fn the_kernel_says_when_data_came_however_late_it_is_read() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (server, _) = listener.accept().unwrap();
        assert!(note_arrivals(server.as_raw_fd()));
        let epoch = |time: SystemTime| time.duration_since(SystemTime::UNIX_EPOCH).unwrap();
        let mut buffer = [0; 16];
        // The kernel begins to stamp some time after it was asked to, which is when its own
        // background work gets a processor: the first may go without.
        let patience = Instant::now() + Duration::from_secs(30);
        let stamped =
            std::iter::from_fn(|| (Instant::now() < patience).then_some(())).find_map(|()| {
                let before = epoch(SystemTime::now());
                client.write_all(b"hello").unwrap();
                let (read, stamp) = loop {
                    match receive(server.as_raw_fd(), &mut buffer) {
                        Err(e) if e.kind() == std::io::ErrorKind::WouldBlock => {
                            std::thread::yield_now();
                        }
                        other => break other.unwrap(),
                    }
                };
                assert_eq!(&buffer[..read], b"hello");
                stamp.map(|stamp| (before, stamp, epoch(SystemTime::now())))
            });
        let (before, stamp, after) = stamped.expect("loopback TCP has receive time stamps");
        assert!((before..=after).contains(&stamp), "{before:?} {stamp:?} {after:?}");
    }

    #[test]
    fn a_stamp_becomes_a_moment_before_the_wake_up() {
        let mut stamps = Stamps {
            woke: Nanos(1_000_000),
            wall: Duration::from_secs(100),
            delays: Latencies::new(),
        };
        let stamp = Duration::from_secs(100) - Duration::from_micros(300);
        assert_eq!(stamps.arrived(Some(stamp)), Nanos(700_000));
        assert_eq!(stamps.arrived(Some(Duration::from_secs(101))), Nanos(1_000_000));
        assert_eq!(stamps.arrived(None), Nanos(1_000_000));
        assert_eq!(stamps.delays().count(), 2);
    }

    #[test]
    fn other_control_data_is_no_stamp() {
        assert_eq!(parse(&[0; CONTROL]), None);
        assert_eq!(parse(&[]), None);
    }
}
