use super::{Outcome, print};
use crate::Exit;
use crate::arguments::PlanArguments;
use model::Plan;
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
    let width = |of: fn(&model::Trial) -> usize| plan.trials().map(of).max().unwrap_or(0);
    let target = width(|trial| trial.key.target.chars().count()).max("target".len());
    let test = width(|trial| trial.key.test.chars().count()).max("test".len());
    // Tests in closed loops need no column for rates.
    let rates = plan.trials().any(|trial| trial.key.level.rate.is_some());
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
                trial.key.level.clients,
                rate(&trial.key.level.rate.map_or("-".to_owned(), |rate| format!("{rate}/s"))),
                duration(trial.load_time),
            );
        }
    }
    text
}
