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
/// How much log a target takes since the last checkpoint before clients have to wait for the next one, or
/// before it begins one, in bytes.
pub const CHECKPOINT_AGE_LIMIT: &str = "checkpoint_age_limit_bytes";
/// What the target's own cache takes, in bytes.
pub const CACHE_BYTES: &str = "cache_bytes";
/// Old versions of rows that have yet to be removed, in transactions.
pub const OLD_VERSIONS: &str = "old_versions";
/// Log that was written, in bytes since the target started, or since its log was rewritten.
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
/// The same in bytes of its log, where positions count those.
pub const REPLICA_BACKLOG_BYTES: &str = "replica_lag_bytes";
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
/// Reads that found what they looked for in the target's own cache, since it started.
pub const CACHE_HITS: &str = "cache_hits";
/// Checkpoints that were due, since the target started.
pub const CHECKPOINTS_TIMED: &str = "checkpoints_timed";
/// Checkpoints that somebody or something asked for, such as a full log, since the target started.
pub const CHECKPOINTS_REQUESTED: &str = "checkpoints_requested";
/// Pages that were written to the log as a whole, since the target started.
pub const PAGES_LOGGED_WHOLE: &str = "pages_logged_whole";
/// Tables that were cleaned of dead rows by the target itself, since it started.
pub const CLEANUPS: &str = "cleanups";
/// Rows that nobody sees any more and that have yet to be removed.
pub const DEAD_ROWS: &str = "dead_rows";
/// How many of them there may be before the target removes them.
pub const DEAD_ROWS_LIMIT: &str = "dead_rows_limit";
/// Tables that are being cleaned of dead rows by the target itself.
pub const CLEANUPS_RUNNING: &str = "cleanups_running";
/// Whether a checkpoint is being written: 0 or 1.
pub const CHECKPOINTS_RUNNING: &str = "checkpoints_running";
/// Temporary files that queries wrote, since the target started.
pub const TEMPORARY_FILES: &str = "temporary_files";
/// The same in bytes.
pub const TEMPORARY_BYTES: &str = "temporary_bytes";
/// Transactions that were ended because they waited for one another, since the target started.
pub const DEADLOCKS: &str = "deadlocks";
/// Transactions that may still begin until numbers run out and old rows must have been frozen.
pub const TRANSACTIONS_TO_WRAPAROUND: &str = "transactions_to_wraparound";
/// Clients whose statement is on a processor, or waits for one.
pub const CLIENTS_RUNNING: &str = "clients_running";
/// Clients whose statement waits for locks of rows or tables.
pub const CLIENTS_WAIT_FOR_LOCKS: &str = "clients_wait_for_locks";
/// Clients whose statement waits for locks of the target's own memory.
pub const CLIENTS_WAIT_FOR_LATCHES: &str = "clients_wait_for_latches";
/// Clients whose statement waits for files to be read or written.
pub const CLIENTS_WAIT_FOR_STORAGE: &str = "clients_wait_for_storage";
/// Rows that were inserted, changed and deleted, since the target started.
pub const ROWS_WRITTEN: &str = "rows_written";
/// Clients whose statement waits for the log to be written or synced.
pub const CLIENTS_WAIT_FOR_LOG: &str = "clients_wait_for_log";
/// How often the target had what it wrote brought to disk, its log above all, since it started.
pub const SYNCS: &str = "syncs";
/// How long it waited for that, in microseconds.
pub const SYNC_MICROS: &str = "sync_micros";
/// How long clients waited for locks of rows, in milliseconds since the target started.
pub const LOCK_WAIT_MILLIS: &str = "lock_wait_ms";
/// How often they did.
pub const LOCK_WAITS: &str = "lock_waits";
/// Statements that procedures, functions and triggers ran, at most, since the target started. It counts them
/// among those that clients send.
pub const STATEMENTS_IN_ROUTINES: &str = "statements_in_routines";

/// How far, at most, a target may have moved that counter by work of its own, since it started.
pub fn by_itself(counter: &str) -> String {
    format!("{counter}_by_itself")
}
