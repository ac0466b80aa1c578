//! Puts the server's refusals into words: what happened, where, and how to fix it.

use super::error::ClientError;
use crate::protocol::{LoginError, ServerError};
use model::{Endpoint, Failure, FailureKind, ServerAddress, System};
use system::client::Credentials;

/// Where to see what a slow server is busy with.
pub(crate) const LOOK: &str = "see in pg_stat_activity what the server is waiting for";

pub(super) fn no_tls(endpoint: &Endpoint) -> Failure {
    Failure::new(
        FailureKind::Tls,
        format!("the server at {endpoint} does not offer TLS"),
        "give the server a certificate (ssl = on, ssl_cert_file, ssl_key_file), or connect without TLS",
    )
}

/// Turns the error of a login into a failure.
pub fn login_failure(
    error: &LoginError,
    address: &ServerAddress,
    credentials: &Credentials,
) -> Failure {
    let (endpoint, user) = (&address.endpoint, &credentials.user);
    let without_tls = "on a connection without TLS: whoever listens could find the password out";
    match error {
        LoginError::Server(refusal) => {
            let refused = refused_login(refusal, address, credentials);
            credentials.refused(refused, System::Postgres, address)
        }
        LoginError::TlsNotOffered => no_tls(endpoint),
        LoginError::NotPostgres => Failure::new(
            FailureKind::Unreachable,
            format!("what listens at {endpoint} does not speak the PostgreSQL protocol"),
            "check the port: PostgreSQL listens at 5432 unless told otherwise",
        ),
        LoginError::NoPassword => Failure::new(
            FailureKind::AccessDenied,
            format!(
                "the server at {endpoint} asks for the password of '{user}', and there is none: {}",
                credentials.origin()
            ),
            "give it with password_env or password_file, in PGPASSWORD or in ~/.pgpass",
        ),
        LoginError::CleartextRefused => Failure::new(
            FailureKind::Tls,
            format!(
                "the server at {endpoint} asks for the password of '{user}' as it is, {without_tls}"
            ),
            "connect with TLS, or have scram-sha-256 in the server's pg_hba.conf",
        ),
        LoginError::WouldReveal => Failure::new(
            FailureKind::Tls,
            format!(
                "the server at {endpoint} asks for the password of '{user}' as it is, and is not \
                 verified: whoever answers there, or is in between, could read it"
            ),
            "set tls = \"verified\", with tls_ca where the certificate is not a public one; where \
             nobody can be in between, add --allow-cleartext to the command",
        ),
        LoginError::Md5Refused => Failure::new(
            FailureKind::Tls,
            format!(
                "the server at {endpoint} asks for the password of '{user}' hashed with MD5, \
                 {without_tls}"
            ),
            "connect with TLS, or set the password anew with password_encryption = \
             'scram-sha-256'; where nobody can listen, add --allow-cleartext to the command",
        ),
        LoginError::NotAllowed { asks, allowed } => Failure::new(
            FailureKind::AccessDenied,
            format!(
                "the server at {endpoint} {asks}, and require_auth allows '{user}' no other method than \
                 {allowed}"
            ),
            "have one of these methods for this user in the server's pg_hba.conf, or name the server's in \
             require_auth",
        ),
        LoginError::Unsupported(method) => Failure::new(
            FailureKind::AccessDenied,
            format!(
                "the server at {endpoint} asks '{user}' for authentication by {method}, which \
                 weighin does not have"
            ),
            "have scram-sha-256, or another method by password, in the server's pg_hba.conf",
        ),
        LoginError::NotProven(_) | LoginError::Skipped => Failure::new(
            FailureKind::AccessDenied,
            format!("the login of '{user}' at {endpoint} was broken off: {error}"),
            "check the password; if it is right, check that nobody answers in the server's place",
        ),
        LoginError::Endless | LoginError::Protocol(_) => Failure::new(
            FailureKind::Other,
            format!("cannot log in at {endpoint}: {error}"),
            "if there is a proxy in between, connect to the server itself",
        ),
    }
}

