use host::recipe::{KindFacts, LogWords};
use model::System;

/// The account of weighin on a private server, and the database that its data is in.
pub(super) const USER: &str = "weighin";
pub(super) const DATABASE: &str = "sbtest";
/// The account of those that replicate from one.
pub(super) const REPLICATION_USER: &str = "weighin_replication";

pub(super) const FACTS: KindFacts = KindFacts {
    system: System::Postgres,
    proxy: None,
    login: (Some(USER), DATABASE),
    replication_user: Some(REPLICATION_USER),
    account: "postgres",
    runs_as_account: true,
    // The postmaster and its processes rewrite their arguments.
    program_prefixes: &["postgres"],
    log_words: LogWords {
        disk_full: &[],
        unknown_setting: &["unrecognized configuration parameter", "invalid value for parameter"],
        error: &["FATAL:", "PANIC:", "ERROR:"],
    },
    setting_example: "shared_buffers",
    base_example: "/opt/pgsql-17",
};
