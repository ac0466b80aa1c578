use crate::printed::Printed;
use host::Usage;
use import::Memtier;
use model::{CrossCheckFigures, KeyValue};
use std::time::Duration;

/// Its histograms count in classes of 8 µs, and have three digits above.
const CLASS_MS: f64 = 0.008;
const DIGITS: f64 = 0.001;

/// The mean over reads and writes. That which it prints for all is cut to whole milliseconds
/// (version 2.1).
fn mean(printed: &Printed) -> Result<f64, String> {
    let (mut weighted, mut all) = (0.0, 0.0);
    for kind in ["sets", "gets"] {
        let Some(rate) = printed.maybe(&format!("{kind}_operations_per_s")) else { continue };
        if rate.value > 0.0 {
            weighted += rate.value * printed.number(&format!("{kind}_latency_avg"))?.value;
            all += rate.value;
        }
    }
    if all > 0.0 { Ok(weighted / all) } else { Err("memtier_benchmark did nothing".to_owned()) }
}

/// Reads its JSON. A pipelined command's latency is that of the operation that it is a part of:
/// so many are always under way.
pub(crate) fn figures(
    text: &str,
    workload: &KeyValue,
    usage: &Usage,
) -> Result<CrossCheckFigures, String> {
    let printed = Printed::read("memtier_benchmark", &Memtier, text)?;
    let rate = printed.number("operations_per_s")?.value;
    let elapsed = Duration::try_from_secs_f64(printed.number("elapsed")?.value / 1e3)
        .map_err(|error| format!("memtier_benchmark's duration makes no sense: {error}"))?;
    let commands = rate * elapsed.as_secs_f64();
    let p95 = printed.maybe("latency_p95").map(|p95| p95.value).filter(|p95| *p95 > 0.0);
    let pipeline = f64::from(workload.pipeline.max(1));
    Ok(CrossCheckFigures {
        transactions: (commands / pipeline).round() as u64,
        queries: commands.round() as u64,
        errors: printed.maybe("errors").map_or(0, |errors| errors.value as u64),
        elapsed,
        transactions_per_second: rate / pipeline,
        parts: Vec::new(),
        latency_mean_ms: mean(&printed)?,
        latency_p95_ms: p95,
        cpu_seconds: usage.cpu().as_secs_f64(),
        peak_rss_bytes: usage.peak_rss_bytes,
        rate_rounding: pipeline / commands.max(1.0),
        percentile_rounding: p95.map_or(0.0, |p95| DIGITS + CLASS_MS / p95),
    })
}
