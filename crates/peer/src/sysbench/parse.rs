use super::IntervalLine;
use super::interval::interval;
use std::time::Duration;

/// What sysbench printed at the end of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct SysbenchResult {
    /// Transactions that succeeded.
    pub transactions: u64,
    /// Transactions per second, as printed.
    pub transactions_per_second: f64,
    /// Statements by kind.
    pub queries: Queries,
    /// Errors that it went on after: `ignored errors`, or `deadlocks` in version 0.4.
    pub errors: u64,
    /// Connections made anew; 0 in version 0.4, which makes none.
    pub reconnects: u64,
    /// How long the load ran.
    pub elapsed: Duration,
    /// Shortest latency in milliseconds.
    pub latency_min_ms: f64,
    /// Mean latency in milliseconds.
    pub latency_mean_ms: f64,
    /// Longest latency in milliseconds.
    pub latency_max_ms: f64,
    /// The percentile that was asked for, unless it was turned off.
    pub percentile: Option<Percentile>,
    /// The intermediate results, in their order.
    pub intervals: Vec<IntervalLine>,
}

/// Statements by what they do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Queries {
    /// Statements that read.
    pub read: u64,
    /// Statements that write.
    pub write: u64,
    /// `BEGIN`, `COMMIT` and the like.
    pub other: u64,
    /// All of them.
    pub total: u64,
}

/// A percentile of latency. Sysbench finds it in steps of up to 2 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percentile {
    /// Which one, 1 to 100.
    pub rank: u32,
    /// In milliseconds.
    pub ms: f64,
}

/// A text that is not sysbench's report of a run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// A figure is not there: the run did not come to its end, or was none of a database.
    #[error("sysbench's report has no line «{0}»")]
    Missing(&'static str),
    /// A figure is no number.
    #[error("sysbench's report has a line that is not understood: «{0}»")]
    Malformed(String),
}

/// Reads what a run of versions 0.4 to 1.1 prints to standard output. Where checkpoints made it
/// print several reports, the last one counts.
///
/// # Errors
/// When a figure is missing or is no number.
pub fn parse(text: &str) -> Result<SysbenchResult, ParseError> {
    let mut found = Found::default();
    for line in text.lines() {
        match interval(line) {
            Some(interval) => found.intervals.push(interval),
            None => {
                if let Some((key, value)) = line.split_once(':') {
                    found.take(key.trim(), value.trim(), line)?;
                }
            }
        }
    }
    found.result()
}

#[derive(Default)]
struct Found {
    transactions: Option<(u64, f64)>,
    queries: Queries,
    errors: u64,
    reconnects: u64,
    elapsed: Option<Duration>,
    min: Option<f64>,
    mean: Option<f64>,
    max: Option<f64>,
    percentile: Option<Percentile>,
    intervals: Vec<IntervalLine>,
}

impl Found {
    fn take(&mut self, key: &str, value: &str, line: &str) -> Result<(), ParseError> {
        let malformed = || ParseError::Malformed(line.trim().to_owned());
        let count = || first_word(value).parse::<u64>().map_err(|_| malformed());
        let ms = || milliseconds(value).map(Some).ok_or_else(malformed);
        match key {
            "read" => self.queries.read = count()?,
            "write" => self.queries.write = count()?,
            "other" => self.queries.other = count()?,
            "total" => self.queries.total = count()?,
            "transactions" => {
                self.transactions = Some((count()?, rate(value).ok_or_else(malformed)?));
            }
            "ignored errors" | "deadlocks" => self.errors = count()?,
            "reconnects" => self.reconnects = count()?,
            // Version 1.1 calls it by the second name.
            "total time" | "time elapsed" => {
                let seconds = value.strip_suffix('s').and_then(|value| value.parse().ok());
                let elapsed = seconds.and_then(|value| Duration::try_from_secs_f64(value).ok());
                self.elapsed = Some(elapsed.ok_or_else(malformed)?);
            }
            "min" => self.min = ms()?,
            "avg" => self.mean = ms()?,
            "max" => self.max = ms()?,
            _ => {
                if let Some(rank) = percentile_rank(key) {
                    let ms = milliseconds(value).ok_or_else(malformed)?;
                    self.percentile = Some(Percentile { rank, ms });
                }
            }
        }
        Ok(())
    }

    fn result(self) -> Result<SysbenchResult, ParseError> {
        let missing = ParseError::Missing;
        let (transactions, transactions_per_second) =
            self.transactions.ok_or(missing("transactions"))?;
        Ok(SysbenchResult {
            transactions,
            transactions_per_second,
            queries: self.queries,
            errors: self.errors,
            reconnects: self.reconnects,
            elapsed: self.elapsed.ok_or(missing("total time"))?,
            latency_min_ms: self.min.ok_or(missing("min"))?,
            latency_mean_ms: self.mean.ok_or(missing("avg"))?,
            latency_max_ms: self.max.ok_or(missing("max"))?,
            percentile: self.percentile,
            intervals: self.intervals,
        })
    }
}

/// `95` of `95th percentile` (1.0) and of `approx.  95 percentile` (0.4 and 0.5).
fn percentile_rank(key: &str) -> Option<u32> {
    let key = key.strip_suffix("percentile")?.trim_end();
    let key = key.strip_prefix("approx.").unwrap_or(key).trim_start();
    key.strip_suffix("th").unwrap_or(key).parse().ok()
}

/// A latency: without unit in 1.0, which prints milliseconds; with `ms`, or with `s` in the
/// oldest versions.
fn milliseconds(value: &str) -> Option<f64> {
    let number = |text: &str| text.trim_end().parse::<f64>().ok().filter(|ms| ms.is_finite());
    if let Some(ms) = value.strip_suffix("ms") {
        number(ms)
    } else if let Some(seconds) = value.strip_suffix('s') {
        number(seconds).map(|seconds| seconds * 1e3)
    } else {
        number(value)
    }
}

/// The number in `4175   (1386.79 per sec.)` that is a rate.
fn rate(value: &str) -> Option<f64> {
    let (_, rate) = value.split_once('(')?;
    first_word(rate).parse::<f64>().ok().filter(|rate| rate.is_finite())
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}
