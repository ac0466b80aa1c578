//! Puts the server's refusals into words: what happened, where, and how to fix it.

use super::error::ClientError;
use crate::protocol::{LoginError, ServerError};
use model::{Endpoint, Failure, FailureKind, ServerAddress, System};
use system::client::Credentials;

/// Turns the error of a login into a failure.
pub fn login_failure(
    error: &LoginError,
    address: &ServerAddress,
    credentials: &Credentials,
) -> Failure {
    let endpoint = &address.endpoint;
    match error {
        LoginError::Server(refusal) => {
            let refused = refused_login(refusal, endpoint, &address.database, credentials);
            credentials.refused(refused, System::Mysql, address)
        }
        LoginError::UnsupportedPlugin(plugin) => Failure::new(
            FailureKind::AccessDenied,
            format!(
                "the account '{}' at {endpoint} uses the authentication plugin {plugin}, which \
                 weighin does not have",
                credentials.user
            ),
            "use an account with mysql_native_password, caching_sha2_password or ed25519",
        ),
        LoginError::TlsNotOffered => Failure::new(
            FailureKind::Tls,
            format!("the server at {endpoint} does not offer TLS"),
            "give the server a certificate (ssl_cert, ssl_key), or connect without TLS",
        ),
        LoginError::CompressionNotOffered => Failure::new(
            FailureKind::NotPermitted,
            format!("the server at {endpoint} does not offer compression with zlib"),
            "have zlib in protocol_compression_algorithms (MySQL), or connect without compression",
        ),
        LoginError::CleartextRefused => Failure::new(
            FailureKind::Tls,
            format!(
                "the server at {endpoint} asks for the password of '{}' in clear text on a \
                 connection without TLS",
                credentials.user
            ),
            "connect with TLS, or use an account with another authentication plugin",
        ),
        LoginError::WouldReveal => Failure::new(
            FailureKind::Tls,
            format!(
                "the server at {endpoint} asks for the password of '{}' as it is, or encrypted with a \
                 key that it sends itself, and is not verified: whoever answers there, or is in \
                 between, could read it",
                credentials.user
            ),
            "set tls = \"verified\", with tls_ca where the certificate is not a public one, or \
             server_public_key; where nobody can be in between, add --allow-cleartext to the command",
        ),
        LoginError::TooOld => Failure::new(
            FailureKind::AccessDenied,
            format!(
                "the server at {endpoint} asks for the authentication of MySQL before 4.1, which \
                 is not secure"
            ),
            "set the account's password anew with mysql_native_password or later",
        ),
        LoginError::NotMySql(reason) => Failure::new(
            FailureKind::Unreachable,
            format!("what listens at {endpoint} does not speak the MySQL protocol: {reason}"),
            "check the port: MariaDB and MySQL listen at 3306 unless told otherwise",
        ),
        LoginError::ZeroByte(_) => Failure::new(
            FailureKind::AccessDenied,
            format!("cannot log in at {endpoint}: {error}"),
            "correct the name in the target's URL",
        ),
        LoginError::KeyNotTrusted => Failure::new(
            FailureKind::Tls,
            format!(
                "the server at {endpoint} asks for the password of '{}', encrypted with a key \
                 that it would send itself: on a connection without TLS anybody could have sent it",
                credentials.user
            ),
            "connect with TLS or over a Unix socket, or give the server's key with \
             server_public_key; where nobody can intercept the connection, get_server_public_key \
             = true accepts any key",
        ),
        LoginError::DataBeforeTls
        | LoginError::Endless
        | LoginError::BadServerKey(_)
        | LoginError::BadChallenge(_)
        | LoginError::Protocol(_) => Failure::new(
            FailureKind::Other,
            format!("cannot log in at {endpoint}: {error}"),
            "if there is a proxy in between, connect to the server itself",
        ),
    }
}

