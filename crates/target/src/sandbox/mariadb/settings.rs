//! The study's server settings, checked and made into options.

use model::{Failure, FailureKind};
use std::collections::BTreeMap;

/// Settings that decide where the server is and keeps its files, which is weighin's business: a
/// file elsewhere would stay behind.
const OWN: [&str; 24] = [
    "aria_log_dir_path",
    "basedir",
    "bind_address",
    "bootstrap",
    "chroot",
    "datadir",
    "defaults_extra_file",
    "defaults_file",
    "help",
    "init_file",
    "innodb_data_home_dir",
    "innodb_log_group_home_dir",
    "innodb_undo_directory",
    "log_error",
    "no_defaults",
    "pid_file",
    "port",
    "print_defaults",
    "skip_grant_tables",
    "skip_networking",
    "socket",
    "tmpdir",
    "user",
    "version",
];

/// Settings that are cast in stone when a data directory is initialised.
const AT_INITIALISATION: [&str; 6] = [
    "aria_block_size",
    "innodb_checksum_algorithm",
    "innodb_data_file_path",
    "innodb_page_size",
    "innodb_undo_tablespaces",
    "lower_case_table_names",
];

/// A target's settings, known to be harmless to the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Settings(BTreeMap<String, String>);

impl Settings {
    /// Checks names and values. Whether the server knows them, it says itself when it starts.
    ///
    /// # Errors
    /// `SandboxStart` that names the setting.
    pub(super) fn new(target: &str, settings: BTreeMap<String, String>) -> Result<Self, Failure> {
        for (name, value) in &settings {
            let refuse = |why: &str, remedy: &str| {
                let message = format!("target \"{target}\": setting \"{name}\" {why}");
                Err(Failure::new(FailureKind::SandboxStart, message, remedy))
            };
            let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
            if name.is_empty() || name.starts_with('-') || !name.chars().all(legal) {
                return refuse(
                    "is no name of a server setting",
                    "write it as in the server's option file, such as innodb_buffer_pool_size",
                );
            }
            if OWN.contains(&canonical(name).as_str()) {
                return refuse(
                    "is decided by weighin in a private server",
                    "remove it; `directory` says where the data is kept",
                );
            }
            if value.contains(['\0', '\n']) {
                return refuse("has a value of several lines", "give it a value of one line");
            }
        }
        Ok(Self(settings))
    }

    /// All settings as command-line options.
    pub(super) fn options(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(name, value)| option(name, value))
    }

    /// The options that initialising a data directory needs.
    pub(super) fn initial_options(&self) -> Vec<String> {
        let initial = |name: &str| AT_INITIALISATION.contains(&canonical(name).as_str());
        self.0
            .iter()
            .filter(|(name, _)| initial(name))
            .map(|(name, value)| option(&canonical(name), value))
            .collect()
    }
}

fn option(name: &str, value: &str) -> String {
    if value.is_empty() { format!("--{name}") } else { format!("--{name}={value}") }
}

/// The name with underscores, in lower case, and without the prefix that makes a setting optional.
fn canonical(name: &str) -> String {
    let name = name.replace('-', "_").to_ascii_lowercase();
    name.strip_prefix("loose_").unwrap_or(&name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(pairs: &[(&str, &str)]) -> Result<Settings, Failure> {
        let pairs = pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
        Settings::new("durable", pairs.collect())
    }

    #[test]
    fn settings_become_options() {
        let settings = settings(&[("innodb_io_capacity", "1000"), ("log-bin", "")]).unwrap();
        let options: Vec<String> = settings.options().collect();
        assert_eq!(options, ["--innodb_io_capacity=1000", "--log-bin"]);
        assert!(settings.initial_options().is_empty());
    }

    #[test]
    fn initialisation_gets_what_it_needs_however_it_is_written() {
        let settings =
            settings(&[("innodb-page-size", "8k"), ("loose_aria_block_size", "4096"), ("x", "1")]);
        let options = settings.unwrap().initial_options();
        assert_eq!(options, ["--innodb_page_size=8k", "--aria_block_size=4096"]);
    }

    #[test]
    fn what_weighin_decides_is_refused() {
        for name in ["datadir", "bind-address", "LOG_ERROR", "loose-tmpdir"] {
            let failure = settings(&[(name, "/x")]).unwrap_err();
            assert_eq!(failure.kind, FailureKind::SandboxStart);
            assert!(failure.message.contains(name) && failure.message.contains("durable"));
        }
    }

    #[test]
    fn names_and_values_that_are_none_are_refused() {
        for name in ["", "--datadir", "a b", "a=b", "ä", "a\nb"] {
            assert!(settings(&[(name, "1")]).is_err(), "{name:?}");
        }
        assert!(settings(&[("init_connect", "a\nb")]).is_err());
    }
}
