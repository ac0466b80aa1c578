use super::run::OUTPUT_READER;
use super::{Outcome, planned, print, secrets, space};
use crate::Exit;
use crate::arguments::CheckArguments;
use crate::check_output::{CheckOutput, Told};
use crate::messages::{print_json, print_styled, tell, terminal_width};
use crate::passing::Progress;
use crate::progress::instance_line;
use crate::signals;
use campaign::{Event, Instances, Preflight, RunError};
use model::Plan;
use std::io::IsTerminal;

/// Brings up the provisioned targets, where that is asked for.
fn up(
    arguments: &CheckArguments,
    plan: &Plan,
    instances: &mut Instances<'_>,
    observe: &mut dyn FnMut(Event<'_>),
) -> Result<(), RunError> {
    match arguments.up {
        true => instances.bring_up(plan.trials(), None, observe),
        false => Ok(()),
    }
}

/// Reaches every target and says what would not work, or mislead.
pub(crate) fn check(arguments: &CheckArguments) -> Outcome {
    let loaded = study::load(&arguments.study)?;
    let study = study::scaled(&loaded, arguments.scale);
    let stop = signals::stop();
    let (plan, total) = planned(&study)?;
    let rules = secrets::rules(&arguments.study, &study, &arguments.secrets)?;
    let hosts = campaign::hosts_of_study(&study, &rules, &stop);
    let progress = Progress::start("bytes checked");
    let mut observe = |event: Event<'_>| match event {
        Event::Checking { step, .. } => progress.show(step),
        Event::Instance { target, step } => {
            progress.finish();
            tell(&instance_line(target, step));
        }
        _ => {}
    };
    let mut instances = Instances::new(&study, &hosts, OUTPUT_READER, &[], &stop);
    let examined = up(arguments, &plan, &mut instances, &mut observe).and_then(|()| {
        let (hosts, consent) = (&hosts, arguments.consent.given());
        let examined = Preflight::examine(&study, hosts, consent, &instances, &stop, &mut observe);
        examined.map_err(|_| RunError::Stopped)
    });
    if instances.any_up() {
        // That takes as long as it takes; after another signal it goes on without this process.
        signals::ended_in_order();
        instances.take_all_down(None, &mut observe)?;
    }
    progress.finish();
    let preflight = examined?;
    let output = CheckOutput::new(&preflight, &study, plan.trials().count(), total);
    let terminal = std::io::stdout().is_terminal();
    let scaled = space::scaled(&loaded, &study, arguments.scale);
    let told = Told {
        lines: scaled.into_iter().chain(space::lines(&study)).collect(),
        tables_of: space::tables_of(&study),
    };
    match arguments.json {
        true => print_json(&output.json()?)?,
        false if terminal => print_styled(&output.text(&told, Some(terminal_width()), true))?,
        false => print(&output.text(&told, None, false))?,
    }
    Ok(if preflight.can_run() { Exit::Done } else { Exit::Unavailable })
}
