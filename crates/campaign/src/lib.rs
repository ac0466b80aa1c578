//! Walks a plan: brings each target to the state that a trial starts from, runs the load with
//! sampling beside it, and hands the record to the store.
//!
//! [`Campaign`] runs a whole study; [`measure`] runs one load, and [`search`] looks for the highest
//! that keeps a bound on latency, as both a campaign and `weighin load` do.

mod campaign;
mod catch_up;
mod caution;
mod debts;
mod event;
mod exchange;
mod failover;
#[doc(hidden)]
pub mod fuzzing;
mod generators;
mod hosts;
mod instances;
mod intervention;
mod loading;
mod measure;
mod preflight;
mod renew;
mod round;
mod search;
mod settle;
mod statement;
mod task;
mod together;
mod trial;
mod trial_clock;
mod walk;

pub use campaign::Campaign;
pub use caution::{commands_at_targets, named_programs};
pub use event::{Event, InstanceStep, RunError, Wait};
pub use generators::{
    GENERATOR_COMMAND, GeneratorProcesses, REMOTE_GENERATOR_COMMAND, generate, generate_remotely,
};
pub use hosts::{fleet, hosts_of_study, login as login_of_broker, remote, remote_hosts};
pub use instances::{Instances, OutputReader, ReadHostOutput, ReadOutput};
pub use measure::{LoadProgress, Measured, Measurement, Observation, OnSample, Watched};
pub use preflight::{Consent, Examined, Preflight};
pub use search::{Goal, SearchProgress, Searched, search};
pub use settle::measure;
pub use walk::Summary;
