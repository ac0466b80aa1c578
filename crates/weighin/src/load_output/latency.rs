use model::{Latencies, NamedResult};
use report::numbers::{count, figure};
use serde::Serialize;
use std::fmt::Write;

/// Latencies in milliseconds; `None` where there was none.
#[derive(Debug, Serialize)]
pub(super) struct LatencyOutput {
    min: Option<f64>,
    mean: Option<f64>,
    p50: Option<f64>,
    p95: Option<f64>,
    p99: Option<f64>,
    p999: Option<f64>,
    max: Option<f64>,
    /// Those that were asked for beside these.
    percentiles: Vec<PercentileOutput>,
}

#[derive(Debug, Serialize)]
struct PercentileOutput {
    percentile: f64,
    ms: Option<f64>,
}

/// Latencies of one kind of statement.
#[derive(Debug, Serialize)]
pub(super) struct StatementLatencyOutput<'a> {
    statement: &'a str,
    count: u64,
    latency_ms: LatencyOutput,
}

impl LatencyOutput {
    pub(super) fn new(latencies: &Latencies, percentiles: &[f64]) -> Self {
        Self {
            min: latencies.min_ms(),
            mean: latencies.mean_ms(),
            p50: latencies.percentile_ms(50.0),
            p95: latencies.percentile_ms(95.0),
            p99: latencies.percentile_ms(99.0),
            p999: latencies.percentile_ms(99.9),
            max: latencies.max_ms(),
            percentiles: percentiles
                .iter()
                .map(|&percentile| PercentileOutput {
                    percentile,
                    ms: latencies.percentile_ms(percentile),
                })
                .collect(),
        }
    }

    pub(super) fn line(&self) -> String {
        let cells = self.cells().into_iter().map(|(name, value)| format!("{name} {value}"));
        cells.collect::<Vec<_>>().join(", ")
    }

    /// What people are shown, by name.
    fn cells(&self) -> Vec<(String, String)> {
        let usual = [(50.0, self.p50), (95.0, self.p95), (99.0, self.p99), (99.9, self.p999)];
        let more = self.percentiles.iter().map(|more| (more.percentile, more.ms));
        let mut percentiles: Vec<(f64, Option<f64>)> = usual.into_iter().chain(more).collect();
        percentiles.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        percentiles.dedup_by_key(|(percentile, _)| *percentile);
        [("mean".to_owned(), self.mean)]
            .into_iter()
            .chain(percentiles.into_iter().map(|(rank, ms)| (format!("p{rank}"), ms)))
            .chain([("max".to_owned(), self.max)])
            .map(|(name, ms)| (name, figure(ms.unwrap_or(f64::NAN))))
            .collect()
    }
}

impl<'a> StatementLatencyOutput<'a> {
    pub(super) fn new(statement: &'a NamedResult, percentiles: &[f64]) -> Self {
        Self {
            statement: &statement.name,
            count: statement.latencies.count(),
            latency_ms: LatencyOutput::new(&statement.latencies, percentiles),
        }
    }
}

/// What became of a transaction of the user's own.
#[derive(Debug, Serialize)]
pub(super) struct TransactionOutput<'a> {
    pub(super) transaction: &'a str,
    pub(super) count: u64,
    pub(super) errors: u64,
    pub(super) retries: u64,
    pub(super) latency_ms: LatencyOutput,
}

impl<'a> TransactionOutput<'a> {
    pub(super) fn new(transaction: &'a NamedResult, percentiles: &[f64]) -> Self {
        Self {
            transaction: &transaction.name,
            count: transaction.ok,
            errors: transaction.failed,
            retries: transaction.retries,
            latency_ms: LatencyOutput::new(&transaction.latencies, percentiles),
        }
    }
}

/// A table of the transactions, one in a line; nothing for none.
pub(super) fn transactions(transactions: &[TransactionOutput<'_>]) -> String {
    let mut text = String::new();
    let Some(first) = transactions.first() else { return text };
    let _ =
        write!(text, "  {:<17} {:>11} {:>7} {:>7}", "transactions, ms", "count", "errors", "again");
    for (name, _) in first.latency_ms.cells() {
        let _ = write!(text, " {name:>8}");
    }
    text.push('\n');
    for one in transactions {
        let counts = [one.count, one.errors, one.retries].map(count);
        let [done, errors, retries] = counts;
        let name = model::text::excerpt(one.transaction, LONGEST_NAME);
        let _ = write!(text, "    {name:<15} {done:>11} {errors:>7} {retries:>7}");
        for (_, value) in one.latency_ms.cells() {
            let _ = write!(text, " {value:>8}");
        }
        text.push('\n');
    }
    text
}

/// Characters of a name that are shown.
const LONGEST_NAME: usize = 64;

/// A table of the statements, one in a line; nothing for none.
pub(super) fn table(statements: &[StatementLatencyOutput<'_>]) -> String {
    let mut text = String::new();
    let Some(first) = statements.first() else { return text };
    let _ = write!(text, "  {:<17} {:>11}", "statements, ms", "count");
    for (name, _) in first.latency_ms.cells() {
        let _ = write!(text, " {name:>8}");
    }
    text.push('\n');
    for statement in statements {
        let _ = write!(text, "    {:<15} {:>11}", statement.statement, count(statement.count));
        for (_, value) in statement.latency_ms.cells() {
            let _ = write!(text, " {value:>8}");
        }
        text.push('\n');
    }
    text
}
