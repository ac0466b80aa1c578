//! What the tests of several crates build on: datasets of runs that never happened, records with a
//! value in every field, ports and directories for servers, and a real browser. Not shipped.

mod browser;
mod dataset;
mod directory;
pub mod documents;
mod exposition;
mod load;
mod port;
mod program;
pub mod varied;

pub use browser::{Browser, Rules};
pub use dataset::{dataset, imported, plan, record, run, study};
pub use directory::shared_directory;
pub use exposition::{Exposed, Labels, ReadFamily};
pub use load::{
    MEASURE, WARMUP, balance, balance_load, latencies, load, open_loop, requests, so_many,
};
pub use port::free_port;
pub use program::write_program;
