//! The tables that an OLTP load runs on: what is there, what is missing, making it, checking it,
//! removing it.
//!
//! Weighin knows its own tables by their comment. Whatever else a database holds is never changed:
//! tables that somebody else made with sysbench's shape are run against as they are, and nothing is
//! made beside tables of any other kind.

mod check;
mod filling;
mod info;
pub mod mark;
mod own;
mod plan;
mod prepare;

pub use check::{check, contents, contents_if_finished};
pub use filling::{Filling, Maker, Piece, append_lines};
pub use info::{TableInfo, is_test_table};
pub use own::{OwnTable, cleanup, lend, take_again};
pub use plan::{ToDo, refuse_beside, to_do};
pub use prepare::{ToMake, dry_run, filling_connections, make, prepare};
