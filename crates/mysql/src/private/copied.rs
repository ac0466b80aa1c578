//! Servers on a copy of another data directory, such as a physical backup.

use super::facts::{CLIENT_HOSTS, DATABASE, SERVER_ID_FILE, USER};
use super::version::Version;
use host::recipe::{Home, RunAs, file_trouble};
use model::{Failure, FailureKind};
use std::ffi::OsStr;
use std::fs::{DirEntry, File, Metadata};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// By this a data directory is known.
const SYSTEM_TABLESPACE: &str = "ibdata1";
/// What SET PERSIST wrote: a server obeys it after all options, and would join the group of the original.
const PERSISTED: &str = "mysqld-auto.cnf";
/// The ending of files that name the place of a table outside of the data directory.
const LINK: &str = "isl";
/// The dictionary of MySQL 8, which has such places instead.
const DICTIONARY: &str = "mysql.ibd";
/// The endings of the files that it names: of tables, and of undo logs.
const TABLESPACES: [&[u8]; 2] = [b".ibd", b".ibu"];
/// Bytes of a path at most.
const LONGEST_PATH: usize = 4096;
/// The ending of lists of binary and relay logs.
const LOG_LIST: &str = "index";
/// Bytes of such a list that are read; a longer one is not kept.
const LONGEST_LIST: u64 = 1 << 20;
/// What the programs that make backups say of one.
const CHECKPOINTS: [&str; 2] = ["mariadb_backup_checkpoints", "xtrabackup_checkpoints"];
/// What they say of one that was prepared, as older and newer versions have it.
const PREPARED: [&str; 2] = ["full-prepared", "log-applied"];
/// All locks of files, a line each.
const LOCKS: &str = "/proc/locks";
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
        let lists = lists_of_elsewhere(&self.directory)
            .map_err(|error| file_trouble("a copy", &self.directory, &error))?;
        let lists = lists.iter().map(String::as_str);
        let without: Vec<&str> = [SERVER_ID_FILE, PERSISTED].into_iter().chain(lists).collect();
        home.copy_data_of(&self.directory, &without, run_as)
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

    /// Where the original replicated and ran events, its copy does neither. A plugin that its tables load
    /// would join the group by itself.
    pub(super) fn options(version: &Version) -> impl Iterator<Item = &'static str> {
        let start = match version.is_mysql_from([8, 0, 26]) {
            true => "--skip-replica-start",
            false => "--skip-slave-start",
        };
        let group = version.is_mysql_from([5, 7, 17]);
        let group = group.then_some("--loose-group-replication-start-on-boot=OFF");
        [start, "--event-scheduler=OFF"].into_iter().chain(group)
    }
}

/// Whether a process has locked a file, as servers lock their tablespaces; `false` where that is not seen.
fn is_locked(facts: &Metadata) -> bool {
    // As the kernel divides the number of a device.
    let device = facts.dev();
    let major = (device >> 8) & 0xfff | (device >> 32) & !0xfff;
    let minor = device & 0xff | (device >> 12) & !0xff & 0xffff_ffff;
    let file = format!("{major:02x}:{minor:02x}:{}", facts.ino());
    let locks = std::fs::read_to_string(LOCKS).unwrap_or_default();
    locks.lines().any(|lock| lock.split_ascii_whitespace().any(|word| word == file))
}

/// The lists of logs of which some lie outside of the directory, by an absolute path as a rule. A server on a
/// copy would change those of the original, and remove them when they are old.
fn lists_of_elsewhere(directory: &Path) -> io::Result<Vec<String>> {
    let mut lists = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if !has_ending(&entry, LOG_LIST) || !entry.file_type()?.is_file() {
            continue;
        }
        let text = beginning(&entry.path(), LONGEST_LIST + 1)?;
        let is_elsewhere = |line: &str| line.strip_prefix("./").unwrap_or(line).contains('/');
        if text.len() as u64 > LONGEST_LIST || text.lines().any(is_elsewhere) {
            lists.extend(entry.file_name().into_string());
        }
    }
    Ok(lists)
}

