//! What the tests of several crates build on: datasets of runs that never happened, records with a
//! value in every field, ports for servers, and a real browser. Not shipped.

mod browser;
mod dataset;
mod exposition;
mod load;
mod port;
pub mod varied;

pub use browser::Browser;
pub use dataset::{MEASURE, WARMUP, dataset, imported, plan, record, run, study};
pub use exposition::{Exposed, Labels, ReadFamily};
pub use load::{balance, balance_load, latencies, load, open_loop, requests, so_many};
pub use port::free_port;
