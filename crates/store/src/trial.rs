//! Records of trials: a document each, and what was recorded over time beside it.

use crate::digest::{self, Hasher, TRIAL};
use crate::recording::Recording;
use crate::value::{charge, damage, document, json, within};
use model::{
    FailureKind, LoadResult, Outcome, ReadBudget, ReadLimit, Trial, TrialEnd, TrialRecord,
};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Result, Row, params};
use std::collections::BTreeSet;

/// Bytes of memory that every record takes, beside what its lists and texts do.
const BYTES_OF_RECORD: usize =
    size_of::<TrialRecord>() + size_of::<Outcome>() + size_of::<LoadResult>();
/// Columns of the query that reads records, before those of the table.
const BEFORE: usize = 1;

/// Writes a record whose trial is in the plan and has none yet. What could not be read again is not
/// kept.
pub(crate) fn insert(connection: &Connection, record: &TrialRecord) -> Result<()> {
    let mut record = record.clone();
    let recording = Recording::take(&mut record);
    let text = json(&record)?;
    let budget = &ReadLimit::NONE.budget();
    document::<TrialRecord>("the trial", ValueRef::Text(text.as_bytes()), budget)?;
    let compressed = (!recording.is_empty()).then(|| recording.compressed()).transpose()?;
    if let Some(compressed) = &compressed {
        Recording::read(&compressed.bytes, compressed.length, budget)?;
    }
    connection
        .prepare_cached(
            "INSERT INTO trial (position, failure, document, recording, recording_bytes)
             VALUES (?, ?, ?, ?, ?)",
        )?
        .execute(params![
            record.position,
            record.failure().map(|failure| name(failure.kind)).transpose()?,
            text,
            compressed.as_ref().map(|compressed| &compressed.bytes),
            compressed.as_ref().map(|compressed| compressed.length)
        ])?;
    digest::write(connection, TRIAL.subject(record.position))
}

/// A kind of failure as the documents write it.
fn name(kind: FailureKind) -> Result<String> {
    Ok(json(&kind)?.trim_matches('"').to_owned())
}

/// Positions of the trials that have a record, in the order of the plan.
pub(crate) fn positions(connection: &Connection) -> Result<BTreeSet<u32>> {
    let mut statement = connection.prepare("SELECT position FROM trial ORDER BY position")?;
    statement.query_map([], |row| row.get(0))?.collect()
}

/// Positions of those that failed. That a server does not offer something is no failure.
pub(crate) fn failed(connection: &Connection) -> Result<BTreeSet<u32>> {
    let mut statement =
        connection.prepare("SELECT position FROM trial WHERE failure <> ? ORDER BY position")?;
    statement.query_map([name(FailureKind::NotOffered)?], |row| row.get(0))?.collect()
}

/// Reads the records of planned trials in the order of the plan, and checks that they are as they were
/// written. A trial that was planned since the plan was read is left out.
pub(crate) fn each(
    connection: &Connection,
    planned: &[&Trial],
    budget: &ReadBudget,
    mut work: impl FnMut(&Trial, TrialRecord) -> Result<()>,
) -> Result<()> {
    let mut statement = connection.prepare(
        "SELECT hash, trial.* FROM trial
         LEFT JOIN digest ON subject = 'trial' AND id = position ORDER BY position",
    )?;
    let columns = BEFORE..statement.column_count();
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let position: u32 = row.get("position")?;
        let Some(trial) = planned.get((position as usize).wrapping_sub(1)) else { continue };
        let mut read = || {
            let record = record(row, trial, budget)?;
            let mut hasher = Hasher::default();
            hasher.row(row, columns.clone())?;
            let written = row.get_ref(0)?.as_blob_or_null().ok().flatten();
            digest::compare(TRIAL.subject(position), written, hasher.finish())?;
            work(trial, record)
        };
        read().map_err(|error| within(&format!("trial {position} ({})", trial.key), error))?;
    }
    Ok(())
}

fn record(row: &Row<'_>, trial: &Trial, budget: &ReadBudget) -> Result<TrialRecord> {
    charge(budget, BYTES_OF_RECORD as u64)?;
    let mut record: TrialRecord = document("trial.document", row.get_ref("document")?, budget)?;
    let recording = match (row.get_ref("recording")?, row.get_ref("recording_bytes")?) {
        (ValueRef::Blob(bytes), ValueRef::Integer(length)) => {
            let length = u64::try_from(length).unwrap_or(u64::MAX);
            Some(Recording::read(bytes, length, budget)?)
        }
        (ValueRef::Null, ValueRef::Null) => None,
        _ => return Err(damage("trial.recording", "it and its length belong together")),
    };
    if let Some(recording) = recording {
        recording.put(&mut record).map_err(|reason| damage("trial.recording", reason))?;
    }
    let failure = record.failure().map(|failure| name(failure.kind)).transpose()?;
    if row.get_ref("failure")?.as_str_or_null().ok() != Some(failure.as_deref()) {
        return Err(damage("trial.failure", "it is not that of its document"));
    }
    if let TrialEnd::Completed(outcome) = &record.end
        && outcome.source.is_none()
        && outcome.load.is_none()
        && outcome.figures.is_empty()
    {
        return Err(damage("trial.document", "it has no load, and no figures either"));
    }
    charge(budget, boxed(&record) as u64)?;
    record.key = trial.key.clone();
    (record.position, record.seed) = (trial.position, trial.seed);
    Ok(record)
}

/// Bytes of what few records have.
fn boxed(record: &TrialRecord) -> usize {
    fn bytes<T>(part: &Option<Box<T>>) -> usize {
        part.as_ref().map_or(0, |_| size_of::<T>())
    }
    let of_load = |load: &LoadResult| bytes(&load.open) + bytes(&load.fleet);
    bytes(&record.sampling.target_host)
        + bytes(&record.cross_check)
        + bytes(&record.search)
        + record.load().map_or(0, of_load)
}
