//! The search for the highest load that meets a bound on latency.
//!
//! `next` decides what to try, from what was tried: pure, so that its tests need no server and no
//! clock. `run` tries it.

mod next;
mod run;

pub use run::{Goal, SearchProgress, Searched, search};
