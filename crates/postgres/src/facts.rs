use crate::client::{ClientError, Connection};
use host::ProcessClue;
use model::{Failure, ServerFacts};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Variables that differ between any two servers, or between two readings of one, and are not
/// settings that one would choose between.
const INCIDENTAL: &[&str] = &[
    // Where the server is found.
    "listen_addresses",
    "port",
    "unix_socket_directories",
    // Which one it is, and which session this.
    "application_name",
    "cluster_name",
    "server_version",
    "server_version_num",
    "weighin.readings",
    // Directories and files of its own. The medium that they are on matters; their names do not.
    "config_file",
    "data_directory",
    "external_pid_file",
    "hba_file",
    "ident_file",
    "log_directory",
    "ssl_ca_file",
    "ssl_cert_file",
    "ssl_key_file",
    // What is computed from others.
    "huge_pages_status",
    "num_os_semaphores",
    "shared_memory_size",
    "shared_memory_size_in_huge_pages",
];

/// Parts of names of variables whose values may hold secrets.
const SECRET: [&str; 3] = ["_command", "conninfo", "passphrase"];
/// Those that only look so.
const NO_SECRET: [&str; 1] = ["log_replication_commands"];
/// In place of such a value.
const HIDDEN: &str = "(set)";

/// Durability, the log, memory, plans.
pub(super) const TELLING: &[&str] = &[
    "fsync",
    "synchronous_commit",
    "full_page_writes",
    "wal_sync_method",
    "wal_level",
    "wal_compression",
    "max_wal_size",
    "checkpoint_timeout",
    "checkpoint_completion_target",
    "shared_buffers",
    "work_mem",
    "effective_cache_size",
    "random_page_cost",
    "autovacuum",
    "jit",
    "data_checksums",
    "default_transaction_isolation",
    "synchronous_standby_names",
];

/// Reads what a server says of itself.
pub(super) fn server_facts(control: &mut Connection) -> Result<ServerFacts, Failure> {
    let mut variables = variables(control)?;
    variables.extend(database(control)?);
    let sql = "SELECT pg_size_bytes(current_setting('shared_buffers'))";
    let cache = value(control, sql).and_then(|bytes| bytes.parse().ok());
    Ok(ServerFacts {
        cache_bytes: cache.filter(|&bytes| bytes > 0),
        ..ServerFacts::new(control.server_version(), variables, INCIDENTAL)
    })
}

/// All its processes work in the data directory.
pub(super) fn process_clue(control: &mut Connection) -> Result<Option<ProcessClue>, Failure> {
    let rows = match control.query("SHOW data_directory") {
        Ok(answer) => answer.rows,
        // It is told to administrators and monitors alone.
        Err(ClientError::Server(_)) => return Ok(None),
        Err(error) => return Err(error.failure("cannot read where the server keeps its data")),
    };
    let path = rows.into_iter().next().and_then(|row| row.into_iter().next().flatten());
    Ok(path.map(|path| ProcessClue::WorkingDirectory(PathBuf::from(path))))
}

/// Reads all server variables that the account may see, with their units.
pub(super) fn variables(control: &mut Connection) -> Result<BTreeMap<String, String>, Failure> {
    let endpoint = control.endpoint().clone();
    let rows = control
        .query("SHOW ALL")
        .map_err(|error| error.failure(&format!("cannot read the settings of {endpoint}")))?
        .rows;
    Ok(rows
        .into_iter()
        .filter_map(|row| {
            let mut fields = row.into_iter();
            let name = fields.next()??.to_ascii_lowercase();
            let value = fields.next()?.unwrap_or_default();
            let value = if is_secret(&name, &value) { HIDDEN.to_owned() } else { value };
            Some((name, value))
        })
        .collect())
}

fn is_secret(name: &str, value: &str) -> bool {
    let named = SECRET.iter().any(|part| name.contains(part)) && !NO_SECRET.contains(&name);
    named && !matches!(value, "" | "(disabled)")
}

/// What is true of the database, and by what text is compared in it.
fn database(control: &mut Connection) -> Result<BTreeMap<String, String>, Failure> {
    let sql = "SELECT pg_encoding_to_char(encoding), datcollate, datctype FROM pg_database \
               WHERE datname = current_database()";
    let rows = control.query(sql).map_err(|error| error.failure("cannot read the database"))?.rows;
    let names = ["database_encoding", "lc_collate", "lc_ctype"];
    let values = rows.into_iter().next().unwrap_or_default();
    let pairs = names.into_iter().zip(values);
    Ok(pairs.filter_map(|(name, value)| Some((name.to_owned(), value?))).collect())
}

/// The only value that a query gives, where the server answers it.
pub(super) fn value(control: &mut Connection, sql: &str) -> Option<String> {
    control.query(sql).ok()?.rows.into_iter().next()?.into_iter().next()?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_and_passwords_are_not_kept() {
        assert!(is_secret("archive_command", "aws --key x cp %p s3://"));
        assert!(is_secret("primary_conninfo", "host=a password=b"));
        assert!(!is_secret("archive_command", "(disabled)"));
        assert!(!is_secret("log_replication_commands", "on"));
        assert!(!is_secret("shared_buffers", "128MB"));
    }
}
