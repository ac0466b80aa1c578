use model::Latencies;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Buckets of the original's histogram, evenly spaced by logarithm between these bounds, in
/// milliseconds.
const BUCKETS: u32 = 1024;
const LOWEST: f64 = 1e-3;
const HIGHEST: f64 = 1e5;
/// Characters of the longest bar.
const WIDTH: usize = 40;

/// The distribution of latencies with a bar for each bucket that is not empty.
pub(super) fn text(latencies: &Latencies) -> String {
    let mut buckets: BTreeMap<u32, u64> = BTreeMap::new();
    for (ms, count) in latencies.recorded_ms() {
        *buckets.entry(bucket(ms)).or_default() += count;
    }
    let most = buckets.values().copied().max().unwrap_or(0);
    let mut text = "Latency histogram (values are in milliseconds)\n".to_owned();
    if most > 0 {
        text.push_str("       value  ------------- distribution ------------- count\n");
    }
    for (bucket, count) in buckets {
        let width = (count as f64 * WIDTH as f64 / most as f64).round() as usize;
        let bar = "*".repeat(width);
        let _ = writeln!(text, "{:12.3} |{bar:<WIDTH$} {count}", value(bucket));
    }
    text.push_str(" \n");
    text
}

fn per_log() -> f64 {
    f64::from(BUCKETS - 1) / (HIGHEST.ln() - LOWEST.ln())
}

fn bucket(ms: f64) -> u32 {
    let position = (ms.max(LOWEST).ln() - LOWEST.ln()) * per_log();
    (position.round() as u32).min(BUCKETS - 1)
}

fn value(bucket: u32) -> f64 {
    (f64::from(bucket) / per_log() + LOWEST.ln()).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn buckets_have_the_values_that_the_original_prints() {
        for known in [0.576, 1.343, 6.21, 13.70, 1.551] {
            let near = value(bucket(known));
            let rounded = (near * 1000.0).round() / 1000.0;
            assert!((rounded - known).abs() < 0.005, "{known} became {near}");
        }
        assert_eq!((bucket(0.0), bucket(1e9)), (0, BUCKETS - 1));
    }

    #[test]
    fn the_fullest_bucket_has_the_longest_bar() {
        let mut latencies = Latencies::new();
        (0..8).for_each(|_| latencies.record(Duration::from_micros(1343)));
        (0..2).for_each(|_| latencies.record(Duration::from_micros(576)));
        let lines: Vec<String> = text(&latencies).lines().map(str::to_owned).collect();
        assert_eq!(lines[2], format!("       0.576 |{:<40} 2", "*".repeat(10)));
        assert_eq!(lines[3], format!("       1.343 |{:<40} 8", "*".repeat(40)));
    }
}
