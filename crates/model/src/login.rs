//! Where the password of a login comes from, and whether what crosses a network is encrypted.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Where a password comes from; never the password.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PasswordSource {
    /// The user's option files (`~/.my.cnf`), or none where they name none.
    OptionFile,
    /// An environment variable.
    Environment(String),
    /// A file that holds it alone, on one line.
    File(PathBuf),
}

/// Whether a connection is encrypted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tls {
    /// Never.
    Off,
    /// Encrypted, the server's certificate taken as it is.
    Unverified,
    /// Encrypted, certificate and host name checked against the system's roots, or against the
    /// certificates of this PEM file.
    Verified(Option<PathBuf>),
    /// Encrypted, and the server's certificate is this one, in PEM: that of a private server on another
    /// machine, which has said so over ssh.
    Pinned(String),
}
