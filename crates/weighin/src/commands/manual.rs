//! What shells and manuals know of the command line.

use super::{Outcome, print};
use crate::Exit;
use crate::arguments::{Arguments, CompletionsArguments, ManArguments};
use crate::exit::CliError;
use clap::{Command, CommandFactory};
use clap_mangen::Man;

/// Prints what completes command lines in a shell.
pub(crate) fn completions(arguments: &CompletionsArguments) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "weighin", &mut script);
    print(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

/// Prints a manual page.
pub(crate) fn man(arguments: &ManArguments) -> Outcome {
    let mut whole = Arguments::command();
    whole.build();
    let page = match &arguments.command {
        None => whole,
        Some(name) => of_command(&whole, name)?,
    };
    let mut text = Vec::new();
    let rendered = Man::new(page).render(&mut text);
    rendered.map_err(|error| CliError::unavailable(format!("cannot print it: {error}"), ""))?;
    print(&String::from_utf8_lossy(&text))?;
    Ok(Exit::Done)
}

fn of_command(whole: &Command, name: &str) -> Result<Command, CliError> {
    let shown = || whole.get_subcommands().filter(|command| !command.is_hide_set());
    let found = shown().find(|command| command.get_name() == name);
    let found = found.ok_or_else(|| {
        let names: Vec<&str> = shown().map(Command::get_name).collect();
        CliError::usage(
            format!("weighin has no command `{name}`"),
            format!("commands are {}", names.join(", ")),
        )
    })?;
    Ok(found.clone().name(format!("weighin-{name}")))
}
