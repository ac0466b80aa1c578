//! In which settings the targets' servers differ (method R17).

use crate::SettingDifference;
use model::{Dataset, Place, ServerFacts, Study};
use std::collections::{BTreeMap, BTreeSet};

/// Variables that differ between any two servers, or between two readings of one, and are not
/// settings that one would choose between.
const DIFFER_NECESSARILY: &[&str] = &[
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
    "server_id",
    "server_uid",
    "server_uuid",
    "wsrep_node_address",
    "wsrep_node_incoming_address",
    "wsrep_node_name",
    // Directories and files of its own. The medium that they are on matters; their names do not.
    "aria_log_dir_path",
    "datadir",
    "general_log_file",
    "innodb_data_home_dir",
    "innodb_log_group_home_dir",
    "innodb_tmpdir",
    "innodb_undo_directory",
    "log_bin_basename",
    "log_bin_index",
    "log_error",
    "log_slow_query_file",
    "pid_file",
    "relay_log",
    "relay_log_basename",
    "relay_log_index",
    "relay_log_info_file",
    "slave_load_tmpdir",
    "slow_query_log_file",
    "tmpdir",
    "wsrep_data_home_dir",
    // Those of Redis.
    "bind",
    "dir",
    "logfile",
    "pidfile",
    "tls_port",
    "unixsocket",
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

/// Variables whose values differ between the targets that were observed, or that some of them
/// lack, in order of name.
pub(crate) fn differences(dataset: &Dataset) -> Vec<SettingDifference> {
    let intended = intended(&dataset.study);
    let mut by_name: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for facts in &dataset.targets {
        for (name, value) in &facts.server.variables {
            let values = by_name.entry(normal(name)).or_default();
            values.insert(facts.target.clone(), value.clone());
        }
    }
    by_name
        .into_iter()
        .filter(|(name, _)| !DIFFER_NECESSARILY.contains(&name.as_str()))
        .filter(|(_, values)| {
            let distinct: BTreeSet<&String> = values.values().collect();
            distinct.len() > 1 || values.len() < dataset.targets.len()
        })
        .map(|(name, values)| {
            let intended = intended.contains(&name);
            SettingDifference { name, values, intended }
        })
        .collect()
}

/// Dataset ÷ buffer pool from which on part of it may not fit: the pool also holds undo pages,
/// the change buffer and what the run inserts.
pub(crate) const FITS_BELOW: f64 = 0.75;

/// The size of a server's buffer pool, where it tells one.
pub(crate) fn buffer_pool_bytes(server: &ServerFacts) -> Option<u64> {
    let size = server.variables.get("innodb_buffer_pool_size")?;
    size.trim().parse().ok().filter(|&bytes| bytes > 0)
}

/// Names of the settings that the study gives to any of its sandboxes.
fn intended(study: &Study) -> BTreeSet<String> {
    let sandboxes = study.targets.iter().filter_map(|target| match &target.place {
        Place::Sandbox(sandbox) => Some(sandbox),
        Place::Server(_) | Place::Storage(_) | Place::Elsewhere => None,
    });
    sandboxes.flat_map(|sandbox| sandbox.settings.keys()).map(|name| normal(name)).collect()
}

/// A variable's name whichever way it is spelled: option files take upper case, `-` for `_`, and
/// `loose_` in front.
fn normal(name: &str) -> String {
    let name = name.trim().to_ascii_lowercase().replace('-', "_");
    name.strip_prefix("loose_").map(str::to_owned).unwrap_or(name)
}
