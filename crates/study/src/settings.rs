use crate::problem::Problems;
use crate::wire::Setting;
use model::System;
use std::collections::BTreeMap;
use toml::Spanned;

/// Settings that weighin chooses itself, and why.
type Owned = [(&'static str, &'static [&'static str]); 4];

/// Those of a sandbox of MariaDB.
const OWNED: Owned = [
    (
        "weighin gives every sandbox a directory of its own; choose it with `directory` beside \
         `settings`",
        &[
            "aria_log_dir_path",
            "basedir",
            "datadir",
            "innodb_data_home_dir",
            "innodb_log_group_home_dir",
            "innodb_undo_directory",
            "log_error",
            "pid_file",
            "secure_file_priv",
            "tmpdir",
        ],
    ),
    (
        "weighin chooses the socket and a free loopback port, so that sandboxes don't meet",
        &["bind_address", "extra_port", "port", "skip_networking", "socket"],
    ),
    (
        "weighin sets up the accounts of a sandbox and runs it as an ordinary user",
        &["init_file", "skip_grant_tables", "user"],
    ),
    (
        "weighin starts the server from an option file of its own and must stay its parent",
        &["daemonize", "defaults_extra_file", "defaults_file", "no_defaults"],
    ),
];

/// Those of a sandbox of Redis.
const OWNED_BY_REDIS: Owned = [
    (
        "weighin gives every sandbox a directory of its own; choose it with `directory` beside \
         `settings`",
        &["dir", "logfile", "pidfile"],
    ),
    (
        "weighin chooses the socket and a free loopback port, so that sandboxes don't meet",
        &["bind", "port", "tls-port", "unixsocket", "unixsocketperm"],
    ),
    (
        "weighin sets up the account of a sandbox",
        &["aclfile", "protected-mode", "requirepass", "user"],
    ),
    (
        "weighin starts single servers from a file of its own and must stay their parent",
        &["cluster-enabled", "daemonize", "include", "replicaof", "slaveof", "supervised"],
    ),
];

/// Turns the settings of a sandbox into texts, by name as that kind of server spells it; notes those
/// that cannot be set.
pub(crate) fn settings(
    wire: BTreeMap<Spanned<String>, Spanned<Setting>>,
    system: System,
    problems: &mut Problems,
) -> BTreeMap<String, String> {
    let mut places = BTreeMap::new();
    let mut settings = BTreeMap::new();
    for (key, value) in wire {
        let at = key.span();
        let written = key.into_inner();
        let name = written.trim_start_matches("--").to_ascii_lowercase();
        let name = match system {
            System::Redis => name.replace('_', "-"),
            System::MariaDb | System::Storage | System::Unknown => name.replace('-', "_"),
        };
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
        {
            problems
                .add(at, format!("`{written}` is not the name of a server setting"))
                .help("write the name as in the server's option file, without --");
            continue;
        }
        if let Some(reason) = reason_owned(&name, system) {
            problems.add(at, format!("`{written}` cannot be set for a sandbox: {reason}"));
            continue;
        }
        let text = match value.get_ref() {
            Setting::Flag(on) => (if *on { "ON" } else { "OFF" }).to_string(),
            Setting::Whole(number) => number.to_string(),
            Setting::Real(number) => number.to_string(),
            Setting::Text(text) => text.clone(),
        };
        if text.contains(char::is_control) {
            // A line break would begin another setting in the option file.
            problems.add(value.span(), format!("`{written}` holds a control character"));
            continue;
        }
        match places.insert(name.clone(), at.clone()) {
            Some(first) => {
                problems
                    .add(at, format!("`{written}` is set twice"))
                    .other(first, "the same setting, spelt differently");
            }
            None => {
                settings.insert(name, text);
            }
        }
    }
    settings
}

fn reason_owned(name: &str, system: System) -> Option<&'static str> {
    let (owned, name) = match system {
        System::Redis => (OWNED_BY_REDIS, name),
        // The server takes any setting with this prefix as the setting itself.
        System::MariaDb | System::Storage | System::Unknown => {
            (OWNED, name.strip_prefix("loose_").unwrap_or(name))
        }
    };
    owned.iter().find(|(_, names)| names.contains(&name)).map(|(reason, _)| *reason)
}
