//! What the tests of several crates build on: datasets of runs that never happened, and records
//! with a value in every field. Not shipped.

mod dataset;
mod load;
pub mod varied;

pub use dataset::{MEASURE, WARMUP, dataset, imported, plan, record, run, study};
pub use load::{balance, balance_load, latencies, load, open_loop, requests, so_many};
