//! The tables that an OLTP load runs on, as far as they are the same on every server: what is there,
//! what is to be made, and how several connections fill them at a time.
//!
//! Weighin knows its own tables by their comment. Whatever else a database holds is never changed:
//! tables that somebody else made with sysbench's shape are run against as they are, and nothing is
//! made beside tables of any other kind.

mod filling;
mod info;
pub mod mark;
mod plan;

pub use filling::{Filling, Maker, Piece};
pub use info::{TableInfo, is_test_table};
pub use plan::{ToDo, lendable, refuse_beside, to_do};
