//! Other tools that measure the same: run as a second opinion, and read.
//!
//! [`sysbench`] runs the installed sysbench on the tables that weighin uses and reads what it
//! prints. [`child`] runs any program to its end and says what it used.

pub mod child;
pub mod sysbench;
