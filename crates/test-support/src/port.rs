use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, socket_with, sockopt};
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::atomic::{AtomicU16, Ordering};

/// A port of loopback for a server that is started next. It lies below the ports that Linux gives to
/// outgoing connections (from 32768 on, unless configured otherwise), of which one could take it before
/// the server does, and below those of private servers.
///
/// # Panics
/// When all are taken.
pub fn free_port() -> u16 {
    const FIRST: u16 = 10_000;
    const COUNT: u16 = 10_000;
    /// Of this process; another one begins elsewhere.
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let start = std::process::id().wrapping_mul(97) % u32::from(COUNT);
    for _ in 0..COUNT {
        let step = u32::from(NEXT.fetch_add(1, Ordering::Relaxed));
        let port = FIRST + ((start + step) % u32::from(COUNT)) as u16;
        if try_bind(port).is_ok() {
            return port;
        }
    }
    panic!("no port from {FIRST} on is free");
}

/// Takes a port for a moment without listening: a process that another thread starts meanwhile has the
/// socket until its program begins, and with one that listens there the server could not.
fn try_bind(port: u16) -> io::Result<()> {
    let flags = SocketFlags::CLOEXEC;
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None)?;
    sockopt::set_socket_reuseaddr(&socket, true)?;
    bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, port))?;
    Ok(())
}
