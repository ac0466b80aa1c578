//! Walks a plan: brings each target to the state that a trial starts from, runs the load with
//! sampling beside it, and hands the record to the store.
//!
//! [`Campaign`] runs a whole study; [`measure`] runs one load, and [`search`] looks for the highest
//! that keeps a bound on latency, as both a campaign and `weighin load` do.

mod caution;
mod connections;
mod control;
mod deployment;
mod door;
mod failure;
#[doc(hidden)]
pub mod fuzzing;
mod generators;
mod login;
mod measure;
mod opinion;
mod redis;
mod search;
mod sessions;
mod sql;
mod storage;
mod survey;
pub mod tables;
mod trial;
mod trigger;
mod walk;

pub use caution::cautions;
pub use control::{Control, check_limits};
pub use deployment::Deployment;
pub use door::Door;
pub use failure::load_failure;
pub use generators::{GENERATOR_COMMAND, generate};
pub use login::Login;
pub use measure::{Measured, Order, measure};
pub use redis::keys::{cleanup as cleanup_keys, ensure as ensure_keys};
pub use search::{Goal, SearchProgress, Searched, search};
pub use storage::{Taking, Volumes, cleanup as cleanup_volume};
pub use survey::{Surveyed, survey};
pub use walk::{Campaign, Event, RunError, Summary};
