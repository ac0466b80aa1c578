//! Puts errors of connections into words: what happened, where, and how to fix it.

use super::line::Cut;
use model::{Endpoint, Failure, FailureKind};
use std::io::{Error, ErrorKind};

/// Turns an error of connecting a socket into a failure.
pub fn connect_failure(error: &Error, endpoint: &Endpoint) -> Failure {
    use FailureKind::Unreachable;
    match Cut::find_in(error) {
        Some(Cut::Stopped) => return Failure::stopped(),
        Some(Cut::TimedOut(limit)) => {
            return Failure::new(
                Unreachable,
                format!("{endpoint} accepted no connection within {} s", limit.as_secs_f64()),
                "check the address, this host's DNS, and whether a firewall or security group \
                 lets this host through",
            );
        }
        Some(Cut::TooMuch(_)) | None => {}
    }
    match (endpoint, error.kind()) {
        (Endpoint::Socket(path), ErrorKind::NotFound) => Failure::new(
            Unreachable,
            format!("there is no socket {}", path.display()),
            "start the server, or look up the path of its socket in its configuration",
        ),
        (Endpoint::Socket(path), ErrorKind::ConnectionRefused) => Failure::new(
            Unreachable,
            format!("no server listens on the socket {}", path.display()),
            "start the server: the socket is left over from one that has ended",
        ),
        (Endpoint::Socket(path), ErrorKind::PermissionDenied) => Failure::new(
            FailureKind::NotPermitted,
            format!("this user may not open the socket {}", path.display()),
            "give this user access to the socket's directory, or connect over TCP",
        ),
        (_, ErrorKind::ConnectionRefused) => Failure::new(
            Unreachable,
            format!("nothing listens at {endpoint}: the connection was refused"),
            "start the server, and check its port and the addresses that it listens on",
        ),
        (_, ErrorKind::TimedOut | ErrorKind::WouldBlock) => Failure::new(
            Unreachable,
            format!("{endpoint} did not answer in time"),
            "check the address, and whether a firewall or security group lets this host through",
        ),
        (_, ErrorKind::NetworkUnreachable | ErrorKind::HostUnreachable) => Failure::new(
            Unreachable,
            format!("{endpoint} cannot be reached: {error}"),
            "check the address, the routes and the VPN of this host",
        ),
        _ if matches!(error.raw_os_error(), Some(libc::EMFILE | libc::ENFILE)) => Failure::new(
            FailureKind::NotPermitted,
            format!("cannot open another connection to {endpoint}: {error}"),
            "raise this user's limit on open files (ulimit -n), or run fewer clients",
        ),
        // Only looking up a name fails without a number of the operating system.
        (Endpoint::Tcp { host, .. }, _) if error.raw_os_error().is_none() => Failure::new(
            Unreachable,
            format!("the host {host} is unknown: {error}"),
            "check the spelling of the host's name and this host's DNS",
        ),
        _ => Failure::new(
            Unreachable,
            format!("cannot connect to {endpoint}: {error}"),
            "check the address and the network",
        ),
    }
}

/// A connection that broke before the session was open.
pub fn broken_login(error: &Error, endpoint: &Endpoint) -> Failure {
    match Cut::find_in(error) {
        Some(Cut::Stopped) => Failure::stopped(),
        Some(Cut::TimedOut(limit)) => Failure::new(
            FailureKind::TimedOut,
            format!(
                "{endpoint} accepted the connection but did not complete the login within {} s",
                limit.as_secs_f64()
            ),
            "check that a server of the target's kind listens there, and that it is not stuck",
        ),
        Some(Cut::TooMuch(most)) => Failure::new(
            FailureKind::Unreachable,
            format!("{endpoint} sent more than {} MiB in answer to the login", most >> 20),
            "check that a server of the target's kind listens there",
        ),
        None => Failure::new(
            FailureKind::ServerLost,
            format!("{endpoint} closed the connection in the middle of the login: {error}"),
            "look into the server's error log; it may be starting, stopping, or refuse this host",
        ),
    }
}
