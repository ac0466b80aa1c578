//! What each command does.

mod advise;
mod agent;
mod chart;
mod check;
mod cleanup;
mod demo;
mod history;
mod hosts;
mod import;
mod init;
mod instance_keeper;
mod load;
mod load_generator;
mod manual;
mod merge;
mod plan;
mod prepare;
mod reference;
mod report;
mod run;
mod runs;
mod schema;
mod secrets;
mod seed;
mod serve;
mod slo;
mod space;
mod sysbench;
mod targets;
mod workload;

pub(crate) use advise::advise;
pub(crate) use agent::agent;
pub(crate) use chart::chart;
pub(crate) use check::check;
pub(crate) use cleanup::cleanup;
pub(crate) use demo::demo;
pub(crate) use history::history;
pub(crate) use hosts::hosts;
pub(crate) use import::import;
pub(crate) use init::init;
pub(crate) use instance_keeper::instance_keeper;
pub(crate) use load::{load, understand as understand_load};
pub(crate) use load_generator::{load_generator, remote_load_generator};
pub(crate) use manual::{completions, man};
pub(crate) use merge::merge;
pub(crate) use plan::plan;
pub(crate) use prepare::prepare;
pub(crate) use reference::reference;
pub(crate) use report::report;
pub(crate) use run::run;
pub(crate) use runs::{compare, gate};
pub(crate) use schema::schema;
pub(crate) use seed::seed;
pub(crate) use serve::serve;
pub(crate) use sysbench::{sysbench, understand as understand_sysbench};

use crate::exit::CliError;
pub(crate) use crate::messages::print;
use ::report::numbers::{count, counted, duration, figure};
use ::report::words;
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
    if let Some(budget) = study.budget.as_ref().filter(|budget| budget.time < total) {
        let pays = budget.money.as_ref().map_or(String::new(), |_| {
            format!(", which pays all targets for {}", duration(budget.time))
        });
        return Err(CliError::usage(
            format!(
                "the first {} of every cell take about {}, more than the budget of {}{pays}",
                counted(plan.repeats() as usize, "repeat"),
                duration(total),
                words::budget(budget),
            ),
            "raise `budget`, or make `min` of `repeats`, the levels or `duration` smaller",
        ));
    }
    Ok((plan, total))
}

/// What may follow the planned trials of a study that places levels, or whose repeats end where all is
/// resolved.
fn at_most(study: &Study) -> Option<String> {
    let most = study::expand_most(study, study.seed);
    let ends = study.budget.as_ref().map_or(String::new(), |budget| match budget.money {
        Some(_) => format!(
            " The budget of {} pays all targets for {}: what does not fit into it is not begun.",
            words::budget(budget),
            duration(budget.time)
        ),
        None => {
            format!(" What does not fit into the budget of {} is not begun.", words::budget(budget))
        }
    });
    let trials = count(most.trials().count() as u64);
    let time = duration(study::estimate(&most, study));
    let placing = study.tests.iter().filter_map(|test| Some((&test.name, test.placement()?)));
    let mut lines: Vec<String> = placing
        .map(|(name, placement)| {
            format!(
                "{name}: after these levels, weighin places further ones between {} and {} clients, \
                 half-way between two around each peak, throughput knee and crossover, until they \
                 differ by a factor of {} at most; {} levels at most.",
                placement.from,
                placement.to,
                figure(placement.resolution),
                placement.most_levels(),
            )
        })
        .collect();
    lines.push(match study.until {
        Some(until) => format!(
            "After block {} and each later one, what is resolved is left out; with all {} repeats \
             of every cell it would be {trials} trials, about {time}.{ends}",
            until.min, study.repeats,
        ),
        None if lines.is_empty() => return settling(&most, study),
        None => format!("With all of these it would be {trials} trials, about {time}."),
    });
    lines.extend(settling(&most, study));
    Some(lines.join("\n"))
}

/// How much longer it may take where loads run until they are steady.
fn settling(plan: &Plan, study: &Study) -> Option<String> {
    let loads = plan.trials().filter_map(|trial| study.test(&trial.key.test)?.load()?.settling());
    let longer: Vec<Duration> = loads.map(|(least, longest)| longest - least).collect();
    let (count, longer) = (longer.len(), longer.iter().sum::<Duration>());
    (!longer.is_zero()).then(|| {
        format!(
            "Before {} the load runs until what the server puts off is level, which may take up to {} \
             more.",
            counted(count, "trial"),
            duration(longer)
        )
    })
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
