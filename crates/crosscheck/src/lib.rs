//! Cross-check tools: other load generators, run on the same work, and their output.
//!
//! [`sysbench`] and [`pgbench`] run those on the tables that weighin uses, [`key_value`] runs
//! memtier_benchmark or redis-benchmark on its keys, [`storage`] fio on its files; all read what is
//! printed.

#[doc(hidden)]
pub mod fuzzing;
pub mod key_value;
pub mod libpq;
mod measured;
pub mod pgbench;
mod printed;
mod program;
pub mod storage;
pub mod sysbench;

pub use engine::Address;
pub use measured::{Measured, SqlLoad};
