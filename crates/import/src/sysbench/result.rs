use super::IntervalLine;
use super::interval::interval;
use super::line::{Entry, Key, entry};
use crate::printed_number;
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
    let mut found = Summary::default();
    for line in text.lines() {
        match interval(line) {
            Some(interval) => found.intervals.push(interval),
            None => {
                if let Some(entry) = entry(line) {
                    found
                        .take(&entry)
                        .ok_or_else(|| ParseError::Malformed(line.trim().to_owned()))?;
                }
            }
        }
    }
    found.result()
}

#[derive(Default)]
struct Summary {
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

impl Summary {
    /// `None` when the line is not understood.
    fn take(&mut self, entry: &Entry<'_>) -> Option<()> {
        let count = || entry.count().parse::<u64>().ok();
        let ms = || Some(entry.milliseconds()?.value);
        match entry.key {
            Key::Read => self.queries.read = count()?,
            Key::Write => self.queries.write = count()?,
            Key::Other => self.queries.other = count()?,
            Key::Total => self.queries.total = count()?,
            Key::Transactions => {
                let rate = printed_number(entry.rate()?)?.value;
                self.transactions = Some((count()?, rate));
            }
            Key::Errors => self.errors = count()?,
            Key::Reconnects => self.reconnects = count()?,
            Key::Elapsed => {
                let seconds = entry.milliseconds()?.value / 1e3;
                self.elapsed = Some(Duration::try_from_secs_f64(seconds).ok()?);
            }
            Key::Min => self.min = Some(ms()?),
            Key::Mean => self.mean = Some(ms()?),
            Key::Max => self.max = Some(ms()?),
            Key::Percentile(rank) => self.percentile = Some(Percentile { rank, ms: ms()? }),
            _ => {}
        }
        Some(())
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
