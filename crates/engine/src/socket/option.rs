//! Options of sockets that the standard library has no words for.

use libc::{c_int, c_void};
use model::Packets;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};

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

/// What a TCP socket has sent and received, by the kernel's count; `None` of another, and where the kernel is
/// older than 4.2.
pub(super) fn packets(socket: BorrowedFd<'_>) -> Option<Packets> {
    // The fields of `struct tcp_info` (linux/tcp.h), each of four bytes, behind all that was there before.
    const SENT: usize = 136;
    const RECEIVED: usize = 140;
    let mut info = [0u8; RECEIVED + 4];
    let mut length = info.len() as libc::socklen_t;
    // SAFETY: the kernel writes at most so many bytes as `length` says, which are live.
    let result = unsafe {
        let (level, name) = (libc::IPPROTO_TCP, libc::TCP_INFO);
        libc::getsockopt(socket.as_raw_fd(), level, name, info.as_mut_ptr().cast(), &raw mut length)
    };
    let field = |at: usize| {
        let bytes = info.get(at..at + 4)?.try_into().ok()?;
        Some(u64::from(u32::from_ne_bytes(bytes)))
    };
    let is_whole = result == 0 && length as usize == info.len();
    is_whole.then(|| Some(Packets { sent: field(SENT)?, received: field(RECEIVED)? })).flatten()
}

fn set(socket: RawFd, level: c_int, name: c_int, value: &[u8]) -> bool {
    let length = value.len() as libc::socklen_t;
    // SAFETY: passes the address and the length of live bytes, which the kernel copies.
    let result =
        unsafe { libc::setsockopt(socket, level, name, value.as_ptr().cast::<c_void>(), length) };
    result == 0
}
