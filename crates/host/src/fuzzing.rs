//! The private parsers of this crate on any text, for the crate `fuzz` alone.

use crate::local::groups::{Hierarchy, group_of};
use crate::local::{sandbox, storage};
use std::path::Path;

pub use crate::local::sample::fuzzing::read_kernel_text;

/// Reads a text as marks, lists of accounts, logs, and what the kernel shows of control groups.
pub fn read(text: &str) {
    storage::fuzzing::read(text);
    sandbox::fuzzing::read(text);
    for (kind, option) in [("cgroup", "cpu"), ("cgroup2", "")] {
        if let Some(hierarchy) = Hierarchy::find(text, kind, option) {
            let own = group_of(text, option);
            let _ = hierarchy.directory(own.as_deref().unwrap_or(Path::new("/")));
        }
    }
}
