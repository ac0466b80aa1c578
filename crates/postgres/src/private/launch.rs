//! Everything that starting a private server takes.

use super::facts::{DATABASE, FACTS, USER};
use super::hba;
use super::member;
use super::programs::Programs;
use super::settings::Settings;
use host::recipe::{
    CERTIFICATE, Distribution, GroupMember, Home, InitialData, KEY, PrivateServerKind, Recipe,
    RecipeOrder, ServerProgram, file_trouble, run_initialiser,
};
use model::Failure;
use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Connections that a server allows unless its settings say otherwise: a thousand clients and a
/// few for weighin itself.
const MAX_CONNECTIONS: &str = "max_connections=1100";
/// Where the tables and indexes of queries go that need more than their memory, where those have a volume
/// of their own: `home` makes a directory of that name for it.
const TEMPORARY_VOLUME: &str = "temporary";
/// The tablespace on it.
const TEMPORARY_TABLESPACE: &str = "weighin_temporary";
/// The server makes it anew at each start.
const NAME_FILE: &str = "postmaster.opts";
/// How long a connection is waited for that the server has to make a process for.
const ANSWER_LIMIT: Duration = Duration::from_secs(2);

/// PostgreSQL.
///
/// Servers allow 1100 connections unless the settings say otherwise. All other settings are the server's
/// own defaults.
pub static KIND: PrivateServerKind = PrivateServerKind {
    facts: FACTS,
    recipe: |order, distribution| Ok(Box::new(Postgres::new(order, distribution)?)),
};

/// How a target's server is started. It refuses to be root.
#[derive(Debug)]
struct Postgres {
    program: ServerProgram,
    initialiser: PathBuf,
    version: String,
    settings: Settings,
    member: Option<GroupMember>,
    /// Of a replica: the data directory of its primary, which is stopped.
    primary: Option<PathBuf>,
}

impl Postgres {
    /// Finds the programs and checks the settings.
    ///
    /// # Errors
    /// `MissingProgram` when there is no server, `SandboxStart` that names a setting, `NotPermitted` where
    /// no account could run it.
    fn new(order: RecipeOrder, distribution: Distribution) -> Result<Self, Failure> {
        let RecipeOrder { target, settings, trusted, member, data, .. } = order;
        let primary = data.filter(|_| member::is_replica(member));
        let distribution = distribution.never_root()?;
        let programs = Programs::find(&distribution)?;
        let settings = Settings::new(&target, &settings, trusted, &programs, &distribution)?;
        let Programs { server: path, initialiser, version } = programs;
        let program = ServerProgram { target, distribution, path };
        Ok(Self { program, initialiser, version, settings, member, primary })
    }

    /// Has the server carry out statements on its data while nobody can connect to it.
    fn alone(&self, home: &Home, statements: &str) -> Result<(), Failure> {
        let mut command = self.program.distribution.command(&self.program.path, home);
        command.arg("--single").arg("-D").arg(home.data());
        // Whatever is lost with the machine is made again. An error ends it, and what it says of that has
        // no statement in it, which may hold a password.
        command.args(["-c", "fsync=off", "-c", "exit_on_error=on"]);
        command.args(["-c", "log_min_error_statement=panic"]);
        // Any database will do for statements about all of them.
        command.arg("template1");
        run_initialiser(command, statements.as_bytes(), &FACTS.log_words)
    }

    fn initialise(&self, home: &Home) -> Result<(), Failure> {
        let mut command = self.program.distribution.command(&self.initialiser, home);
        command.arg("-D").arg(home.data()).args([
            "--username", USER,
            // Nobody logs in by what it would write: weighin has a file of its own.
            "--auth=reject",
            // The same on every machine, whatever languages it knows.
            "--encoding=UTF8", "--locale=C", "--no-sync",
        ]);
        run_initialiser(command, &[], &FACTS.log_words)?;
        self.alone(home, &format!("CREATE DATABASE {DATABASE};\n"))
    }
}

impl Recipe for Postgres {
    fn program(&self) -> &ServerProgram {
        &self.program
    }

