use crate::client::{ClientError, Connection};
use host::ProcessClue;
use model::{Failure, ServerFacts};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Variables that differ between any two servers, or between two readings of one, and are not
/// settings that one would choose between.
const INCIDENTAL: &[&str] = &[
    // Where the server is found.
    "admin_address",
    "admin_port",
    "bind_address",
    "extra_port",
    "hostname",
    "mysqlx_port",
    "mysqlx_socket",
    "port",
    "report_host",
    "report_port",
    "socket",
    // Which one it is.
    "innodb_version",
    "license",
    "server_id",
    "server_uid",
    "server_uuid",
    "version",
    "version_comment",
    "version_compile_machine",
    "version_compile_os",
    "version_source_revision",
    "wsrep_node_address",
    "wsrep_node_incoming_address",
    "wsrep_node_name",
    "init_file",
    // Directories and files of its own. The medium that they are on matters; their names do not.
    "aria_log_dir_path",
    "basedir",
    "character_sets_dir",
    "datadir",
    "general_log_file",
    "init_file",
    "innodb_data_home_dir",
    "innodb_log_group_home_dir",
    "innodb_tmpdir",
    "innodb_undo_directory",
    "innodb_temp_tablespaces_dir",
    "lc_messages_dir",
    "log_bin_basename",
    "log_bin_index",
    "log_error",
    "log_slow_query_file",
    "pid_file",
    "plugin_dir",
    "relay_log",
    "relay_log_basename",
    "relay_log_index",
    "relay_log_info_file",
    "slave_load_tmpdir",
    "slow_query_log_file",
    "tmpdir",
    "wsrep_data_home_dir",
    // What changes from one reading to the next.
    "error_count",
    "gtid_binlog_pos",
    "gtid_binlog_state",
    "gtid_current_pos",
    "gtid_executed",
    "gtid_purged",
    "gtid_slave_pos",
    "identity",
    "insert_id",
    "last_gtid",
    "last_insert_id",
    "pseudo_thread_id",
    "rand_seed1",
    "rand_seed2",
    "timestamp",
    "warning_count",
];

/// Durability, the binary log, memory.
pub(super) const TELLING: &[&str] = &[
    "innodb_flush_log_at_trx_commit",
    "sync_binlog",
    "innodb_doublewrite",
    "innodb_flush_method",
    "log_bin",
    "binlog_format",
    "log_slave_updates",
    "log_replica_updates",
    "innodb_buffer_pool_size",
    "innodb_log_file_size",
    "innodb_redo_log_capacity",
    "innodb_io_capacity",
    "performance_schema",
    "query_cache_type",
    "transaction_isolation",
    "tx_isolation",
];

/// Reads what a server says of itself.
pub(super) fn server_facts(control: &mut Connection) -> Result<ServerFacts, Failure> {
    let variables = variables(control)?;
    let cache = variables.get("innodb_buffer_pool_size").and_then(|size| size.trim().parse().ok());
    Ok(ServerFacts {
        cache_bytes: cache.filter(|&bytes| bytes > 0),
        ..ServerFacts::new(control.server_version(), variables, INCIDENTAL)
    })
}

/// The server goes to its data directory when it starts. Asked for in a way that counts as no
/// statement of a load.
pub(super) fn process_clue(control: &mut Connection) -> Result<Option<ProcessClue>, Failure> {
    let rows = match control.query("SHOW GLOBAL VARIABLES LIKE 'datadir'") {
        Ok(answer) => answer.rows,
        Err(ClientError::Server(_)) => return Ok(None),
        Err(error) => return Err(error.failure("cannot read where the server keeps its data")),
    };
    let path = rows.into_iter().next().and_then(|row| row.into_iter().nth(1).flatten());
    let path = path.and_then(|path| String::from_utf8(path).ok());
    Ok(path.map(|path| ProcessClue::WorkingDirectory(PathBuf::from(path))))
}

/// Reads all server variables.
pub(super) fn variables(control: &mut Connection) -> Result<BTreeMap<String, String>, Failure> {
    variables_by(control, "SHOW GLOBAL VARIABLES")
}

/// Reads the variables that a statement shows.
pub(super) fn variables_by(
    control: &mut Connection,
    sql: &str,
) -> Result<BTreeMap<String, String>, Failure> {
    let endpoint = control.endpoint().clone();
    let rows = control
        .query(sql)
        .map_err(|e| e.failure(&format!("cannot read the variables of {endpoint}")))?
        .rows;
    Ok(rows
        .into_iter()
        .filter_map(|row| {
            let mut fields = row.into_iter();
            let name = fields.next()??;
            let value = fields.next()?.unwrap_or_default();
            let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
            Some((text(name), text(value)))
        })
        .collect())
}
