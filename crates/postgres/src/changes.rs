//! Changes of the schema: their SQL, and what takes them back.

use crate::client::Connection;
use model::{Algorithm, BuiltInChange, Change, Failure, FailureKind, SchemaChange};
use sql::{ADDED, Control};

/// The statement that makes a change, to `table` where it is one of weighin's own.
pub(super) fn sql(change: &SchemaChange, table: &str) -> Result<String, Failure> {
    let built_in = match &change.change {
        Change::Own { sql, .. } => return Ok(sql.clone()),
        Change::BuiltIn(built_in) => *built_in,
    };
    let concurrently = match change.algorithm {
        None | Some(Algorithm::Plain) => "",
        Some(Algorithm::Concurrently) if built_in == BuiltInChange::AddIndex => "CONCURRENTLY ",
        Some(Algorithm::Concurrently) => {
            return Err(not_offered("only indexes are built CONCURRENTLY".to_owned()));
        }
        Some(other) => {
            let name = other.name().to_uppercase();
            return Err(not_offered(format!("PostgreSQL has no ALGORITHM={name}")));
        }
    };
    Ok(match built_in {
        // No row is written.
        BuiltInChange::AddColumn => {
            format!("ALTER TABLE {table} ADD COLUMN {ADDED} timestamp(6) DEFAULT NULL")
        }
        BuiltInChange::AddIndex => format!("CREATE INDEX {concurrently}{ADDED} ON {table} (pad)"),
        // All rows are, and nobody reads them meanwhile.
        BuiltInChange::ChangeType => format!("ALTER TABLE {table} ALTER COLUMN k TYPE bigint"),
    })
}

fn not_offered(message: String) -> Failure {
    Failure::new(
        FailureKind::NotOffered,
        message,
        "what a change does follows from the statement: compare plain with concurrently, of an index",
    )
}

/// Takes a change back, whether it was made or failed: what is left of an index is dropped too. The table
/// is as it was then, but for the place of a column that was dropped, in which there is nothing.
pub(super) fn take_back(
    connection: &mut Connection,
    change: BuiltInChange,
    table: &str,
) -> Result<(), Failure> {
    // What was given up left nothing but perhaps a part of an index: others' locks are not waited for then.
    if !is_there(connection, change, table)? {
        return Ok(());
    }
    let back = match change {
        BuiltInChange::AddColumn => format!("ALTER TABLE {table} DROP COLUMN {ADDED}"),
        BuiltInChange::AddIndex => format!("DROP INDEX {ADDED}"),
        BuiltInChange::ChangeType => format!("ALTER TABLE {table} ALTER COLUMN k TYPE integer"),
    };
    sql::take_back(connection, &back)?;
    sql::take_back(connection, &format!("VACUUM ANALYZE {table}"))
}

/// Whether the table has what a change makes.
fn is_there(
    connection: &mut Connection,
    change: BuiltInChange,
    table: &str,
) -> Result<bool, Failure> {
    let column = |which: &str| {
        format!(
            "SELECT count(*) FROM pg_attribute WHERE attrelid = '{table}'::regclass \
             AND NOT attisdropped AND {which}"
        )
    };
    let sql = match change {
        BuiltInChange::AddColumn => column(&format!("attname = '{ADDED}'")),
        BuiltInChange::AddIndex => format!("SELECT count(to_regclass('{ADDED}'))"),
        BuiltInChange::ChangeType => column("attname = 'k' AND atttypid = 'bigint'::regtype"),
    };
    Ok(connection.number(&sql)?.is_some_and(|count| count > 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sql_of(change: BuiltInChange, algorithm: Option<Algorithm>) -> Result<String, Failure> {
        let change = Change::BuiltIn(change);
        let change = SchemaChange { change, algorithm, lock_timeout: None };
        sql(&change, "sbtest1")
    }

    #[test]
    fn changes_are_made_in_the_ways_that_the_server_has() {
        let index = |algorithm| sql_of(BuiltInChange::AddIndex, algorithm).unwrap();
        assert_eq!(index(None), "CREATE INDEX weighin_added ON sbtest1 (pad)");
        assert_eq!(
            index(Some(Algorithm::Concurrently)),
            "CREATE INDEX CONCURRENTLY weighin_added ON sbtest1 (pad)"
        );
        assert_eq!(
            sql_of(BuiltInChange::ChangeType, Some(Algorithm::Plain)).unwrap(),
            "ALTER TABLE sbtest1 ALTER COLUMN k TYPE bigint"
        );
        for (change, algorithm) in [
            (BuiltInChange::AddColumn, Algorithm::Concurrently),
            (BuiltInChange::AddIndex, Algorithm::Inplace),
        ] {
            let refused = sql_of(change, Some(algorithm)).unwrap_err();
            assert_eq!(refused.kind, FailureKind::NotOffered);
        }
    }
}