fn refused_login(
    refusal: &ServerError,
    address: &ServerAddress,
    credentials: &Credentials,
) -> Failure {
    let (endpoint, user, database) = (&address.endpoint, &credentials.user, &address.database);
    match &refusal.sql_state {
        b"28P01" => Failure::new(
            FailureKind::AccessDenied,
            format!(
                "the server at {endpoint} does not let the user '{user}' in with {}: {refusal}",
                credentials.origin()
            ),
            "check user and password with psql",
        ),
        b"28000" => Failure::new(
            FailureKind::AccessDenied,
            format!("the server at {endpoint} does not let the user '{user}' in: {refusal}"),
            "check the user with psql; a line for this host, user and database, and whether it asks \
             for TLS, is in the server's pg_hba.conf",
        ),
        b"3D000" => Failure::new(
            FailureKind::MissingDatabase,
            format!("the server at {endpoint} has no database {database}"),
            format!("create it with: CREATE DATABASE {}", quoted(database)),
        ),
        // Servers know all that weighin begins a session with.
        b"08P01" if refusal.message.contains("startup parameter") => Failure::new(
            FailureKind::NotPermitted,
            format!(
                "a pooler at {endpoint} does not take what sessions that only read begin with: {refusal}"
            ),
            "have it leave that out (of PgBouncer: ignore_startup_parameters = \
             default_transaction_read_only), or say writes = true with the test, so that no server \
             has to see to it",
        ),
        b"42501" => Failure::new(
            FailureKind::AccessDenied,
            format!(
                "the user '{user}' may not use the database {database} at {endpoint}: {refusal}"
            ),
            format!(
                "as an administrator: GRANT ALL ON DATABASE {} TO {}",
                quoted(database),
                quoted(user)
            ),
        ),
        _ => server_failure(refusal, &format!("cannot log in at {endpoint}")),
    }
}

/// Turns the server's refusal of anything into a failure; `what` says what did not succeed.
pub fn server_failure(refusal: &ServerError, what: &str) -> Failure {
    use FailureKind as Kind;
    let (kind, remedy) = match &refusal.sql_state {
        b"53300" => (
            Kind::TooFewConnections,
            "raise the server's max_connections (and the limits of the account and the database), or \
             end other clients",
        ),
        b"53100" => (Kind::DiskFull, "make room where the server keeps its data or its WAL"),
        b"53400" => (Kind::DiskFull, "raise temp_file_limit, or give the statement less to sort"),
        b"25006" => (Kind::NotPermitted, "use a server that may be written to: no replica"),
        b"57P01" | b"57P02" | b"57P03" | b"57P04" | b"57P05" => {
            (Kind::ServerLost, "start the server, and look into its log for why it ended")
        }
        b"57014" => (
            Kind::TimedOut,
            "see whether statement_timeout or lock_timeout ended it, or somebody cancelled it",
        ),
        b"42P01" => (Kind::MissingTables, "prepare the test tables first"),
        b"3D000" => (Kind::MissingDatabase, "create the database with CREATE DATABASE"),
        b"42501" => (Kind::AccessDenied, "grant the account what the message names"),
        state if state.starts_with(b"28") => {
            (Kind::AccessDenied, "check user, password and the server's pg_hba.conf")
        }
        state if state.starts_with(b"08") => {
            (Kind::ServerLost, "see whether the server runs, and look into its log")
        }
        _ => (Kind::Statement, ""),
    };
    Failure::new(kind, format!("{what}: {refusal}"), remedy)
}

impl ClientError {
    /// Turns the error into a failure; `what` says what did not succeed, such as `cannot create the
    /// table sbtest1`.
    pub fn failure(&self, what: &str) -> Failure {
        match self {
            Self::Server(refusal) => server_failure(refusal, what),
            Self::Ended(endpoint, refusal) => {
                server_failure(refusal, &format!("{what}: {endpoint} closed the connection"))
            }
            Self::Broken(broken) => broken.failure(what, LOOK),
            Self::Protocol(..) => Failure::new(
                FailureKind::Other,
                format!("{what}: {self}"),
                "if there is a proxy in between, connect to the server itself",
            ),
            Self::UnwantedCopy => Failure::new(FailureKind::Other, format!("{what}: {self}"), ""),
        }
    }
}

/// A name as SQL takes it, whatever is in it.
pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
