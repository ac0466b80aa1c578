//! Servers on a copy of another data directory, such as a physical backup.

use super::facts::{CLIENT_HOSTS, DATABASE, SERVER_ID_FILE, USER};
use super::version::Version;
use host::recipe::{Home, RunAs, file_trouble};
use model::{Failure, FailureKind};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// By this a data directory is known.
const SYSTEM_TABLESPACE: &str = "ibdata1";
/// What the programs that make backups say of one.
const CHECKPOINTS: [&str; 2] = ["mariadb_backup_checkpoints", "xtrabackup_checkpoints"];
/// What they say of one that was prepared, as older and newer versions have it.
const PREPARED: [&str; 2] = ["full-prepared", "log-applied"];
/// Bytes of that which are read.
const MOST_SAID: u64 = 4096;

/// Such a directory, and the database that clients use.
#[derive(Debug)]
pub(super) struct CopiedData {
    directory: PathBuf,
    database: String,
}

impl CopiedData {
    /// # Errors
    /// `SandboxStart` for a directory that is none, or a backup that was not prepared.
    pub(super) fn new(directory: PathBuf, database: Option<String>) -> Result<Self, Failure> {
        check(&directory)?;
        Ok(Self { directory, database: database.unwrap_or_else(|| DATABASE.to_owned()) })
    }

    pub(super) fn fill(&self, home: &Home, run_as: &RunAs) -> Result<(), Failure> {
        home.copy_data_of(&self.directory, &[SERVER_ID_FILE], run_as)
    }

    /// It may hold accounts, and weighin's too. One statement a line.
    pub(super) fn login_statements(&self, password: &str) -> String {
        let database = format!("`{}`", self.database.replace('`', "``"));
        let mut statements = "SET SESSION sql_log_bin = 0;\n".to_owned();
        statements += &format!("CREATE DATABASE IF NOT EXISTS {database};\n");
        for host in CLIENT_HOSTS {
            let account = format!("{USER}@'{host}'");
            statements += &format!("CREATE USER IF NOT EXISTS {account};\n");
            statements += &format!("ALTER USER {account} IDENTIFIED BY '{password}';\n");
            statements += &format!("GRANT ALL ON *.* TO {account} WITH GRANT OPTION;\n");
        }
        statements
    }

    /// Where the original replicated and ran events, its copy does neither.
    pub(super) fn options(version: &Version) -> [&'static str; 2] {
        let start = match version.is_mysql_from([8, 0, 26]) {
            true => "--skip-replica-start",
            false => "--skip-slave-start",
        };
        [start, "--event-scheduler=OFF"]
    }
}

fn check(directory: &Path) -> Result<(), Failure> {
    let refuse = |what: &str, remedy: &str| {
        let message = format!("{} {what}", directory.display());
        Err(Failure::new(FailureKind::SandboxStart, message, remedy))
    };
    match directory.join(SYSTEM_TABLESPACE).symlink_metadata() {
        Ok(facts) if facts.is_file() => {}
        Ok(_) => return refuse("has an ibdata1 that is no file", ""),
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return refuse(
                "is no data directory: it holds no ibdata1",
                "name what mariabackup --prepare has made ready, or the data directory of a server that is \
                 stopped; a dump is loaded by a test: setup = \"dump.sql\"",
            );
        }
        Err(error) => return Err(file_trouble("the data", directory, &error)),
    }
    for name in CHECKPOINTS {
        if let Ok(said) = beginning(&directory.join(name))
            && !PREPARED.iter().any(|word| said.contains(word))
        {
            return refuse(
                "is a backup that was not prepared",
                "run mariabackup --prepare --target-dir on it",
            );
        }
    }
    Ok(())
}

fn beginning(path: &Path) -> io::Result<String> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(MOST_SAID).read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_data_directories_and_prepared_backups_are_copied() {
        let place = tempfile::tempdir().unwrap();
        let of = |text: &str| {
            std::fs::write(place.path().join("xtrabackup_checkpoints"), text).unwrap();
            check(place.path())
        };
        let none = of("backup_type = full-prepared\n").unwrap_err();
        assert!(none.message.contains("holds no ibdata1"), "{none}");
        std::fs::write(place.path().join(SYSTEM_TABLESPACE), "").unwrap();
        of("backup_type = full-prepared\n").unwrap();
        let raw = of("backup_type = full-backuped\n").unwrap_err();
        assert!(raw.message.contains("was not prepared"), "{raw}");
    }
}
