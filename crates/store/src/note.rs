//! What was noted while a run was going on.

use crate::digest::{Digests, Subject};
use crate::value::{Columns, MOST, damage, within};
use model::{Note, ReadBudget, UnixMillis};
use rusqlite::{Connection, Result, params};

/// Writes a note after those that there are; its number, from 1.
pub(crate) fn insert(connection: &Connection, note: &Note) -> Result<i64> {
    connection.query_row(
        "INSERT INTO note (number, at_ms, text)
         VALUES ((SELECT coalesce(max(number), 0) + 1 FROM note), ?, ?) RETURNING number",
        params![note.at.0, note.text],
        |row| row.get(0),
    )
}

/// Reads all notes in order, and checks that they are as they were written.
pub(crate) fn checked(
    connection: &Connection,
    digests: &Digests,
    budget: &ReadBudget,
) -> Result<Vec<Note>> {
    let mut statement =
        connection.prepare("SELECT number, at_ms, text FROM note ORDER BY number")?;
    let notes = statement.query_map([], |row| {
        let mut columns = Columns::of("note", row);
        let number: i64 = columns.next()?;
        Ok((number, Note { at: UnixMillis(columns.next()?), text: columns.next()? }))
    })?;
    let mut checked = Vec::new();
    for note in notes {
        let (number, note) = note?;
        let of_note = |error| within(&format!("note {number}"), error);
        if note.at.0 > MOST {
            return Err(of_note(damage("note.at_ms", "it is out of range")));
        }
        digests.check(connection, Subject::Note(number), budget).map_err(of_note)?;
        checked.push(note);
    }
    Ok(checked)
}
