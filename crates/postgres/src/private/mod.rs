//! Private servers.

mod facts;
mod launch;

pub use self::launch::KIND;
