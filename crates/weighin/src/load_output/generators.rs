//! What each of several load generators did.

use model::{GeneratorShare, Noun};
use report::numbers::{bytes, count, figure};
use serde::Serialize;
use std::fmt::Write;

/// One load generator, in the measured phase.
#[derive(Debug, Serialize)]
pub(super) struct GeneratorOutput {
    clients: u32,
    transactions: u64,
    queries: u64,
    errors: u64,
    latency_p50_ms: Option<f64>,
    latency_p99_ms: Option<f64>,
    cpu_seconds: f64,
    peak_rss_bytes: u64,
    begun_late_ms: f64,
}

impl GeneratorOutput {
    pub(super) fn new(share: &GeneratorShare) -> Self {
        let latencies = share.latencies.unpack();
        Self {
            clients: share.clients,
            transactions: share.transactions,
            queries: share.queries,
            errors: share.errors,
            latency_p50_ms: latencies.percentile_ms(50.0),
            latency_p99_ms: latencies.percentile_ms(99.0),
            cpu_seconds: share.cpu_seconds,
            peak_rss_bytes: share.peak_rss_bytes,
            begun_late_ms: share.begun_late.as_secs_f64() * 1e3,
        }
    }
}

/// A line for each generator; nothing where one process made the load.
pub(super) fn table(generators: &[GeneratorOutput], counted: Noun, seconds: f64) -> String {
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
