//! What each command does.

mod advise;
mod check;
mod cleanup;
mod demo;
mod history;
mod import;
mod init;
mod load;
mod load_generator;
mod plan;
mod prepare;
mod report;
mod run;
mod runs;
mod schema;
mod slo;
mod sysbench;
mod targets;
mod workload;

pub(crate) use advise::advise;
pub(crate) use check::check;
pub(crate) use cleanup::cleanup;
pub(crate) use demo::demo;
pub(crate) use history::history;
pub(crate) use import::import;
pub(crate) use init::init;
pub(crate) use load::{load, understand as understand_load};
pub(crate) use load_generator::load_generator;
pub(crate) use plan::plan;
pub(crate) use prepare::prepare;
pub(crate) use report::report;
pub(crate) use run::run;
pub(crate) use runs::{compare, gate};
pub(crate) use schema::schema;
pub(crate) use sysbench::{sysbench, understand as understand_sysbench};

use crate::exit::CliError;
pub(crate) use crate::messages::print;
use ::report::numbers::{count, duration, figure};
use model::bounds::MAX_PLAN;
use model::{Failure, Plan, Study};
use std::time::Duration;

/// What a command ends with.
pub(crate) type Outcome = Result<crate::Exit, CliError>;

/// What came of something that may take long; `again` says how it goes on where it was stopped.
fn unless_stopped<T>(done: Result<T, Failure>, again: &str) -> Result<T, CliError> {
    done.map_err(|failure| match failure.is_stop() {
        true => CliError::interrupted(again),
        false => failure.into(),
    })
}

/// The trials of a study, and how long they will take.
///
/// # Errors
/// When that is longer than anybody would wait.
fn planned(study: &Study) -> Result<(Plan, Duration), CliError> {
    let plan = study::expand(study, study.seed);
    let total = bearable(&plan, study)?;
    bearable(&study::expand_most(study, study.seed), study)?;
    Ok((plan, total))
}

/// What may follow the planned trials of a study whose repeats end where all is resolved.
fn at_most(study: &Study) -> Option<String> {
    let min = study.until?.min;
    let most = study::expand_most(study, study.seed);
    Some(format!(
        "After block {min} and each later one, what is resolved is left out; with all {} repeats of \
         every cell it would be {} trials, about {}.",
        study.repeats,
        count(most.trials().count() as u64),
        duration(study::estimate(&most, study)),
    ))
}

/// How long a plan will take.
///
/// # Errors
/// When that is longer than anybody would wait.
fn bearable(plan: &Plan, study: &Study) -> Result<Duration, CliError> {
    let total = study::estimate(plan, study);
    if total <= MAX_PLAN {
        return Ok(total);
    }
    const YEAR: f64 = 365.0 * 86_400.0;
    Err(CliError::usage(
        format!(
            "the {} trials of the study would take about {} years",
            count(plan.trials().count() as u64),
            figure(total.as_secs_f64() / YEAR),
        ),
        "make `repeats`, levels, `duration` or the data smaller, or give a lower --scale: a study \
         may take a year",
    ))
}
