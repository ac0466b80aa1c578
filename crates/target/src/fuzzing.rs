//! The private parsers of this crate on any bytes, for the crate `fuzz` alone.

use crate::groups::{Hierarchy, group_of};
use crate::{client, sandbox, storage};
use std::path::Path;

/// Reads bytes as option files, marks, lists of accounts, logs, and what the kernel shows of control
/// groups.
pub fn read(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    client::fuzzing::read(bytes, &text);
    storage::fuzzing::read(&text);
    sandbox::fuzzing::read(&text);
    for (kind, option) in [("cgroup", "cpu"), ("cgroup2", "")] {
        if let Some(hierarchy) = Hierarchy::find(&text, kind, option) {
            let own = group_of(&text, option);
            let _ = hierarchy.directory(own.as_deref().unwrap_or(Path::new("/")));
        }
    }
}
