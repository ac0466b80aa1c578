//! The server's counters, in the words of signals where there are any.

use crate::client::{ClientError, Connection};
use crate::names::{
    APPLICATION_NAME, COUNTERS_NAME, LOAD_NAME, ROWS_INSERTED, TABLE_SCANS, TRANSACTIONS,
    TRANSACTIONS_BY_ITSELF,
};
use crate::replication::HEARTBEAT;
use model::{ServerCounters, signal};

/// How long it is looked, each 20 ms, whether clients have ended that have closed their connections.
const CLIENTS_LIMIT: &str = "20 s";
/// After how long a session that does nothing has told what it did: 10 seconds, and what a busy machine adds.
const TOLD_AFTER: &str = "11 s";
/// What each reading between loads adds to the transactions of the server.
const TRANSACTIONS_EACH: u32 = 3;
/// The first version that has sessions in its statistics, one that keeps these in shared memory, and those
/// that moved checkpoints to a view of their own.
const WITH_SESSIONS: u32 = 14;
const IN_MEMORY: u32 = 15;
const WITH_CHECKPOINTER: u32 = 17;
/// The first that counts syncs of the log among all other reads and writes.
const WITH_IO_OF_LOG: u32 = 18;

/// The first number of the version that the server says it has.
pub(crate) fn major(version: &str) -> u32 {
    let digits = version.find(|c: char| !c.is_ascii_digit()).unwrap_or(version.len());
    version[..digits].parse().unwrap_or(0)
}

/// Begins to read them while a load runs, before it does.
///
/// The transaction stays open, so that none of the readings counts as one of its own. It has no number and
/// keeps no snapshot between them: nothing is kept from being cleaned up. A process of a pooler that had
/// served the load until then would not tell of it before the transaction ends.
pub(crate) fn begin(connection: &mut Connection) -> Result<(), ClientError> {
    if connection.samples {
        return Ok(());
    }
    let version = major(connection.server_version());
    connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY")?;
    connection.samples = true;
    connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")?;
    connection.execute(&format!("SET LOCAL application_name = '{COUNTERS_NAME}'"))?;
    if version >= IN_MEMORY {
        connection.execute("SET LOCAL stats_fetch_consistency = none")?;
    }
    if version >= WITH_CHECKPOINTER {
        connection.execute("SET LOCAL transaction_timeout = 0")?;
    }
    Ok(())
}

/// Reads them while a load runs.
pub(crate) fn read(connection: &mut Connection) -> Result<ServerCounters, ClientError> {
    begin(connection)?;
    let version = major(connection.server_version());
    // Of the sessions, too, a transaction sees what it saw first.
    connection.query("SELECT pg_stat_clear_snapshot()")?;
    query(connection, version)
}

/// Reads them between loads, when all clients have ended and what they did is counted: in
/// [`TRANSACTIONS_EACH`] of its own. Where `ends_pooled`, processes that a pooler keeps for clients that are gone
/// are ended, as they would tell of them only after ten seconds.
pub(crate) fn read_at_rest(
    connection: &mut Connection,
    ends_pooled: bool,
) -> Result<ServerCounters, ClientError> {
    let version = major(connection.server_version());
    let wait = wait_for_clients(version, connection.backend_process(), ends_pooled);
    match connection.execute(&wait) {
        // A server without its usual language, or one that ends statements soon: nobody is waited for.
        Ok(_) | Err(ClientError::Server(_)) => {}
        Err(error) => return Err(error),
    }
    connection.readings += 1;
    connection.query(if version < IN_MEMORY {
        "SELECT"
    } else {
        "SELECT pg_stat_force_next_flush()"
    })?;
    query(connection, version)
}

