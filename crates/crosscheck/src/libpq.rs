//! How tools that use libpq are told where a server is, and how their connections are encrypted.

use crate::Address;
use model::FailureKind;
use std::fmt::Write;
use std::path::PathBuf;

/// Whether and how connections are encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Encryption {
    Off,
    /// Encrypted, whatever certificate the server has.
    Unverified,
    /// Encrypted; the server's certificate goes back to one in this file.
    Chain {
        roots: PathBuf,
    },
    /// Encrypted; the server's certificate is for this host, and goes back to one in this file.
    Verified {
        host: String,
        roots: PathBuf,
    },
}

/// The host, or the directory of the socket, and the port.
pub(crate) fn place(address: &Address, encryption: &Encryption) -> (String, String) {
    match address {
        Address::Tcp(address) => {
            let host = match encryption {
                Encryption::Verified { host, .. } => host.clone(),
                _ => address.ip().to_string(),
            };
            (host, address.port().to_string())
        }
        Address::Unix(path) => {
            let directory = path.parent().map(|path| path.display().to_string());
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let port = name.strip_prefix(".s.PGSQL.").unwrap_or("5432");
            (directory.unwrap_or_default(), port.to_owned())
        }
    }
}

/// The name of a database, with everything else that libpq is to know: it takes both in its place, and what
/// stands there goes before the environment.
pub(crate) fn database(name: &str, address: &Address, encryption: &Encryption) -> String {
    let mut words = format!("dbname={}", quoted(name));
    let mut add = |key: &str, value: &str| {
        let _ = write!(words, " {key}={}", quoted(value));
    };
    match encryption {
        Encryption::Off => add("sslmode", "disable"),
        Encryption::Unverified => add("sslmode", "require"),
        Encryption::Chain { roots } => {
            add("sslmode", "verify-ca");
            add("sslrootcert", &roots.display().to_string());
        }
        Encryption::Verified { roots, .. } => {
            add("sslmode", "verify-full");
            add("sslrootcert", &roots.display().to_string());
            if let Address::Tcp(address) = address {
                add("hostaddr", &address.ip().to_string());
            }
        }
    }
    // It would be tried first, and be what is measured.
    add("gssencmode", "disable");
    words
}

/// A line of a file of passwords that fits every server; the tool connects to one.
pub(crate) fn password_line(password: &[u8]) -> Vec<u8> {
    let mut line = b"*:*:*:*:".to_vec();
    for &byte in password {
        if matches!(byte, b':' | b'\\') {
            line.push(b'\\');
        }
        line.push(byte);
    }
    line.push(b'\n');
    line
}

/// What kind of trouble a tool had, by words that libpq and servers have for it in English.
pub(crate) fn trouble(said: &str) -> (FailureKind, &'static str) {
    let has = |words: &[&str]| words.iter().any(|words| said.contains(words));
    if has(&["authentication failed", "no pg_hba.conf entry", "permission denied"]) {
        (FailureKind::AccessDenied, "check user, password and rights")
    } else if has(&["database \""]) && has(&["does not exist"]) {
        (FailureKind::MissingDatabase, "create the database")
    } else if has(&["relation \"", "could not count number of branches"]) {
        (FailureKind::MissingTables, "make the tables that the tool works on")
    } else if has(&["too many clients", "remaining connection slots", "too many connections"]) {
        (FailureKind::TooFewConnections, "raise the server's max_connections")
    } else if has(&["Connection refused", "No such file or directory", "could not translate"]) {
        (FailureKind::Unreachable, "see whether the server runs and listens there")
    } else if has(&["server closed the connection", "terminating connection"]) {
        (FailureKind::ServerLost, "see whether the server runs, and look into its log")
    } else {
        (FailureKind::Other, "run the same tool by hand to see all that it says")
    }
}

fn quoted(value: &str) -> String {
    format!("'{}'", value.replace('\\', "\\\\").replace('\'', "\\'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_libpq_is_told_goes_before_its_environment() {
        let address = Address::Tcp(([127, 0, 0, 1], 5433).into());
        let words = database("it's", &address, &Encryption::Off);
        assert_eq!(words, "dbname='it\\'s' sslmode='disable' gssencmode='disable'");
        let verified = Encryption::Verified { host: "db.example".into(), roots: "/ca.pem".into() };
        let words = database("shop", &address, &verified);
        for part in ["sslmode='verify-full'", "sslrootcert='/ca.pem'", "hostaddr='127.0.0.1'"] {
            assert!(words.contains(part), "{words}");
        }
        assert_eq!(place(&address, &verified), ("db.example".into(), "5433".into()));
        let socket = Address::Unix("/run/pg/.s.PGSQL.6000".into());
        assert_eq!(place(&socket, &Encryption::Off), ("/run/pg".into(), "6000".into()));
    }

    #[test]
    fn a_password_is_escaped_as_its_file_wants_it() {
        assert_eq!(password_line(b"a:b\\c"), b"*:*:*:*:a\\:b\\\\c\n");
    }
}
