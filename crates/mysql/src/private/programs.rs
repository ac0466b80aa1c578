//! The programs of a MariaDB or MySQL server, and how its data directories are made.

use super::version::{Make, Version};
use host::recipe::Distribution;
use model::{Failure, FailureKind};
use settings::Options;
use std::path::{Path, PathBuf};

/// Where distributions and the makers' own archives put servers, besides `PATH`.
const USUAL_PLACES: [&str; 6] = [
    "/usr/sbin",
    "/usr/libexec",
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/local/mysql/bin",
    "/usr/local/mariadb/bin",
];
/// What the server is called.
const SERVERS: [&str; 2] = ["mariadbd", "mysqld"];
/// What makes data directories for MariaDB.
const INSTALLERS: [&str; 2] = ["mariadb-install-db", "mysql_install_db"];

/// Where an unpacked distribution may have its messages and character sets.
const SHARED: [&str; 5] =
    ["share", "share/mysql", "share/mariadb", "usr/share/mysql", "usr/share/mariadb"];
/// Where it may have its plugins.
const PLUGINS: [&str; 6] = [
    "lib/plugin",
    "lib/mysql/plugin",
    "lib64/mysql/plugin",
    "usr/lib/mysql/plugin",
    "usr/lib64/mysql/plugin",
    "usr/lib/x86_64-linux-gnu/libmariadb3/plugin",
];

/// Options that any server has at the least: MySQL 5.6 has more than 400.
const MIN_OPTIONS: usize = 100;

/// A server with what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Programs {
    /// `mariadbd` or `mysqld`.
    pub(super) server: PathBuf,
    pub(super) initialiser: Initialiser,
    /// The directory above, which both take the rest of the distribution from.
    pub(super) base: Option<PathBuf>,
    /// Where the server finds its messages, where it does not know that by itself.
    pub(super) shared: Option<PathBuf>,
    pub(super) plugins: Option<PathBuf>,
    pub(super) version: Version,
}

/// What makes a data directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Initialiser {
    /// MariaDB's script.
    Script(PathBuf),
    /// The server itself: MySQL since 5.7.6.
    Server,
    /// The server, with the statements of these files: what the script of older versions does.
    Statements(Vec<PathBuf>),
}

impl Programs {
    /// Looks in the places of the distribution, the first server there is taken.
    ///
    /// # Errors
    /// `MissingProgram` when there is no server, it does not run, or nothing makes data directories
    /// for it.
    pub(super) fn find(distribution: &Distribution) -> Result<Self, Failure> {
        let server = distribution.find_program(&SERVERS, &[], &USUAL_PLACES, || {
            missing(SERVERS[0], "MariaDB's server")
        })?;
        let line = distribution.ask(&server, &["--no-defaults", "--version"])?;
        let version = Version::parse(&line).ok_or_else(|| unknown_server(&server, &line))?;
        let base = match distribution.base() {
            // A package that was unpacked has everything below usr.
            Some(base) if server.starts_with(base.join("usr")) => Some(base.join("usr")),
            Some(base) => Some(base.to_owned()),
            None if distribution.is_installed() => Some(base_of(&server)),
            None => None,
        };
        let shared = distribution.base().and_then(shared_in);
        let initialiser = match version.make {
            Make::MySql if version.is_mysql_from([5, 7, 6]) => Initialiser::Server,
            Make::MySql => {
                let shared = shared.as_deref().or(base.as_deref());
                Initialiser::Statements(system_statements(shared, &version)?)
            }
            Make::MariaDb => {
                let own = base.iter().flat_map(|base| [base.join("bin"), base.join("scripts")]);
                let own: Vec<PathBuf> = own.collect();
                let missing = || missing(INSTALLERS[0], "which makes data directories for it");
                let script =
                    distribution.find_program(&INSTALLERS, &own, &USUAL_PLACES, missing)?;
                Initialiser::Script(script)
            }
        };
        let plugins = distribution.base().and_then(|base| {
            PLUGINS.iter().map(|place| base.join(place)).find(|place| place.is_dir())
        });
        Ok(Self { server, initialiser, base, shared, plugins, version })
    }

