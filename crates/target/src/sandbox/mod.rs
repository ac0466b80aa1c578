//! Private MariaDB servers, started from the installed binaries and gone when weighin is.

use model::{Failure, FailureKind, ServerAddress};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// How to start a private server.
#[derive(Clone, Debug, Default)]
pub struct SandboxOptions {
    /// The target's name, for messages.
    pub name: String,
    /// Server settings by name as in an option file, without `--`; an empty value stands for an
    /// option without one.
    pub settings: BTreeMap<String, String>,
    /// Directory under which the server's own directory is made; `$WEIGHIN_SANDBOX_DIR`, else
    /// `/var/tmp`, else the temporary directory when absent.
    pub directory: Option<PathBuf>,
}

/// A password that `Debug` does not show.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(String);

impl Password {
    /// The password itself.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Password {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Password(hidden)")
    }
}

/// A private server, running or stopped. Dropping it ends the server and removes its data.
#[derive(Debug)]
pub struct Sandbox {
    address: ServerAddress,
    socket: PathBuf,
    data: PathBuf,
    password: Password,
    port: u16,
    pid: u32,
}

impl Sandbox {
    /// Makes a data directory and starts a server on it; returns when the server answers.
    ///
    /// # Errors
    /// When no server is installed, or it does not start with these settings.
    pub fn start(options: SandboxOptions) -> Result<Self, Failure> {
        Err(Failure::new(FailureKind::Other, options.name, ""))
    }

    /// Where the server listens on loopback, with login, database and where the password is.
    pub fn address(&self) -> &ServerAddress {
        &self.address
    }

    /// The server's Unix socket.
    pub fn socket(&self) -> &Path {
        &self.socket
    }

    /// The server's port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The password of the login in [`Self::address`].
    pub fn password(&self) -> &Password {
        &self.password
    }

    /// Process id of the server; of the last one while it is stopped.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// The server's data directory.
    pub fn data_directory(&self) -> &Path {
        &self.data
    }

    /// Shuts the server down cleanly; does nothing when it is stopped.
    ///
    /// # Errors
    /// When it had to be killed because it did not end in time.
    pub fn stop(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// Starts the server again on the same data; does nothing when it runs.
    ///
    /// # Errors
    /// When it does not start.
    pub fn start_again(&mut self) -> Result<(), Failure> {
        Ok(())
    }

    /// Stops the server and starts it again on the same data.
    ///
    /// # Errors
    /// As [`Self::stop`] and [`Self::start_again`].
    pub fn restart(&mut self) -> Result<(), Failure> {
        self.stop()?;
        self.start_again()
    }
}
