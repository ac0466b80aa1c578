//! Everything that starting a private server of MariaDB or MySQL takes.

use super::copied::CopiedData;
use super::facts::{CLIENT_HOSTS, DATABASE, FACTS, REPLICATION_USER, SERVER_ID_FILE, USER};
use super::member;
use super::programs::{Initialiser, Programs};
use super::settings::Settings;
use super::version::Version;
use host::recipe::{
    CERTIFICATE, Distribution, GroupMember, Home, InitialData, KEY, PrivateServerKind, Recipe,
    RecipeOrder, ServerProgram, file_trouble, run_initialiser,
};
use model::{Failure, VersionSetting};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, Read};
use std::net::SocketAddr;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;

/// Connections that a server allows unless its settings say otherwise: a thousand clients and a
/// few for weighin itself. It sets a limit and reserves nothing that would change a measurement.
const MAX_CONNECTIONS: &str = "--max_connections=1100";
/// Statements that the server carries out before its first connection.
const INIT_FILE: &str = "init.sql";

/// MariaDB, MySQL, and Percona's builds of it.
///
/// Servers allow 1100 connections unless the settings say otherwise, and resolve no host names. All other
/// settings are the server's own defaults.
pub static KIND: PrivateServerKind = PrivateServerKind {
    facts: FACTS,
    recipe: |order, distribution| Ok(Box::new(MariaDb::new(order, distribution)?)),
};

/// How a target's server is started.
#[derive(Debug)]
pub(super) struct MariaDb {
    program: ServerProgram,
    pub(super) programs: Programs,
    pub(super) settings: Settings,
    member: Option<GroupMember>,
    /// Another data directory that its own is a copy of.
    copied: Option<CopiedData>,
}

impl MariaDb {
    /// Finds the programs and checks the settings.
    ///
    /// # Errors
    /// `MissingProgram` when there is no server, `SandboxStart` that names a setting.
    fn new(order: RecipeOrder, distribution: Distribution) -> Result<Self, Failure> {
        let RecipeOrder {
            target,
            mut settings,
            trusted,
            member,
            data,
            database,
            fits_memory,
            of_versions,
            ..
        } = order;
        let copied = data.map(|data| CopiedData::new(data, database)).transpose()?;
        let programs = Programs::find(&distribution)?;
        add_version(&mut settings, of_versions, &programs.version);
        if fits_memory {
            fit_memory(&mut settings, host::this_machine().facts().memory_bytes);
        }
        if let (Some(member), Some(base)) = (&member, distribution.base()) {
            member::check_plugins(member, &programs, base)?;
        }
        let plugins =
            member.as_ref().and_then(|one| member::plugin_options(one, &programs.version));
        // Asking the server takes a moment, and says nothing where there is nothing to ask.
        let known =
            (!settings.is_empty()).then(|| programs.options(&distribution, plugins)).transpose()?;
        let settings = known
            .map(|known| Settings::new(&target, &known, &settings, trusted))
            .transpose()?
            .unwrap_or_default();
        let program = ServerProgram { target, distribution, path: programs.server.clone() };
        Ok(Self { program, programs, settings, member, copied })
    }

    /// Whether the server would make a certificate at each start: MariaDB does from 11.4 on where it
    /// has none. Its key takes seconds of a processor, in which no other server can be measured, and
    /// how many is chance: starts could not be compared, and failovers with them.
    fn makes_a_key(&self, home: &Home) -> bool {
        let version = &self.programs.version;
        version.is_mariadb_from([11, 4, 0])
            && !home.has(CERTIFICATE)
            && !self.settings.has_any("ssl")
    }

    /// Where a server of an unpacked distribution finds the rest of it.
    pub(super) fn distribution_options(&self) -> impl Iterator<Item = OsString> {
        let Programs { base, shared, plugins, .. } = &self.programs;
        let shared = shared.iter().flat_map(|shared| {
            let character_sets = shared.join("charsets");
            let character_sets = character_sets.is_dir().then_some(character_sets);
            Some(path_option("--lc-messages-dir=", shared))
                .into_iter()
                .chain(character_sets.map(|path| path_option("--character-sets-dir=", &path)))
        });
        base.iter()
            .map(|base| path_option("--basedir=", base))
            .chain(shared)
            .chain(plugins.iter().map(|plugins| path_option("--plugin-dir=", plugins)))
    }
}

impl Recipe for MariaDb {
    fn program(&self) -> &ServerProgram {
        &self.program
    }

