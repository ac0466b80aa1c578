use super::{Outcome, planned, print};
use crate::Exit;
use crate::arguments::CheckArguments;
use crate::check_output::CheckOutput;
use crate::messages::{print_json, print_styled, terminal_width};
use crate::progress::Progress;
use crate::signals;
use campaign::{Event, Hosts, Preflight};
use std::io::IsTerminal;

/// Reaches every target and says what would not work, or mislead.
pub(crate) fn check(arguments: &CheckArguments) -> Outcome {
    let study = study::scaled(&study::load(&arguments.study)?, arguments.scale);
    let stop = signals::stop();
    let (plan, total) = planned(&study)?;
    let hosts = Hosts::of_study(&study, &stop);
    let progress = Progress::start("bytes checked");
    let examined = Preflight::examine(&study, &hosts, &arguments.erase, &stop, &mut |event| {
        if let Event::Checking { step, .. } = event {
            progress.show(step);
        }
    });
    progress.finish();
    let preflight = examined?;
    let output = CheckOutput::new(&preflight, &study, plan.trials().count(), total);
    let terminal = std::io::stdout().is_terminal();
    match arguments.json {
        true => print_json(&output.json()?)?,
        false if terminal => print_styled(&output.text(Some(terminal_width()), true))?,
        false => print(&output.text(None, false))?,
    }
    Ok(if preflight.can_run() { Exit::Done } else { Exit::Unavailable })
}
