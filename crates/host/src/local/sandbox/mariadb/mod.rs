//! Private MariaDB servers.

mod launch;
mod programs;
mod settings;
mod template;

pub(super) use launch::MariaDb;
pub(super) use programs::parse_version;