    fn prepare(
        &self,
        home: &Home,
        password: &str,
        replication_password: Option<&str>,
    ) -> Result<(), Failure> {
        match &self.copied {
            Some(copied) => copied.fill(home, self.program.run_as())?,
            None => fill_data_directory(home, self)?,
        }
        let from_others = home.has(CERTIFICATE);
        let version = &self.programs.version;
        let mut statements = match &self.copied {
            Some(copied) => copied.login_statements(password),
            None => login_statements(password, replication_password, version),
        };
        if from_others {
            statements += &login_from_others(password, version);
        }
        home.write(INIT_FILE, &statements)
            .and_then(|file| self.program.run_as().give_file(&file))
            .map_err(|error| file_trouble("the login", &home.run(), &error))
    }

    fn command(&self, home: &Home, listen: SocketAddr) -> Command {
        let mut command = self.program.command(home);
        command
            .arg("--no-defaults")
            .args(["--skip-name-resolve", MAX_CONNECTIONS])
            .args(own_words(&self.programs.version))
            .args(self.makes_a_key(home).then_some("--skip-ssl"))
            .args(self.member.iter().flat_map(|one| member::options(one, &self.programs.version)))
            .args(self.copied.iter().flat_map(|_| CopiedData::options(&self.programs.version)))
            .args(self.settings.options())
            // No setting gives two members the same number.
            .args(self.member.map(|member| format!("--server-id={}", member.number)))
            // Of an option given twice the last one counts.
            .args(self.distribution_options())
            .arg(path_option("--datadir=", &home.data()))
            .arg(path_option("--tmpdir=", &home.temporary()))
            .arg(path_option("--socket=", &home.socket()))
            .arg(path_option("--pid-file=", &home.run().join("server.pid")))
            .args(self.program.run_as().user_option().map(|user| format!("--user={user}")))
            .arg(format!("--port={}", listen.port()))
            .arg(format!("--bind-address={}", listen.ip()));
        if home.has(CERTIFICATE) {
            command.arg(path_option("--ssl-cert=", &home.path_of(CERTIFICATE)));
            command.arg(path_option("--ssl-key=", &home.path_of(KEY)));
        }
        if home.has(INIT_FILE) {
            command.arg(path_option("--init-file=", &home.path_of(INIT_FILE)));
        }
        command
    }

    fn has_come_up(&self, home: &Home) -> Result<(), Failure> {
        home.remove(INIT_FILE).map_err(|error| file_trouble("the login", &home.run(), &error))
    }

