use super::server::login;
use super::{Outcome, print};
use crate::Exit;
use crate::arguments::CleanupArguments;

/// Drops the tables that weighin made, and those that the user names.
pub(crate) fn cleanup(arguments: &CleanupArguments) -> Outcome {
    let login = login(&arguments.server)?;
    let mut control = login.connect()?;
    let done = campaign::tables::cleanup(&login, &mut control, &arguments.also)?;
    let mut text = match done.dropped.len() {
        0 => "No tables of weighin's to drop.\n".to_owned(),
        1 => format!("Dropped {}.\n", done.dropped[0]),
        n => format!("Dropped {n} tables: {}.\n", done.dropped.join(", ")),
    };
    if !done.kept.is_empty() {
        text.push_str(&format!(
            "Kept what weighin did not make: {names}. To drop it all the same: --also {list}\n",
            names = done.kept.join(", "),
            list = done.kept.join(","),
        ));
    }
    print(&text)?;
    Ok(Exit::Done)
}
