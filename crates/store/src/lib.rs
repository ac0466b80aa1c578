//! One run of a study in one SQLite file; the only user of SQLite.
//!
//! A [`Store`] keeps the study, its plan, the host, each target as observed, and a record of
//! every trial. A trial that was appended survives a power loss. The tables are described in
//! `docs/store.md`, for users who want to query them by hand.

mod beside;
mod conditions;
mod copy;
mod counts;
mod cross_check;
mod digest;
mod disks;
mod error;
mod expected;
mod extension;
mod file;
mod fleet;
mod found;
#[doc(hidden)]
pub mod fuzzing;
mod generators;
mod guard;
mod instance;
mod lock;
mod log;
mod note;
mod open_loop;
mod outcome;
mod run;
mod sampling;
mod schema;
mod search;
mod store;
mod target;
mod trial;
mod value;

pub use error::StoreError;
pub use guard::thread_time;
pub use store::Store;
