use anyhow::Context;
use crosscheck::Measured;
use host::Finished;
use serde::Deserialize;
use std::time::Duration;

/// What one run of one tool comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reading {
    /// Transactions, or operations on keys.
    pub(crate) transactions_per_second: f64,
    /// User and system time of the whole process for each statement or command, in microseconds.
    pub(crate) cpu_us_per_query: f64,
    /// The part of it in the kernel.
    pub(crate) system_us_per_query: f64,
    /// Highest resident set of the process in bytes, where it is known.
    pub(crate) peak_rss_bytes: Option<u64>,
    /// Of loads on storage.
    pub(crate) bytes_per_second: Option<f64>,
    pub(crate) mean_ms: f64,
    pub(crate) p95_ms: Option<f64>,
    pub(crate) p99_ms: Option<f64>,
    /// How long the process ran beyond the load, in seconds: starting, connecting, ending.
    pub(crate) beside_seconds: f64,
}

/// What is needed of the JSON of `weighin load`.
#[derive(Debug, Deserialize)]
struct LoadOutput {
    queries: u64,
    errors: u64,
    elapsed_seconds: f64,
    transactions_per_second: f64,
    latency_ms: LatencyOutput,
}

#[derive(Debug, Deserialize)]
struct LatencyOutput {
    mean: Option<f64>,
    p95: Option<f64>,
    p99: Option<f64>,
}

impl Reading {
    /// Of a `weighin load --json`.
    pub(crate) fn of_weighin(finished: &Finished) -> anyhow::Result<Self> {
        let load: LoadOutput =
            serde_json::from_str(&finished.stdout).context("weighin's JSON is not understood")?;
        let reading = Self {
            transactions_per_second: load.transactions_per_second,
            cpu_us_per_query: micros_each(finished.usage.cpu(), load.queries),
            system_us_per_query: micros_each(finished.usage.system, load.queries),
            peak_rss_bytes: finished.usage.peak_rss_bytes,
            bytes_per_second: None,
            mean_ms: load.latency_ms.mean.context("weighin ran no transaction")?,
            p95_ms: load.latency_ms.p95,
            p99_ms: load.latency_ms.p99,
            beside_seconds: finished.elapsed.as_secs_f64() - load.elapsed_seconds,
        };
        anyhow::ensure!(
            load.errors * 100 <= load.queries,
            "{} of weighin's transactions failed",
            load.errors
        );
        Ok(reading)
    }

    /// Of a load by another tool.
    pub(crate) fn of_tool(load: &Measured) -> Self {
        let Measured { figures, p99_ms, elapsed, system } = load;
        // Some tools count transactions alone, which are of one statement here then.
        let queries = figures.queries.max(figures.transactions);
        Self {
            transactions_per_second: figures.transactions_per_second,
            cpu_us_per_query: micros_each(Duration::from_secs_f64(figures.cpu_seconds), queries),
            system_us_per_query: micros_each(*system, queries),
            peak_rss_bytes: figures.peak_rss_bytes,
            bytes_per_second: None,
            mean_ms: figures.latency_mean_ms,
            p95_ms: figures.latency_p95_ms,
            p99_ms: *p99_ms,
            beside_seconds: elapsed.as_secs_f64() - figures.elapsed.as_secs_f64(),
        }
    }

    /// The same, of operations that each moved so many bytes.
    pub(crate) fn in_blocks_of(self, bytes: u32) -> Self {
        Self { bytes_per_second: Some(self.transactions_per_second * f64::from(bytes)), ..self }
    }
}

fn micros_each(time: Duration, queries: u64) -> f64 {
    time.as_secs_f64() * 1e6 / queries.max(1) as f64
}

/// What a run comes to on a terminal, with the view or without.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ViewRun {
    /// Transactions per second at each level, the median over the repeats.
    pub(crate) throughput: Vec<f64>,
    /// Processor time of the view; `None` without one.
    pub(crate) view: Option<ViewTime>,
}

/// Processor time of the view, as the kernel accounts for its thread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ViewTime {
    pub(crate) cpu_seconds: f64,
    /// From the first reading to the last.
    pub(crate) seconds: f64,
}

impl ViewTime {
    /// Per cent of one processor.
    pub(crate) fn percent(self) -> f64 {
        100.0 * self.cpu_seconds / self.seconds
    }
}

/// What a run comes to that is sampled often or rarely, at each level.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SampledRun {
    /// Transactions per second, the median over the repeats.
    pub(crate) throughput: Vec<f64>,
    /// Processor time of a query in microseconds, of weighin and of the server.
    pub(crate) client_us: Vec<f64>,
    pub(crate) server_us: Vec<f64>,
}
