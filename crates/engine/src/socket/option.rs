//! Options of sockets that the standard library has no words for.

use libc::{c_int, c_void};
use std::os::fd::RawFd;

/// Asks the kernel to note when data arrives at a TCP socket; false where it does not.
pub(super) fn note_arrivals(socket: RawFd) -> bool {
    let on: c_int = 1;
    set(socket, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, &on.to_ne_bytes())
}

/// Has a TCP socket send by Reno's rules, the ones that cost the least and that every kernel
/// permits. For connections that do not leave this host: there is no network to be fair to, and a
/// host that is set to BBR would pace each request for nothing. Changes nothing where it is refused.
pub(super) fn send_plainly(socket: RawFd) {
    set(socket, libc::IPPROTO_TCP, libc::TCP_CONGESTION, b"reno");
}

fn set(socket: RawFd, level: c_int, name: c_int, value: &[u8]) -> bool {
    let length = value.len() as libc::socklen_t;
    // SAFETY: passes the address and the length of live bytes, which the kernel copies.
    let result =
        unsafe { libc::setsockopt(socket, level, name, value.as_ptr().cast::<c_void>(), length) };
    result == 0
}
