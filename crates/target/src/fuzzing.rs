//! The private parsers of this crate on any bytes, for the crate `fuzz` alone.

use crate::client;

/// Reads bytes as option files, lists of users, and errors of Redis.
pub fn read(bytes: &[u8]) {
    client::fuzzing::read(bytes, &String::from_utf8_lossy(bytes));
}
