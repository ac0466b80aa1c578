//! What the names of columns mean.

use super::words::{
    CLIENTS, DEPTHS, FACTORS, NOTES, RATES, RATES_OF, REPEATS, TARGETS, TESTS, TIMES,
};
use crate::figures::percentile;

/// What a column is.
#[derive(Clone, Debug, PartialEq)]
pub enum ColumnRole {
    /// What was measured; several columns make its name together.
    Target,
    /// Under which load.
    Test,
    /// How many clients at once.
    Clients,
    /// How many operations were outstanding.
    QueueDepth,
    /// Operations offered per second.
    Rate,
    /// The number of the repeat.
    Repeat,
    /// The number of the block in which all targets took turns.
    Block,
    /// What makes a test of its own of each of its values.
    Factor,
    /// What is said of the row.
    Note,
    /// Why the trial failed.
    Failure,
    /// The figure that the row is of, by name.
    Metric,
    /// A figure, with its unit; empty where it has none.
    Figure(String, String),
    /// A time at which something was measured.
    Time,
    /// Nothing.
    Ignored,
}

/// A name of a column taken apart.
#[derive(Debug)]
pub(super) struct Name {
    /// In lower case, its words parted by `_`.
    pub(super) words: String,
    /// What stands in brackets, or is a unit at its end.
    pub(super) unit: String,
}

impl Name {
    pub(super) fn from_heading(heading: &str) -> Self {
        let lower = heading.to_lowercase().replace(['µ', 'μ'], "u");
        let (mut text, mut unit) = (lower.trim().to_owned(), String::new());
        if let Some(inner) = text.strip_suffix([')', ']'])
            && let Some((before, inner)) = inner.rsplit_once(['(', '['])
            && !before.trim().is_empty()
        {
            (unit, text) = (inner.trim().to_owned(), before.trim().to_owned());
        }
        let mut words: Vec<&str> = text
            .split(|c: char| !c.is_alphanumeric() && c != '.')
            .map(|word| word.trim_matches('.'))
            .filter(|word| !word.is_empty())
            .collect();
        if unit.is_empty()
            && words.len() > 1
            && let Some(last) = words.last().and_then(|last| time_unit(last))
            && !(matches!(last, "s") && words.get(words.len() - 2).is_some_and(|w| is_counted(w)))
        {
            last.clone_into(&mut unit);
            words.pop();
            // `latency in ms`
            if words.last() == Some(&"in") {
                words.pop();
            }
        }
        Self { words: words.join("_"), unit }
    }
}

/// What is counted per second: `s` after it is no unit of time.
fn is_counted(word: &str) -> bool {
    [
        "per", "ops", "op", "tx", "trx", "txn", "req", "requests", "queries", "transactions", "io",
        "ios", "mb", "mib", "kb", "kib", "gb", "gib", "operations", "hits", "reads", "writes",
    ]
    .contains(&word)
}

fn time_unit(word: &str) -> Option<&'static str> {
    Some(match word {
        "ms" | "msec" | "msecs" | "millis" | "milliseconds" | "millisecond" => "ms",
        "us" | "usec" | "usecs" | "micros" | "microseconds" => "us",
        "ns" | "nsec" | "nanos" | "nanoseconds" => "ns",
        "s" | "sec" | "secs" | "seconds" => "s",
        "min" | "minutes" => "min",
        _ => return None,
    })
}

/// Latencies without a unit are what sysbench and others print: milliseconds.
pub(super) const UNSAID: &str = "the source names no unit; taken as ms";

/// What a column of that name is; `None` where it is not known.
pub(super) fn role(heading: &str) -> Option<ColumnRole> {
    let name = Name::from_heading(heading);
    let words = name.words.as_str();
    let is = |known: &[&str]| known.contains(&words);
    if name.unit.is_empty() || !is(&["time", "elapsed_time"]) {
        for (known, role) in [
            (&TARGETS[..], ColumnRole::Target),
            (&TESTS, ColumnRole::Test),
            (&CLIENTS, ColumnRole::Clients),
            (&DEPTHS, ColumnRole::QueueDepth),
            (&RATES, ColumnRole::Rate),
            (&REPEATS, ColumnRole::Repeat),
            (&["block"], ColumnRole::Block),
            (&FACTORS, ColumnRole::Factor),
            (&NOTES, ColumnRole::Note),
            (&["failure", "failed_with"], ColumnRole::Failure),
            (&["metric", "measure", "figure", "kpi"], ColumnRole::Metric),
            (&TIMES, ColumnRole::Time),
        ] {
            // `query (ms)` is no name of a test.
            if known.contains(&words) && (name.unit.is_empty() || role == ColumnRole::Factor) {
                return Some(role);
            }
        }
    }
    figure(&name).map(|(metric, unit)| ColumnRole::Figure(metric, unit))
}

