//! Sessions that speak the MySQL protocol.

mod classify;
mod program;
mod reading;
pub(crate) mod sample;
#[cfg(test)]
mod scripts;
mod session;
mod statements;
mod syntax;
mod text;
#[cfg(test)]
mod wire;

pub use classify::operation_error;
pub(crate) use program::{outline, program};
pub(crate) use sample::SampleStatement;
pub use session::{ProgramSession, REQUEST_KINDS};
pub use statements::Statements;
pub use syntax::SCRIPT_SYNTAX;
