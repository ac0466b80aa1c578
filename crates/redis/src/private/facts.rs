use host::recipe::{KindFacts, LogWords};
use model::System;

pub(super) const FACTS: KindFacts = KindFacts {
    system: System::Redis,
    proxy: None,
    login: (None, ""),
    replication_user: None,
    account: "redis",
    runs_as_account: false,
    // Packages also link the server to its own tools.
    program_prefixes: &["redis-", "valkey-", "keydb-"],
    log_words: LogWords {
        // Of a file that had room for the first part of a write.
        disk_full: &["Short write while writing to the AOF file"],
        unknown_setting: &[],
        // It marks what one should know with that.
        error: &[" # "],
    },
    setting_example: "maxmemory",
    base_example: "/opt/valkey-8",
};
