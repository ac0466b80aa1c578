//! Everything that starting a private server takes, put together once.

use super::account::RunAs;
use super::home::Home;
use super::programs::Programs;
use super::settings::Settings;
use crate::os;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Connections that a server allows unless its settings say otherwise: a thousand clients and a
/// few for weighin itself. It sets a limit and reserves nothing that would change a measurement.
const MAX_CONNECTIONS: &str = "--max_connections=1100";

/// How a target's server is started.
#[derive(Debug)]
pub(super) struct Launch {
    /// The target's name, for messages.
    pub(super) name: String,
    /// What is run.
    pub(super) programs: Programs,
    /// The target's settings.
    pub(super) settings: Settings,
    /// Whom the server runs as.
    pub(super) run_as: RunAs,
}

impl Launch {
    /// Starts the server process, which is then on its way up.
    ///
    /// # Errors
    /// When the program can't be run, or its log can't be made.
    pub(super) fn spawn(&self, home: &Home, port: u16, init: Option<&Path>) -> io::Result<Child> {
        let log = File::options().create(true).append(true).open(home.log())?;
        let mut command = Command::new(&self.programs.server);
        command
            .arg("--no-defaults")
            .args(["--skip-name-resolve", MAX_CONNECTIONS])
            .args(self.settings.options())
            // Of an option given twice the last one counts, also when a setting is an abbreviation.
            .arg(path_option("--basedir=", &self.programs.base))
            .arg(path_option("--datadir=", &home.data()))
            .arg(path_option("--tmpdir=", &home.temporary()))
            .arg(path_option("--socket=", &home.socket()))
            .arg(path_option("--pid-file=", &home.run().join("server.pid")))
            .args(init.map(|file| path_option("--init-file=", file)))
            .args(self.run_as.user_option().map(|user| format!("--user={user}")))
            .arg(format!("--port={port}"))
            .arg(format!("--bind-address={}", Ipv4Addr::LOCALHOST))
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            // A group of its own: Ctrl-C in a terminal is for weighin, which ends the server then.
            .process_group(0);
        command.spawn()
    }
}

/// An option whose value is a path, which need not be UTF-8.
pub(super) fn path_option(name: &str, path: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(path);
    option
}

/// A loopback port that is free now. Another process may take it before the server does.
///
/// It lies below the ports that Linux gives to outgoing connections (from 32768 on, unless
/// configured otherwise): there, a thousand clients that reconnect while the server restarts could
/// take its port, or one could even be connected to itself.
///
/// # Errors
/// When no port can be had.
pub(super) fn free_port() -> io::Result<u16> {
    const FIRST: u16 = 20_000;
    const COUNT: u16 = 12_000;
    let random = u16::from_str_radix(&os::random_hex(2)?, 16).unwrap_or_default();
    let free = |port: &u16| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok();
    (0..COUNT)
        .map(|step| FIRST + (random % COUNT + step) % COUNT)
        .find(free)
        .ok_or_else(|| io::ErrorKind::AddrInUse.into())
}
