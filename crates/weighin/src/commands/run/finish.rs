//! The user's own command at the end of a run.

use super::Outcome;
use crate::messages::tell;
use crate::output::html_path;
use crate::signals;
use host::CommandOrder;
use model::Stop;
use std::path::Path;
use std::time::Duration;

/// How long it may take.
const LIMIT: Duration = Duration::from_secs(600);

/// Runs the user's command on the end of a run, and hands that on. A run that failed says so before.
pub(super) fn finish(ended: Outcome, command: Option<&str>, results: &Path) -> Outcome {
    let Some(command) = command else { return ended };
    let exit = ended.unwrap_or_else(|error| {
        error.print();
        error.exit()
    });
    // The next signal ends the command, and this process with it.
    signals::ended_in_order();
    let page = html_path(results);
    let path = |path: &Path| path.display().to_string();
    let order = CommandOrder {
        words: ["/bin/sh", "-c", command].map(str::to_owned).into(),
        variables: vec![
            ("WEIGHIN_EXIT_CODE", (exit as u8).to_string()),
            ("WEIGHIN_RESULTS", path(results)),
            ("WEIGHIN_REPORT", if page.exists() { path(&page) } else { String::new() }),
        ],
        limit: LIMIT,
    };
    let ran = host::this_machine().user_command(order, &Stop::default());
    match ran.and_then(|mut command| command.run()) {
        Ok(said) => said.iter().for_each(|said| tell(&format!("--on-finish: {said}"))),
        Err(failure) => tell(&format!("warning: --on-finish: {}", failure.message)),
    }
    Ok(exit)
}
