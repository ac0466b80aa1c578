use std::net::SocketAddr;
use std::path::PathBuf;

/// Where a server listens. A host's name is resolved before: the tools then reach the very server
/// that weighin reached, and sysbench's client library would take `localhost` for a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// TCP.
    Tcp(SocketAddr),
    /// Unix socket.
    Socket(PathBuf),
}
