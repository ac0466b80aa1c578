//! The installed MariaDB server, and what initialises its data directories.

use crate::local::search_path;
use model::{Failure, FailureKind};
use settings::Options;
use std::path::{Path, PathBuf};
use std::process::Stdio;

/// Where distributions and MariaDB's own archives put servers, besides `PATH`.
const USUAL_PLACES: [&str; 6] = [
    "/usr/sbin",
    "/usr/libexec",
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/local/mysql/bin",
    "/usr/local/mariadb/bin",
];

/// Options that any server has at the least: MariaDB 10.5 has more than 600.
const MIN_OPTIONS: usize = 100;

/// An installed MariaDB server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Programs {
    /// `mariadbd`.
    pub(super) server: PathBuf,
    /// `mariadb-install-db`.
    pub(super) install: PathBuf,
    /// The directory above, which both take the rest of the installation from.
    pub(super) base: PathBuf,
    /// Such as `10.11.6-MariaDB-0+deb12u1`.
    pub(super) version: String,
}

impl Programs {
    /// Looks along `PATH` and in the usual places.
    ///
    /// # Errors
    /// `MissingProgram` when there is no MariaDB server, or no initialiser for it.
    pub(super) fn find() -> Result<Self, Failure> {
        Self::find_in(&search_path(&USUAL_PLACES))
    }

    fn find_in(places: &[PathBuf]) -> Result<Self, Failure> {
        let mut servers = ["mariadbd", "mysqld"]
            .into_iter()
            .flat_map(|name| places.iter().map(move |place| place.join(name)))
            .filter(|program| program.is_file());
        // A mysqld may be MySQL's, whose data directories are made in another way.
        let found = servers.find_map(|server| Some((version(&server)?, server)));
        let (version, server) = found.ok_or_else(|| missing("mariadbd", "MariaDB's server"))?;
        let base = base_of(&server);
        let install = ["mariadb-install-db", "mysql_install_db"]
            .into_iter()
            .flat_map(|name| {
                let own = [base.join("bin"), base.join("scripts")];
                own.into_iter().chain(places.iter().cloned()).map(move |place| place.join(name))
            })
            .find(|program| program.is_file())
            .ok_or_else(|| missing("mariadb-install-db", "which makes data directories for it"))?;
        Ok(Self { server, install, base, version })
    }

    /// The options that the server says it has.
    ///
    /// # Errors
    /// `SandboxStart` when it does not say.
    pub(super) fn options(&self) -> Result<Options, Failure> {
        let output = crate::local::command(&self.server)
            // No data directory, so that no plugins of another server there are loaded.
            .args(["--no-defaults", "--datadir=/nonexistent", "--verbose", "--help"])
            .stdin(Stdio::null())
            .output();
        let options = output
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
        "install the Debian package mariadb-server, or let `make demo` do it",
    )
}

/// The directory above the one that the server is in.
fn base_of(server: &Path) -> PathBuf {
    let server = server.canonicalize().unwrap_or_else(|_| server.to_owned());
    server.ancestors().nth(2).unwrap_or(Path::new("/usr")).to_owned()
}

/// The version of a MariaDB server; `None` when it is another program.
fn version(server: &Path) -> Option<String> {
    let output = crate::local::command(server)
        .args(["--no-defaults", "--version"])
        .stdin(Stdio::null())
        .output()
        .ok()?;
    parse_version(&String::from_utf8_lossy(&output.stdout))
}

/// Reads a line such as `mariadbd  Ver 10.11.6-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64`.
pub(in crate::local::sandbox) fn parse_version(line: &str) -> Option<String> {
    let mut words = line.split_ascii_whitespace().skip_while(|&word| word != "Ver").skip(1);
    words.next().filter(|version| version.contains("MariaDB")).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::process::Command;
    use std::slice::from_ref;

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

    #[test]
    fn a_missing_server_names_the_package() {
        let empty = tempfile::tempdir().unwrap();
        let failure = Programs::find_in(&[empty.path().to_owned()]).unwrap_err();
        assert_eq!(failure.kind, FailureKind::MissingProgram);
        assert!(failure.message.contains("mariadbd"), "{failure:?}");
        assert!(failure.remedy.contains("mariadb-server"), "{failure:?}");
        assert!(failure.remedy.contains("make demo"), "{failure:?}");
    }

    #[test]
    fn servers_of_another_make_are_passed_over() {
        let base = tempfile::tempdir().unwrap();
        let place = base.path().join("bin");
        fs::create_dir(&place).unwrap();
        fake_server(&place, "mysqld", "8.0.36");
        assert!(Programs::find_in(from_ref(&place)).is_err());
        fake_server(&place, "mysqld", "10.5.1-MariaDB");
        let failure = Programs::find_in(from_ref(&place)).unwrap_err();
        assert!(failure.message.contains("mariadb-install-db"), "{failure:?}");
        fs::write(place.join("mariadb-install-db"), "").unwrap();
        let programs = Programs::find_in(from_ref(&place)).unwrap();
        assert_eq!(programs.version, "10.5.1-MariaDB");
        assert_eq!(programs.base, base.path().canonicalize().unwrap());
    }

    #[test]
    fn versions_are_read_from_what_the_server_prints() {
        let line = "/usr/sbin/mariadbd  Ver 11.4.2-MariaDB-ubu2404 for debian-linux-gnu on x86_64";
        assert_eq!(parse_version(line).as_deref(), Some("11.4.2-MariaDB-ubu2404"));
        assert_eq!(parse_version("mysqld  Ver 8.0.36 for Linux on x86_64"), None);
        assert_eq!(parse_version("Segmentation fault"), None);
    }
}