    /// The options that the server says it has, with those of plugins that an option of its loads.
    ///
    /// # Errors
    /// `SandboxStart` when it does not say.
    pub(super) fn options(
        &self,
        distribution: &Distribution,
        load_plugins: Option<&str>,
    ) -> Result<Options, Failure> {
        // No data directory, so that no plugins of another server there are loaded.
        let mut question = vec!["--no-defaults", "--datadir=/nonexistent"];
        let shared = self.shared.as_ref().map(|shared| format!("{}", shared.display()));
        let shared = shared.map(|shared| format!("--lc-messages-dir={shared}"));
        question.extend(shared.as_deref());
        let place = self.plugins.as_ref().map(|place| format!("--plugin-dir={}", place.display()));
        if let Some(load) = load_plugins {
            question.extend(place.as_deref());
            question.push(load);
        }
        question.extend(["--verbose", "--help"]);
        let options = distribution
            .answer(&self.server, &question)
            .ok()
            .map(|output| Options::from_help(&String::from_utf8_lossy(&output.stdout)))
            .filter(|options| options.count() >= MIN_OPTIONS);
        options.ok_or_else(|| {
            Failure::new(
                FailureKind::SandboxStart,
                format!("{} does not list its options", self.server.display()),
                format!(
                    "see what `{} --no-defaults --verbose --help` prints",
                    self.server.display()
                ),
            )
        })
    }
}

fn missing(program: &str, what: &str) -> Failure {
    Failure::new(
        FailureKind::MissingProgram,
        format!(
            "{program} ({what}) is not installed: it is neither on PATH nor in the usual places"
        ),
        "install the Debian package mariadb-server, let `make demo` do it, or name an unpacked \
         distribution: sandbox = { base = \"/opt/mariadb-11.4\" }",
    )
}

fn unknown_server(server: &Path, line: &str) -> Failure {
    Failure::new(
        FailureKind::MissingProgram,
        format!(
            "{} says with --version what no MariaDB or MySQL server says: {}",
            server.display(),
            line.trim()
        ),
        "name the directory of a MariaDB or MySQL distribution",
    )
}

/// The directory above the one that an installed server is in.
fn base_of(server: &Path) -> PathBuf {
    let server = server.canonicalize().unwrap_or_else(|_| server.to_owned());
    server.ancestors().nth(2).unwrap_or(Path::new("/usr")).to_owned()
}

/// Where an unpacked distribution has its messages.
fn shared_in(base: &Path) -> Option<PathBuf> {
    let has_messages = |place: &PathBuf| place.join("english/errmsg.sys").is_file();
    SHARED.iter().map(|place| base.join(place)).find(has_messages)
}

