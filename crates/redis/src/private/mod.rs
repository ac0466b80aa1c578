//! Private Redis servers, and those of the same descent: Valkey and KeyDB.

mod configuration;
mod facts;
mod launch;

pub use self::launch::KIND;
