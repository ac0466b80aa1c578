//! `weighin sysbench …`: takes the command lines of sysbench 0.4 to 1.1 and prints what
//! that version would print, so that scripts and their parsers go on working.
//!
//! The words are cut into options ([`words`]), the generation is told from their form
//! ([`generation`]), the options are checked against what that generation knows ([`catalog`],
//! [`options`]) and become a [`request::Request`], which is then carried out.

mod builtin;
mod catalog;
mod checks;
mod drivers;
mod fairness;
mod generation;
mod help;
mod options;
mod password;
mod policy;
mod report;
mod request;
mod run;
mod script_path;
mod scripts;
mod server;
mod servers;
mod shutdown;
mod tables;
mod words;
mod workload;

use super::{Outcome, print};
use crate::Exit;
use crate::arguments::SysbenchArguments;
use crate::exit::CliError;
use drivers::{Driver, DriverName};
use generation::Generation;
use mysql::Mysql;
use options::Options;
use postgres::Postgres;
use request::Request;
use std::ffi::OsString;
use words::Action;
use words::Words;

/// Does what sysbench would do with these words. Its errors all begin and end as the original's do:
/// with a word that scripts look for, and with 1.
pub(crate) fn sysbench(arguments: &SysbenchArguments) -> Outcome {
    follow(&arguments.words).map_err(|error| match error.exit() {
        Exit::Interrupted => error,
        _ => error.ending_with(Exit::Failed).said_as("FATAL"),
    })
}

fn follow(words: &[OsString]) -> Outcome {
    let given = Words::parse(words)?;
    let from_files = given.clone().with_files()?;
    if let Some(test) = builtin::named(&from_files) {
        let is_said = builtin::named(&given) == Some(test);
        return builtin::run(test, is_said, words);
    }
    let words = from_files;
    let generation = Generation::from_words(&words)?;
    if words.has_flag("version") || words.positional.iter().any(|word| word == "version") {
        print(&format!("sysbench {}\n", generation.version()))?;
        return Ok(Exit::Done);
    }
    if words.has_flag("help") {
        print(&help::general(generation))?;
        return Ok(Exit::Done);
    }
    if words.positional.last().is_some_and(|word| word == "help") {
        print(&help::of_test(generation, &words)?)?;
        return Ok(Exit::Done);
    }
    password::hide(&words)?;
    let options = Options::check(&words, generation)?;
    let request = Request::new(&words, &options, generation)?;
    for line in &request.warnings {
        request.warn(line)?;
    }
    request.say(&format!("{}\n\n", generation.banner()))?;
    server::check_driver(&options, request.action)?;
    match request.driver {
        DriverName::Mysql => carry_out::<Mysql>(&request),
        DriverName::Pgsql => carry_out::<Postgres>(&request),
    }
}

fn carry_out<D: Driver>(request: &Request) -> Outcome {
    match request.action {
        Action::Prepare => tables::prepare::<D>(request),
        Action::Prewarm => tables::prewarm(request),
        Action::Cleanup => tables::cleanup::<D>(request),
        Action::Run => run::run::<D>(request),
    }
}

/// Reads the words up to where a server would be needed.
pub(crate) fn understand(arguments: &SysbenchArguments) -> Result<(), CliError> {
    let words = Words::parse(&arguments.words)?;
    let _ = builtin::named(&words);
    let generation = Generation::from_words(&words)?;
    let _ = help::of_test(generation, &words);
    let options = Options::check(&words, generation)?;
    let _ = Request::new(&words, &options, generation)?;
    Ok(())
}

/// An option, or a word, that cannot be had.
fn unsupported(what: &str, help: &str) -> CliError {
    CliError::usage(format!("{what} is not supported by weighin sysbench"), help)
}
