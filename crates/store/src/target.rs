//! Targets as observed.

use crate::value::{Columns, Seed};
use model::{ServerFacts, TableContents, TargetFacts};
use rusqlite::{Connection, Result, params};
use std::collections::BTreeMap;

/// Writes what a target's server said of itself, in place of what was known before. `id` is the
/// target's place in the study.
pub(crate) fn replace(connection: &Connection, id: i64, facts: &TargetFacts) -> Result<()> {
    connection.execute("DELETE FROM target WHERE id = ?", [id])?;
    let server = &facts.server;
    connection.execute(
        "INSERT INTO target (id, name, version, dataset_bytes, prepare_seconds, rows, checksum,
         rows_after, checksum_after) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        params![
            id,
            facts.target,
            server.version,
            server.dataset_bytes,
            server.prepare_seconds,
            server.contents.map(|contents| contents.rows),
            server.contents.map(|contents| Seed(contents.checksum)),
            server.contents_after.map(|contents| contents.rows),
            server.contents_after.map(|contents| Seed(contents.checksum))
        ],
    )?;
    let mut statement = connection
        .prepare_cached("INSERT INTO variable (target_id, name, value) VALUES (?, ?, ?)")?;
    for (name, value) in &server.variables {
        statement.execute(params![id, name, value])?;
    }
    Ok(())
}

/// Reads all targets with their places in the study, in its order.
pub(crate) fn select(connection: &Connection) -> Result<Vec<(i64, TargetFacts)>> {
    let mut variables =
        connection.prepare("SELECT name, value FROM variable WHERE target_id = ?")?;
    let mut statement = connection.prepare(
        "SELECT id, name, version, dataset_bytes, prepare_seconds, rows, checksum, rows_after,
         checksum_after FROM target ORDER BY id",
    )?;
    let targets = statement.query_map([], |row| {
        let mut columns = Columns::of("target", row);
        let id: i64 = columns.next()?;
        let facts = TargetFacts {
            target: columns.next()?,
            server: ServerFacts {
                version: columns.next()?,
                dataset_bytes: columns.next()?,
                prepare_seconds: columns.next()?,
                contents: contents(&mut columns)?,
                contents_after: contents(&mut columns)?,
                variables: variables
                    .query_map([id], |row| {
                        let mut columns = Columns::of("variable", row);
                        Ok((columns.next()?, columns.next()?))
                    })?
                    .collect::<Result<BTreeMap<_, _>>>()?,
            },
        };
        Ok((id, facts))
    })?;
    targets.collect()
}

fn contents(columns: &mut Columns<'_>) -> Result<Option<TableContents>> {
    Ok(columns.both()?.map(|(rows, Seed(checksum))| TableContents { rows, checksum }))
}
