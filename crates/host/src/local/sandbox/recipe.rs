//! What differs between kinds of private servers.

use super::distribution::Distribution;
use super::home::Home;
use model::Failure;
use std::fmt::Debug;
use std::io;
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;

/// How a server of one kind is made, started and recognised.
pub(super) trait Recipe: Debug + Send + Sync {
    /// The target's name, for messages.
    fn target(&self) -> &str;

    /// The server program.
    fn program(&self) -> &Path;

    /// Fills an empty home, once: data, configuration, and the login with that password, for the
    /// member of a group that of its replicas with its own; and gives it to the server.
    ///
    /// # Errors
    /// When a program fails, or a file cannot be made.
    fn prepare(
        &self,
        home: &Home,
        password: &str,
        replication_password: Option<&str>,
    ) -> Result<(), Failure>;

    /// Where its programs come from, and as whom they run.
    fn distribution(&self) -> &Distribution;

    /// The command that starts the server on a prepared home, to listen there.
    fn command(&self, home: &Home, listen: SocketAddr) -> Command;

    /// The server has come up for the first time.
    ///
    /// # Errors
    /// When something that only the first start needed cannot be removed.
    fn has_come_up(&self, home: &Home) -> Result<(), Failure>;

    /// Whether the server is ready to serve. The kernel accepts connections before the server
    /// does, so what was connected stays open between calls.
    ///
    /// # Errors
    /// When nothing listens yet, or the server closed the connection; the next call has a new one.
    fn is_ready(&self, stream: &mut UnixStream, home: &Home) -> io::Result<bool>;

    /// The file in the data directory by which a server that has ended remembers what was in its
    /// cache, to read it again when it starts; absent where it knows no such thing.
    fn cache_memory(&self) -> Option<&str>;

    /// What makes a server of this kind end sooner.
    fn slow_end_remedy(&self) -> &'static str;
}