/// A client is counted when its process ends, which may be after its connection has. Behind a pooler, which
/// tells a number of its own for the process of this connection, none ends: there, a process tells what it
/// did when it was idle for a while, and before version 15 it does not.
fn wait_for_clients(version: u32, process: u32, ends_pooled: bool) -> String {
    let (told, limit) = match version < IN_MEMORY {
        true => ("false".to_owned(), "3 s"),
        false => {
            let since = format!("state_change < clock_timestamp() - interval '{TOLD_AFTER}'");
            (format!("state = 'idle' AND {since}"), CLIENTS_LIMIT)
        }
    };
    // Its processes are called as whoever they served last.
    let pooled =
        format!("application_name = '{APPLICATION_NAME}' AND pg_backend_pid() <> {process}");
    // In the same transaction, so that a reading has as many as any other.
    let end = match ends_pooled {
        true => format!(
            "PERFORM pg_terminate_backend(pid) FROM pg_stat_activity \
             WHERE application_name = '{LOAD_NAME}' AND state = 'idle' AND pid <> pg_backend_pid() \
             AND datname = current_database(); "
        ),
        false => String::new(),
    };
    format!(
        "DO $$ DECLARE begun timestamptz := clock_timestamp(); BEGIN \
         WHILE clock_timestamp() < begun + interval '{limit}' LOOP \
         EXIT WHEN NOT EXISTS (SELECT FROM pg_stat_activity \
         WHERE (application_name = '{LOAD_NAME}' OR {pooled}) AND pid <> pg_backend_pid() \
         AND datname = current_database() AND ({told}) IS NOT TRUE); \
         {end}PERFORM pg_stat_clear_snapshot(); PERFORM pg_sleep(0.02); END LOOP; END $$"
    )
}

fn query(connection: &mut Connection, version: u32) -> Result<ServerCounters, ClientError> {
    let figures = figures(version, connection.readings);
    let columns: Vec<String> =
        figures.iter().map(|(name, sql)| format!("({sql})::bigint AS \"{name}\"")).collect();
    let answer = connection.query(&format!("SELECT {}", columns.join(", ")))?;
    let row = answer.rows.into_iter().next().unwrap_or_default();
    // What the account may not see is NULL, and absent.
    let named = answer.columns.into_iter().zip(row);
    Ok(named.filter_map(|(name, value)| Some((name, value?.parse().ok()?))).collect())
}

/// Bytes of the files of all tables of the database and of their indexes.
pub(crate) fn data_bytes(connection: &mut Connection) -> Option<u64> {
    let sql = "SELECT sum(pg_total_relation_size(relid))::bigint FROM pg_stat_user_tables";
    let row = connection.query(sql).ok()?.rows.into_iter().next()?;
    row.into_iter().next()??.parse().ok()
}

/// The counters, and how to ask for each.
fn figures(version: u32, readings: u32) -> Vec<(&'static str, String)> {
    let database = |sum: &str| {
        format!("SELECT {sum} FROM pg_stat_database WHERE datname = current_database()")
    };
    // Without what weighin does beside a load to tell how far replicas are behind: of that each
    // transaction has changed a row.
    let tables = |sum: &str| {
        format!(
            "SELECT coalesce(sum({sum}), 0) FROM pg_stat_user_tables \
             WHERE relname <> '{}'",
            HEARTBEAT.name
        )
    };
    let heartbeats = format!(
        "coalesce((SELECT sum(n_tup_ins + n_tup_upd) FROM pg_stat_user_tables \
         WHERE relname = '{}'), 0)",
        HEARTBEAT.name
    );
    let block = "current_setting('block_size')::bigint";
    // A login is a transaction, whoever logs in. Where the server does not count these, nobody knows how
    // many transactions were a load's.
    let sessions = if version < WITH_SESSIONS { "NULL" } else { "sessions" };
    let transactions = format!(
        "xact_commit + xact_rollback - {sessions} - {TRANSACTIONS_EACH} * {readings} - {heartbeats}"
    );
    let mut figures = vec![
        (TRANSACTIONS, database(&transactions)),
        (TABLE_SCANS, tables("coalesce(seq_scan, 0) + coalesce(idx_scan, 0)")),
        (ROWS_INSERTED, tables("n_tup_ins")),
        (signal::ROWS_WRITTEN, tables("n_tup_ins + n_tup_upd + n_tup_del")),
        (signal::CACHE_MISSES, database("blks_read")),
        (signal::DATA_READ, database(&format!("blks_read * {block}"))),
        (signal::CACHE_HITS, database("blks_hit")),
        (signal::DEADLOCKS, database("deadlocks")),
        (signal::TEMPORARY_FILES, database("temp_files")),
        (signal::TEMPORARY_BYTES, database("temp_bytes")),
        (signal::CLEANUPS, tables("autovacuum_count")),
        (signal::DEAD_ROWS, tables("n_dead_tup")),
        (signal::DEAD_ROWS_LIMIT, tables(DEAD_ROWS_ALLOWED)),
        (signal::CLEANUPS_RUNNING, backends("'autovacuum worker'")),
        (signal::TRANSACTIONS_TO_WRAPAROUND, database_of_catalog("2147483647 - age(datfrozenxid)")),
        ("xact_commit", database("xact_commit")),
        ("xact_rollback", database("xact_rollback")),
        ("n_tup_hot_upd", tables("n_tup_hot_upd")),
        ("n_tup_upd", tables("n_tup_upd")),
        ("numbackends", database("numbackends")),
    ];
    figures.push((TRANSACTIONS_BY_ITSELF, by_itself(readings)));
    figures.extend(log(version));
    figures.extend(writes(version, block));
    figures.extend(waits());
    figures
}

