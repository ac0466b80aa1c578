//! Interventions, what servers did in the background, and what that cost.

use super::{Table, TableCell, Tone, numbers, words};
use crate::numbers::{NOTHING, bytes, count};
use crate::view;
use crate::words::{act_result, began, changed, ended, event_kind, metric_name, unit};
use analyse::{Analysis, Changed, TestAnalysis, TrialEvents};
use model::{ActResult, Mark};

/// The heading of the section that these tables are in.
pub(crate) const EVENTS: &str = "Interventions and background work";

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
                    TableCell::text(format!("{}, {}", test.test, cost.level)),
                    TableCell::target(&cost.target, view::series(analysis, &cost.target)),
                    TableCell::text(event_kind(cost.event))
                        .with_note(format!("in {seen} of {of} trials")),
                    TableCell::text(format!("{figure}, {unit}")),
                    TableCell::estimate(Some(&change.quiet)),
                    TableCell::estimate(Some(&change.ratio)),
                    TableCell::text(changed(change.changed)).with_tone(tone),
                ];
                if number == 0 { table.push_group(row) } else { table.push(row) }
            }
        }
    }
    (!table.rows.is_empty()).then_some(table)
}

/// Every event of every trial, and what came of interventions; `None` where there is nothing.
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
        words("intervention"),
    ]);
    for test in &analysis.tests {
        for trial in &test.events.trials {
            of_trial(analysis, test, trial, &mut table);
        }
    }
    (!table.rows.is_empty()).then(|| table.without_empty_columns())
}

fn of_trial(analysis: &Analysis, test: &TestAnalysis, trial: &TrialEvents, table: &mut Table) {
    let record = analysis.dataset.trials.get(trial.record);
    for (number, event) in trial.events.iter().enumerate() {
        let is_of = |mark: &&Mark| Some(&mark.name) == event.intervention.as_ref();
        let mark = record.and_then(|record| record.interventions().find(is_of));
        let late = (event.delayed > 0).then(|| count(event.delayed));
        let row = [
            TableCell::text(format!("{}, {}", test.test, trial.level)),
            TableCell::target(&trial.target, view::series(analysis, &trial.target)),
            TableCell::text(trial.repeat.to_string()),
            TableCell::text(event_kind(event.kind)),
            TableCell::text(began(event)),
            TableCell::text(ended(event)),
            TableCell::figure(event.fork_ms),
            TableCell::text(event.cow_bytes.map_or(NOTHING.to_owned(), bytes)),
            TableCell::text(late.unwrap_or_else(|| NOTHING.to_owned())),
            mark.map_or_else(|| TableCell::text(NOTHING), intervention),
        ];
        if number == 0 { table.push_group(row) } else { table.push(row) }
    }
}

/// The name of an intervention, what came of it, and what is to be said of it.
fn intervention(mark: &Mark) -> TableCell {
    let Some(result) = mark.result else { return TableCell::text(&mark.name) };
    let said = format!("{}: {}", mark.name, act_result(result));
    let cell = match &mark.note {
        Some(note) => TableCell::text(said).with_note(note),
        None => TableCell::text(said),
    };
    match result {
        ActResult::Done => cell,
        ActResult::Failed => cell.with_tone(Tone::Bad),
        ActResult::CutOff => cell.with_tone(Tone::Doubtful),
    }
}