/// The figure that a name means, and its unit.
pub(super) fn figure(name: &Name) -> Option<(String, String)> {
    let words = name.words.as_str();
    rate(words, &name.unit)
        .map(|metric| (metric.to_owned(), "1/s".to_owned()))
        .or_else(|| per_minute(words))
        .or_else(|| bandwidth(words, &name.unit))
        .or_else(|| latency(words, &name.unit))
        .or_else(|| other(words, &name.unit))
}

/// `tps`, `tx_per_sec`, `queries_s`, `throughput (tps)`.
fn rate(words: &str, unit: &str) -> Option<&'static str> {
    let per_second = ["_per_s", "_per_sec", "_per_second", "_sec", "_s", "ps"];
    let of = |text: &str| {
        let ended = per_second.iter().find_map(|end| text.strip_suffix(end));
        RATES_OF.iter().find(|(metric, known)| {
            *metric == text
                || known.contains(&text) && (text.ends_with("ps") && text != "ops")
                || ended.is_some_and(|counted| known.contains(&counted))
        })
    };
    let unit: String = unit
        .split(|c: char| !c.is_alphanumeric())
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>()
        .join("_");
    let throughput = ["throughput", "performance", "speed", "rate", "result"].contains(&words);
    let found = match (throughput, unit.as_str()) {
        (true, "ops") => of("ops_s"),
        (true, "") => None,
        (true, unit) => of(unit),
        (false, "" | "1_s" | "s") => of(words),
        // `transactions (per second)`, `ops (1/s)`
        (false, "per_second" | "per_s" | "per_sec" | "sec") => of(&format!("{words}_s")),
        (false, unit) => of(words).filter(|found| of(unit) == Some(found)),
    };
    found.map(|(metric, _)| *metric)
}

fn per_minute(words: &str) -> Option<(String, String)> {
    let metric = match words {
        "nopm" | "new_orders_per_min" | "new_orders_per_minute" | "tpmc" => "new_orders_per_min",
        "tpm" | "server_transactions_per_min" => "server_transactions_per_min",
        _ => return None,
    };
    Some((metric.to_owned(), "1/min".to_owned()))
}

fn bandwidth(words: &str, unit: &str) -> Option<(String, String)> {
    let units = [
        ("mb_s", "MB/s"),
        ("mib_s", "MiB/s"),
        ("kb_s", "KB/s"),
        ("kib_s", "KiB/s"),
        ("gb_s", "GB/s"),
        ("gib_s", "GiB/s"),
        ("b_s", "B/s"),
        ("mbps", "MB/s"),
    ];
    let known = |text: &str| {
        let plain = text.replace('/', "_");
        units.iter().find(|(name, _)| *name == plain).map(|(_, unit)| (*unit).to_owned())
    };
    let prefix = words.split('_').next().filter(|word| matches!(*word, "read" | "write"));
    let rest = prefix.map_or(words, |prefix| words[prefix.len()..].trim_start_matches('_'));
    let unit = match rest {
        "bandwidth" | "bw" | "throughput" => known(unit)?,
        rest => known(rest)?,
    };
    let prefix = prefix.map(|prefix| format!("{prefix}_")).unwrap_or_default();
    Some((format!("{prefix}bandwidth"), unit))
}

/// `latency_95th`, `p95 (ms)`, `avg_lat_us`, `99th percentile`, `response time`.
fn latency(words: &str, unit: &str) -> Option<(String, String)> {
    const ABOUT: [&str; 15] = [
        "latency", "latencies", "lat", "response", "time", "rt", "percentile", "percentil", "pct",
        "pctl", "perc", "resp", "clat", "th", "query",
    ];
    let mut prefix = "";
    let (mut what, mut about) = (None, false);
    for word in words.split('_') {
        if let Some(rank) = rank(word) {
            what = Some(percentile(rank)).filter(|_| what.is_none());
            what.as_ref()?;
            continue;
        }
        match word {
            "avg" | "mean" | "average" => what = Some("latency_avg".to_owned()),
            "min" | "minimum" => what = Some("latency_min".to_owned()),
            "max" | "maximum" => what = Some("latency_max".to_owned()),
            "stddev" | "stdev" | "sd" => what = Some("latency_stddev".to_owned()),
            "median" => what = Some(percentile(50.0)),
            "read" | "write" => prefix = word,
            word if ABOUT.contains(&word) => about |= word != "time",
            _ => return None,
        }
    }
    let unit = match unit {
        "" => None,
        unit => Some(time_unit(unit)?),
    };
    // `avg` alone, without a unit of time, may be of anything.
    let ranked = what.as_deref().is_some_and(|what| what.contains("_p"));
    if !(about || ranked || (what.is_some() && unit.is_some())) || words == "query" {
        return None;
    }
    let what = what.unwrap_or_else(|| "latency_avg".to_owned());
    let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}_") };
    Some((format!("{prefix}{what}"), unit.unwrap_or("").to_owned()))
}

