//! What each command does.

mod advise;
mod check;
mod cleanup;
mod demo;
mod import;
mod init;
mod load;
mod load_generator;
mod plan;
mod prepare;
mod report;
mod run;
mod schema;
mod server;
mod slo;
mod storage;
mod sysbench;
mod workload;

pub(crate) use advise::advise;
pub(crate) use check::check;
pub(crate) use cleanup::cleanup;
pub(crate) use demo::demo;
pub(crate) use import::import;
pub(crate) use init::init;
pub(crate) use load::{load, understand as understand_load};
pub(crate) use load_generator::load_generator;
pub(crate) use plan::plan;
pub(crate) use prepare::prepare;
pub(crate) use report::report;
pub(crate) use run::run;
pub(crate) use schema::schema;
pub(crate) use sysbench::{sysbench, understand as understand_sysbench};

use crate::exit::CliError;
use std::io::{self, Write};

/// What a command ends with.
pub(crate) type Outcome = Result<crate::Exit, CliError>;

/// Writes a command's result to standard output. A reader that has seen enough (`| head`) is no
/// error.
pub(crate) fn print(text: &str) -> Result<(), CliError> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => {
            Err(CliError::unavailable(format!("cannot write to standard output: {error}"), ""))
        }
        Ok(()) => Ok(()),
    }
}
