//! Targets as observed.

use crate::value::{Columns, Json, Seed};
use model::{HostFacts, ServerFacts, TableContents, TargetFacts};
use rusqlite::{Connection, Result, params};

/// Writes what a target's server said of itself, in place of what was known before. The id, which
/// this gives, stays what it was; new ones count from 1.
pub(crate) fn replace(connection: &Connection, facts: &TargetFacts) -> Result<i64> {
    let id = connection.query_row(
        "SELECT coalesce((SELECT id FROM target WHERE name = ?),
         (SELECT coalesce(max(id), 0) + 1 FROM target))",
        [&facts.target],
        |row| row.get::<_, i64>(0),
    )?;
    connection.execute("DELETE FROM variable WHERE target_id = ?", [id])?;
    connection.execute("DELETE FROM target WHERE id = ?", [id])?;
    let server = &facts.server;
    connection.execute(
        "INSERT INTO target (id, name, version, host_json, program, dataset_bytes, cache_bytes,
         prepare_seconds, rows, checksum, rows_after, checksum_after)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        params![
            id,
            facts.target,
            server.version,
            server.host.as_ref().map(Json),
            server.program,
            server.dataset_bytes,
            server.cache_bytes,
            server.prepare_seconds,
            server.contents.map(|contents| contents.rows),
            server.contents.map(|contents| Seed(contents.checksum)),
            server.contents_after.map(|contents| contents.rows),
            server.contents_after.map(|contents| Seed(contents.checksum))
        ],
    )?;
    let mut statement = connection.prepare_cached(
        "INSERT INTO variable (target_id, name, value, incidental) VALUES (?, ?, ?, ?)",
    )?;
    for (name, value) in &server.variables {
        statement.execute(params![id, name, value, server.incidental.contains(name)])?;
    }
    Ok(id)
}

/// Reads all targets with their ids, in the order in which they were first written.
pub(crate) fn select(connection: &Connection) -> Result<Vec<(i64, TargetFacts)>> {
    let mut variables =
        connection.prepare("SELECT name, value, incidental FROM variable WHERE target_id = ?")?;
    let mut statement = connection.prepare(
        "SELECT id, name, version, host_json, program, dataset_bytes, cache_bytes, prepare_seconds, rows,
         checksum, rows_after, checksum_after FROM target ORDER BY id",
    )?;
    let targets = statement.query_map([], |row| {
        let mut columns = Columns::of("target", row);
        let id: i64 = columns.next()?;
        let mut facts = TargetFacts {
            target: columns.next()?,
            server: ServerFacts {
                version: columns.next()?,
                host: columns.next::<Option<Json<HostFacts>>>()?.map(|Json(host)| host),
                program: columns.next()?,
                dataset_bytes: columns.next()?,
                cache_bytes: columns.next()?,
                prepare_seconds: columns.next()?,
                contents: contents(&mut columns)?,
                contents_after: contents(&mut columns)?,
                ..ServerFacts::default()
            },
        };
        let server = &mut facts.server;
        let mut rows = variables.query([id])?;
        while let Some(row) = rows.next()? {
            let mut columns = Columns::of("variable", row);
            let (name, value): (String, String) = (columns.next()?, columns.next()?);
            if columns.next()? {
                server.incidental.insert(name.clone());
            }
            server.variables.insert(name, value);
        }
        Ok((id, facts))
    })?;
    targets.collect()
}

fn contents(columns: &mut Columns<'_>) -> Result<Option<TableContents>> {
    Ok(columns.both()?.map(|(rows, Seed(checksum))| TableContents { rows, checksum }))
}
