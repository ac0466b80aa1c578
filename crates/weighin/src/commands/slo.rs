//! `weighin load --slo`: one search by hand.

use super::{Outcome, print, workload};
use crate::Exit;
use crate::checks::Checks;
use crate::exit::CliError;
use crate::load_output::rows;
use crate::messages::{print_json, tell};
use crate::progress::waiting;
use crate::slo_output::{SearchOutput, answer_line, capacity_line, headline, step_line};
use campaign::{Goal, Measurement, SearchProgress, Searched, search};
use engine::Stop;
use model::Load;
use system::TargetHandle;

/// Searches, and prints each step as it ends unless all is to be JSON.
pub(super) fn search_by_hand(
    json: bool,
    target: &mut dyn TargetHandle,
    measurement: &Measurement<'_>,
    goal: &Goal,
    stop: &Stop,
) -> Result<Searched, CliError> {
    let mut printed = Ok(());
    let mut say = |line: String| {
        if !json && printed.is_ok() {
            printed = print(&(line + "\n"));
        }
    };
    let counted = measurement.load.workload.operation();
    say(headline(&workload::headline(measurement.load.workload), measurement.load.clients, goal));
    let found = search(target, measurement, goal, stop, &mut |progress| match progress {
        SearchProgress::Waiting(limit) => tell(&waiting(limit)),
        SearchProgress::Capacity(rate) => say(format!("  {}", capacity_line(rate, counted))),
        SearchProgress::Step { goal, step } => {
            say(format!("  {}", step_line(step, goal.over, &goal.bound, counted)));
        }
    })?;
    say(format!("  {}", answer_line(&found.search, counted)));
    printed?;
    Ok(found)
}

/// Prints what the step that decided is worth, or everything as JSON.
pub(super) fn end(json: bool, found: &Searched, load: &Load, checks: &Checks) -> Outcome {
    match json {
        true => print_json(&SearchOutput::new(found, &load.workload, checks).json()?)?,
        false => print(&rows(checks))?,
    }
    Ok(Exit::Done)
}