/// How many dead rows a table may have before the server cleans it, unless the table says otherwise.
const DEAD_ROWS_ALLOWED: &str = "current_setting('autovacuum_vacuum_threshold')::float8 \
                                 + current_setting('autovacuum_vacuum_scale_factor')::float8 * n_live_tup";

fn backends(kind: &str) -> String {
    format!("SELECT count(*) FROM pg_stat_activity WHERE backend_type = {kind}")
}

/// How many transactions autovacuum may have had so far, at most: a worker comes to the database each
/// `autovacuum_naptime`, which is a login and a look at the tables, and perhaps once more than whole
/// ones go by between two readings; each table that it works on is three at most.
fn by_itself(readings: u32) -> String {
    format!(
        "SELECT 2 * (floor(extract(epoch FROM clock_timestamp())) / s.setting::bigint + {readings}) \
         + (SELECT 3 * coalesce(sum(autovacuum_count + autoanalyze_count), 0) \
            FROM pg_stat_all_tables) \
         FROM pg_settings s WHERE s.name = 'autovacuum_naptime' \
         AND current_setting('autovacuum')::bool"
    )
}

fn database_of_catalog(what: &str) -> String {
    format!("SELECT {what} FROM pg_database WHERE datname = current_database()")
}

/// A server in recovery writes no log.
fn log(version: u32) -> Vec<(&'static str, String)> {
    let position = "CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_current_wal_insert_lsn() END";
    let mut figures = vec![
        (signal::LOG_WRITTEN, format!("SELECT pg_wal_lsn_diff({position}, '0/0')")),
        (
            signal::CHECKPOINT_AGE,
            format!("SELECT pg_wal_lsn_diff({position}, redo_lsn) FROM pg_control_checkpoint()"),
        ),
        (
            signal::CHECKPOINT_AGE_LIMIT,
            "SELECT pg_size_bytes(current_setting('max_wal_size'))".to_owned(),
        ),
        (
            signal::CHECKPOINTS_RUNNING,
            format!(
                "{} AND wait_event IS DISTINCT FROM 'CheckpointerMain'",
                backends("'checkpointer'")
            ),
        ),
    ];
    if version >= WITH_SESSIONS {
        let wal = |column: &str| format!("SELECT {column} FROM pg_stat_wal");
        figures.push((signal::PAGES_LOGGED_WHOLE, wal("wal_fpi")));
        figures.push(("wal_records", wal("wal_records")));
        figures.push(("wal_buffers_full", wal("wal_buffers_full")));
        figures.extend(syncs(version));
    }
    figures
}

