//! Private servers of MariaDB and MySQL.

#[doc(hidden)]
pub mod fuzzing;
mod initialise;
mod launch;
mod member;
mod programs;
mod settings;
mod version;

pub use self::launch::{CLIENT_HOSTS, KIND};