fn refused_login(
    refusal: &ServerError,
    endpoint: &Endpoint,
    database: &str,
    credentials: &Credentials,
) -> Failure {
    let user = &credentials.user;
    let quoted = quoted(database);
    match refusal.code {
        // A plugin that asks the operating system (unix_socket) refuses with 1698.
        1045 | 1698 => Failure::new(
            FailureKind::AccessDenied,
            format!(
                "the server at {endpoint} does not let the user '{user}' in with {}: {refusal}",
                credentials.origin()
            ),
            "check user and password with the mariadb or mysql client; an account that requires \
             TLS is refused in the same words",
        ),
        1044 => Failure::new(
            FailureKind::AccessDenied,
            format!(
                "the user '{user}' has no rights on the database {database} at {endpoint}, or it \
                 does not exist: {refusal}"
            ),
            format!(
                "as an administrator: CREATE DATABASE IF NOT EXISTS {quoted}; GRANT ALL ON {quoted}.* TO '{user}'@'%'"
            ),
        ),
        1049 => Failure::new(
            FailureKind::MissingDatabase,
            format!("the server at {endpoint} has no database {database}"),
            format!("create it with: CREATE DATABASE {quoted}"),
        ),
        1129 => Failure::new(
            FailureKind::NotPermitted,
            format!("the server at {endpoint} blocks this host: {refusal}"),
            "unblock it with FLUSH HOSTS, and raise max_connect_errors",
        ),
        1130 => Failure::new(
            FailureKind::AccessDenied,
            format!(
                "the server at {endpoint} has no account that may come from this host: {refusal}"
            ),
            format!("create one for this host: CREATE USER '{user}'@'%' IDENTIFIED BY '…'"),
        ),
        _ => server_failure(refusal, &format!("cannot log in at {endpoint}")),
    }
}

/// What keeps an account from all that it asks for, with the way out.
fn account_state(code: u16) -> Option<(&'static str, &'static str)> {
    match code {
        // The first after a login that is good for a new password alone, the second at the login.
        1820 | 1862 => Some((
            "the password of the account has expired",
            "set a new one, as an administrator: ALTER USER 'user'@'host' IDENTIFIED BY '…'; give it to \
             weighin in the same way as before (password_file, password_env)",
        )),
        3118 | 4151 => Some((
            "the account is locked",
            "unlock it as an administrator: ALTER USER 'user'@'host' ACCOUNT UNLOCK",
        )),
        _ => None,
    }
}

/// Turns the server's refusal of anything into a failure; `what` says what did not succeed.
pub fn server_failure(refusal: &ServerError, what: &str) -> Failure {
    use FailureKind as Kind;
    if let Some((state, remedy)) = account_state(refusal.code) {
        let message = format!("{what}: {state} ({refusal})");
        return Failure::new(Kind::AccessDenied, message, remedy);
    }
    let (kind, remedy) = match refusal.code {
        1040 | 1203 | 1226 => (
            Kind::TooFewConnections,
            "raise the server's max_connections (and max_user_connections), or end other clients",
        ),
        1461 => (Kind::TooFewConnections, "raise the server's max_prepared_stmt_count"),
        1044 | 1045 | 1142 | 1143 | 1227 | 1370 | 1698 => {
            (Kind::AccessDenied, "grant the account what the message names")
        }
        1049 => (Kind::MissingDatabase, "create the database with CREATE DATABASE"),
        1146 => (Kind::MissingTables, "prepare the test tables first"),
        1021 | 1114 => (Kind::DiskFull, "make room where the server keeps its data"),
        // Whatever the statement was, the operating system's error 28 is the reason.
        // InnoDB says of its own temporary files only that they could not be written.
        1878 => (Kind::DiskFull, "make room where the server keeps its temporary files"),
        _ if refusal.message.contains("Temp file write failure") => {
            (Kind::DiskFull, "make room where the server keeps its temporary files")
        }
        _ if refusal.message.contains("No space left on device") => {
            (Kind::DiskFull, "make room where the server keeps its data or its temporary files")
        }
        1053 | 1077 | 1079 | 1080 | 1927 => {
            (Kind::ServerLost, "start the server, and look into its error log for why it ended")
        }
        1148 | 3948 | 4166 => {
            (Kind::NotPermitted, "allow it on the server with SET GLOBAL local_infile = 1")
        }
        1290 | 1792 | 1836 => (Kind::NotPermitted, "use a server that may be written to"),
        3159 => (Kind::Tls, "connect with TLS: the server takes no other connections"),
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
            Self::Broken(broken) => {
                broken.failure(what, "see with SHOW PROCESSLIST what the server is waiting for")
            }
            Self::Protocol(..) => Failure::new(
                FailureKind::Other,
                format!("{what}: {self}"),
                "if there is a proxy in between, connect to the server itself",
            ),
            Self::Infile(_) => Failure::new(FailureKind::Other, format!("{what}: {self}"), ""),
        }
    }
}

/// A name in backticks, as SQL takes it.
fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}
