use anyhow::Context;
use peer::child::Finished;
use peer::sysbench;
use serde::Deserialize;

/// What one run of one tool comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) transactions_per_second: f64,
    /// User and system time of the whole process for each statement, in microseconds.
    pub(crate) cpu_us_per_query: f64,
    /// Highest resident set of the process in bytes, where it is known.
    pub(crate) peak_rss_bytes: Option<u64>,
    pub(crate) mean_ms: f64,
    pub(crate) p95_ms: f64,
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
}

impl Reading {
    /// Of a `weighin load --json`.
    pub(crate) fn of_weighin(finished: &Finished) -> anyhow::Result<Self> {
        let load: LoadOutput =
            serde_json::from_str(&finished.stdout).context("weighin's JSON is not understood")?;
        let latency = |value: Option<f64>| value.context("weighin ran no transaction");
        let reading = Self {
            transactions_per_second: load.transactions_per_second,
            cpu_us_per_query: cpu_us_per_query(finished, load.queries),
            peak_rss_bytes: finished.usage.peak_rss_bytes,
            mean_ms: latency(load.latency_ms.mean)?,
            p95_ms: latency(load.latency_ms.p95)?,
            beside_seconds: beside(finished, load.elapsed_seconds),
        };
        anyhow::ensure!(
            load.errors * 100 <= load.queries,
            "{} of weighin's transactions failed",
            load.errors
        );
        Ok(reading)
    }

    /// Of a `sysbench … run`.
    pub(crate) fn of_sysbench(finished: &Finished) -> anyhow::Result<Self> {
        let result = sysbench::parse(&finished.stdout)?;
        let p95 = result.percentile.context("sysbench printed no percentile")?;
        Ok(Self {
            transactions_per_second: result.transactions_per_second,
            cpu_us_per_query: cpu_us_per_query(finished, result.queries.total),
            peak_rss_bytes: finished.usage.peak_rss_bytes,
            mean_ms: result.latency_mean_ms,
            p95_ms: p95.ms,
            beside_seconds: beside(finished, result.elapsed.as_secs_f64()),
        })
    }
}

fn cpu_us_per_query(finished: &Finished, queries: u64) -> f64 {
    finished.usage.cpu().as_secs_f64() * 1e6 / queries.max(1) as f64
}

fn beside(finished: &Finished, load_seconds: f64) -> f64 {
    finished.elapsed.as_secs_f64() - load_seconds
}
