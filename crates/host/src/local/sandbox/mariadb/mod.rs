//! Private servers of MariaDB and MySQL.

mod launch;
mod member;
mod programs;
mod settings;
mod template;
mod version;

pub(super) use launch::MariaDb;
pub use template::forget_kept;
pub(super) use version::Version;