    fn prepare(
        &self,
        home: &Home,
        password: &str,
        replication_password: Option<&str>,
    ) -> Result<(), Failure> {
        let run_as = self.program.run_as();
        let files = |error| file_trouble("the login", &home.run(), &error);
        let hba = hba::text(home.has(CERTIFICATE), self.member.is_some());
        home.write(hba::FILE, &hba).and_then(|file| run_as.give_file(&file)).map_err(files)?;
        if let Some(primary) = &self.primary {
            home.copy_server(primary, &[NAME_FILE], run_as)?;
            let marked = home.mark_data(member::STANDBY_FILE, run_as);
            return marked.map_err(|error| file_trouble("a replica", &home.data(), &error));
        }
        let data = InitialData {
            distribution: &self.program.distribution,
            version: format!("postgresql-{}", self.version),
            made_by: vec![&self.program.path, &self.initialiser],
            options: Vec::new(),
            name_file: NAME_FILE,
            make: &|home| self.initialise(home),
        };
        data.fill(home)?;
        let mut statements = format!("ALTER USER {USER} PASSWORD '{password}';\n");
        statements.extend(replication_password.map(member::account));
        if home.has(TEMPORARY_VOLUME) {
            let place = home.temporary().display().to_string().replace('\'', "''");
            statements +=
                &format!("CREATE TABLESPACE {TEMPORARY_TABLESPACE} LOCATION '{place}';\n");
        }
        self.alone(home, &statements)
    }

    fn command(&self, home: &Home, listen: SocketAddr) -> Command {
        link_socket(home, listen.port());
        let mut command = self.program.command(home);
        let mut option = |name: &str, value: &dyn AsRef<Path>| {
            let mut option = OsString::from(format!("{name}="));
            option.push(value.as_ref());
            command.arg("-c").arg(option);
        };
        option("hba_file", &home.path_of(hba::FILE));
        // A list, in which a path with a comma has quotes.
        option("unix_socket_directories", &format!("\"{}\"", home.run().display()));
        option("listen_addresses", &listen.ip().to_string());
        option("port", &listen.port().to_string());
        if home.has(CERTIFICATE) {
            option("ssl", &"on");
            option("ssl_cert_file", &home.path_of(CERTIFICATE));
            option("ssl_key_file", &home.path_of(KEY));
        }
        if home.has(TEMPORARY_VOLUME) {
            option("temp_tablespaces", &TEMPORARY_TABLESPACE);
        }
        command.arg("-D").arg(home.data());
        // Of an option given twice the last one counts.
        command.args(["-c", MAX_CONNECTIONS]);
        for option in self.member.iter().flat_map(member::options) {
            command.arg("-c").arg(option);
        }
        command.args(self.settings.options());
        command
    }

    fn is_ready(&self, stream: &mut UnixStream, _home: &Home) -> io::Result<bool> {
        asks_for_password(stream)
    }

    fn has_processes(&self) -> bool {
        true
    }

    /// Where its extension pg_prewarm is loaded.
    fn cache_memory(&self) -> Option<&str> {
        Some("autoprewarm.blocks")
    }

    fn slow_end_remedy(&self) -> &'static str {
        "a smaller shared_buffers or max_wal_size leaves less to write"
    }
}

/// Asks for a login: a server that still reads its log refuses, and closes the connection.
pub(super) fn asks_for_password(stream: &mut UnixStream) -> io::Result<bool> {
    const VERSION: u32 = 3 << 16;
    // Making a process for it takes a while on a busy machine.
    stream.set_read_timeout(Some(ANSWER_LIMIT))?;
    let words = format!("user\0{USER}\0database\0{DATABASE}\0\0");
    let length = 8 + words.len() as u32;
    let mut startup = Vec::new();
    startup.extend(length.to_be_bytes());
    startup.extend(VERSION.to_be_bytes());
    startup.extend(words.bytes());
    stream.write_all(&startup)?;
    let mut kind = [0];
    stream.read_exact(&mut kind)?;
    match kind {
        [b'R'] => Ok(true),
        _ => Err(io::ErrorKind::ConnectionRefused.into()),
    }
}

/// The server names its socket by its port; a link gives it the name that other servers have for theirs.
/// It lies in the server's own directory, and leads to nothing outside of it. Where it cannot be made, the
/// server will not be found, and that is told then.
pub(super) fn link_socket(home: &Home, port: u16) {
    let _ = std::fs::remove_file(home.socket());
    let _ = std::os::unix::fs::symlink(format!(".s.PGSQL.{port}"), home.socket());
}
