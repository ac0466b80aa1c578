//! The private parsers of this crate on any bytes, for the crate `fuzz` alone.

use crate::client::option_file::ClientOptions;
use std::path::Path;

/// Reads bytes as an option file.
pub fn read(bytes: &[u8]) {
    ClientOptions::default().add(bytes, Path::new("my.cnf"));
}
