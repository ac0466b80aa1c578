//! What servers did in the background, and what it cost.

use super::{Cell, Table, Tone, numbers, words};
use crate::numbers::{NOTHING, bytes, count};
use crate::view;
use crate::words::{began, changed, ended, event_kind, metric_name, unit};
use analyse::{Analysis, Changed, TestAnalysis, TrialEvents};
use model::TriggerAnswer;

/// What each kind cost in each cell, figure by figure; `None` where nothing was seen.
pub(crate) fn event_costs(analysis: &Analysis) -> Option<Table> {
    let mut table = Table::new([
        words("test and level"),
        words("target"),
        words("what"),
        words("figure"),
        numbers("in quiet seconds"),
        numbers("affected ÷ quiet"),
        words("verdict"),
    ]);
    for test in &analysis.tests {
        for cost in &test.events.costs {
            let (seen, of) = cost.trials;
            for (number, change) in cost.changes.iter().enumerate() {
                let figure = metric_name(change.metric);
                let unit = unit(change.metric, view::counted(test));
                let tone = match change.changed {
                    Changed::Unresolved => Tone::Doubtful,
                    Changed::Same => Tone::Good,
                    Changed::Higher | Changed::Lower => Tone::Plain,
                };
                let row = [
                    Cell::text(format!("{}, {}", test.test, cost.level)),
                    Cell::target(&cost.target, view::series(analysis, &cost.target)),
                    Cell::text(event_kind(cost.event))
                        .with_note(format!("in {seen} of {of} trials")),
                    Cell::text(format!("{figure}, {unit}")),
                    Cell::estimate(Some(&change.quiet)),
                    Cell::estimate(Some(&change.ratio)),
                    Cell::text(changed(change.changed)).with_tone(tone),
                ];
                if number == 0 { table.push_group(row) } else { table.push(row) }
            }
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Every event of every trial, and what became of triggers; `None` where there is nothing.
pub(crate) fn events(analysis: &Analysis) -> Option<Table> {
    let mut table = Table::new([
        words("test and level"),
        words("target"),
        numbers("repeat"),
        words("what"),
        words("began"),
        words("ended"),
        numbers("fork, ms"),
        numbers("copied on write"),
        numbers("late syncs"),
        words("weighin’s command"),
    ]);
    for test in &analysis.tests {
        for trial in &test.events.trials {
            of_trial(analysis, test, trial, &mut table);
        }
    }
    (!table.rows.is_empty()).then(|| table.without_empty_columns())
}

fn of_trial(analysis: &Analysis, test: &TestAnalysis, trial: &TrialEvents, table: &mut Table) {
    let head = || {
        vec![
            Cell::text(format!("{}, {}", test.test, trial.level)),
            Cell::target(&trial.target, view::series(analysis, &trial.target)),
            Cell::text(trial.repeat.to_string()),
        ]
    };
    let mut told = trial.triggered.as_ref();
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    for event in &trial.events {
        let command = if event.triggered { told.take().map(command) } else { None };
        let late = (event.delayed > 0).then(|| count(event.delayed));
        let mut row = head();
        row.extend([
            Cell::text(event_kind(event.kind)),
            Cell::text(began(event)),
            Cell::text(ended(event)),
            Cell::figure(event.fork_ms),
            Cell::text(event.cow_bytes.map_or(NOTHING.to_owned(), bytes)),
            Cell::text(late.unwrap_or_else(|| NOTHING.to_owned())),
            command.unwrap_or_else(|| Cell::text(NOTHING)),
        ]);
        rows.push(row);
    }
    // One that led to nothing has a row of its own.
    if let Some(triggered) = told {
        let mut row = head();
        row.push(Cell::text("nothing seen").with_tone(Tone::Doubtful));
        row.extend((0..5).map(|_| Cell::text(NOTHING)));
        row.push(command(triggered));
        rows.push(row);
    }
    for (number, row) in rows.into_iter().enumerate() {
        if number == 0 { table.push_group(row) } else { table.push(row) }
    }
}

/// The command of a trigger, when it was sent, and what the server said.
fn command(triggered: &model::Triggered) -> Cell {
    let said = format!("{} at {:.2}\u{a0}s", triggered.work.command(), triggered.sent_seconds);
    match &triggered.answer {
        TriggerAnswer::Accepted(line) => Cell::text(said).with_note(line),
        TriggerAnswer::Refused(line) => {
            Cell::text(said).with_note(format!("refused: {line}")).with_tone(Tone::Bad)
        }
        TriggerAnswer::Lost(why) => {
            Cell::text(said).with_note(format!("no answer: {why}")).with_tone(Tone::Bad)
        }
    }
}
