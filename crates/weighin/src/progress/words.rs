//! What a run says while it goes on.

use campaign::InstanceStep;
use model::{Block, Level, text};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What is done with an instance of a target, in a line.
pub(crate) fn instance_line(target: &str, step: InstanceStep<'_>) -> String {
    /// Characters of what others say.
    const LONGEST: usize = 500;
    let shown = |words: &[String]| text::excerpt(&words.join(" "), LONGEST).to_string();
    match step {
        InstanceStep::Up(words) => format!("{target}: up: {}", shown(words)),
        InstanceStep::Down(words) => format!("{target}: down: {}", shown(words)),
        InstanceStep::Said(line) => format!("{target}: | {}", text::excerpt(line, LONGEST)),
        InstanceStep::IsUp(instance) => {
            let labels = instance.labels.iter().map(|(name, value)| format!(", {name} = {value}"));
            let labels: String = labels.collect();
            let at = instance.endpoint.as_deref().unwrap_or_default();
            format!("{target}: is up at {}", text::excerpt(&format!("{at}{labels}"), LONGEST))
        }
        InstanceStep::IsDown => format!("{target}: is down"),
        InstanceStep::Failed(failure) => {
            let remedy = match failure.remedy.as_str() {
                "" => String::new(),
                remedy => format!("\n  = help: {remedy}"),
            };
            format!("warning: {target}: its trials fail: {failure}{remedy}")
        }
        InstanceStep::IsLeft(failure) => format!(
            "warning: {target} may still be there, and cost: {failure}\n  = help: take it down by hand"
        ),
    }
}

/// That what is under way is waited for.
pub(crate) fn waiting(limit: Duration) -> String {
    let seconds = limit.as_secs();
    format!("the time of the load is over; waiting up to {seconds} s for what is still under way")
}

/// The levels of a block that tests placed.
pub(super) fn placed(block: &Block) -> String {
    let mut tests: BTreeMap<&str, BTreeSet<Level>> = BTreeMap::new();
    for trial in &block.trials {
        tests.entry(&trial.key.test).or_default().insert(trial.key.level);
    }
    let of_test = |(test, levels): (&str, BTreeSet<Level>)| {
        let levels: Vec<String> = levels.iter().map(|level| level.clients.to_string()).collect();
        format!("{test} at {} clients", levels.join(", "))
    };
    let tests: Vec<String> = tests.into_iter().map(of_test).collect();
    format!("levels placed: {}", tests.join("; "))
}
