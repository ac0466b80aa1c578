use crate::client::{ClientError, Connection};
use model::{ServerCounters, signal};
use std::collections::BTreeMap;

/// The server's counters that are kept: statements for check 2, the rest to explain a result.
const NAMES: [&str; 34] = [
    "Aborted_clients",
    "Bytes_received",
    "Bytes_sent",
    "Com_begin",
    "Com_commit",
    "Com_delete",
    "Com_insert",
    "Com_rollback",
    "Com_select",
    "Com_update",
    "Created_tmp_disk_tables",
    "Handler_delete",
    "Handler_read_rnd_next",
    "Handler_update",
    "Handler_write",
    "Innodb_buffer_pool_bytes_data",
    "Innodb_buffer_pool_read_requests",
    "Innodb_buffer_pool_wait_free",
    "Innodb_data_reads",
    "Innodb_data_writes",
    "Innodb_data_written",
    "Innodb_deadlocks",
    "Innodb_log_waits",
    "Innodb_log_writes",
    "Innodb_rows_deleted",
    "Innodb_rows_inserted",
    "Innodb_rows_read",
    "Innodb_rows_updated",
    "Prepared_stmt_count",
    "Queries",
    "Questions",
    "Slow_queries",
    "Threads_connected",
    "Threads_running",
];

/// Statements that the server counts apart by what they take their rows from, and which of the others they
/// are kept with: to whoever sends them `INSERT … SELECT` is an INSERT.
const KEPT_WITH: [(&str, &str); 3] = [
    ("Com_delete_multi", "Com_delete"),
    ("Com_insert_select", "Com_insert"),
    ("Com_update_multi", "Com_update"),
];

/// What the server takes for queries beside the statements that clients send.
const QUERIES_OF_CLIENTS: [&str; 3] = ["Com_stmt_close", "Com_stmt_prepare", "Com_stmt_reset"];

/// What is kept as a signal in place of the server's own counter.
const SIGNALS: [(&str, &str); 15] = [
    ("Innodb_buffer_pool_pages_dirty", signal::DIRTY_BYTES),
    ("Innodb_buffer_pool_pages_flushed", signal::FLUSHED_BYTES),
    ("Innodb_buffer_pool_pages_total", signal::CACHE_BYTES),
    ("Innodb_buffer_pool_reads", signal::CACHE_MISSES),
    ("Innodb_checkpoint_age", signal::CHECKPOINT_AGE),
    ("Innodb_checkpoint_max_age", signal::CHECKPOINT_AGE_LIMIT),
    // MySQL tells how large its log may be, and not how much of that it fills before clients wait.
    ("Innodb_redo_log_capacity_resized", signal::CHECKPOINT_AGE_LIMIT),
    ("Innodb_data_read", signal::DATA_READ),
    // Later versions of MariaDB count all syncs together; where those of the log are told, they count.
    ("Innodb_data_fsyncs", signal::SYNCS),
    ("Innodb_history_list_length", signal::OLD_VERSIONS),
    ("Innodb_os_log_fsyncs", signal::SYNCS),
    ("Innodb_os_log_written", signal::LOG_WRITTEN),
    ("Innodb_row_lock_time", signal::LOCK_WAIT_MILLIS),
    ("Innodb_row_lock_waits", signal::LOCK_WAITS),
    ("Qcache_hits", signal::CACHED_ANSWERS),
];
/// Signals of bytes whose counters count pages.
const IN_PAGES: [&str; 3] = [signal::CACHE_BYTES, signal::DIRTY_BYTES, signal::FLUSHED_BYTES];
/// From where to where MySQL's log reaches that no checkpoint has covered; MariaDB tells the difference.
const LOG_POSITIONS: [&str; 2] = ["Innodb_redo_log_checkpoint_lsn", "Innodb_redo_log_current_lsn"];
/// How large a page is.
const PAGE_SIZE: &str = "Innodb_page_size";
/// InnoDB's usual page size, for a server that does not tell.
const USUAL_PAGE: i64 = 16_384;

/// Reads the counters. Runs no SELECT, so that it changes none of the counts that weighin's own
/// are compared with.
pub(super) fn read(connection: &mut Connection) -> Result<ServerCounters, ClientError> {
    let signals = SIGNALS.map(|(name, _)| name);
    let more = KEPT_WITH.map(|(name, _)| name);
    let units = LOG_POSITIONS.into_iter().chain([PAGE_SIZE]);
    let names = NAMES.into_iter().chain(more).chain(QUERIES_OF_CLIENTS).chain(signals);
    let names: Vec<&str> = names.chain(units).collect();
    let sql = format!("SHOW GLOBAL STATUS WHERE Variable_name IN ('{}')", names.join("','"));
    let rows = connection.query(&sql)?.rows;
    Ok(counters(rows.into_iter().filter_map(|row| {
        let mut fields = row.into_iter();
        let name = String::from_utf8(fields.next()??).ok()?;
        let value = String::from_utf8(fields.next()??).ok()?.parse().ok()?;
        Some((name, value))
    })))
}

/// Bytes of the files of all tables of the database, indexes included. By a SELECT, unlike the counters.
pub(super) fn data_bytes(connection: &mut Connection) -> Option<u64> {
    let table = match connection.server_version().contains("MariaDB") {
        true => "INNODB_SYS_TABLESPACES",
        false => "INNODB_TABLESPACES",
    };
    let sql = format!(
        "SELECT CAST(SUM(FILE_SIZE) AS UNSIGNED) FROM information_schema.{table} \
         WHERE NAME LIKE CONCAT(DATABASE(), '/%')"
    );
    let row = connection.query(&sql).ok()?.rows.into_iter().next()?;
    String::from_utf8(row.into_iter().next()??).ok()?.parse().ok()
}

