//! Sessions that speak the MySQL protocol.

mod classify;
mod program;
mod reading;
#[cfg(test)]
mod scripts;
mod session;
mod statements;
mod text;
#[cfg(test)]
mod wire;

pub use classify::operation_error;
pub(crate) use program::{program, reader};
pub use session::{ProgramSession, REQUEST_KINDS};
pub use statements::Statements;
