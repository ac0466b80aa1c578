//! `weighin sysbench …`: takes the command lines of sysbench 0.4, 0.5 and 1.0 and prints what
//! that version would print, so that scripts and their parsers go on working.
//!
//! The words are cut into options ([`words`]), the generation is told from their form
//! ([`generation`]), the options are checked against what that generation knows ([`catalog`],
//! [`options`]) and become a [`request::Request`], which is then carried out.

mod catalog;
mod checks;
mod fairness;
mod generation;
mod help;
mod options;
mod password;
mod policy;
mod report;
mod request;
mod run;
mod server;
mod shutdown;
mod tables;
mod words;
mod workload;

use super::{Outcome, print};
use crate::Exit;
use crate::arguments::SysbenchArguments;
use crate::exit::CliError;
use generation::Generation;
use options::Options;
use request::{Action, Request};
use words::Words;

/// Does what sysbench would do with these words.
pub(crate) fn sysbench(arguments: &SysbenchArguments) -> Outcome {
    let words = Words::parse(&arguments.words)?;
    let generation = Generation::of(&words)?;
    if words.has_flag("version") || words.positional.iter().any(|word| word == "version") {
        print(&format!("sysbench {}\n", generation.version()))?;
        return Ok(Exit::Done);
    }
    if words.has_flag("help") || words.positional.last().is_some_and(|word| word == "help") {
        print(&help::text(generation, &words))?;
        return Ok(Exit::Done);
    }
    password::hide(&words)?;
    let options = Options::check(&words, generation)?;
    let request = Request::new(&words, &options, generation)?;
    for line in &request.warnings {
        print(&format!("WARNING: {line}\n"))?;
    }
    print(&format!("{}\n\n", generation.banner()))?;
    match request.action {
        Action::Prepare => tables::prepare(&request),
        Action::Prewarm => tables::prewarm(&request),
        Action::Cleanup => tables::cleanup(&request),
        Action::Run => run::run(&request),
    }
}

/// Reads the words up to where a server would be needed.
pub(crate) fn understand(arguments: &SysbenchArguments) -> Result<(), CliError> {
    let words = Words::parse(&arguments.words)?;
    let generation = Generation::of(&words)?;
    let _ = help::text(generation, &words);
    let options = Options::check(&words, generation)?;
    let _ = Request::new(&words, &options, generation)?;
    Ok(())
}

/// An option, or a word, that cannot be had.
fn unsupported(what: &str, help: &str) -> CliError {
    CliError::usage(format!("{what} is not supported by weighin sysbench"), help)
}
