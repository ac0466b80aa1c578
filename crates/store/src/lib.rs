//! One run of a study in one SQLite file; the only user of SQLite.
//!
//! A [`Store`] keeps the study, its plan, the host, each target as observed, and a record of
//! every trial. A trial that was appended survives a power loss. A record is one document, the
//! serialised form of its type in `model`; views show its parts to users who want to query them by
//! hand. Both are described in `docs/store.md`.

mod beside;
mod copy;
mod digest;
mod document;
mod error;
mod expected;
mod extension;
mod facts;
mod file;
mod found;
#[doc(hidden)]
pub mod fuzzing;
mod guard;
mod lock;
mod log;
mod plan;
mod recording;
mod run;
mod schema;
mod store;
mod trial;
mod value;

pub use error::StoreError;
pub use guard::thread_time;
pub use store::{Store, limit_for};
