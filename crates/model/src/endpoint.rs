use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Endpoint {
    /// TCP.
    Tcp {
        /// Name or address.
        host: String,
        /// Port.
        port: u16,
    },
    /// Unix socket.
    Socket(PathBuf),
    /// Of a server that is not up yet: `up` of its instance will tell.
    NotUp,
}

impl std::fmt::Display for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tcp { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::Tcp { host, port } => write!(f, "{host}:{port}"),
            Self::Socket(path) => write!(f, "{}", path.display()),
            Self::NotUp => f.write_str("an instance that is not up"),
        }
    }
}
