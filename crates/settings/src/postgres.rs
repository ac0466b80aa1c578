//! Settings of PostgreSQL, by names in lower case with underscores.

use crate::{Cache, KnownSettings, PATH, Rule, Verdict, is_path};

/// What weighin knows of them.
pub static KNOWN: KnownSettings = KnownSettings {
    decided: &DECIDED,
    decided_prefixes: &PREFIXES_DECIDED,
    need_trust: &NEED_TRUST,
    judge_value,
    secrets: &SECRETS,
    cache: Some(Cache { setting: "shared_buffers", bytes }),
    ..KnownSettings::NONE
};

/// Settings that weighin chooses itself, and why.
const DECIDED: [Rule; 5] = [
    (
        "weighin gives every sandbox a directory of its own; choose it with `directory`, next to \
         `settings`",
        &[
            "config_file",
            "data_directory",
            "external_pid_file",
            "hba_file",
            "ident_file",
            "include",
            "include_dir",
            "include_if_exists",
            "stats_temp_directory",
            "temp_tablespaces",
        ],
    ),
    (
        "weighin chooses the socket and a free loopback port, so that sandboxes don't meet",
        &["listen_addresses", "port", "unix_socket_directories", "unix_socket_directory"],
    ),
    (
        "weighin reads what the server says, and keeps it from others",
        &[
            "event_source", "log_destination", "log_directory", "log_file_mode", "log_filename",
            "logging_collector",
        ],
    ),
    (
        "weighin sets up the account of a sandbox, and TLS where others reach it",
        &[
            "authentication_timeout",
            "db_user_namespace",
            "password_encryption",
            "ssl",
            "ssl_ca_file",
            "ssl_cert_file",
            "ssl_crl_dir",
            "ssl_crl_file",
            "ssl_dh_params_file",
            "ssl_key_file",
            "unix_socket_group",
            "unix_socket_permissions",
        ],
    ),
    ("weighin keeps no passwords in studies", &SECRETS),
];

/// The same by the beginnings of names.
const PREFIXES_DECIDED: [Rule; 2] = [
    ("weighin reads what the server says, and keeps it from others", &["syslog_"]),
    ("a sandbox is announced to nobody", &["bonjour"]),
];

/// Settings whose values are passwords, or hold them.
const SECRETS: [&str; 1] = ["primary_conninfo"];

/// Settings that could harm the host, and how.
const NEED_TRUST: [Rule; 4] = [
    (
        "it makes the server load code",
        &[
            "archive_library",
            "dynamic_library_path",
            "extension_control_path",
            "extension_destdir",
            "jit_provider",
            "local_preload_libraries",
            "oauth_validator_libraries",
            "session_preload_libraries",
            "shared_preload_libraries",
        ],
    ),
    ("it makes the server run commands", &["ssl_passphrase_command"]),
    (
        "it makes the server connect to others",
        &["primary_slot_name", "promote_trigger_file", "sync_replication_slots"],
    ),
    // Its account may be that of an installed server, whose keys these are.
    ("it makes the server read keys of other servers", &["krb_server_keyfile"]),
];

/// Settings whose values are commands for a shell.
const COMMAND: &str = "_command";
/// Settings whose names only look like that.
const NO_COMMANDS: [&str; 1] = ["log_replication_commands"];

/// Settings whose values may hold a slash and are no paths.
const SLASH_IS_NO_PATH: [&str; 3] = ["log_line_prefix", "log_timezone", "timezone"];

/// What is to be done with a setting by its value, or what its name says of that.
fn judge_value(name: &str, value: &str) -> Verdict {
    if name.contains(COMMAND) && !NO_COMMANDS.contains(&name) {
        return Verdict::NeedsTrust("it makes the server run commands");
    }
    let leads_out = match SLASH_IS_NO_PATH.contains(&name) {
        // A zone is a file of the server's own directory of zones.
        true => name.contains("timezone") && (value.starts_with('/') || value.contains("..")),
        false => is_path(value),
    };
    if leads_out { Verdict::NeedsTrust(PATH) } else { Verdict::Allowed }
}

/// The name that was probably meant, of those that `postgres --describe-config` lists.
pub fn nearest(described: &str, name: &str) -> Option<String> {
    let names = described.lines().filter_map(|line| line.split('\t').next());
    let distances = names.map(|known| (strsim::damerau_levenshtein(name, known), known));
    let (distance, nearest) = distances.min()?;
    (distance <= (nearest.len() / 3).max(1)).then(|| nearest.to_owned())
}

/// What a number without a unit counts there: blocks of the usual size.
const BLOCK: u64 = 8192;

/// How many bytes a value such as `512MB` is.
fn bytes(value: &str) -> Option<u64> {
    let value = value.trim();
    let digits = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    let (number, unit) = value.split_at(digits);
    let unit = match unit.trim() {
        "" => BLOCK,
        "B" => 1,
        "kB" => 1 << 10,
        "MB" => 1 << 20,
        "GB" => 1 << 30,
        "TB" => 1 << 40,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reaches_beyond_the_server_is_decided_or_needs_trust() {
        for (name, value) in [
            ("data_directory", "/var/lib"),
            ("hba_file", "x"),
            ("listen_addresses", "*"),
            ("unix_socket_directories", "/tmp"),
            ("log_destination", "syslog"),
            ("syslog_ident", "x"),
            ("bonjour", "on"),
            ("ssl_key_file", "x"),
            ("primary_conninfo", "host=x password=y"),
            ("include", "x"),
        ] {
            assert!(matches!(KNOWN.judge(name, value), Verdict::Decided(_)), "{name}");
        }
        for (name, value) in [
            ("archive_command", "cp %p x"),
            ("restore_command", ""),
            ("recovery_end_command", "x"),
            ("archive_cleanup_command", "x"),
            ("ssl_passphrase_command_supports_reload", "on"),
            ("shared_preload_libraries", "pg_stat_statements"),
            ("jit_provider", "x"),
            ("log_timezone", "../../etc/passwd"),
            ("default_tablespace", "/x"),
        ] {
            assert!(matches!(KNOWN.judge(name, value), Verdict::NeedsTrust(_)), "{name}");
        }
        for (name, value) in [
            ("shared_buffers", "256MB"),
            ("synchronous_commit", "off"),
            ("timezone", "Europe/Berlin"),
            ("log_replication_commands", "on"),
            ("checkpoint_completion_target", "0.9"),
            ("wal_compression", "lz4"),
        ] {
            assert_eq!(KNOWN.judge(name, value), Verdict::Allowed, "{name}");
        }
    }

    #[test]
    fn the_nearest_name_is_told() {
        let described = "shared_buffers\tpostmaster\nwork_mem\tuser\n";
        assert_eq!(nearest(described, "shared_bufers").as_deref(), Some("shared_buffers"));
        assert_eq!(nearest(described, "innodb_doublewrite"), None);
    }
}
