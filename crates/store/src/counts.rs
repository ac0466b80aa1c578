//! What a load counted over all phases, by name.

use crate::value::Columns;
use model::StatementCounts;
use rusqlite::{Connection, Result, params};

/// Every count with its name in the store.
fn named(counts: &mut StatementCounts) -> [(&'static str, &mut u64); 17] {
    [
        ("com_select", &mut counts.select),
        ("com_insert", &mut counts.insert),
        ("com_update", &mut counts.update),
        ("com_delete", &mut counts.delete),
        ("com_begin", &mut counts.begin),
        ("com_commit", &mut counts.commit),
        ("com_rollback", &mut counts.rollback),
        ("gets", &mut counts.get),
        ("sets", &mut counts.set),
        ("found", &mut counts.found),
        ("reads", &mut counts.read),
        ("writes", &mut counts.write),
        ("syncs", &mut counts.sync),
        ("bytes_read", &mut counts.moved.read),
        ("bytes_written", &mut counts.moved.written),
        ("answers_checked", &mut counts.answers.checked),
        ("answers_short", &mut counts.answers.short),
    ]
}

/// Writes those that are not 0.
pub(crate) fn insert(
    connection: &Connection,
    position: u32,
    mut counts: StatementCounts,
) -> Result<()> {
    let mut statement = connection
        .prepare_cached("INSERT INTO load_count (position, name, count) VALUES (?, ?, ?)")?;
    for (name, count) in named(&mut counts).into_iter().filter(|(_, count)| **count > 0) {
        statement.execute(params![position, name, *count])?;
    }
    Ok(())
}

pub(crate) fn select(connection: &Connection, position: u32) -> Result<StatementCounts> {
    let mut counts = StatementCounts::default();
    let mut statement =
        connection.prepare_cached("SELECT name, count FROM load_count WHERE position = ?")?;
    let mut rows = statement.query([position])?;
    while let Some(row) = rows.next()? {
        let mut columns = Columns::of("load_count", row);
        let name: String = columns.next()?;
        let Some((_, count)) = named(&mut counts).into_iter().find(|(known, _)| *known == name)
        else {
            return Err(columns.wrong(format!("{name:?} is no count of a load")));
        };
        *count = columns.count()?;
    }
    Ok(counts)
}
