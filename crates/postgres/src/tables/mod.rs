//! The tables that an OLTP load runs on: what is there, what is missing, making it, checking it,
//! removing it. What is the same on other servers is in [`sql::tables`].

mod check;
mod cleanup;
mod inspect;
mod lend;
mod own;
mod prepare;
mod schema;

pub use check::check;
pub(super) use check::{are_finished, contents};
pub use cleanup::{Cleanup, cleanup};
pub(super) use lend::{lend, take_again};
pub(super) use own::{OwnTable, check_room, drop_own, make, make_own, named};
pub use prepare::prepare;
pub(super) use prepare::{dry_run, filling_connections};
