//! The private parsers of this crate on any bytes, for the crate `fuzz` alone.

use crate::client::option_file::ClientOptions;
use crate::outline::SlowLog;
use std::path::Path;
use workload::draft::{LoggedStatements, StatementLog};

/// Reads bytes as an option file.
pub fn read(bytes: &[u8]) {
    ClientOptions::default().add(bytes, Path::new("my.cnf"));
}

/// Reads a text as a log of statements.
pub fn log(text: &str) -> LoggedStatements {
    let mut log = Box::new(SlowLog::default());
    text.lines().for_each(|line| log.line(line));
    log.finish()
}