/// A file that leads a server on a copy to a table of the original, in the directory or in that of one of its
/// databases.
fn link(directory: &Path, databases_too: bool) -> io::Result<Option<PathBuf>> {
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if has_ending(&entry, LINK) {
            return Ok(Some(entry.path()));
        }
        if databases_too
            && entry.file_type()?.is_dir()
            && let Some(found) = link(&entry.path(), false)?
        {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// A file outside of the directory that the dictionary of MySQL 8 names, and that is there. It may be that of
/// a table that has been dropped since: rows of a dictionary stay in its pages.
fn named_in_dictionary(directory: &Path) -> io::Result<Option<PathBuf>> {
    let dictionary = directory.join(DICTIONARY);
    if !dictionary.symlink_metadata().is_ok_and(|facts| facts.is_file()) {
        return Ok(None);
    }
    let directory = directory.canonicalize()?;
    let is_elsewhere = |path: &Path| {
        path.canonicalize().is_ok_and(|path| path.is_file() && !path.starts_with(&directory))
    };
    let mut file = File::open(dictionary)?;
    let (mut bytes, mut piece) = (Vec::new(), vec![0; 1 << 20]);
    loop {
        let read = file.read(&mut piece)?;
        if read == 0 {
            return Ok(None);
        }
        bytes.extend_from_slice(&piece[..read]);
        if let Some(found) = paths_in(&bytes).find(|path| is_elsewhere(path)) {
            return Ok(Some(found));
        }
        bytes.drain(..bytes.len().saturating_sub(LONGEST_PATH));
    }
}

/// Absolute paths of tablespaces, and what looks like one, as nothing says where a path begins.
fn paths_in(bytes: &[u8]) -> impl Iterator<Item = PathBuf> + '_ {
    let is_end = move |end: &usize| TABLESPACES.contains(&&bytes[end - TABLESPACES[0].len()..*end]);
    let ends = (TABLESPACES[0].len()..=bytes.len()).filter(is_end);
    ends.flat_map(move |end| {
        let first = end.saturating_sub(LONGEST_PATH);
        let text = bytes[first..end].iter().rposition(|byte| *byte < b' ');
        let first = text.map_or(first, |at| first + at + 1);
        let slashes = (first..end).filter(|&at| bytes[at] == b'/');
        slashes.map(move |at| PathBuf::from(OsStr::from_bytes(&bytes[at..end])))
    })
}

fn has_ending(entry: &DirEntry, ending: &str) -> bool {
    Path::new(&entry.file_name()).extension().is_some_and(|end| end == ending)
}

fn check(directory: &Path) -> Result<(), Failure> {
    let refuse = |what: &str, remedy: &str| {
        let message = format!("{} {what}", directory.display());
        Err(Failure::new(FailureKind::SandboxStart, message, remedy))
    };
    match directory.join(SYSTEM_TABLESPACE).symlink_metadata() {
        Ok(facts) if facts.is_file() && is_locked(&facts) => {
            return refuse(
                "is in use: a server has its ibdata1 locked, and a copy of what changes is none",
                "stop that server, or name a backup that mariabackup --prepare has made ready",
            );
        }
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
    let by_link = || {
        let of = |link: PathBuf| {
            format!("by {}", link.strip_prefix(directory).unwrap_or(&link).display())
        };
        Ok(link(directory, true)?.map(of))
    };
    let by_name = || {
        let of = |file: PathBuf| format!("in {}, by {DICTIONARY}", file.display());
        Ok(named_in_dictionary(directory)?.map(of))
    };
    match by_link().and_then(|found| found.map_or_else(by_name, |found| Ok(Some(found)))) {
        Ok(None) => {}
        Ok(Some(place)) => {
            let what = format!(
                "has a table that lies elsewhere, {place}: a server on a copy would open the original"
            );
            return refuse(
                &what,
                "leave such tables (DATA DIRECTORY) out of what is copied, or load a dump: setup = \"dump.sql\"",
            );
        }
        Err(error) => return Err(file_trouble("the data", directory, &error)),
    }
    for name in CHECKPOINTS {
        if let Ok(said) = beginning(&directory.join(name), MOST_SAID)
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

/// The first bytes of a regular file: another may never end.
fn beginning(path: &Path, most: u64) -> io::Result<String> {
    if !path.symlink_metadata()?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
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

    #[test]
    fn what_leads_to_files_of_the_original_is_neither_opened_nor_copied() {
        let place = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| std::fs::write(place.path().join(name), text).unwrap();
        write(SYSTEM_TABLESPACE, "");
        write("own.index", "./own.000001\nown.000002\n");
        write("absolute.index", "./absolute.000001\n/var/lib/mysql/absolute.000002\n");
        write("above.index", "./../above.000001\n");
        write("absolute.000001", "/not a list");
        let mut lists = lists_of_elsewhere(place.path()).unwrap();
        lists.sort();
        assert_eq!(lists, ["above.index", "absolute.index"]);
        check(place.path()).unwrap();
        std::fs::create_dir(place.path().join("shop")).unwrap();
        write("shop/orders.isl", "/fast/shop/orders.ibd");
        let link = check(place.path()).unwrap_err();
        assert!(link.message.contains("shop/orders.isl"), "{link}");
    }

    #[test]
    fn a_table_that_the_dictionary_has_elsewhere_is_found_anywhere_in_it() {
        let (place, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let table = elsewhere.path().join("with a blank.ibd");
        let name = |path: &Path| path.as_os_str().as_bytes().to_vec();
        let find = |before: usize, path: &Path| {
            let written = [vec![b'/'; before], name(path), vec![0; 99]].concat();
            std::fs::write(place.path().join(DICTIONARY), written).unwrap();
            named_in_dictionary(place.path()).unwrap()
        };
        assert_eq!(find(0, &table), None, "it is not there");
        std::fs::write(&table, "").unwrap();
        let own = place.path().join("own.ibd");
        std::fs::write(&own, "").unwrap();
        for before in [0, 1, (1 << 20) - 9, 3 << 20] {
            let found = find(before, &table).unwrap();
            assert_eq!(found.canonicalize().unwrap(), table.canonicalize().unwrap());
        }
        assert_eq!(find(5, &own), None);
    }

    #[test]
    fn a_copy_goes_on_with_nothing_that_its_original_does() {
        let of = |text: &str| {
            CopiedData::options(&Version::parse(text).unwrap()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(
            of("mariadbd  Ver 10.11.6-MariaDB for Linux"),
            "--skip-slave-start --event-scheduler=OFF"
        );
        assert_eq!(
            of("mysqld  Ver 8.4.2 for Linux on x86_64"),
            "--skip-replica-start --event-scheduler=OFF --loose-group-replication-start-on-boot=OFF"
        );
    }
}
