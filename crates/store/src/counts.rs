//! What a load counted over all phases, by name.

use crate::value::{Columns, Name};
use model::{MAX_REQUEST_KINDS, RequestCount, RequestCounts, RequestKind};
use rusqlite::{Connection, Result, params};

/// Counts beside those of requests, with their names in the store.
fn named(counts: &mut RequestCounts) -> [(&'static str, &mut u64); 5] {
    [
        ("found", &mut counts.found),
        ("bytes_read", &mut counts.moved.read),
        ("bytes_written", &mut counts.moved.written),
        ("answers_checked", &mut counts.answers.checked),
        ("answers_short", &mut counts.answers.short),
    ]
}

/// Writes every kind of request, and of the rest what is not 0.
pub(crate) fn insert(connection: &Connection, position: u32, counts: &RequestCounts) -> Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO request (position, number, name, effect, counter, count)
         VALUES (?, ?, ?, ?, ?, ?)",
    )?;
    for (number, RequestCount { kind, count }) in counts.kinds.iter().enumerate() {
        let RequestKind { name, effect, counter } = kind;
        statement.execute(params![position, number as u64, name, Name(effect), counter, count])?;
    }
    let mut statement = connection
        .prepare_cached("INSERT INTO load_count (position, name, count) VALUES (?, ?, ?)")?;
    for (name, count) in named(&mut counts.clone()).into_iter().filter(|(_, count)| **count > 0) {
        statement.execute(params![position, name, *count])?;
    }
    Ok(())
}

pub(crate) fn select(connection: &Connection, position: u32) -> Result<RequestCounts> {
    let mut counts = RequestCounts { kinds: kinds(connection, position)?, ..Default::default() };
    let mut statement =
        connection.prepare_cached("SELECT name, count FROM load_count WHERE position = ?")?;
    let mut rows = statement.query([position])?;
    while let Some(row) = rows.next()? {
        let mut columns = Columns::of("load_count", row);
        let name: String = columns.next()?;
        let Some((_, count)) = named(&mut counts).into_iter().find(|(known, _)| *known == name)
        else {
            return Err(columns.wrong(format!("{name:?} is not a count of a load")));
        };
        *count = columns.count()?;
    }
    Ok(counts)
}

fn kinds(connection: &Connection, position: u32) -> Result<Vec<RequestCount>> {
    let mut statement = connection.prepare_cached(
        "SELECT number, name, effect, counter, count FROM request WHERE position = ?
         ORDER BY number",
    )?;
    let kinds = statement.query_map([position], |row| {
        let mut columns = Columns::of("request", row);
        let number: u64 = columns.next()?;
        if number >= MAX_REQUEST_KINDS as u64 {
            return Err(columns.wrong(format!("{number} is out of range")));
        }
        let kind = RequestKind {
            name: columns.next::<String>()?.into(),
            effect: columns.name()?,
            counter: columns.next::<Option<String>>()?.map(Into::into),
        };
        Ok(RequestCount { kind, count: columns.count()? })
    })?;
    kinds.collect()
}
