//! Private servers of MariaDB and MySQL.

mod copied;
mod facts;
#[doc(hidden)]
pub mod fuzzing;
mod launch;
mod member;
mod programs;
mod settings;
mod version;

pub use self::facts::CLIENT_HOSTS;
pub use self::launch::KIND;
