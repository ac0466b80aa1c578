//! Changes of the schema: their SQL, what takes them back, and the space that they need.

use super::tables;
use crate::client::Connection;
use model::{Algorithm, BuiltInChange, Change, Failure, FailureKind, Oltp, SchemaChange};
use sql::ADDED;
use std::fmt::Write;
use workload::oltp::name_of;

/// There is no such column or index to drop.
const NOTHING_TO_DROP: u16 = 1091;
/// The algorithm is not known, or does not do this change.
const NOT_OFFERED: [u16; 3] = [1800, 1845, 1846];
/// Bytes of an entry of the index over `pad` besides its 60 characters: the primary key, and what
/// InnoDB keeps of each record.
const INDEX_ENTRY: u64 = 60 + 4 + 6;

/// The statement that makes a change, to `table` where it is one of weighin's own.
pub(super) fn sql(change: &SchemaChange, table: &str) -> Result<String, Failure> {
    let mut sql = match &change.change {
        Change::Own { sql, .. } => sql.trim().trim_end_matches(';').to_owned(),
        Change::BuiltIn(built_in) => {
            if change.algorithm == Some(Algorithm::Concurrently) {
                return Err(Failure::new(
                    FailureKind::NotOffered,
                    "this server has no CONCURRENTLY",
                    "compare the algorithms that it offers",
                ));
            }
            let what = match built_in {
                BuiltInChange::AddColumn => {
                    format!("ADD COLUMN {ADDED} DATETIME(6) DEFAULT NULL")
                }
                BuiltInChange::AddIndex => format!("ADD INDEX {ADDED} (pad)"),
                BuiltInChange::ChangeType => "MODIFY k BIGINT DEFAULT '0' NOT NULL".to_owned(),
            };
            format!("ALTER TABLE {table} {what}")
        }
    };
    if let Some(algorithm) = change.algorithm.filter(|one| *one != Algorithm::Plain) {
        // Writing to a String does not fail.
        let _ = write!(sql, ", ALGORITHM={}", algorithm.name().to_uppercase());
    }
    Ok(sql)
}

/// Takes a change back, whether it was `made` or failed. The table is rebuilt meanwhile, so that the
/// next change finds it as this one did, if there is room for that.
pub(super) fn take_back(
    connection: &mut Connection,
    change: BuiltInChange,
    table: &str,
    made: bool,
) -> Result<(), Failure> {
    let back = match change {
        BuiltInChange::AddColumn => format!("DROP COLUMN {ADDED}"),
        BuiltInChange::AddIndex => format!("DROP INDEX {ADDED}"),
        BuiltInChange::ChangeType => "MODIFY k INTEGER DEFAULT '0' NOT NULL".to_owned(),
    };
    let alter = |what: &str| format!("ALTER TABLE {table} {what}");
    let rebuilding = if made { format!("{back}, FORCE") } else { back.clone() };
    let mut undone = connection.execute_long(&alter(&rebuilding));
    if undone.as_ref().is_err_and(|error| error.failure("").kind == FailureKind::DiskFull) {
        undone = connection.execute_long(&alter(&back));
    }
    match undone {
        Err(error) if !made && error.code() == Some(NOTHING_TO_DROP) => Ok(()),
        Err(error) => Err(error.failure("the change could not be taken back")),
        Ok(_) => Ok(()),
    }
}

/// Whether the server says that it does not make such a change by that algorithm.
pub(super) fn is_not_offered(code: u16) -> bool {
    NOT_OFFERED.contains(&code)
}

