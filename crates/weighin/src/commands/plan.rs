use super::{Outcome, print};
use crate::Exit;
use crate::arguments::PlanArguments;
use model::{Level, Plan, SearchOver, Trial};
use report::numbers::duration;
use std::fmt::Write;
use std::time::Duration;

/// Shows the trials in their order and how long they will take.
pub(crate) fn plan(arguments: &PlanArguments) -> Outcome {
    let study = study::scaled(&study::load(&arguments.study)?, arguments.scale);
    let plan = study::expand(&study, study.seed);
    let total = study::estimate(&plan, &study);
    print(&describe(&plan, total))?;
    Ok(Exit::Done)
}

fn describe(plan: &Plan, total: Duration) -> String {
    let trials = plan.trials().count();
    let width = |of: fn(&Trial) -> usize| plan.trials().map(of).max().unwrap_or(0);
    let target = width(|trial| trial.key.target.chars().count()).max("target".len());
    let test = width(|trial| trial.key.test.chars().count()).max("test".len());
    // Tests in closed loops need no column for rates.
    let rates = plan
        .trials()
        .any(|trial| trial.key.level.rate.is_some() || trial.key.level.search.is_some());
    let rate = |text: &str| if rates { format!("{text:>8}  ") } else { String::new() };
    let mut text = format!(
        "{trials} trials in {} blocks, in the order of seed {}; about {} with set-up and restarts.\n",
        plan.blocks.len(),
        plan.seed,
        duration(total),
    );
    for block in &plan.blocks {
        let _ = writeln!(text, "\nBlock {}", block.number);
        let _ = writeln!(
            text,
            "  {:>5}  {:<target$}  {:<test$}  {:>7}  {}load",
            "",
            "target",
            "test",
            "clients",
            rate("rate"),
        );
        for trial in &block.trials {
            let _ = writeln!(
                text,
                "  {:>5}  {:<target$}  {:<test$}  {:>7}  {}{}",
                trial.position,
                trial.key.target,
                trial.key.test,
                clients(trial.key.level),
                rate(&rate_of(trial.key.level)),
                load_time(trial),
            );
        }
    }
    text
}

/// The connections of a level; what a search varies is a question mark.
fn clients(level: Level) -> String {
    match level.search {
        Some(SearchOver::Clients) => format!("? ≤ {}", level.clients),
        _ => level.clients.to_string(),
    }
}

fn rate_of(level: Level) -> String {
    match (level.rate, level.search) {
        (Some(rate), _) => format!("{rate}/s"),
        (None, Some(SearchOver::Rate)) => "?".to_owned(),
        (None, _) => "-".to_owned(),
    }
}

/// A search ends when it knows.
fn load_time(trial: &Trial) -> String {
    let about = if trial.key.level.search.is_some() { "about " } else { "" };
    format!("{about}{}", duration(trial.load_time))
}