    /// The server sends its greeting when it has carried out the statements of the init file.
    fn is_ready(&self, stream: &mut UnixStream, _home: &Home) -> io::Result<bool> {
        // Three bytes of length, a sequence number, and the version of the protocol.
        let mut start = [0; 5];
        match stream.read_exact(&mut start) {
            Ok(()) if start[4] == 10 => Ok(true),
            Ok(()) => Err(io::ErrorKind::InvalidData.into()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn cache_memory(&self) -> Option<&str> {
        Some(self.settings.value("innodb_buffer_pool_filename").unwrap_or("ib_buffer_pool"))
    }

    fn slow_end_remedy(&self) -> &'static str {
        "a smaller innodb_buffer_pool_size or innodb_max_dirty_pages_pct leaves less to write"
    }
}

/// Adds what an option file has for servers of this version. What the study itself sets wins, and stands
/// there by its plain name.
fn add_version(
    settings: &mut BTreeMap<String, String>,
    of_versions: Vec<VersionSetting>,
    version: &Version,
) {
    for one in of_versions.into_iter().filter(|one| one.suits(version.text())) {
        if !settings.contains_key(&one.name) {
            settings.insert(settings::MARIADB.optional(&one.name), one.value);
        }
    }
}

/// Gives the server no more than half of the machine's memory for its cache.
fn fit_memory(settings: &mut BTreeMap<String, String>, memory: u64) {
    let cache = settings::MARIADB.cache_bytes(settings);
    if let Some((name, _)) = cache.filter(|(_, bytes)| *bytes > memory / 2 && memory > 0) {
        settings.retain(|written, _| written.strip_prefix("loose_").unwrap_or(written) != name);
        settings.insert(name, (memory / 2).to_string());
    }
}

/// What weighin decides for servers that have more doors and places than others: the X protocol,
/// which would listen on a port of its own, and the directory for files that clients name.
fn own_words(version: &Version) -> &'static [&'static str] {
    if version.is_mysql_from([5, 7, 12]) {
        &["--loose-mysqlx=OFF", "--secure-file-priv=NULL"]
    } else if version.is_mysql_from([5, 7, 6]) {
        &["--secure-file-priv=NULL"]
    } else {
        &[]
    }
}

/// One statement a line. They are in no binary log: every member of a group has accounts of its own.
/// MariaDB's script leaves no account that anybody but root could use; MySQL leaves an administrator
/// without a password, and old versions of both leave several accounts.
fn login_statements(
    password: &str,
    replication_password: Option<&str>,
    version: &Version,
) -> String {
    let mut statements = "SET SESSION sql_log_bin = 0;\n".to_owned();
    if version.is_mysql_from([5, 7, 6]) {
        statements += "DROP USER root@localhost;\n";
    } else if !version.is_mariadb_from([10, 4, 0]) {
        statements += "DELETE FROM mysql.user;\nFLUSH PRIVILEGES;\n\
                       DROP DATABASE IF EXISTS test;\n";
    }
    statements += &format!("CREATE DATABASE {DATABASE};\n");
    for host in CLIENT_HOSTS {
        statements += &format!("CREATE USER {USER}@'{host}' IDENTIFIED BY '{password}';\n");
        statements += &format!("GRANT ALL ON *.* TO {USER}@'{host}' WITH GRANT OPTION;\n");
    }
    if let Some(password) = replication_password {
        for host in CLIENT_HOSTS {
            let account = format!("{REPLICATION_USER}@'{host}'");
            statements += &format!("CREATE USER {account} IDENTIFIED BY '{password}';\n");
            statements += &format!("GRANT REPLICATION SLAVE ON *.* TO {account};\n");
        }
    }
    statements
}

/// The login of clients on other machines, which gets in over TLS alone.
fn login_from_others(password: &str, version: &Version) -> String {
    let account = format!("{USER}@'%'");
    let demands = version.is_mysql_from([5, 7, 6]) || version.is_mariadb_from([10, 2, 0]);
    let (own, with_grant) = if demands { (" REQUIRE SSL", "") } else { ("", " REQUIRE SSL") };
    format!(
        "CREATE USER {account} IDENTIFIED BY '{password}'{own};\n\
         GRANT ALL ON *.* TO {account}{with_grant} WITH GRANT OPTION;\n"
    )
}

/// An option whose value is a path, which need not be UTF-8.
pub(super) fn path_option(name: &str, path: &Path) -> OsString {
    let mut option = OsString::from(name);
    option.push(path);
    option
}

/// Initial size of the redo log. The server makes a new one of the size that its settings say when
/// it first starts, so a small one here only makes for a quicker copy.
const REDO_LOG: &str = "--innodb_log_file_size=4M";

/// Fills a sandbox's empty data directory, and gives the sandbox to the server.
///
/// # Errors
/// When initialising fails, or the data can't be copied.
fn fill_data_directory(home: &Home, launch: &MariaDb) -> Result<(), Failure> {
    let Programs { version, server, initialiser, .. } = &launch.programs;
    let mut made_by: Vec<&Path> = vec![server];
    match initialiser {
        Initialiser::Script(script) => made_by.push(script),
        Initialiser::Server => {}
        Initialiser::Statements(files) => made_by.extend(files.iter().map(AsRef::<Path>::as_ref)),
    }
    let data = InitialData {
        distribution: &launch.program.distribution,
        version: version.to_string(),
        made_by,
        options: launch.settings.initial_options(),
        name_file: SERVER_ID_FILE,
        make: &|home| initialise(home, launch),
    };
    data.fill(home)
}

fn initialise(home: &Home, launch: &MariaDb) -> Result<(), Failure> {
    let Programs { server, initialiser, .. } = &launch.programs;
    let program = match initialiser {
        Initialiser::Script(script) => script,
        Initialiser::Server | Initialiser::Statements(_) => server,
    };
    let mut command = launch.program.distribution.command(program, home);
    command.arg("--no-defaults");
    let mut statements = Vec::new();
    match initialiser {
        Initialiser::Script(_) => {
            command
                .args(launch.programs.base.iter().map(|base| path_option("--basedir=", base)))
                // Not --user: with it the program would also change the owners of files of the
                // installation.
                // The machine's root, or the server's account, may log in over the socket, and
                // nobody else.
                .arg("--auth-root-authentication-method=socket")
                .args(
                    launch
                        .program
                        .run_as()
                        .administrator()
                        .map(|user| format!("--auth-root-socket-user={user}")),
                )
                .args(["--skip-name-resolve", REDO_LOG]);
            if launch.programs.version.is_mariadb_from([10, 4, 0]) {
                command.arg("--skip-test-db");
            }
        }
        Initialiser::Server => {
            command
                .arg("--initialize-insecure")
                .args(launch.distribution_options())
                .args(launch.program.run_as().user_option().map(|user| format!("--user={user}")));
        }
        Initialiser::Statements(files) => {
            command
                .arg("--bootstrap")
                .args(launch.distribution_options())
                .args(launch.program.run_as().user_option().map(|user| format!("--user={user}")));
            statements.extend(b"CREATE DATABASE mysql;\nUSE mysql;\n");
            for file in files {
                let text = std::fs::read(file);
                statements
                    .extend(text.map_err(|error| file_trouble("the system tables", file, &error))?);
            }
        }
    }
    command.arg(path_option("--datadir=", &home.data())).args(launch.settings.initial_options());
    run_initialiser(command, &statements, &FACTS.log_words)
}
