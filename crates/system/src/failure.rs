use crate::client::connect_failure;
use engine::{LoadError, SessionError};
use model::{Endpoint, ErrorClass, Failure, FailureKind};

/// What ended a load on a server early, where it is the same for every kind of server. `look` says
/// where to see what a slow server is busy with.
pub fn server_load_failure(error: &LoadError, endpoint: &Endpoint, look: &str) -> Failure {
    match error {
        LoadError::Connect { source, .. } => connect_failure(source, endpoint),
        LoadError::Session(SessionError::Login(reason) | SessionError::NoRoom(reason)) => {
            Failure::new(FailureKind::Other, format!("cannot log in at {endpoint}: {reason}"), "")
        }
        LoadError::Session(
            SessionError::LoginRefused(refused)
            | SessionError::Refused(refused)
            | SessionError::Prepare { error: refused, .. },
        ) => Failure::new(
            match refused.class {
                ErrorClass::Connection => FailureKind::ServerLost,
                ErrorClass::Permission => FailureKind::AccessDenied,
                ErrorClass::Resource => FailureKind::DiskFull,
                _ => FailureKind::Statement,
            },
            format!("{error} at {endpoint}"),
            match refused.class {
                ErrorClass::Permission => "grant the account what the message names",
                ErrorClass::Resource => "give the server what the message names",
                ErrorClass::Connection => {
                    "see whether the server runs, and look into its error log"
                }
                _ => {
                    "correct the script if it is one of yours; otherwise prepare the tables anew with weighin \
                      prepare"
                }
            },
        ),
        LoadError::Session(SessionError::Protocol(_)) => Failure::new(
            FailureKind::Other,
            format!("{error} at {endpoint}"),
            "if there is a proxy in between, connect to the server itself",
        ),
        LoadError::LoginTimeout { .. } => Failure::new(
            FailureKind::TimedOut,
            format!("{endpoint} {error}"),
            "see what the server is doing, and whether something in between holds up connections",
        ),
        LoadError::ConnectTimeout { .. } => {
            Failure::new(FailureKind::TimedOut, format!("{endpoint}: {error}"), look)
        }
        LoadError::Lost(_) | LoadError::Session(SessionError::Closed) => Failure::new(
            FailureKind::ServerLost,
            format!("{endpoint}: {error}"),
            "see whether the server runs, and look into its error log",
        ),
        LoadError::Unanswered { .. } => {
            Failure::new(FailureKind::TimedOut, format!("{endpoint}: {error}"), look)
        }
        LoadError::Tls(_) => Failure::new(
            FailureKind::Tls,
            format!("{endpoint}: {error}"),
            "check the server's certificate, or set tls = \"unverified\"",
        ),
        LoadError::Storage(_) | LoadError::NoRing(_) | LoadError::System(_) => {
            local_load_failure(error)
        }
        LoadError::Stopped => Failure::stopped(),
    }
}

/// What ended a load early that reached no server.
pub fn local_load_failure(error: &LoadError) -> Failure {
    match error {
        LoadError::Storage(error) => error.into(),
        LoadError::NoRing(_) => no_ring(error),
        LoadError::Stopped => Failure::stopped(),
        LoadError::Unanswered { .. } => Failure::new(
            FailureKind::TimedOut,
            error.to_string(),
            "see with dmesg what the kernel says of the device, and whether something throttles it",
        ),
        _ => Failure::new(
            FailureKind::Other,
            format!("this machine refused what the load needs: {error}"),
            "check the limits on open files (ulimit -n) and memory",
        ),
    }
}

/// A host without io_uring, which was asked for by name.
fn no_ring(error: &LoadError) -> Failure {
    let remedy = "leave out --io: weighin then takes another way; or permit io_uring here (the sysctl \
                  kernel.io_uring_disabled, a container's seccomp profile)";
    Failure::new(FailureKind::NotPermitted, error.to_string(), remedy)
}
