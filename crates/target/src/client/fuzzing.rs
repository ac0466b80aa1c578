//! The private parsers of this module on any text.

use super::option_file::ClientOptions;
use super::{credentials, redis};
use std::path::Path;

/// Reads bytes as an option file, and text as the list of users and as errors of Redis.
pub(crate) fn read(bytes: &[u8], text: &str) {
    let mut options = ClientOptions::default();
    options.add(bytes, Path::new("my.cnf"));
    let _ = credentials::user_with_id(text, 0);
    let _ = redis::refusal(text);
}
