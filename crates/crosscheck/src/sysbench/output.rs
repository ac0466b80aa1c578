use crate::printed::Printed;
use host::Usage;
use import::SysbenchText;
use model::CrossCheckFigures;
use std::time::Duration;

/// How far sysbench's percentile may be off: it counts latencies in 1024 classes, even on the
/// logarithmic scale, from 1 µs to 100 s, and 10^(8/1024) is 1.018.
const PERCENTILE_ROUNDING: f64 = 0.018;

/// The figures of a load in what sysbench prints.
///
/// # Errors
/// What is missing or not understood, in a sentence.
pub(crate) fn figures(text: &str, usage: &Usage) -> Result<CrossCheckFigures, String> {
    let printed = Printed::read("sysbench", &SysbenchText, text)?;
    let count = |name| printed.maybe(name).map_or(0, |number| number.value as u64);
    let transactions = printed.number("transactions")?.value as u64;
    let mean = match transactions {
        // It knows none, and prints zeros.
        0 => 0.0,
        _ => printed.milliseconds("latency_avg").ok_or("sysbench printed no mean latency")?,
    };
    let elapsed = Duration::try_from_secs_f64(printed.number("elapsed")?.value);
    Ok(CrossCheckFigures {
        transactions,
        queries: count("queries"),
        errors: count("errors"),
        elapsed: elapsed.map_err(|error| format!("sysbench printed no possible time: {error}"))?,
        transactions_per_second: printed.number("transactions_per_s")?.value,
        parts: Vec::new(),
        latency_mean_ms: mean,
        latency_p95_ms: printed.milliseconds("latency_p95"),
        cpu_seconds: usage.cpu().as_secs_f64(),
        peak_rss_bytes: usage.peak_rss_bytes,
        rate_rounding: 1.0 / transactions.max(1) as f64,
        percentile_rounding: PERCENTILE_ROUNDING,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of 1.0.20 against MariaDB 10.11, as it was printed.
    const VERSION_1_0: &str = include_str!("../../../import/tests/fixtures/sysbench/1.0.20.txt");
    /// The layouts of other versions, filled in by hand.
    const VERSION_0_4: &str = include_str!("../../../import/tests/fixtures/sysbench/0.4.12.txt");
    const VERSION_1_1: &str = include_str!("../../../import/tests/fixtures/sysbench/1.1.txt");

    fn read(text: &str) -> Result<CrossCheckFigures, String> {
        let second = Duration::from_secs(1);
        figures(text, &Usage { user: second, system: second, peak_rss_bytes: None })
    }

    #[test]
    fn every_version_is_read() {
        let result = read(VERSION_1_0).unwrap();
        assert_eq!((result.transactions, result.queries, result.errors), (4175, 83_500, 0));
        assert_eq!(result.transactions_per_second, 1386.79);
        assert_eq!(result.elapsed, Duration::from_micros(3_009_300));
        assert_eq!((result.latency_mean_ms, result.latency_p95_ms), (2.88, Some(5.99)));
        assert_eq!(result.cpu_seconds, 2.0);
        let result = read(VERSION_0_4).unwrap();
        assert_eq!((result.transactions, result.queries), (10_001, 210_021));
        assert_eq!(result.errors, 7, "deadlocks are its errors");
        assert_eq!((result.latency_mean_ms, result.latency_p95_ms), (14.29, Some(27.26)));
        let result = read(VERSION_1_1).unwrap();
        assert_eq!((result.transactions, result.queries), (812, 16_240));
        assert_eq!(result.latency_p95_ms, None, "it was turned off");
    }

    #[test]
    fn seconds_of_the_oldest_versions_become_milliseconds() {
        let text = VERSION_0_4.replace("14.29ms", "0.0143s").replace("27.26ms", "0.0273s");
        let result = read(&text).unwrap();
        assert!((result.latency_mean_ms - 14.3).abs() < 1e-9);
        assert!((result.latency_p95_ms.unwrap() - 27.3).abs() < 1e-9);
    }

    #[test]
    fn a_run_that_did_not_end_or_printed_no_number_has_no_result() {
        let (began, _) = VERSION_1_0.split_once("SQL statistics").unwrap();
        let error = read(began).unwrap_err();
        assert!(error.contains("has no report at its end"), "{error}");
        assert!(read("").is_err());
        for (good, bad) in [
            ("transactions:                        4175 ", "transactions: many "),
            ("(1386.79 per sec.)", "(nan per sec.)"),
            ("3.0093s", "3.0093"),
            ("total time:                          3", "total time: -3"),
            ("2.88", "inf"),
        ] {
            let text = VERSION_1_0.replace(good, bad);
            assert_ne!(text, VERSION_1_0);
            assert!(read(&text).is_err(), "{bad}");
        }
    }
}
