use host::Usage;
use model::{CrossCheckFigures, KeyValue};
use std::time::Duration;

/// How often it looks whether all is done: a run may end by so much later than its last reply.
const LOOKS_EVERY_SECONDS: f64 = 0.25;
/// Its histograms count in classes of 8 µs, and have three digits above.
const CLASS_MS: f64 = 0.008;
const DIGITS: f64 = 0.001;
/// Columns of its CSV after the first, which holds the command as it was sent.
const NUMBERS: usize = 7;

/// Reads its CSV: a heading and a line of rate, mean, shortest, median, p95, p99 and longest.
pub(crate) fn figures(
    text: &str,
    requests: u64,
    workload: &KeyValue,
    usage: &Usage,
) -> Option<CrossCheckFigures> {
    let line = text.trim_end().lines().next_back()?;
    let mut numbers = line.rsplit(',').take(NUMBERS).map(|column| {
        let column = column.strip_prefix('"')?.strip_suffix('"')?;
        column.parse::<f64>().ok()
    });
    // From the last one on.
    let [_, _, p95, _, _, mean, rate] = std::array::from_fn(|_| numbers.next().flatten());
    let (rate, mean, p95) = (rate.filter(|rate| *rate > 0.0)?, mean?, p95?);
    let seconds = requests as f64 / rate;
    let pipeline = workload.pipeline.max(1);
    Some(CrossCheckFigures {
        transactions: requests / u64::from(pipeline),
        queries: requests,
        errors: 0,
        elapsed: Duration::try_from_secs_f64(seconds).ok()?,
        transactions_per_second: rate / f64::from(pipeline),
        parts: Vec::new(),
        latency_mean_ms: mean,
        latency_p95_ms: (p95 > 0.0).then_some(p95),
        cpu_seconds: usage.cpu().as_secs_f64(),
        peak_rss_bytes: usage.peak_rss_bytes,
        rate_rounding: LOOKS_EVERY_SECONDS / seconds,
        percentile_rounding: if p95 > 0.0 { DIGITS + CLASS_MS / p95 } else { 0.0 },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const USAGE: Usage =
        Usage { user: Duration::from_secs(1), system: Duration::ZERO, peak_rss_bytes: None };
    const HEADING: &str = "\"test\",\"rps\",\"avg_latency_ms\",\"min_latency_ms\",\
        \"p50_latency_ms\",\"p95_latency_ms\",\"p99_latency_ms\",\"max_latency_ms\"\n";

    #[test]
    fn the_line_after_the_heading_is_read() {
        let line = "\"SET key va,lu\"e\",\"50000.00\",\"0.812\",\"0.088\",\"0.799\",\"1.103\",\
                    \"1.479\",\"3.207\"\n";
        let workload = KeyValue { pipeline: 10, ..KeyValue::default() };
        let figures = figures(&(HEADING.to_owned() + line), 100_000, &workload, &USAGE).unwrap();
        assert_eq!((figures.transactions, figures.queries), (10_000, 100_000));
        assert_eq!(figures.transactions_per_second, 5_000.0);
        assert_eq!(figures.elapsed, Duration::from_secs(2));
        assert_eq!((figures.latency_mean_ms, figures.latency_p95_ms), (0.812, Some(1.103)));
        assert_eq!(figures.rate_rounding, 0.125);
    }

    #[test]
    fn anything_else_is_not_understood() {
        for text in ["", HEADING, "\"GET\",\"0.00\",\"0\",\"0\",\"0\",\"0\",\"0\",\"0\"", "1,2"] {
            assert!(figures(text, 10, &KeyValue::default(), &USAGE).is_none(), "{text}");
        }
    }
}
