//! `weighin load --slo`: one search by hand.

use super::{Outcome, print, workload};
use crate::Exit;
use crate::arguments::{LoadArguments, SearchName};
use crate::messages::print_json;
use crate::slo_output::{SearchOutput, answer_line, capacity_line, headline, step_line};
use campaign::{Goal, Order, SearchProgress, TargetHandle, search};
use engine::Stop;
use model::{Arrivals, Bound, SearchOver};
use std::time::Duration;

/// How long each step measures, unless told otherwise.
pub(super) const STEP: Duration = Duration::from_secs(5);
/// Load before each step, unless told otherwise.
const STEP_WARMUP: Duration = Duration::from_secs(1);
/// Connections of a rate that is searched for, unless told otherwise.
const CONNECTIONS: u32 = 64;
/// Most clients to try, unless told otherwise.
const MOST_CLIENTS: u32 = 128;

/// Clients where the user names no number.
pub(super) fn default_clients(arguments: &LoadArguments) -> u32 {
    match (arguments.slo, arguments.search) {
        (None, _) => 1,
        (Some(_), SearchName::Rate) => CONNECTIONS,
        (Some(_), SearchName::Clients) => MOST_CLIENTS,
    }
}

/// The warm-up where the user names none.
pub(super) fn default_warmup(arguments: &LoadArguments) -> Duration {
    if searches(arguments) { STEP_WARMUP } else { Duration::ZERO }
}

/// Whether a load is searched for.
pub(super) fn searches(arguments: &LoadArguments) -> bool {
    arguments.slo.is_some() || arguments.storage.cpu_limit.is_some()
}

/// What is to be searched for, if anything.
pub(super) fn goal(arguments: &LoadArguments, arrivals: Arrivals) -> Option<Goal> {
    let bound = Bound::latency(arguments.slo?);
    let over = match arguments.search {
        SearchName::Rate => SearchOver::Rate,
        SearchName::Clients => SearchOver::Clients,
    };
    Some(Goal { bound, over, arrivals })
}

/// Searches, and prints each step as it ends.
pub(super) fn search_by_hand(
    arguments: &LoadArguments,
    target: &mut dyn TargetHandle,
    order: &Order<'_>,
    goal: &Goal,
    stop: &Stop,
) -> Outcome {
    let mut printed = Ok(());
    let mut say = |line: String| {
        if !arguments.json && printed.is_ok() {
            printed = print(&(line + "\n"));
        }
    };
    let counted = order.workload.operation();
    say(headline(&workload::headline(order.workload), order.clients, goal));
    let found = search(target, order, goal, stop, &mut |progress| match progress {
        SearchProgress::Capacity(rate) => say(format!("  {}", capacity_line(rate, counted))),
        SearchProgress::Step { goal, step } => {
            say(format!("  {}", step_line(step, goal.over, &goal.bound, counted)));
        }
    })?;
    say(format!("  {}", answer_line(&found.search, counted)));
    printed?;
    if arguments.json {
        print_json(&SearchOutput::new(&found, order.workload).json()?)?;
    }
    Ok(Exit::Done)
}
