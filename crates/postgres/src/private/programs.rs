//! The programs of a server.

use host::recipe::Distribution;
use model::{Failure, FailureKind};
use std::path::{Path, PathBuf};

const SERVER: &str = "postgres";
/// What makes data directories.
const INITIALISER: &str = "initdb";
/// Where distributions keep the programs of each version, and below which directory of its own.
const BY_VERSION: [(&str, &str); 2] = [("/usr/lib/postgresql", ""), ("/usr", "pgsql-")];
/// Where servers are besides.
const USUAL_PLACES: [&str; 3] = ["/usr/local/pgsql/bin", "/usr/local/bin", "/usr/bin"];

/// A server with what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Programs {
    pub(super) server: PathBuf,
    pub(super) initialiser: PathBuf,
    /// As the server says it, such as `15.13`.
    pub(super) version: String,
}

impl Programs {
    /// Finds them: on `PATH`, else those of the newest version that is installed.
    ///
    /// # Errors
    /// `MissingProgram` when there is no server, it does not run, or nothing makes data for it.
    pub(super) fn find(distribution: &Distribution) -> Result<Self, Failure> {
        let places = usual_places();
        let places: Vec<&str> = places.iter().map(String::as_str).collect();
        let server = distribution
            .find_program(&[SERVER], &[], &places, || missing("PostgreSQL's server"))?;
        let line = distribution.ask(&server, &["--version"])?;
        let version = version(&line).ok_or_else(|| unknown_server(&server, &line))?;
        // That of the same version.
        let beside: Vec<PathBuf> = server.parent().map(Path::to_owned).into_iter().collect();
        let initialiser = distribution.find_program(&[INITIALISER], &beside, &[], || {
            missing("initdb, which makes its data,")
        })?;
        Ok(Self { server, initialiser, version })
    }
}

fn usual_places() -> Vec<String> {
    let mut versions = Vec::new();
    for (parent, prefix) in BY_VERSION {
        let entries = std::fs::read_dir(parent).into_iter().flatten().flatten();
        versions.extend(entries.filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let number: f64 = name.strip_prefix(prefix)?.parse().ok()?;
            Some((number, format!("{parent}/{name}/bin")))
        }));
    }
    versions.sort_by(|a, b| b.0.total_cmp(&a.0));
    let usual = USUAL_PLACES.map(str::to_owned);
    versions.into_iter().map(|(_, place)| place).chain(usual).collect()
}

/// The version in a line such as `postgres (PostgreSQL) 15.13 (Debian 15.13-0+deb12u1)`.
fn version(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("(PostgreSQL) ")?;
    let version = rest.split_ascii_whitespace().next()?;
    version.starts_with(|c: char| c.is_ascii_digit()).then(|| version.to_owned())
}

fn missing(what: &str) -> Failure {
    Failure::new(
        FailureKind::MissingProgram,
        format!("{what} is not installed, in /usr/lib/postgresql, on PATH or elsewhere"),
        "install it, such as the Debian package postgresql, or name an unpacked distribution: \
         sandbox = { base = \"/opt/pgsql-17\" }",
    )
}

fn unknown_server(server: &Path, line: &str) -> Failure {
    let line: String = line.trim().chars().filter(|c| !c.is_control()).take(100).collect();
    Failure::new(
        FailureKind::MissingProgram,
        format!("{} is no PostgreSQL: it calls itself «{line}»", server.display()),
        "name the directory of a PostgreSQL server",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_from_what_a_server_says() {
        for (line, expected) in [
            ("postgres (PostgreSQL) 15.13 (Debian 15.13-0+deb12u1)\n", Some("15.13")),
            ("postgres (PostgreSQL) 18beta1", Some("18beta1")),
            ("postgres (Other) 9", None),
            ("postgres (PostgreSQL) ", None),
        ] {
            assert_eq!(version(line).as_deref(), expected, "{line}");
        }
    }
}
