//! The study's server settings, checked and made into a configuration file.

use crate::sandbox::home::Home;
use model::{Failure, FailureKind};
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

/// Settings that decide where the server is, keeps its files and lets in whom, which is weighin's
/// business.
const OWN: [&str; 25] = [
    "aclfile",
    "bind",
    "bind-source-addr",
    "cluster-config-file",
    "cluster-enabled",
    "daemonize",
    "dir",
    "include",
    "logfile",
    "masterauth",
    "pidfile",
    "port",
    "protected-mode",
    "rename-command",
    "replicaof",
    "requirepass",
    "sentinel",
    "slaveof",
    "supervised",
    "syslog-enabled",
    "tls-cluster",
    "tls-port",
    "unixsocket",
    "unixsocketperm",
    "user",
];
/// Names of files that stay within the data directory as long as they hold no slash.
const FILE_NAMES: [&str; 3] = ["appenddirname", "appendfilename", "dbfilename"];

/// A target's settings, known to be harmless to the sandbox.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Configuration(BTreeMap<String, String>);

impl Configuration {
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
            let known = name.to_ascii_lowercase();
            if known.is_empty() || !known.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') {
                return refuse(
                    "is no name of a server setting",
                    "write it as in redis.conf, such as appendfsync",
                );
            }
            if OWN.contains(&known.as_str()) {
                return refuse(
                    "is decided by weighin in a private server",
                    "remove it; `directory` says where the data is kept",
                );
            }
            if value.contains(['\0', '\n', '\r']) {
                return refuse("has a value of several lines", "give it a value of one line");
            }
            if FILE_NAMES.contains(&known.as_str()) && value.contains('/') {
                return refuse("leads out of the data directory", "give a name without slashes");
            }
        }
        Ok(Self(settings))
    }

    /// The text of the configuration file. `yes` and `no` are what booleans of a study file
    /// (`ON`, `OFF`) are called here.
    pub(super) fn text(&self, home: &Home, password: &str) -> String {
        let quoted = |path: std::path::PathBuf| format!("\"{}\"", path.display());
        let mut text = format!(
            "bind {}\nunixsocket {}\nunixsocketperm 700\ndir {}\nlogfile \"\"\ndaemonize no\n\
             supervised no\nrequirepass {password}\n",
            Ipv4Addr::LOCALHOST,
            quoted(home.socket()),
            quoted(home.data()),
        );
        for (name, value) in &self.0 {
            let value = match value.as_str() {
                "" => "\"\"",
                "ON" => "yes",
                "OFF" => "no",
                value => value,
            };
            text += &format!("{name} {value}\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn configuration(name: &str, value: &str) -> Result<Configuration, Failure> {
        Configuration::new("cache", BTreeMap::from([(name.to_owned(), value.to_owned())]))
    }

    #[test]
    fn what_weighin_decides_is_refused() {
        for name in ["dir", "Port", "replicaof", "include"] {
            let failure = configuration(name, "x").unwrap_err();
            assert!(failure.message.contains(name) && failure.message.contains("cache"));
        }
    }

    #[test]
    fn what_could_say_more_than_one_setting_is_refused() {
        for (name, value) in
            [("", "1"), ("a b", "1"), ("save", "60 1\ndir /"), ("dbfilename", "../x")]
        {
            assert!(configuration(name, value).is_err(), "{name:?} {value:?}");
        }
        assert!(configuration("save", "").is_ok());
        assert!(configuration("dbfilename", "dump.rdb").is_ok());
    }
}
