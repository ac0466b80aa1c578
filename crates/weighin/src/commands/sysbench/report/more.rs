//! What the original does not print: only there when asked for, and after everything else.

use model::{Latencies, NamedResult};
use std::fmt::Write;

/// More percentiles of the latencies of events.
pub(super) fn percentiles(percentiles: &[f64], latencies: &Latencies) -> String {
    let mut text = String::new();
    if percentiles.is_empty() {
        return text;
    }
    text.push_str("Percentiles (ms):\n");
    for percentile in percentiles {
        let value = latencies.percentile_ms(*percentile).unwrap_or(0.0);
        let _ = writeln!(text, "    {percentile:>8}: {value:>10.2}");
    }
    text.push('\n');
    text
}

/// The latencies of each kind of statement, with these percentiles, or the 95th for none.
pub(super) fn statements(percentiles: &[f64], statements: &[NamedResult]) -> String {
    let mut text = String::new();
    if statements.is_empty() {
        return text;
    }
    let percentiles = if percentiles.is_empty() { &[95.0] } else { percentiles };
    let _ = write!(text, "Statements (ms):\n    {:<16}{:>12}", "", "count");
    for name in ["min", "avg", "max"].map(str::to_owned).into_iter().chain(names(percentiles)) {
        let _ = write!(text, " {name:>9}");
    }
    text.push('\n');
    for NamedResult { name, latencies, .. } in statements {
        let _ = write!(text, "    {name:<16}{:>12}", latencies.count());
        let usual = [latencies.min_ms(), latencies.mean_ms(), latencies.max_ms()];
        let more = percentiles.iter().map(|percentile| latencies.percentile_ms(*percentile));
        for value in usual.into_iter().chain(more) {
            let _ = write!(text, " {:>9.3}", value.unwrap_or(0.0));
        }
        text.push('\n');
    }
    text.push('\n');
    text
}

fn names(percentiles: &[f64]) -> impl Iterator<Item = String> {
    percentiles.iter().map(|percentile| format!("p{percentile}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn statements_are_rows_and_percentiles_are_columns() {
        let mut latencies = Latencies::new();
        for ms in 1..=100 {
            latencies.record(Duration::from_millis(ms));
        }
        let begin = NamedResult { name: "begin".to_owned(), latencies, ..NamedResult::default() };
        let words =
            |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        let text = statements(&[50.0, 99.9], &[begin]);
        let lines: Vec<Vec<String>> = text.lines().map(words).collect();
        assert_eq!(lines[1], ["count", "min", "avg", "max", "p50", "p99.9"]);
        assert_eq!(lines[2][..3], ["begin", "100", "1.000"]);
        assert!(lines[2][5].starts_with("50.0"), "{text}");
        assert_eq!(statements(&[50.0], &[]), "");
    }
}
