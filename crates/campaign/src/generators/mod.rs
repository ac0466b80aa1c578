//! Several load generators that make one load together: processes of weighin, started by the one
//! that measures.
//!
//! The [`lead`] starts them and gives each its [`wire::Assignment`] as a line of JSON through a pipe;
//! a generator answers through another, and [`serve`]s until the load or the pipe ends. A password
//! travels through the pipe, never among the arguments, which everybody on the machine can read.
//! All log in first; then they get the same moment to start at, by the clock that all processes of
//! a machine share.

mod allowance;
mod lead;
mod process;
mod serve;
#[cfg(test)]
mod tests;
pub(crate) mod wire;

pub use lead::GeneratorProcesses;
pub(crate) use lead::Generators;
pub use serve::{generate, generate_remotely};

/// The word after weighin's name by which a process becomes a load generator. The program that runs
/// loads of several generators must answer to it with [`generate`].
pub const GENERATOR_COMMAND: &str = "load-generator";
/// The same for one whose lead is on another machine. The program must answer to it with
/// [`generate_remotely`].
pub const REMOTE_GENERATOR_COMMAND: &str = "load-generator-remote";
