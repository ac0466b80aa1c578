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
    if let Some(&written) = counters.get("cmdstat_set") {
        counters.insert(signal::ROWS_WRITTEN.to_owned(), written);
    }
    // It grows by what is appended; a rewrite, which is counted as well, makes it another file.
    if let Some(&size) = counters.get("aof_current_size") {
        counters.insert(signal::LOG_WRITTEN.to_owned(), size);
    }
    counters.into()
}

/// Memory of a server without keys, and what it uses for clients, replicas and its log.
const NO_DATA: [&str; 5] = [
    "used_memory_startup",
    "mem_aof_buffer",
    "mem_clients_normal",
    "mem_clients_slaves",
    "mem_replication_backlog",
];

/// Bytes of memory that the keys take, with their values and the tables that they are in; `None` where another
/// database of the server has keys too.
pub(crate) fn data_bytes(report: Vec<(String, String)>) -> Option<u64> {
    let is_database =
        |name: &str| name.strip_prefix("db").is_some_and(|number| number.parse::<u32>().is_ok());
    if report.iter().filter(|(name, _)| is_database(name)).count() > 1 {
        return None;
    }
    let of = |name: &str| {
        let found = report.iter().find(|(known, _)| known == name);
        found.and_then(|(_, value)| value.parse::<u64>().ok())
    };
    let other: u64 = NO_DATA.iter().filter_map(|name| of(name)).sum();
    of("used_memory")?.checked_sub(other)
}

/// Reads `calls=12,usec=34,usec_per_call=2.83,rejected_calls=0,failed_calls=0`.
fn calls(value: &str) -> Option<i64> {
    value.split(',').find_map(|part| part.strip_prefix("calls="))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_of_keys_is_that_of_the_only_database() {
        let report = |databases: &str| {
            super::super::report(&format!(
                "used_memory:2000000\r\nused_memory_startup:900000\r\nmem_clients_normal:100000\r\n{databases}"
            ))
        };
        assert_eq!(data_bytes(report("db0:keys=5,expires=0\r\n")), Some(1_000_000));
        assert_eq!(data_bytes(report("")), Some(1_000_000));
        assert_eq!(data_bytes(report("db0:keys=5\r\ndb3:keys=1\r\n")), None);
        assert_eq!(data_bytes(super::super::report("redis_version:7\r\n")), None);
    }

    #[test]
    fn calls_are_read_from_the_line_of_a_command() {
        let line = "calls=12,usec=34,usec_per_call=2.83,rejected_calls=1,failed_calls=0";
        assert_eq!(calls(line), Some(12));
        assert_eq!(calls("rejected_calls=3"), None);
    }
}
