//! What is kept of targets, of their instances, and of what happened while a run went on.

use crate::digest::{self, INSTANCE, NOTE, TARGET};
use crate::document::MOST;
use crate::value::{Columns, damage, document, json, within};
use model::{Instance, Note, ReadBudget, TargetFacts, UnixMillis};
use rusqlite::{Connection, Result, params};

/// Writes what a target's server said of itself, in place of what was known before. The id stays what
/// it was; new ones count from 1.
pub(crate) fn replace_target(connection: &Connection, facts: &TargetFacts) -> Result<()> {
    let id: i64 = connection.query_row(
        "INSERT OR REPLACE INTO target (id, name, document) VALUES (
         coalesce((SELECT id FROM target WHERE name = ?1),
         (SELECT coalesce(max(id), 0) + 1 FROM target)), ?1, ?2) RETURNING id",
        params![facts.target, json(facts)?],
        |row| row.get(0),
    )?;
    digest::write(connection, TARGET.subject(id))
}

/// Reads all targets, in the order in which they were first written.
pub(crate) fn targets(connection: &Connection, budget: &ReadBudget) -> Result<Vec<TargetFacts>> {
    let mut statement = connection.prepare("SELECT id, name, document FROM target ORDER BY id")?;
    let targets = statement.query_map([], |row| {
        let mut columns = Columns::for_row("target", row);
        let (id, name): (i64, String) = (columns.next()?, columns.next()?);
        let read = || {
            let facts: TargetFacts = document("target.document", row.get_ref(2)?, budget)?;
            if facts.target != name {
                return Err(damage("target.name", "it is not that of its document"));
            }
            digest::check(connection, TARGET.subject(id), budget).map(|()| facts)
        };
        read().map_err(|error| within(&format!("target {name}"), error))
    })?;
    targets.collect()
}

/// Writes a note after those that there are; they count from 1.
pub(crate) fn insert_note(connection: &Connection, note: &Note) -> Result<()> {
    let number: i64 = connection.query_row(
        "INSERT INTO note (number, at_ms, text)
         VALUES ((SELECT coalesce(max(number), 0) + 1 FROM note), ?, ?) RETURNING number",
        params![note.at.0, note.text],
        |row| row.get(0),
    )?;
    digest::write(connection, NOTE.subject(number))
}

/// Reads all notes in order, and checks that they are as they were written.
pub(crate) fn notes(connection: &Connection, budget: &ReadBudget) -> Result<Vec<Note>> {
    let mut statement =
        connection.prepare("SELECT number, at_ms, text FROM note ORDER BY number")?;
    let notes = statement.query_map([], |row| {
        let mut columns = Columns::for_row("note", row);
        let number: i64 = columns.next()?;
        let mut read = || {
            let note = Note { at: UnixMillis(columns.next()?), text: columns.next()? };
            if note.at.0 > MOST {
                return Err(damage("note.at_ms", "it is out of range"));
            }
            digest::check(connection, NOTE.subject(number), budget).map(|()| note)
        };
        read().map_err(|error| within(&format!("note {number}"), error))
    })?;
    notes.collect()
}

/// Writes what is known of an instance, in place of what was known of the one with its number.
pub(crate) fn replace_instance(connection: &Connection, instance: &Instance) -> Result<()> {
    connection.execute(
        "INSERT OR REPLACE INTO instance (number, document) VALUES (?, ?)",
        params![instance.number, json(instance)?],
    )?;
    digest::write(connection, INSTANCE.subject(instance.number))
}

/// Reads all of them in order, and checks that they are as they were written.
pub(crate) fn instances(connection: &Connection, budget: &ReadBudget) -> Result<Vec<Instance>> {
    let mut statement =
        connection.prepare("SELECT number, document FROM instance ORDER BY number")?;
    let instances = statement.query_map([], |row| {
        let number: i64 = row.get(0)?;
        let read = || {
            let instance: Instance = document("instance.document", row.get_ref(1)?, budget)?;
            if i64::from(instance.number) != number {
                return Err(damage("instance.number", "it is not that of its document"));
            }
            digest::check(connection, INSTANCE.subject(number), budget).map(|()| instance)
        };
        read().map_err(|error| within(&format!("instance {number}"), error))
    })?;
    instances.collect()
}
