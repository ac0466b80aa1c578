//! What each of several load generators did.

use model::UnitName;
use report::GeneratorFigures;
use report::numbers::{bytes, count, figure};
use std::fmt::Write;

/// A line for each generator; nothing where one process made the load.
pub(super) fn table(generators: &[GeneratorFigures], counted: UnitName, seconds: f64) -> String {
    let mut text = String::new();
    for (place, share) in generators.iter().enumerate() {
        let name = format!("generator {}", place + 1);
        let rate = if seconds > 0.0 { share.transactions as f64 / seconds } else { 0.0 };
        let ms = |value: Option<f64>| value.map_or("–".to_owned(), figure);
        let _ = writeln!(
            text,
            "  {name:<14} {} clients, {} {} ({} per second), p50 {}, p99 {} ms; {} s of \
             processor time, {} of memory",
            count(share.clients.into()),
            count(share.transactions),
            counted.many,
            figure(rate),
            ms(share.latency_p50_ms),
            ms(share.latency_p99_ms),
            figure(share.cpu_seconds),
            bytes(share.peak_rss_bytes),
        );
    }
    text
}
