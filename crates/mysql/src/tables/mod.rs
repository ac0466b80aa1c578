//! The tables that an OLTP load runs on: what is there, what is missing, making it, checking it,
//! removing it.
//!
//! Weighin knows its own tables by their comment. Whatever else a database holds is never
//! changed: tables that somebody else made with sysbench's shape are run against as they are, and
//! nothing is made beside tables of any other kind.

mod check;
mod cleanup;
mod contents;
mod inspect;
mod lend;
mod mark;
mod own;
mod prepare;

pub use check::check;
pub use cleanup::{Cleanup, cleanup};
pub(super) use contents::{are_finished, contents};
pub(super) use inspect::size;
pub(super) use lend::{lend, take_again};
pub(super) use mark::{HEARTBEAT, HEARTBEAT_COMMENT, heartbeat};
pub(super) use own::{OwnTable, check_room, drop_own, make_own, trial_table};
pub(super) use prepare::dry_run;
pub use prepare::{ToMake, make, prepare};
