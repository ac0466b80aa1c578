//! Where the password of a login comes from, and whether what crosses a network is encrypted.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Where a password comes from; never the password.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PasswordSource {
    /// The user's option files (`~/.my.cnf`), or none where they name none.
    OptionFile,
    /// What the user's own files have under the name of a service, with where that is.
    Service(String),
    /// An environment variable.
    Environment(String),
    /// A file that holds it alone, on one line.
    File(PathBuf),
}

impl PasswordSource {
    /// This where it names a place, else the other.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if self == Self::OptionFile { other } else { self }
    }

    /// Whether it is the user's own files that say, and nothing that was named.
    pub fn is_usual(&self) -> bool {
        matches!(self, Self::OptionFile | Self::Service(_))
    }
}

/// Whether a connection is encrypted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tls {
    /// Never.
    Off,
    /// In the clear; encrypted where the server does not let one in so. Certificates of this file, if any,
    /// are what its own goes back to.
    Allowed(Option<PathBuf>),
    /// Encrypted, as for [`Self::Allowed`]; in the clear where the server does not let one in so.
    Preferred(Option<PathBuf>),
    /// Encrypted, the server's certificate taken as it is.
    Unverified,
    /// Encrypted, and the certificate goes back to one of this PEM file, for whichever host it is.
    Chain(PathBuf),
    /// Encrypted, certificate and host name checked against the system's roots, or against the
    /// certificates of this PEM file.
    Verified(Option<PathBuf>),
    /// Encrypted, and the server's certificate is this one, in PEM: that of a private server on another
    /// machine, which has said so over ssh.
    Pinned(String),
}

impl Tls {
    /// What is tried, in this order.
    pub fn attempts(&self) -> Vec<Self> {
        let encrypted =
            |roots: &Option<PathBuf>| roots.clone().map_or(Self::Unverified, Self::Chain);
        match self {
            Self::Allowed(roots) => vec![Self::Off, encrypted(roots)],
            Self::Preferred(roots) => vec![encrypted(roots), Self::Off],
            one => vec![one.clone()],
        }
    }

    /// Whether whatever is sent is encrypted, if it is sent at all.
    pub fn is_certain(&self) -> bool {
        !matches!(self, Self::Off | Self::Allowed(_) | Self::Preferred(_))
    }
}
