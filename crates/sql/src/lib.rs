//! What servers of SQL have in common: sessions that run programs of transactions, whatever the
//! protocol, and the test tables.

mod program;
mod session;
mod statements;
pub mod tables;
mod text;
mod wire;

pub use program::{Column, Reader};
pub use session::ProgramSession;
pub use statements::{Boundaries, Statements};
pub use text::TextTemplate;
pub use wire::{Answer, Ready, Wire};
