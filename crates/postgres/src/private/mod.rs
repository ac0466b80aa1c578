//! Private servers: what their programs, data, login and settings are.

mod facts;
mod hba;
mod launch;
mod member;
mod pooler;
mod programs;
mod settings;

pub use self::launch::KIND;
pub use self::pooler::POOLER;
