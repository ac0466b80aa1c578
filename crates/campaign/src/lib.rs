//! Walks a plan: brings each target to the state that a trial starts from, runs the load with
//! sampling beside it, and hands the record to the store.
//!
//! [`Campaign`] runs a whole study; [`measure`] runs one load, as both a campaign and
//! `weighin load` do.

mod counters;
mod deployment;
mod facts;
mod failure;
mod limits;
mod login;
mod measure;
mod opinion;
pub mod tables;
mod trial;
mod walk;

pub use deployment::Deployment;
pub use failure::load_failure;
pub use limits::check_limits;
pub use login::Login;
pub use measure::{Measured, Order, measure};
pub use walk::{Campaign, Event, RunError, Summary, Surveyed, survey};
