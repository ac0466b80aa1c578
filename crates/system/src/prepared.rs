//! Making data, and what came of it.

use std::time::Duration;

/// How far preparing has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Rows, keys or bytes of files made so far; bytes read.
    pub done: u64,
    /// How many there are.
    pub of: u64,
}

/// Data as it is now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prepared {
    /// Tables, keys or files that were made now; 0 when all were there.
    pub made: u32,
    /// What was made: `table`, `key` or `file`.
    pub noun: &'static str,
    /// Whether nothing was there before.
    pub all_new: bool,
    /// Tables of somebody else that are used as they are.
    pub foreign: u32,
    /// Bytes of all the workload's data and indexes.
    pub bytes: u64,
    /// How long it took.
    pub elapsed: Duration,
}

impl Prepared {
    /// There is nothing to make.
    pub const fn nothing() -> Self {
        Self {
            made: 0,
            noun: "table",
            all_new: false,
            foreign: 0,
            bytes: 0,
            elapsed: Duration::ZERO,
        }
    }
}