/// Syncs of the log, and how long they took where the server times them.
fn syncs(version: u32) -> [(&'static str, String); 2] {
    let sum = |columns: [&str; 2]| {
        let [old, new] = columns;
        match version < WITH_IO_OF_LOG {
            true => format!("SELECT {old} FROM pg_stat_wal"),
            false => format!("SELECT coalesce(sum({new}), 0) FROM pg_stat_io WHERE object = 'wal'"),
        }
    };
    let micros = sum(["wal_sync_time * 1000", "fsync_time * 1000"]);
    [
        (signal::SYNCS, sum(["wal_sync", "fsyncs"])),
        // Without the setting the time is 0.
        (
            signal::SYNC_MICROS,
            format!(
                "SELECT CASE WHEN current_setting('track_wal_io_timing')::bool THEN ({micros}) END"
            ),
        ),
    ]
}

/// Checkpoints, and who wrote what was changed in memory.
fn writes(version: u32, block: &str) -> Vec<(&'static str, String)> {
    let from = |view: &str, what: &str| format!("SELECT {what} FROM {view}");
    if version < WITH_CHECKPOINTER {
        let view = "pg_stat_bgwriter";
        return vec![
            (signal::CHECKPOINTS_TIMED, from(view, "checkpoints_timed")),
            (signal::CHECKPOINTS_REQUESTED, from(view, "checkpoints_req")),
            (
                signal::FLUSHED_BYTES,
                from(
                    view,
                    &format!("(buffers_checkpoint + buffers_clean + buffers_backend) * {block}"),
                ),
            ),
            ("buffers_backend", from(view, "buffers_backend")),
            ("buffers_backend_fsync", from(view, "buffers_backend_fsync")),
        ];
    }
    let clients = "pg_stat_io WHERE backend_type = 'client backend' AND object = 'relation'";
    vec![
        (signal::CHECKPOINTS_TIMED, from("pg_stat_checkpointer", "num_timed")),
        (signal::CHECKPOINTS_REQUESTED, from("pg_stat_checkpointer", "num_requested")),
        (
            signal::FLUSHED_BYTES,
            format!(
                "SELECT (c.buffers_written + b.buffers_clean + \
                 (SELECT coalesce(sum(writes), 0) FROM {clients})) * {block} \
                 FROM pg_stat_checkpointer c, pg_stat_bgwriter b"
            ),
        ),
        ("buffers_backend", from(clients, "coalesce(sum(writes), 0)")),
    ]
}

/// What clients wait for at that moment.
fn waits() -> impl Iterator<Item = (&'static str, String)> {
    let busy = "FROM pg_stat_activity WHERE backend_type = 'client backend' AND state = 'active' \
                AND pid <> pg_backend_pid()";
    // Who waits for another to write the log waits for the log, and so does who syncs it.
    let for_log = "wait_event IN ('WALWrite', 'WALSync', 'WalSync', 'WalWrite')";
    let of = move |kinds: &str| {
        format!("SELECT count(*) {busy} AND wait_event_type IN ({kinds}) AND NOT {for_log}")
    };
    [
        (signal::CLIENTS_RUNNING, format!("SELECT count(*) {busy} AND wait_event_type IS NULL")),
        (signal::CLIENTS_WAIT_FOR_LOCKS, of("'Lock'")),
        (signal::CLIENTS_WAIT_FOR_LATCHES, of("'LWLock', 'BufferPin', 'SpinLock'")),
        (signal::CLIENTS_WAIT_FOR_STORAGE, of("'IO'")),
        (signal::CLIENTS_WAIT_FOR_LOG, format!("SELECT count(*) {busy} AND {for_log}")),
    ]
    .into_iter()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_number_of_a_version_is_found() {
        for (version, expected) in
            [("15.18 (Debian 15.18-0+deb12u1)", 15), ("18beta1", 18), ("", 0), ("x", 0)]
        {
            assert_eq!(major(version), expected, "{version}");
        }
    }

    #[test]
    fn every_version_has_the_same_signals() {
        let names = |version| -> Vec<&str> {
            figures(version, 1).into_iter().map(|(name, _)| name).collect()
        };
        for version in [13, 15, 17] {
            let names = names(version);
            for signal in [
                signal::CHECKPOINTS_REQUESTED,
                signal::FLUSHED_BYTES,
                signal::LOG_WRITTEN,
                signal::CACHE_MISSES,
            ] {
                assert!(names.contains(&signal), "{version}: {signal}");
            }
        }
    }
}
