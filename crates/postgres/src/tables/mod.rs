//! The tables that an OLTP load runs on: what is there, what is missing, making it, checking it,
//! removing it. What is the same on other servers is in [`sql::tables`].

mod check;
mod cleanup;
mod inspect;
mod prepare;
mod schema;

pub use check::check;
pub(super) use check::{are_finished, contents};
pub use cleanup::{Cleanup, cleanup};
pub(super) use prepare::dry_run;
pub use prepare::prepare;
