//! sysbench: run on the tables that weighin uses, and its text read.

mod arguments;
mod config;
mod installed;
mod interval;
mod parse;
mod run;
mod server;

pub use arguments::{Task, unsupported};
pub use installed::Sysbench;
pub use interval::IntervalLine;
pub use parse::{ParseError, Percentile, Queries, SysbenchResult, parse};
pub use run::Load;
pub use server::{Address, Server};