/// Rows that were deleted, inserted and changed, which together are what was written: InnoDB's own count, and
/// that of all engines for a server that has none, which counts its temporary tables apart.
const ROWS: [[&str; 3]; 2] = [
    ["Innodb_rows_deleted", "Innodb_rows_inserted", "Innodb_rows_updated"],
    ["Handler_delete", "Handler_write", "Handler_update"],
];

/// What is kept of a server's counters, with the signals among them.
fn counters(status: impl IntoIterator<Item = (String, i64)>) -> ServerCounters {
    let mut status: BTreeMap<String, i64> = status.into_iter().collect();
    let page = status.remove(PAGE_SIZE).filter(|&bytes| bytes > 0).unwrap_or(USUAL_PAGE);
    for (name, with) in KEPT_WITH {
        let more = status.remove(name).unwrap_or(0);
        if let Some(value) = status.get_mut(with) {
            *value = value.saturating_add(more);
        }
    }
    let apart = QUERIES_OF_CLIENTS.map(|name| status.remove(name).unwrap_or(0));
    if let (Some(queries), Some(questions)) = (status.get("Queries"), status.get("Questions")) {
        let rest = apart.iter().fold(*queries, |queries, more| queries.saturating_sub(*more));
        let inner = rest.saturating_sub(*questions).max(0);
        status.insert(signal::STATEMENTS_IN_ROUTINES.to_owned(), inner);
    }
    if let [Some(checkpoint), Some(end)] = LOG_POSITIONS.map(|name| status.remove(name)) {
        status.insert(signal::CHECKPOINT_AGE.to_owned(), end.saturating_sub(checkpoint).max(0));
    }
    for (name, signal) in SIGNALS {
        if let Some(value) = status.remove(name) {
            let unit = if IN_PAGES.contains(&signal) { page } else { 1 };
            status.insert(signal.to_owned(), value.saturating_mul(unit));
        }
    }
    let rows = |names: [&str; 3]| {
        let [deleted, inserted, changed] = names.map(|name| status.get(name).copied());
        Some(deleted?.saturating_add(inserted?).saturating_add(changed?))
    };
    if let Some(rows) = ROWS.into_iter().find_map(rows) {
        status.insert(signal::ROWS_WRITTEN.to_owned(), rows);
    }
    status.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_count_by_what_they_do() {
        let status = [("Com_insert", 3), ("Com_insert_select", 4), ("Com_delete_multi", 5)];
        let counters = counters(status.map(|(name, value)| (name.to_owned(), value)));
        // One that the server does not tell is not made up.
        assert_eq!(counters.iter().collect::<Vec<_>>(), [("Com_insert", 7)]);
    }

    #[test]
    fn what_routines_run_is_no_question_of_clients_and_no_part_of_the_protocol() {
        let status = [
            ("Queries", 1_000),
            ("Questions", 600),
            ("Com_stmt_prepare", 40),
            ("Com_stmt_close", 10),
        ];
        let counters = counters(status.map(|(name, value)| (name.to_owned(), value)));
        assert_eq!(counters[signal::STATEMENTS_IN_ROUTINES], 350);
        assert_eq!(counters.get("Com_stmt_prepare"), None);
    }

    #[test]
    fn rows_written_are_those_of_innodb_where_they_are_told() {
        let told = |names: [&str; 3], each: i64| names.map(|name| (name.to_owned(), each));
        let [own, all] = ROWS;
        assert_eq!(counters(told(all, 2))[signal::ROWS_WRITTEN], 6);
        let both = told(own, 5).into_iter().chain(told(all, 2));
        assert_eq!(counters(both)[signal::ROWS_WRITTEN], 15);
        let some = counters(told(own, 5).into_iter().take(2));
        assert_eq!(some.get(signal::ROWS_WRITTEN), None);
    }

    #[test]
    fn syncs_are_those_of_the_log_where_they_are_told() {
        let all = ("Innodb_data_fsyncs".to_owned(), 9);
        assert_eq!(counters([all.clone()])[signal::SYNCS], 9);
        let log = ("Innodb_os_log_fsyncs".to_owned(), 4);
        let told = counters([log, all]);
        assert_eq!(told.iter().collect::<Vec<_>>(), [(signal::SYNCS, 4)]);
    }

    #[test]
    fn the_age_of_the_checkpoint_follows_from_positions_where_only_these_are_told() {
        let status = [
            ("Innodb_redo_log_checkpoint_lsn", 1_000),
            ("Innodb_redo_log_current_lsn", 5_000),
            ("Innodb_redo_log_capacity_resized", 100_000),
        ];
        let counters = counters(status.map(|(name, value)| (name.to_owned(), value)));
        let told = [counters[signal::CHECKPOINT_AGE], counters[signal::CHECKPOINT_AGE_LIMIT]];
        assert_eq!((told, counters.iter().count()), ([4_000, 100_000], 2));
    }

    #[test]
    fn pages_have_the_size_that_the_server_says() {
        let dirty = ("Innodb_buffer_pool_pages_dirty".to_owned(), 200);
        let usual = counters([dirty.clone(), ("Queries".to_owned(), 7)]);
        assert_eq!((usual[signal::DIRTY_BYTES], usual["Queries"]), (200 * 16_384, 7));
        let small = counters([dirty, (PAGE_SIZE.to_owned(), 4096)]);
        assert_eq!(small.iter().collect::<Vec<_>>(), [(signal::DIRTY_BYTES, 200 * 4096)]);
    }
}
