//! What was added to a run after it had begun.

use crate::digest::{self, EXTENSION};
use crate::document::MOST;
use crate::plan;
use crate::value::{Columns, Json, damage};
use model::{Block, Extension, Study, UnixMillis};
use rusqlite::{Connection, Result, params};

/// Writes an extension with its part of the plan, and the study where that has changed.
pub(crate) fn insert(
    connection: &Connection,
    number: u32,
    extension: &Extension,
    study: Option<&Study>,
    blocks: &[Block],
) -> Result<()> {
    connection.execute(
        "INSERT INTO extension (number, at_ms, weighin_version, host_json, changes, study_file,
         study_json, merged_from) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        params![
            number,
            extension.at.0,
            extension.weighin_version,
            Json(&extension.host),
            Json(&extension.changes),
            study.map(|study| &study.source),
            study.map(|study| Json(plan::without_source(study))),
            extension.merged_from
        ],
    )?;
    plan::insert(connection, blocks)?;
    digest::write(connection, EXTENSION.subject(number))
}

/// Reads all of them in order, and the study as the last of them left it, where any changed it.
pub(crate) fn select(connection: &Connection) -> Result<(Vec<Extension>, Option<Study>)> {
    let mut statement = connection.prepare(
        "SELECT number, at_ms, weighin_version, host_json, changes, merged_from, study_file,
         study_json FROM extension ORDER BY number",
    )?;
    let rows = statement.query_map([], |row| {
        let mut columns = Columns::for_row("extension", row);
        let number: u32 = columns.next()?;
        let extension = Extension {
            at: UnixMillis(columns.next()?),
            weighin_version: columns.next()?,
            host: columns.next::<Json<_>>()?.0,
            changes: columns.next::<Json<_>>()?.0,
            merged_from: columns.next()?,
        };
        let study = columns.both::<String, Json<Study>>()?;
        Ok((number, extension, study))
    })?;
    let (mut extensions, mut latest) = (Vec::new(), None);
    for (row, expected) in rows.zip(1..) {
        let (number, extension, study) = row?;
        if number != expected {
            return Err(damage("extension.number", format!("number {expected} is missing")));
        }
        if extension.at.0 > MOST {
            return Err(damage("extension.at_ms", "it is out of range"));
        }
        extensions.push(extension);
        if let Some((source, Json(study))) = study {
            latest = Some(Study { source, ..study });
        }
    }
    Ok((extensions, latest))
}
