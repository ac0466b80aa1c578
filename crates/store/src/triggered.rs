//! What became of a test's trigger in a trial.

use crate::value::{Columns, Name};
use model::{TriggerAnswer, Triggered};
use rusqlite::{Connection, OptionalExtension, Result, params};

const ACCEPTED: &str = "accepted";
const REFUSED: &str = "refused";
const LOST: &str = "lost";

/// Writes it.
pub(crate) fn insert(connection: &Connection, position: u32, what: &Triggered) -> Result<()> {
    let (outcome, answer) = match &what.answer {
        TriggerAnswer::Accepted(line) => (ACCEPTED, line),
        TriggerAnswer::Refused(line) => (REFUSED, line),
        TriggerAnswer::Lost(why) => (LOST, why),
    };
    connection
        .prepare_cached(
            "INSERT INTO triggered (position, work, sent_seconds, answered_seconds, outcome, answer)
             VALUES (?, ?, ?, ?, ?, ?)",
        )?
        .execute(params![
            position,
            Name(what.work),
            what.sent_seconds,
            what.answered_seconds,
            outcome,
            answer
        ])?;
    Ok(())
}

/// Reads it; none of most trials.
pub(crate) fn select(connection: &Connection, position: u32) -> Result<Option<Triggered>> {
    connection
        .prepare_cached(
            "SELECT work, sent_seconds, answered_seconds, outcome, answer FROM triggered
             WHERE position = ?",
        )?
        .query_row([position], |row| {
            let mut columns = Columns::of("triggered", row);
            // Fields are evaluated in the order written, which is that of the columns.
            Ok(Triggered {
                work: columns.name()?,
                sent_seconds: columns.real()?,
                answered_seconds: columns.real()?,
                answer: answer(&mut columns)?,
            })
        })
        .optional()
}

fn answer(columns: &mut Columns<'_>) -> Result<TriggerAnswer> {
    let outcome: String = columns.next()?;
    let answer = match outcome.as_str() {
        ACCEPTED => TriggerAnswer::Accepted,
        REFUSED => TriggerAnswer::Refused,
        LOST => TriggerAnswer::Lost,
        other => return Err(columns.wrong(format!("{other:?} is no outcome"))),
    };
    Ok(answer(columns.next()?))
}