/// The space that a change needs, in words, estimated from the size of its table; `None` where the
/// table is not known, or it needs none to speak of.
pub(super) fn space_needed(
    connection: &mut Connection,
    change: &SchemaChange,
    tables: Option<&Oltp>,
) -> Option<String> {
    let table = match &change.change {
        Change::BuiltIn(_) => name_of(tables?, 1),
        Change::Own { sql, .. } => altered_table(sql)?,
    };
    let size = tables::size(connection, &table).ok()??;
    let adds_index = matches!(change.change, Change::BuiltIn(BuiltInChange::AddIndex));
    let whole = size.data + size.index;
    let (data, sorting) = match change.algorithm {
        Some(Algorithm::MetadataOnly) => return None,
        Some(Algorithm::Copy) if sorts_copies(connection.server_version()) => (whole, whole),
        Some(Algorithm::Copy) => (whole, 0),
        _ if adds_index => (size.rows * INDEX_ENTRY, size.rows * INDEX_ENTRY),
        _ => (whole, size.index),
    };
    let variable = |connection: &mut Connection, name: &str| {
        let rows = connection.query(&format!("SHOW GLOBAL VARIABLES LIKE '{name}'")).ok()?.rows;
        let value = rows.into_iter().next()?.into_iter().nth(1)??;
        String::from_utf8(value).ok().filter(|value| !value.is_empty())
    };
    let directory = variable(connection, "datadir");
    let mut words = format!("about {} in the data directory{}", bytes(data), named(directory));
    if sorting > 0 {
        let directory =
            variable(connection, "innodb_tmpdir").or_else(|| variable(connection, "tmpdir"));
        let _ = write!(
            words,
            " and about {} in the directory for temporary files{}, where it sorts, and where it keeps \
             what is changed meanwhile",
            bytes(sorting),
            named(directory)
        );
    }
    Some(format!("{words}, estimated from the size of {table}"))
}

/// A directory behind what it is for. That of a private server has another name in every run and is gone
/// afterwards, so that it tells nothing.
fn named(directory: Option<String>) -> String {
    match directory {
        Some(path) if !path.contains("/weighin-") => format!(" {path}"),
        _ => String::new(),
    }
}

/// Whether a server sorts the rows of a copy in temporary files first, as MariaDB does from 10.11.8 on.
fn sorts_copies(version: &str) -> bool {
    let numbers: Vec<u32> = version
        .split(|c: char| !c.is_ascii_digit())
        .take(3)
        .map_while(|number| number.parse().ok())
        .collect();
    version.contains("MariaDB") && numbers.as_slice() >= &[10, 11, 8]
}

/// The table that a statement alters, where it is one of the connection's own database.
fn altered_table(sql: &str) -> Option<String> {
    let mut words = sql.split_whitespace();
    words.find(|word| word.eq_ignore_ascii_case("table"))?;
    let name = words.next()?.trim_matches('`');
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(is_plain)).then(|| name.to_owned())
}

fn bytes(bytes: u64) -> String {
    const GIB: u64 = 1 << 30;
    match bytes {
        GIB.. => format!("{:.1} GiB", bytes as f64 / GIB as f64),
        _ => format!("{:.0} MiB", (bytes as f64 / f64::from(1 << 20)).ceil()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_algorithm_stands_behind_the_change() {
        let change = |change, algorithm| SchemaChange { change, algorithm, lock_timeout: None };
        let add = change(Change::BuiltIn(BuiltInChange::AddColumn), Some(Algorithm::NoCopy));
        assert_eq!(
            sql(&add, "sbtest1").unwrap(),
            "ALTER TABLE sbtest1 ADD COLUMN weighin_added DATETIME(6) DEFAULT NULL, ALGORITHM=NOCOPY"
        );
        let text = "ALTER TABLE orders ADD note TEXT;";
        let own = Change::Own { sql: text.into(), undo: String::new() };
        let own = change(own, Some(Algorithm::Copy));
        assert_eq!(sql(&own, "").unwrap(), "ALTER TABLE orders ADD note TEXT, ALGORITHM=COPY");
    }

    #[test]
    fn newer_versions_of_mariadb_sort_what_they_copy() {
        assert!(sorts_copies("10.11.19-MariaDB-0+deb12u1") && sorts_copies("11.4.2-MariaDB"));
        assert!(!sorts_copies("10.6.20-MariaDB") && !sorts_copies("10.11.2-MariaDB"));
        assert!(!sorts_copies("8.0.36"));
    }

    #[test]
    fn the_table_of_a_statement_is_found_where_it_has_a_plain_name() {
        let found = |sql| altered_table(sql);
        assert_eq!(found("alter online table `orders` add x int").as_deref(), Some("orders"));
        assert_eq!(found("ALTER TABLE shop.orders ADD x INT"), None);
        assert_eq!(found("CREATE INDEX i ON orders (x)"), None);
    }
}
