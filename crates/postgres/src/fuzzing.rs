//! The private parsers of this crate on any bytes, for the crate `fuzz` alone.

use crate::client::password_file::{Wanted, find};
use crate::client::service;
use crate::outline::ServerLog;
use crate::protocol::certificate_hash;
use workload::draft::{LoggedStatements, StatementLog};

/// Reads bytes as a password file, as a file of services, and as a certificate.
pub fn read(bytes: &[u8]) {
    find(bytes, &Wanted { host: "db", port: "5432", database: "shop", user: "ann" });
    certificate_hash(bytes);
    let _ = service::find(bytes, "bench");
}

/// Reads a text as a log of statements.
pub fn log(text: &str) -> LoggedStatements {
    let mut log = Box::new(ServerLog::default());
    text.lines().for_each(|line| log.line(line));
    log.finish()
}
