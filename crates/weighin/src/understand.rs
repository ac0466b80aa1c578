//! What command lines ask for, without doing it.

use crate::arguments::{Arguments, Command};
use crate::commands;
use crate::exit::CliError;
use clap::Parser;
use std::ffi::OsString;

/// Reads the words of a command line, the program's name first, up to where files or servers would
/// be needed. Touches neither.
///
/// # Errors
/// What the user would be told, in words.
pub fn understand(words: Vec<OsString>) -> Result<(), String> {
    let arguments = Arguments::try_parse_from(words).map_err(|error| error.to_string())?;
    let understood = match &arguments.command {
        Command::Load(arguments) => commands::understand_load(arguments),
        Command::Sysbench(arguments) => commands::understand_sysbench(arguments),
        _ => Ok(()),
    };
    understood.map_err(|error: CliError| error.message().to_owned())
}