/// The statements that make the system tables of a MySQL server before 5.7.6.
fn system_statements(shared: Option<&Path>, version: &Version) -> Result<Vec<PathBuf>, Failure> {
    let names = ["mysql_system_tables.sql", "mysql_system_tables_data.sql"];
    let files = names.map(|name| {
        let places = shared.map(|shared| [shared.join(name), shared.join("share").join(name)]);
        places.into_iter().flatten().find(|file| file.is_file()).ok_or_else(|| {
            Failure::new(
                FailureKind::MissingProgram,
                format!("{name}, which makes data directories for {version}, is not there"),
                "name an unpacked distribution with `base`; it is in its directory share",
            )
        })
    });
    files.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::super::KIND;
    use super::*;
    use model::Software;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    fn fake_server(directory: &Path, name: &str, version: &str) {
        // By another process: while we have a file open for writing, a child that another test
        // forks has it open too, and then it can't be run.
        let script = r#"printf '#!/bin/sh\necho "%s  Ver %s for Linux"\n' "$2" "$3" >"$1/$2"
                        chmod 755 "$1/$2""#;
        let made = Command::new("sh")
            .args(["-ec", script, "sh"])
            .arg(directory)
            .args([name, version])
            .status();
        assert!(made.unwrap().success());
    }

    /// A directory that every account reaches.
    fn base() -> tempfile::TempDir {
        let base = tempfile::tempdir_in("/var/tmp").unwrap();
        fs::set_permissions(base.path(), fs::Permissions::from_mode(0o755)).unwrap();
        base
    }

    fn find(base: &Path) -> Result<Programs, Failure> {
        let software = Software::Base(base.to_owned());
        Programs::find(&Distribution::find(&software, &KIND.facts, Path::new("/var/tmp"))?)
    }

    #[test]
    fn a_missing_server_names_what_was_looked_for() {
        let base = base();
        let failure = find(base.path()).unwrap_err();
        assert_eq!(failure.kind, FailureKind::MissingProgram);
        assert!(failure.message.contains("no mariadbd or mysqld in /var/tmp/"), "{failure:?}");
        let failure = missing("mariadbd", "MariaDB's server");
        assert!(failure.remedy.contains("mariadb-server") && failure.remedy.contains("base ="));
    }

    #[test]
    fn each_make_and_version_has_its_way_to_a_data_directory() {
        let base = base();
        let place = base.path().join("bin");
        fs::create_dir(&place).unwrap();
        fake_server(&place, "mysqld", "8.0.36");
        let programs = find(base.path()).unwrap();
        assert_eq!(programs.initialiser, Initialiser::Server);
        assert_eq!(programs.base, Some(base.path().canonicalize().unwrap()));
        fake_server(&place, "mysqld", "5.6.24");
        let failure = find(base.path()).unwrap_err();
        assert!(failure.message.contains("mysql_system_tables.sql"), "{failure:?}");
        fake_server(&place, "mysqld", "10.5.1-MariaDB");
        let failure = find(base.path()).unwrap_err();
        assert!(failure.message.contains("mariadb-install-db"), "{failure:?}");
        fs::write(place.join("mariadb-install-db"), "").unwrap();
        let programs = find(base.path()).unwrap();
        assert_eq!(programs.version.to_string(), "10.5.1-MariaDB");
        fake_server(&place, "mysqld", "unheard-of");
        let failure = find(base.path()).unwrap_err();
        assert!(failure.message.contains("unheard-of"), "{failure:?}");
    }

    #[test]
    fn a_library_that_is_missing_is_named() {
        let base = base();
        let script = "#!/bin/sh\necho 'mysqld: error while loading shared libraries: libaio.so.1: \
                      cannot open shared object file: No such file or directory' >&2\nexit 127\n";
        let made = Command::new("sh")
            .args(["-ec", "printf '%s' \"$2\" >\"$1\"; chmod 755 \"$1\"", "sh"])
            .arg(base.path().join("mysqld"))
            .arg(script)
            .status();
        assert!(made.unwrap().success());
        let failure = find(base.path()).unwrap_err();
        assert_eq!(failure.kind, FailureKind::MissingProgram);
        assert!(failure.message.contains("libaio.so.1"), "{failure:?}");
        assert!(failure.remedy.contains("library"), "{failure:?}");
    }

    #[test]
    fn what_others_could_exchange_is_not_run() {
        let base = base();
        fs::create_dir(base.path().join("bin")).unwrap();
        fake_server(&base.path().join("bin"), "mysqld", "8.0.36");
        let server = base.path().join("bin/mysqld");
        fs::set_permissions(&server, fs::Permissions::from_mode(0o777)).unwrap();
        let failure = find(base.path()).unwrap_err();
        assert_eq!(failure.kind, FailureKind::NotPermitted);
        assert!(failure.message.contains("bin/mysqld"), "{failure:?}");
        assert!(failure.remedy.contains("chmod"), "{failure:?}");
        fs::remove_file(&server).unwrap();
        std::os::unix::fs::symlink("/bin/sh", &server).unwrap();
        let failure = find(base.path()).unwrap_err();
        assert!(failure.message.contains("leads out of"), "{failure:?}");
    }
}
