//! What sysbench prints, from its oldest version in use to the one to come.

use import::sysbench::{ParseError, Percentile, Queries, parse};
use std::time::Duration;

/// A run of 1.0.20 against MariaDB 10.11, as it was printed.
const VERSION_1_0: &str = include_str!("../fixtures/sysbench/1.0.20.txt");
/// The layouts of other versions, filled in by hand.
const VERSION_0_4: &str = include_str!("../fixtures/sysbench/0.4.12.txt");
const VERSION_0_5: &str = include_str!("../fixtures/sysbench/0.5.txt");
const VERSION_1_1: &str = include_str!("../fixtures/sysbench/1.1.txt");

#[test]
fn version_1_0_is_read() {
    let result = parse(VERSION_1_0).unwrap();
    assert_eq!(result.transactions, 4175);
    assert_eq!(result.transactions_per_second, 1386.79);
    let queries = Queries { read: 58_450, write: 16_700, other: 8350, total: 83_500 };
    assert_eq!(result.queries, queries);
    assert_eq!((result.errors, result.reconnects), (0, 0));
    assert_eq!(result.elapsed, Duration::from_micros(3_009_300));
    let latency = (result.latency_min_ms, result.latency_mean_ms, result.latency_max_ms);
    assert_eq!(latency, (0.70, 2.88, 154.29));
    assert_eq!(result.percentile, Some(Percentile { rank: 95, ms: 5.99 }));
    let rates: Vec<f64> =
        result.intervals.iter().map(|interval| interval.transactions_per_second).collect();
    assert_eq!(rates, [1404.78, 1463.03, 1301.12]);
}

#[test]
fn version_0_4_is_read() {
    let result = parse(VERSION_0_4).unwrap();
    assert_eq!((result.transactions, result.transactions_per_second), (10_001, 1116.83));
    let queries = Queries { read: 140_014, write: 50_005, other: 20_002, total: 210_021 };
    assert_eq!(result.queries, queries);
    assert_eq!((result.errors, result.reconnects), (7, 0), "deadlocks are its errors");
    assert_eq!(result.elapsed, Duration::from_micros(8_954_900));
    assert_eq!(result.latency_mean_ms, 14.29);
    assert_eq!(result.percentile, Some(Percentile { rank: 95, ms: 27.26 }));
    assert_eq!(result.intervals[0].errors_per_second, None);
}

#[test]
fn seconds_of_the_oldest_versions_become_milliseconds() {
    let text = VERSION_0_4.replace("14.29ms", "0.0143s").replace("27.26ms", "0.0273s");
    let result = parse(&text).unwrap();
    assert!((result.latency_mean_ms - 14.3).abs() < 1e-9);
    assert!((result.percentile.unwrap().ms - 27.3).abs() < 1e-9);
}

#[test]
fn version_0_5_is_read() {
    let result = parse(VERSION_0_5).unwrap();
    assert_eq!((result.transactions, result.errors, result.reconnects), (4812, 3, 2));
    assert_eq!(result.percentile, Some(Percentile { rank: 99, ms: 21.4 }));
    assert_eq!(result.intervals.len(), 2);
    assert_eq!(result.intervals[1].errors_per_second, Some(0.5));
}

#[test]
fn version_1_1_is_read() {
    let result = parse(VERSION_1_1).unwrap();
    assert_eq!((result.transactions, result.queries.total), (812, 16_240));
    assert_eq!(result.elapsed, Duration::from_micros(2_000_100));
    assert_eq!(result.latency_max_ms, 31.02);
    assert_eq!(result.percentile, None, "it was turned off");
}

#[test]
fn of_several_reports_the_last_one_counts() {
    let earlier = VERSION_1_0.replace("4175", "1404");
    assert_eq!(parse(&(earlier + VERSION_1_0)).unwrap().transactions, 4175);
}

#[test]
fn a_run_that_did_not_end_has_no_result() {
    let (began, _) = VERSION_1_0.split_once("SQL statistics").unwrap();
    assert_eq!(parse(began), Err(ParseError::Missing("transactions")));
    let (cut, _) = VERSION_1_0.split_once("         max:").unwrap();
    assert_eq!(parse(cut), Err(ParseError::Missing("max")));
    assert_eq!(parse(""), Err(ParseError::Missing("transactions")));
}

#[test]
fn what_is_no_number_is_an_error_that_shows_the_line() {
    for (good, bad) in [
        ("transactions:                        4175 ", "transactions: many "),
        ("(1386.79 per sec.)", "(nan per sec.)"),
        ("3.0093s", "3.0093"),
        ("total time:                          3", "total time: -3"),
        ("154.29", "inf"),
    ] {
        let text = VERSION_1_0.replace(good, bad);
        assert_ne!(text, VERSION_1_0);
        assert!(matches!(parse(&text), Err(ParseError::Malformed(_))), "{bad}");
    }
}
