//! sysbench: run on the tables that weighin uses, and its text read.

mod arguments;
mod config;
mod installed;
pub(crate) mod output;
mod run;
mod server;

pub use arguments::{Task, unsupported};
pub use installed::Sysbench;
pub use server::{Driver, Server};
