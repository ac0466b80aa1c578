use model::ServerCounters;
use target::client::{ClientError, Connection};

/// The server's counters that are kept: statements for check 2, the rest to explain a result.
const NAMES: [&str; 43] = [
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
    "Handler_read_rnd_next",
    "Innodb_buffer_pool_bytes_data",
    "Innodb_buffer_pool_pages_dirty",
    "Innodb_buffer_pool_pages_flushed",
    "Innodb_buffer_pool_read_requests",
    "Innodb_buffer_pool_reads",
    "Innodb_buffer_pool_wait_free",
    "Innodb_checkpoint_age",
    "Innodb_checkpoint_max_age",
    "Innodb_data_fsyncs",
    "Innodb_data_read",
    "Innodb_data_reads",
    "Innodb_data_writes",
    "Innodb_data_written",
    "Innodb_deadlocks",
    "Innodb_history_list_length",
    "Innodb_log_waits",
    "Innodb_log_writes",
    "Innodb_os_log_fsyncs",
    "Innodb_os_log_written",
    "Innodb_row_lock_time",
    "Innodb_row_lock_waits",
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

/// Reads the counters. Runs no SELECT, so that it changes none of the counts that weighin's own
/// are compared with.
pub(super) fn read(connection: &mut Connection) -> Result<ServerCounters, ClientError> {
    let sql = format!("SHOW GLOBAL STATUS WHERE Variable_name IN ('{}')", NAMES.join("','"));
    let rows = connection.query(&sql)?.rows;
    Ok(rows
        .into_iter()
        .filter_map(|row| {
            let mut fields = row.into_iter();
            let name = String::from_utf8(fields.next()??).ok()?;
            let value = String::from_utf8(fields.next()??).ok()?.parse().ok()?;
            Some((name, value))
        })
        .collect())
}
