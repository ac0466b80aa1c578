//! The private parsers of this crate on any text, for the crate `fuzz` alone.

use crate::key_value::{memtier, redis_benchmark};
use crate::storage::fio;
use crate::sysbench;
use host::Usage;
use model::{Direction, KeyValue};
use std::time::Duration;

/// Reads a text as if each of the tools had printed it.
pub fn read_output(text: &str) {
    let usage =
        Usage { user: Duration::from_secs(1), system: Duration::ZERO, peak_rss_bytes: None };
    let workload = KeyValue::default();
    let _ = sysbench::output::figures(text, &usage);
    let _ = memtier::output::figures(text, &workload, &usage);
    let _ = redis_benchmark::output::figures(text, 1000, &workload, &usage);
    for only in [None, Some(Direction::Read), Some(Direction::Write)] {
        let _ = fio::output::figures(text, only, &usage);
    }
}
