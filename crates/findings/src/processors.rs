//! The processors that virtual machines share, in words.

use model::{Oversubscription, Storage};

/// The processors that virtual machines are limited to: `sharing 2 processors (4 virtual processors to
/// each)`; `None` where they are limited to none.
pub fn shared(storage: &Storage) -> Option<String> {
    let (asked, count) = storage.oversubscription.zip(storage.processors())?;
    Some(format!(
        "{} {} ({})",
        if storage.vms == 1 { "with" } else { "sharing" },
        processors(count),
        to_each(asked)
    ))
}

/// `1 processor`, `0.5 processors`: whole where it is whole, else with two decimals at most.
pub fn processors(count: f64) -> String {
    let plural = if count == 1.0 { "" } else { "s" };
    format!("{} processor{plural}", (count * 100.0).round() / 100.0)
}

/// How many virtual processors share one.
pub fn to_each(asked: Oversubscription) -> String {
    format!("{} to each", processors(asked.ratio).replace("processor", "virtual processor"))
}
