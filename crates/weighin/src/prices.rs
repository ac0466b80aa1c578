//! Prices that are given for results, in place of those of their study.

use crate::exit::CliError;
use model::{Dataset, text};
use std::path::Path;

/// Gives the targets of results the prices of a file.
pub(crate) fn apply(dataset: &mut Dataset, file: Option<&Path>) -> Result<(), CliError> {
    let Some(file) = file else { return Ok(()) };
    for (name, price) in study::prices(file)? {
        let targets = &mut dataset.study.targets;
        match targets.iter_mut().find(|target| target.name == name) {
            Some(target) => target.price = Some(price),
            None => {
                let known: Vec<&str> = targets.iter().map(|one| one.name.as_str()).collect();
                return Err(CliError::usage(
                    format!(
                        "the prices name a target `{}` that the results do not have",
                        text::line(&name)
                    ),
                    format!("they have: {}", known.join(", ")),
                ));
            }
        }
    }
    Ok(())
}
