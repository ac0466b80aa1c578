use host::recipe::{KindFacts, LogWords};
use model::System;

/// Weighin's login on its private servers.
pub(super) const USER: &str = "weighin";
/// The login of servers that replicate from a private one.
pub(super) const REPLICATION_USER: &str = "weighin_replica";
/// From where clients reach a private server: its socket, loopback, and a network of its own
/// ([`host::recipe::ADDRESSES`]).
pub const CLIENT_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "198.18.%"];
/// Where MySQL keeps the name of a server that no other has.
pub(super) const SERVER_ID_FILE: &str = "auto.cnf";
/// The database that its tables are in.
pub(super) const DATABASE: &str = "sbtest";

pub(super) const FACTS: KindFacts = KindFacts {
    system: System::Mysql,
    proxy: None,
    login: (Some(USER), DATABASE),
    replication_user: Some(REPLICATION_USER),
    account: "mysql",
    runs_as_account: true,
    program_prefixes: &[],
    log_words: LogWords {
        disk_full: &["Disk full", "out of disk space", "with error 28"],
        unknown_setting: &["unknown variable", "unknown option"],
        error: &["[ERROR]"],
    },
    setting_example: "innodb_buffer_pool_size",
    base_example: "/opt/mariadb-11.4",
};