/// The percentile of `p95`, `p99.9`, `p999`, `95th`, `95`: of the last only beside other words.
fn rank(word: &str) -> Option<f64> {
    let digits = word.strip_prefix('p').or_else(|| word.strip_suffix("th")).or_else(|| {
        let pct = word.strip_prefix("pct").or_else(|| word.strip_prefix("perc"));
        pct.or_else(|| word.strip_suffix("pct"))
    })?;
    if digits.is_empty() || !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    // `p999` is the 99.9th.
    let digits = match digits.len() {
        3.. if digits.bytes().all(|byte| byte == b'9') => format!("99.{}", &digits[2..]),
        _ => digits.to_owned(),
    };
    digits.parse().ok().filter(|rank| (0.0..100.0).contains(rank))
}

fn other(words: &str, unit: &str) -> Option<(String, String)> {
    let counts = [
        "errors", "reconnects", "retries", "dropped", "transactions", "operations", "queries",
        "total_ios",
    ];
    if counts.contains(&words) && unit.is_empty() {
        return Some((words.to_owned(), String::new()));
    }
    let times =
        ["elapsed", "duration", "time", "runtime", "run_time", "total_time", "elapsed_time"];
    let unit = time_unit(unit).filter(|_| times.contains(&words))?;
    Some(("elapsed".to_owned(), unit.to_owned()))
}

/// A number of clients that stands in a name: `16 threads`, `thr16`, `16`.
pub(super) fn clients(words: &str) -> Option<u32> {
    let digits: String = words.chars().filter(char::is_ascii_digit).collect();
    let beside: String = words.chars().filter(|c| c.is_alphabetic()).collect();
    let known =
        matches!(beside.as_str(), "" | "t" | "c" | "th") || CLIENTS.contains(&beside.as_str());
    let parts = words.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()).count();
    (known && parts == 1 && !words.contains('.'))
        .then(|| digits.parse().ok())
        .flatten()
        .filter(|n| *n > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_name_one_thing_in_many_ways() {
        for (heading, metric, unit) in [
            ("TPS", "transactions_per_s", "1/s"),
            ("Throughput (tps)", "transactions_per_s", "1/s"),
            ("transactions/sec", "transactions_per_s", "1/s"),
            ("Transactions (per second)", "transactions_per_s", "1/s"),
            ("qps", "queries_per_s", "1/s"),
            ("Queries per second", "queries_per_s", "1/s"),
            ("req/s", "requests_per_s", "1/s"),
            ("ops/sec", "operations_per_s", "1/s"),
            ("Throughput [ops/s]", "operations_per_s", "1/s"),
            ("IOPS", "iops", "1/s"),
            ("Write IOPS", "write_iops", "1/s"),
            ("NOPM", "new_orders_per_min", "1/min"),
            ("latency_95th", "latency_p95", ""),
            ("p95 (ms)", "latency_p95", "ms"),
            ("95th percentile (ms)", "latency_p95", "ms"),
            ("latency p99.9 [µs]", "latency_p99.9", "us"),
            ("p999_us", "latency_p99.9", "us"),
            ("avg_latency_ms", "latency_avg", "ms"),
            ("Avg. latency, ms", "latency_avg", "ms"),
            ("Response time (ms)", "latency_avg", "ms"),
            ("median latency (s)", "latency_p50", "s"),
            ("max_lat_us", "latency_max", "us"),
            ("BW (MiB/s)", "bandwidth", "MiB/s"),
            ("MB/s", "bandwidth", "MB/s"),
            ("read MB/s", "read_bandwidth", "MB/s"),
            ("errors", "errors", ""),
            ("Time (s)", "elapsed", "s"),
        ] {
            let expected = ColumnRole::Figure(metric.into(), unit.into());
            assert_eq!(role(heading), Some(expected), "{heading}");
        }
    }

    #[test]
    fn what_may_mean_several_things_is_not_known() {
        for heading in [
            "Throughput", "ops", "avg", "cpu %", "MariaDB", "score", "16", "CPU (avg)", "p",
            "result",
        ] {
            assert_eq!(role(heading), None, "{heading}");
        }
        assert_eq!(role("Server"), Some(ColumnRole::Target));
        assert_eq!(role("# threads"), Some(ColumnRole::Clients));
        assert_eq!(role("Queue depth"), Some(ColumnRole::QueueDepth));
        assert_eq!(
            (clients("16_threads"), clients("thr16"), clients("16"), clients("a16")),
            (Some(16), Some(16), Some(16), None)
        );
    }
}
