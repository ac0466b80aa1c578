//! Settings of MariaDB and MySQL, by full names with underscores.

use crate::{Cache, KnownSettings, Rule, Verdict, by_path, options};

/// What weighin knows of them.
pub static KNOWN: KnownSettings = KnownSettings {
    prefixes: &options::PREFIXES,
    decided: &DECIDED,
    need_trust: &NEED_TRUST,
    need_trust_prefixes: &PREFIXES_NEED_TRUST,
    judge_value: |name, value| match SLASH_IS_NO_PATH.contains(&name) {
        true => Verdict::Allowed,
        false => by_path(value),
    },
    secrets: &SECRETS,
    groups: &["mysqld", "server", "mariadb", "mariadbd", "client-server"],
    optional: "loose_",
    files: &FILES,
    of_originals: &["event_scheduler", "skip_replica_start", "skip_slave_start"],
    cache: Some(Cache { setting: "innodb_buffer_pool_size", bytes }),
    ..KnownSettings::NONE
};

/// Settings that weighin chooses itself, and why.
const DECIDED: [Rule; 5] = [
    (
        "weighin gives every sandbox a directory of its own; choose it with `directory`, next to \
         `settings`",
        &[
            "aria_log_dir_path",
            "basedir",
            "chroot",
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
        &[
            "admin_address",
            "admin_port",
            "bind_address",
            "create_admin_listener_thread",
            "extra_port",
            "mysqlx",
            "mysqlx_bind_address",
            "mysqlx_port",
            "mysqlx_socket",
            "port",
            "proxy_protocol_networks",
            "skip_networking",
            "socket",
        ],
    ),
    (
        "weighin sets up the accounts of a sandbox and runs it as an ordinary user",
        &[
            "bootstrap",
            "init_file",
            "initialize",
            "initialize_insecure",
            "skip_grant_tables",
            "user",
        ],
    ),
    (
        "weighin starts the server with options of its own and must stay its parent",
        &[
            "daemonize",
            "defaults_extra_file",
            "defaults_file",
            "defaults_group_suffix",
            "help",
            "no_defaults",
            "print_defaults",
            "verbose",
            "version",
        ],
    ),
    ("weighin keeps no passwords in studies", &SECRETS),
];

/// Settings whose values are passwords.
const SECRETS: [&str; 2] = ["report_password", "wsrep_sst_auth"];

/// Settings that could harm the host, and how.
const NEED_TRUST: [Rule; 4] = [
    ("it makes the server load code", &["allow_suspicious_udfs", "early_plugin_load"]),
    (
        "it makes the server run statements that the study names",
        &["init_connect", "init_replica", "init_slave"],
    ),
    ("it makes the server connect to others", &["report_host", "report_port", "report_user"]),
    (
        "it makes the server write traces and changes how it handles signals",
        &["debug", "debug_exit_info", "debug_gdb", "gdb"],
    ),
];

/// The same by the beginnings of names.
const PREFIXES_NEED_TRUST: [Rule; 4] = [
    ("it makes the server load code", &["plugin_"]),
    ("it makes the server connect to others", &["group_replication", "clone_"]),
    ("it makes the server load code, run commands and connect to others", &["wsrep_"]),
    ("it makes the server send data about itself to others", &["feedback"]),
];

/// Settings whose values may hold a slash and are no paths: time zones, and tables as
/// `database/table`.
const SLASH_IS_NO_PATH: [&str; 5] = [
    "default_time_zone",
    "innodb_ft_aux_table",
    "innodb_ft_server_stopword_table",
    "innodb_ft_user_stopword_table",
    "time_zone",
];

/// Settings that name a file of the server, which a private one keeps in its own directory.
const FILES: [&str; 8] = [
    "general_log_file",
    "innodb_buffer_pool_filename",
    "log_bin",
    "log_bin_index",
    "log_slow_query_file",
    "relay_log",
    "relay_log_index",
    "slow_query_log_file",
];

/// A number of bytes as option files have it, such as `8G`.
fn bytes(value: &str) -> Option<u64> {
    let end = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    let shift = match value[end..].to_ascii_uppercase().as_str() {
        "" => 0,
        "K" => 10,
        "M" => 20,
        "G" => 30,
        "T" => 40,
        "P" => 50,
        _ => return None,
    };
    value[..end].parse::<u64>().ok()?.checked_mul(1 << shift)
}
