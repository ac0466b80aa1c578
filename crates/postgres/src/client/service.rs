//! Files of services (`pg_service.conf`): sections of keys, each under the name of a service.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use system::client::{Unreadable, Variable, read_options, read_private_options};

/// The keys of a service that weighin reads.
const READ: [&str; 9] = [
    "dbname", "host", "hostaddr", "password", "port", "require_auth", "sslmode", "sslrootcert",
    "user",
];
/// Such that change neither where a connection leads, nor who logs in, nor how.
const WITHOUT_EFFECT: [&str; 14] = [
    "application_name",
    "client_encoding",
    "connect_timeout",
    "fallback_application_name",
    "gssencmode",
    "gsslib",
    "keepalives",
    "keepalives_count",
    "keepalives_idle",
    "keepalives_interval",
    "krbsrvname",
    "sslcompression",
    "sslsni",
    "tcp_user_timeout",
];
/// Where the file of the whole machine is, as PostgreSQL has it and as Debian does.
const DIRECTORIES: [&str; 2] = ["/usr/local/pgsql/etc", "/etc/postgresql-common"];
const FILE: &str = "pg_service.conf";

/// What a file says of a service.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Service {
    pub(crate) values: Vec<(String, String)>,
    pub(crate) file: PathBuf,
}

impl Service {
    pub(crate) fn get(&self, key: &str) -> Option<&str> {
        let found = self.values.iter().find(|(name, _)| name == key);
        found.map(|(_, value)| value.as_str()).filter(|value| !value.is_empty())
    }

    /// Its password; `None` where other accounts may read the file.
    ///
    /// # Errors
    /// When the file cannot be read again.
    pub(crate) fn password(&self, name: &str) -> Result<Option<Vec<u8>>, Unreadable> {
        let Some(content) = read_private_options(&self.file)? else { return Ok(None) };
        let found = find(&content, name).ok().flatten().unwrap_or_default();
        Ok(found
            .into_iter()
            .find(|(key, _)| key == "password")
            .map(|(_, value)| value.into_bytes()))
    }
}

/// Looks for a service where libpq does.
///
/// # Errors
/// Where it is not there, or what there is cannot be used; in words.
pub(crate) fn look_up(name: &str, variable: Variable<'_>) -> Result<Service, String> {
    let path = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let own = path("PGSERVICEFILE");
    let usual = || std::env::home_dir().map(|home| home.join(".pg_service.conf"));
    let is_named = own.is_some();
    let whole_machine = match path("PGSYSCONFDIR") {
        Some(directory) => vec![directory],
        None => DIRECTORIES.map(PathBuf::from).to_vec(),
    };
    let files = own.or_else(usual).into_iter().map(|file| (file, is_named));
    let files = files.chain(whole_machine.iter().map(|directory| (directory.join(FILE), false)));
    for (file, must_be_there) in files {
        let Some(content) = read(&file, must_be_there)? else { continue };
        let place = |why: String| format!("{}: {why}", file.display());
        if let Some(values) = find(&content, name).map_err(place)? {
            let service = Service { values, file };
            return suits(&service, name).map(|()| service);
        }
    }
    Err(format!(
        "the service {name} is in no file of services (~/.pg_service.conf, or PGSERVICEFILE; {FILE} in \
         PGSYSCONFDIR)"
    ))
}

fn read(file: &Path, must_be_there: bool) -> Result<Option<Vec<u8>>, String> {
    let name = file.display();
    match read_options(file) {
        Ok(Some(content)) => Ok(Some(content)),
        Ok(None) => Err(format!("every account may write {name}: chmod o-w")),
        Err(Unreadable::Failed(error))
            if !must_be_there
                && matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) =>
        {
            Ok(None)
        }
        Err(why) => Err(format!("cannot read the file of services {name}: {why}")),
    }
}

/// What is neither read nor without effect would be measured otherwise than it says.
fn suits(service: &Service, name: &str) -> Result<(), String> {
    let unknown = service
        .values
        .iter()
        .find(|(key, _)| !READ.contains(&key.as_str()) && !WITHOUT_EFFECT.contains(&key.as_str()));
    match unknown {
        None => Ok(()),
        Some((key, _)) => Err(format!(
            "the service {name} in {} sets {key}, which weighin does not have",
            service.file.display()
        )),
    }
}

/// The keys of a service; `None` where the file does not have it. Of a key that is there twice the first
/// counts.
///
/// # Errors
/// A line that is none.
pub(crate) fn find(content: &[u8], name: &str) -> Result<Option<Vec<(String, String)>>, String> {
    let mut found: Option<Vec<(String, String)>> = None;
    for (number, line) in content.split(|&byte| byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") {
            continue;
        }
        if let Some(section) = line.strip_prefix(b"[") {
            if found.is_some() {
                break;
            }
            let is_it =
                section.strip_prefix(name.as_bytes()).is_some_and(|rest| rest.starts_with(b"]"));
            found = is_it.then(Vec::new);
            continue;
        }
        let Some(values) = &mut found else { continue };
        // What stands there may be a password: only its number is shown.
        let wrong = || format!("line {} is not key=value", number + 1);
        let line = std::str::from_utf8(line).map_err(|_| wrong())?;
        let (key, value) = line.split_once('=').ok_or_else(wrong)?;
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
            return Err(wrong());
        }
        if key == "service" {
            return Err(format!("line {}: a service cannot name another", number + 1));
        }
        if !values.iter().any(|(there, _)| there == key) {
            values.push((key.to_owned(), value.to_owned()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(file: &str) -> Option<Vec<(String, String)>> {
        find(file.as_bytes(), "bench").unwrap()
    }

    #[test]
    fn the_section_of_the_service_counts_and_of_a_key_the_first_line() {
        let file = "host=no\n[benches]\nhost=no\n# [bench]\n[bench]\r\n  host=db\r\n\nport=6000\nport=1\n\
                    password= a=b\n[bench]\nuser=no\n";
        let expected = [("host", "db"), ("port", "6000"), ("password", " a=b")];
        let expected = expected.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(values(file), Some(expected.to_vec()));
        assert_eq!(values("[other]\nhost=db\n"), None);
        assert_eq!(values("[bench]"), Some(Vec::new()));
    }

    #[test]
    fn a_line_that_is_none_is_named_by_its_number_alone() {
        for (file, line) in [
            ("[bench]\nhunter2\n", "line 2 is not key=value"),
            ("[bench]\nhost = db\n", "line 2 is not key=value"),
            ("[bench]\n\nservice=x\n", "line 3"),
        ] {
            let error = find(file.as_bytes(), "bench").unwrap_err();
            assert!(error.starts_with(line), "{error}");
        }
    }
}
