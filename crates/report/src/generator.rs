use model::GeneratorShare;
use serde::Serialize;

/// One of several load generators, in the measured phase, with what its latencies come to.
#[derive(Clone, Debug, Serialize)]
pub struct GeneratorFigures {
    /// What the study calls the machine that it ran on; absent for the one that weighin ran on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// Its connections.
    pub clients: u32,
    /// Transactions, operations or IOs that succeeded.
    pub transactions: u64,
    /// What they were made of: queries or commands.
    pub queries: u64,
    /// Those that failed.
    pub errors: u64,
    /// In milliseconds; `None` where nothing succeeded.
    pub latency_p50_ms: Option<f64>,
    /// In milliseconds; `None` where nothing succeeded.
    pub latency_p99_ms: Option<f64>,
    /// Time on processors, user and system.
    pub cpu_seconds: f64,
    /// The most memory that it ever had.
    pub peak_rss_bytes: u64,
    /// How long after the common start it began.
    pub begun_late_ms: f64,
}

impl GeneratorFigures {
    /// The figures of a share.
    pub fn from_share(share: &GeneratorShare) -> Self {
        let latencies = share.latencies.unpack();
        Self {
            host: share.host.clone(),
            clients: share.clients,
            transactions: share.transactions,
            queries: share.queries,
            errors: share.errors,
            latency_p50_ms: latencies.percentile_ms(50.0),
            latency_p99_ms: latencies.percentile_ms(99.0),
            cpu_seconds: share.cpu_seconds,
            peak_rss_bytes: share.peak_rss_bytes,
            begun_late_ms: share.begun_late.as_secs_f64() * 1e3,
        }
    }
}
