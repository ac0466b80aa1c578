use super::{inspect, mark};
use crate::client::Connection;
use model::{Failure, FailureKind};
use sql::tables::{TableInfo, is_test_table};
use system::Login;

/// What a clean-up did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cleanup {
    /// Tables that were dropped.
    pub dropped: Vec<String>,
    /// Test tables that weighin did not make, which are still there.
    pub kept: Vec<String>,
}

/// Drops the tables that weighin made, and those of somebody else that `also` names.
///
/// # Errors
/// When a named table does not exist or is not a test table, or the server refuses.
pub fn cleanup(
    login: &Login,
    control: &mut Connection,
    also: &[String],
) -> Result<Cleanup, Failure> {
    let tables = inspect::tables(control)?;
    let database = &login.address().database;
    for name in also {
        if !is_test_table(name) {
            return Err(Failure::new(
                FailureKind::ForeignTables,
                format!("{name} is not a test table (sbtest1, sbtest2, …): weighin never drops it"),
                "drop it yourself if you are sure",
            ));
        }
        if !tables.iter().any(|table| table.name == *name) {
            return Err(Failure::new(
                FailureKind::MissingTables,
                format!("there is no table {name} in the database {database}"),
                "check the name with SHOW TABLES",
            ));
        }
    }
    let mut done = Cleanup::default();
    let may_go = |table: &TableInfo| is_test_table(&table.name) || mark::is_ours(&table.comment);
    for table in tables.into_iter().filter(may_go) {
        if mark::is_ours(&table.comment) || also.contains(&table.name) {
            control
                .execute_long(&format!("DROP TABLE `{}`", table.name))
                .map_err(|e| e.failure(&format!("cannot drop the table {}", table.name)))?;
            done.dropped.push(table.name);
        } else {
            done.kept.push(table.name);
        }
    }
    Ok(done)
}
