use crate::Login;
use engine::storage::StorageError;
use engine::{LoadError, OperationError, SessionError};
use model::{ErrorClass, Failure, FailureKind, System};
use protocol::mysql::ServerError;
use target::client::redis::refusal;
use target::client::{connect_failure, login_failure, server_failure};

/// Turns what ended a load early into a failure that says how to mend it.
pub fn load_failure(error: &LoadError, login: &Login) -> Failure {
    let endpoint = &login.address().endpoint;
    match error {
        LoadError::Connect { source, .. } => connect_failure(source, endpoint),
        LoadError::Session(SessionError::Login(error)) => match error.downcast_ref() {
            Some(error) => {
                login_failure(error, endpoint, &login.address().database, login.credentials())
            }
            None => Failure::new(
                FailureKind::Other,
                format!("cannot log in at {endpoint}: {error}"),
                "",
            ),
        },
        LoadError::Session(SessionError::LoginRefused(refused)) => {
            let (kind, remedy) = refusal(&refused.message);
            Failure::new(kind, format!("cannot log in at {endpoint}: {error}"), remedy)
        }
        LoadError::Session(SessionError::Refused(refused)) if login.system() == System::Redis => {
            let (kind, remedy) = refusal(&refused.message);
            Failure::new(kind, format!("{error} at {endpoint}"), remedy)
        }
        LoadError::Session(SessionError::Prepare { statement, error }) => {
            server_failure(&server_error(error), &format!("cannot prepare «{statement}»"))
        }
        LoadError::Session(SessionError::Refused(refused)) => Failure::new(
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
                _ => "prepare the tables anew with weighin prepare",
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
        LoadError::ConnectTimeout { .. } => Failure::new(
            FailureKind::TimedOut,
            format!("{endpoint}: {error}"),
            match login.system() {
                System::Redis => "see with CLIENT LIST and the server's log what it is doing",
                System::MariaDb | System::Storage | System::Unknown => {
                    "see with SHOW PROCESSLIST what the server is waiting for"
                }
            },
        ),
        LoadError::Lost(_) => Failure::new(
            FailureKind::ServerLost,
            format!("{endpoint}: {error}"),
            "see whether the server runs, and look into its error log",
        ),
        LoadError::Tls(_) => Failure::new(
            FailureKind::Tls,
            format!("{endpoint}: {error}"),
            "check the server's certificate, or set tls = \"unverified\"",
        ),
        LoadError::Storage(error) => storage_failure(error),
        LoadError::NoRing(_) => no_ring(error),
        LoadError::System(_) => Failure::new(
            FailureKind::Other,
            format!("this machine refused what the load needs: {error}"),
            "check the limits on open files (ulimit -n) and memory",
        ),
        LoadError::Stopped => Failure::stopped(),
    }
}

/// The server's error as its protocol has it.
fn server_error(error: &OperationError) -> ServerError {
    ServerError {
        code: error.code.parse().unwrap_or(0),
        sql_state: error.sql_state.as_bytes().try_into().unwrap_or(*b"HY000"),
        message: error.message.clone(),
    }
}

/// A host without io_uring, which was asked for by name.
pub(crate) fn no_ring(error: &LoadError) -> Failure {
    let remedy = "leave out --io: another way is taken then; or permit io_uring here (the sysctl \
                  kernel.io_uring_disabled, a container's seccomp profile)";
    Failure::new(FailureKind::NotPermitted, error.to_string(), remedy)
}

/// Turns what kept storage from being used into a failure that says how to mend it.
pub fn storage_failure(error: &StorageError) -> Failure {
    let (kind, remedy) = match (error, error.class()) {
        (StorageError::NoDirect { .. }, _) => (
            FailureKind::Other,
            "choose a directory on a file system that does input and output past the page cache",
        ),
        (StorageError::Block { .. }, _) => {
            (FailureKind::Other, "ask for blocks that are a multiple of the device's own")
        }
        (StorageError::Memory { .. }, _) => (
            FailureKind::Other,
            "keep fewer or smaller blocks in flight, or fewer virtual machines",
        ),
        (StorageError::TooShort { .. }, _) => {
            (FailureKind::DiskFull, "make the files anew, or ask for less data")
        }
        (StorageError::Foreign { .. }, _) => {
            (FailureKind::ForeignData, "move it elsewhere, or choose another directory")
        }
        (StorageError::Processors { .. }, _) => (
            FailureKind::NotPermitted,
            "let nobody else move or remove the control groups of weighin",
        ),
        (StorageError::Uncounted { .. }, _) => (
            FailureKind::NotPermitted,
            "take a kernel whose control groups count processor time (CONFIG_CFS_BANDWIDTH), or \
             leave `cpu_oversubscription` out",
        ),
        (_, ErrorClass::Permission) => {
            (FailureKind::AccessDenied, "let this user read and write what the message names")
        }
        (_, ErrorClass::Resource) => {
            (FailureKind::DiskFull, "make room on the volume, or ask for less data")
        }
        (_, ErrorClass::Device) => {
            (FailureKind::VolumeFailed, "see with dmesg what the kernel says of the device")
        }
        (_, ErrorClass::Corruption) => (
            FailureKind::Other,
            "trust no data to this storage before it is known what changed the block",
        ),
        _ => (FailureKind::Other, "see with dmesg what the kernel says of the device"),
    };
    Failure::new(kind, error.to_string(), remedy)
}
