//! What targets tell of their work in words that hold for every system.
//!
//! Signals stand among a target's counters ([`crate::ServerCounters`]) under these names. Its system
//! computes them from what the target counts itself; one that it cannot tell is absent.

/// Changed data in memory that has yet to be written, in bytes.
pub const DIRTY_BYTES: &str = "dirty_bytes";
/// Changed data that was written, in bytes since the target started.
pub const FLUSHED_BYTES: &str = "flushed_bytes";
/// Log that has been written since the last checkpoint, in bytes.
pub const CHECKPOINT_AGE: &str = "checkpoint_age_bytes";
/// Log that was written, in bytes since the target started.
pub const LOG_WRITTEN: &str = "log_written_bytes";
/// Data that was read from files, in bytes since the target started.
pub const DATA_READ: &str = "data_read_bytes";
/// Reads that waited for data that was not in the target's own cache, since it started.
pub const CACHE_MISSES: &str = "cache_misses";
/// How far the replica that is furthest behind is behind its primary, in milliseconds: the age of the
/// oldest heartbeat that it has not applied.
pub const REPLICA_LAG: &str = "replica_lag_ms";
/// The same in transactions that it has yet to apply.
pub const REPLICA_BACKLOG: &str = "replica_lag_transactions";
/// Reads that were answered from a cache of answers, and not from the data, since the target started.
pub const CACHED_ANSWERS: &str = "cached_answers";
/// Keys that were removed to stay below the limit of memory, since the target started.
pub const EVICTED_KEYS: &str = "evicted_keys";
/// The most memory that data may take, in bytes; 0 for no limit.
pub const MEMORY_LIMIT: &str = "memory_limit_bytes";
/// Child processes that were started, since the target started.
pub const FORKS: &str = "forks";
/// How long the last fork took, in microseconds.
pub const LAST_FORK_MICROS: &str = "last_fork_micros";
/// Syncs of the log that came late, since the target started.
pub const DELAYED_SYNCS: &str = "delayed_syncs";
/// Whether a snapshot is being written: 0 or 1.
pub const SNAPSHOT_RUNNING: &str = "snapshot_running";
/// Snapshots that were begun, since the target started.
pub const SNAPSHOTS: &str = "snapshots";
/// What the last snapshot caused to be copied, in bytes.
pub const SNAPSHOT_COPIED: &str = "snapshot_copied_bytes";
/// Whether the log is being rewritten: 0 or 1.
pub const LOG_REWRITE_RUNNING: &str = "log_rewrite_running";
/// Rewrites of the log that were begun, since the target started.
pub const LOG_REWRITES: &str = "log_rewrites";
/// What the last rewrite caused to be copied, in bytes.
pub const LOG_REWRITE_COPIED: &str = "log_rewrite_copied_bytes";
