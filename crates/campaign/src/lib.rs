//! Walks a plan: brings each target to the state that a trial starts from, runs the load with
//! sampling beside it, and hands the record to the store.
//!
//! [`Campaign`] runs a whole study; [`measure`] runs one load, and [`search`] looks for the highest
//! that keeps a bound on latency, as both a campaign and `weighin load` do.

mod at_once;
mod catch_up;
mod caution;
mod failover;
mod failure;
#[doc(hidden)]
pub mod fuzzing;
mod generators;
mod hosts;
mod instances;
mod intervention;
mod measure;
mod preflight;
mod prepared;
mod renew;
mod round;
mod search;
mod statement;
mod systems;
mod together;
mod trial;
mod trial_clock;
mod walk;

pub use caution::{commands_at_targets, named_programs};
pub use generators::{GENERATOR_COMMAND, REMOTE_GENERATOR_COMMAND, generate, generate_remotely};
pub use hosts::{Hosts, fleet, login as login_of_broker, remote, remote_hosts};
pub use instances::{InstanceStep, Instances, OutputReader, ReadHostOutput, ReadOutput};
pub use measure::{LoadProgress, Makers, Measured, Observation, OnSample, Order, measure};
pub use preflight::{Diagnostic, Examined, Preflight, Severity};
pub use prepared::{Prepared, Step};
pub use search::{Goal, SearchProgress, Searched, search};
pub use systems::login::Login;
pub use systems::mysql;
pub use systems::redis::{cleanup as cleanup_keys, connect as connect_redis};
pub use systems::volume::{Taking, Volumes};
pub use systems::{DataPlan, Preparing, SamplingScope, TargetHandle, reach};
pub use walk::{Campaign, Event, RunError, Summary, Wait};
