//! The private parsers of this crate on any bytes, for the crate `fuzz` alone.

use super::option_file::ClientOptions;
use super::{redis, system_user};
use std::path::Path;

/// Reads bytes as an option file, and text as the list of users and as errors of Redis.
pub fn read(bytes: &[u8]) {
    let text = &String::from_utf8_lossy(bytes);
    let mut options = ClientOptions::default();
    options.add(bytes, Path::new("my.cnf"));
    let _ = system_user::user_with_id(text, 0);
    let _ = redis::refusal(text);
}
