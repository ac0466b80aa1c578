use super::info;
use crate::client::{RedisConnection, RedisError};
use model::{ServerCounters, signal};
use std::collections::BTreeMap;

/// Figures of `INFO` that are kept: what explains a result. Those of commands come on top.
const NAMES: [&str; 23] = [
    "aof_base_size",
    "aof_buffer_length",
    "aof_current_size",
    "aof_last_rewrite_time_sec",
    "aof_pending_bio_fsync",
    "blocked_clients",
    "connected_clients",
    "current_cow_size",
    "expired_keys",
    "keyspace_hits",
    "keyspace_misses",
    "loading",
    "mem_not_counted_for_evict",
    "rdb_changes_since_last_save",
    "rdb_last_bgsave_time_sec",
    "rejected_connections",
    "total_commands_processed",
    "total_connections_received",
    "total_error_replies",
    "total_net_input_bytes",
    "total_net_output_bytes",
    "used_memory",
    "used_memory_rss",
];
/// What is kept as a signal in place of the server's own figure.
const SIGNALS: [(&str, &str); 11] = [
    ("aof_delayed_fsync", signal::DELAYED_SYNCS),
    ("aof_last_cow_size", signal::LOG_REWRITE_COPIED),
    ("aof_rewrite_in_progress", signal::LOG_REWRITE_RUNNING),
    ("aof_rewrites", signal::LOG_REWRITES),
    ("evicted_keys", signal::EVICTED_KEYS),
    ("latest_fork_usec", signal::LAST_FORK_MICROS),
    ("maxmemory", signal::MEMORY_LIMIT),
    ("rdb_bgsave_in_progress", signal::SNAPSHOT_RUNNING),
    ("rdb_last_cow_size", signal::SNAPSHOT_COPIED),
    ("rdb_saves", signal::SNAPSHOTS),
    ("total_forks", signal::FORKS),
];
/// Commands that loads consist of; the server lists a command from its first call on.
const COMMANDS: [&str; 2] = ["cmdstat_get", "cmdstat_set"];

/// Reads the counters.
pub(crate) fn read(connection: &mut RedisConnection) -> Result<ServerCounters, RedisError> {
    let report = info(connection, "")?.into_iter().chain(info(connection, "commandstats")?);
    Ok(counters(report))
}

/// The counters out of the lines of a report.
pub(crate) fn counters(report: impl IntoIterator<Item = (String, String)>) -> ServerCounters {
    let mut counters: BTreeMap<String, i64> =
        COMMANDS.into_iter().map(|name| (name.to_owned(), 0)).collect();
    for (name, value) in report {
        if let Some((_, signal)) = SIGNALS.iter().find(|(figure, _)| *figure == name) {
            counters.extend(value.parse().ok().map(|number| ((*signal).to_owned(), number)));
            continue;
        }
        let number = if COMMANDS.contains(&name.as_str()) {
            calls(&value)
        } else if NAMES.contains(&name.as_str()) {
            value.parse().ok()
        } else {
            None
        };
        if let Some(number) = number {
            counters.insert(name, number);
        }
    }
    // It grows by what is appended; a rewrite, which is counted as well, makes it another file.
    if let Some(&size) = counters.get("aof_current_size") {
        counters.insert(signal::LOG_WRITTEN.to_owned(), size);
    }
    counters.into()
}

/// Reads `calls=12,usec=34,usec_per_call=2.83,rejected_calls=0,failed_calls=0`.
fn calls(value: &str) -> Option<i64> {
    value.split(',').find_map(|part| part.strip_prefix("calls="))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_read_from_the_line_of_a_command() {
        let line = "calls=12,usec=34,usec_per_call=2.83,rejected_calls=1,failed_calls=0";
        assert_eq!(calls(line), Some(12));
        assert_eq!(calls("rejected_calls=3"), None);
    }
}
