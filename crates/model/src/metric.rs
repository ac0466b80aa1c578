//! The registry of metrics: what figures can be measures of.

use crate::{Around, Latencies, Resource, UnitName};
use serde::{Deserialize, Serialize};

/// Which way a figure is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Better {
    /// The higher the better.
    More,
    /// The lower the better.
    Less,
    /// It describes the work, and is neither good nor bad.
    Neither,
}

/// The unit that the values of a metric have wherever weighin computes with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MetricUnit {
    /// Pieces of work per second; what is counted, the basis of a test says.
    PerSecond,
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
    /// Microseconds.
    Microseconds,
    /// Bytes.
    Bytes,
    /// Bytes for each operation: few, where the others are millions.
    BytesEach,
    /// Seconds of one thing in a second of another.
    SecondsPerSecond,
    /// Percent; of processors 100 is one of them.
    Percent,
    /// A number of things, which the metric names.
    Count,
    /// A share of another figure, or a multiple of it.
    Ratio,
}

/// How a metric follows from a load's recording, from a distribution of latencies alone, or from what was
/// sampled beside a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Derivation {
    /// Operations that succeeded in the measured phase ÷ its length.
    Rate,
    /// The mean of the distribution.
    Mean,
    /// This percentile of the distribution, from 0 to 100.
    Percentile(f64),
    /// Operations that succeeded in a part of the measured phase ÷ the length of that part.
    RateIn(Around),
    /// This percentile of the latencies of a part of the measured phase, from 0 to 100.
    PercentileIn(Around, f64),
    /// See [`crate::longest_statement`].
    LongestStatement,
    /// See [`crate::LoadResult::unserved`].
    Unserved,
    /// One metric ÷ another.
    Quotient(Metric, Metric),
    /// See [`crate::TrialRecord::used`].
    Used(Resource),
}

/// All that is known of a metric.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MetricEntry {
    /// Its name in the store, without unit. JSON and CSV name it with its unit ([`Metric::name`]).
    pub id: &'static str,
    pub unit: MetricUnit,
    pub better: Better,
    /// What it is called in a sentence, and with a capital letter in headings.
    pub words: &'static str,
    /// Absent for what a load's recording says nothing of.
    pub derivation: Option<Derivation>,
    /// Names that importers give it besides `id`, with what each counts. Where a source has
    /// several, the earlier one here counts.
    pub printed_as: &'static [PrintedName],
}

/// A name that sources have for a metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintedName {
    pub name: &'static str,
    /// What is counted, for rates.
    pub counted: Option<UnitName>,
}

/// Makes the enum and its entries from one table, so that a metric is one row: its id, unit, which way it is
/// better, its words, how it follows, and the names that importers give it besides.
macro_rules! registry {
    ($(
        $(#[$doc:meta])*
        $metric:ident = $id:literal $unit:ident $better:ident $words:literal
            $(: $derivation:expr)? $(, [$($printed:expr),* $(,)?])?;
    )*) => {
        /// What a figure is a measure of: an entry of the registry. The order is that of tables.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Metric { $($(#[$doc])* $metric,)* }

        impl Metric {
            /// Every metric, in the order of the registry.
            pub const ALL: &'static [Self] = &[$(Self::$metric),*];

            pub fn entry(self) -> &'static MetricEntry {
                use Derivation::*;
                match self {
                    $(Self::$metric => const {
                        &MetricEntry {
                            id: $id,
                            unit: MetricUnit::$unit,
                            better: Better::$better,
                            words: $words,
                            derivation: registry!(@derivation $($derivation)?),
                            printed_as: &[$($($printed),*)?],
                        }
                    },)*
                }
            }
        }
    };
    (@derivation) => { None };
    (@derivation $derivation:expr) => { Some($derivation) };
}

registry! {
    /// Work done per second.
    Throughput = "throughput" PerSecond More "throughput": Rate, [
        counted("transactions_per_s", UnitName::TRANSACTION),
        counted("operations_per_s", UnitName::OPERATION), counted("requests_per_s", UnitName::REQUEST),
        counted("queries_per_s", UnitName::QUERY), counted("new_orders_per_min", UnitName::NEW_ORDER),
        counted("iops", UnitName::IO),
    ];
    /// How long a piece of work took as a whole.
    Elapsed = "elapsed" Seconds Less "time taken";
    /// The same of a piece of work that elsewhere runs beside a load, without that load.
    ElapsedAlone = "elapsed_alone" Seconds Less "time taken alone";
    /// How many times as long a piece of work takes beside a load as without it.
    Slowdown = "slowdown" Ratio Less "time beside the load ÷ alone":
        Quotient(Metric::Elapsed, Metric::ElapsedAlone);
    /// The longest time that a statement of the load took that was under way meanwhile.
    LongestBlocked = "longest_blocked" Milliseconds Less "longest wait of a statement":
        LongestStatement;
    /// For how long rates that a load profile asks for were not served.
    Unserved = "unserved" Seconds Less "time until its rates were served": Unserved;
    /// Throughput before something was done to the target.
    ThroughputBefore = "throughput_before" PerSecond More "throughput before": RateIn(Around::Before);
    /// Throughput while it was done.
    ThroughputDuring = "throughput_during" PerSecond More "throughput during": RateIn(Around::During);
    /// Throughput when it was done.
    ThroughputAfter = "throughput_after" PerSecond More "throughput after": RateIn(Around::After);
    /// How much of the throughput is left while something is done to the target: 1 is all of it.
    ThroughputKept = "throughput_kept" Ratio More "throughput during ÷ before":
        Quotient(Metric::ThroughputDuring, Metric::ThroughputBefore);
    /// 99th percentile of latency before something was done to the target.
    LatencyP99Before = "latency_p99_before" Milliseconds Less "p99 latency before":
        PercentileIn(Around::Before, 99.0);
    /// The same while it was done.
    LatencyP99During = "latency_p99_during" Milliseconds Less "p99 latency during":
        PercentileIn(Around::During, 99.0);
    /// The same when it was done.
    LatencyP99After = "latency_p99_after" Milliseconds Less "p99 latency after":
        PercentileIn(Around::After, 99.0);
    /// The longest time without an acknowledged write.
    Downtime = "downtime" Seconds Less "downtime";
    /// From when a primary was taken away until a write failed.
    FirstError = "first_error" Seconds Neither "time to the first failed write";
    /// From when a primary was taken away until the first write was accepted after the downtime.
    FirstAccepted = "first_accepted" Seconds Less "time to the first accepted write";
    /// From when a primary was taken away until the rate was back.
    RateBack = "rate_back" Seconds Less "time until 95 % of the rate";
    /// Writes that were acknowledged and are not there afterwards.
    LostWrites = "lost_writes" Count Less "lost writes";
    /// Writes that were not acknowledged and are there afterwards.
    UnacknowledgedWrites = "unacknowledged_writes" Count Neither "unacknowledged writes that are there";
    /// Writes that were due and not acknowledged.
    FailedWrites = "failed_writes" Count Less "failed writes";
    /// Mean latency.
    LatencyMean = "latency_mean" Milliseconds Less "mean latency": Mean, [named("latency_avg")];
    /// Median latency.
    LatencyP50 = "latency_p50" Milliseconds Less "median latency": Percentile(50.0),
        [named("latency_median")];
    /// 95th percentile of latency.
    LatencyP95 = "latency_p95" Milliseconds Less "p95 latency": Percentile(95.0),
        [named("latency_95th")];
    /// 99th percentile of latency.
    LatencyP99 = "latency_p99" Milliseconds Less "p99 latency": Percentile(99.0);
    /// Rows that statements gave back.
    RowsReturned = "rows_returned" Count Neither "rows returned";
    /// Temporary space that statements took on disk.
    TemporarySpace = "temporary" Bytes Less "temporary space";
    /// By how much the files of the target's data grew at the most.
    DataGrowth = "data_growth" Bytes Less "growth of the data directory";
    /// From the start of appliers until the last replica has applied the backlog.
    CatchUpTime = "catch_up" Seconds Less "catch-up time";
    /// Time in which the backlog was written ÷ catch-up time: below 1 a replica never catches up
    /// with a primary that goes on like this.
    LagApplied = "lag_applied_s_per_s" SecondsPerSecond More "lag applied per second";
    /// Transactions of the backlog ÷ catch-up time.
    ApplyRate = "applied_per_s" PerSecond More "apply rate";
    /// Processor time of all replicas while they caught up.
    ReplicaCpu = "replica_cpu" Percent Neither "processor time of replicas";
    /// Transactions in the backlog, those of weighin's heartbeat included.
    BacklogTransactions = "backlog_transactions" Count Neither "transactions in the backlog";
    /// By how much the primary's binary log grew.
    BacklogSize = "backlog" Bytes Neither "size of the backlog";
    /// How long writing it took.
    BacklogTime = "backlog_time" Seconds Neither "time to write the backlog";
    /// Processor time of the server's process for an operation.
    ServerCpu = "server_cpu_per_op" Microseconds Less "server CPU": Used(Resource::ServerCpu);
    /// What of it was spent in the kernel.
    ServerSystemCpu = "server_system_cpu_per_op" Microseconds Less "of it in the kernel":
        Used(Resource::ServerSystemCpu);
    /// Processor time of the replicas' processes for an operation.
    ReplicasCpu = "replicas_cpu_per_op" Microseconds Less "replicas’ CPU": Used(Resource::ReplicaCpu);
    /// Processor time of the target's machine for an operation, without weighin's own.
    HostCpu = "host_cpu_per_op" Microseconds Less "host CPU": Used(Resource::HostCpu);
    ContextSwitches = "context_switches_per_op" Count Less "context switches":
        Used(Resource::ContextSwitches);
    DiskReads = "disk_reads_per_op" Count Less "disk reads": Used(Resource::DiskReads);
    DiskWrites = "disk_writes_per_op" Count Less "disk writes": Used(Resource::DiskWrites);
    DiskReadBytes = "disk_read_per_op" BytesEach Less "read from disk": Used(Resource::DiskReadBytes);
    DiskWrittenBytes = "disk_written_per_op" BytesEach Less "written to disk":
        Used(Resource::DiskWrittenBytes);
    LogBytes = "log_per_op" BytesEach Less "log": Used(Resource::LogBytes);
    CacheMisses = "cache_misses_per_op" Count Less "cache misses": Used(Resource::CacheMisses);
    /// What the target received over the network, for an operation.
    NetworkReceived = "network_received_per_op" BytesEach Less "received by the server":
        Used(Resource::NetworkReceived);
    /// What it sent.
    NetworkSent = "network_sent_per_op" BytesEach Less "sent by the server":
        Used(Resource::NetworkSent);
    RoundTrips = "round_trips_per_op" Count Less "round trips": Used(Resource::RoundTrips);
    /// Processor time of what is on the way of a load to its server, for an operation.
    PathCpu = "path_cpu_per_op" Microseconds Less "CPU on the way": Used(Resource::PathCpu);
    /// Packets of TCP that the target received, for an operation.
    PacketsReceived = "packets_received_per_op" Count Less "packets received":
        Used(Resource::PacketsReceived);
    PacketsSent = "packets_sent_per_op" Count Less "packets sent": Used(Resource::PacketsSent);
    /// Resident memory of the server when measuring ended.
    ServerMemory = "server_memory" Bytes Less "memory at the end": Used(Resource::Memory);
    SpacePerRow = "space_per_row" BytesEach Less "space for a row": Used(Resource::SpacePerRow);
    Growth = "growth_per_million_writes" Bytes Less "growth for a million rows written":
        Used(Resource::Growth);
    WriteAmplification = "write_amplification" Ratio Less "bytes written to disk ÷ bytes of rows":
        Used(Resource::WriteAmplification);
}

const fn counted(name: &'static str, counted: UnitName) -> PrintedName {
    PrintedName { name, counted: Some(counted) }
}

const fn named(name: &'static str) -> PrintedName {
    PrintedName { name, counted: None }
}

impl Metric {
    pub fn better(self) -> Better {
        self.entry().better
    }

    pub fn unit(self) -> MetricUnit {
        self.entry().unit
    }

    /// Its name in JSON and CSV, with its unit: `latency_p95_ms`. A rate has none: what is
    /// counted, a field beside it says.
    pub fn name(self) -> String {
        format!("{}{}", self.entry().id, self.unit().suffix())
    }

    /// The metric that JSON and CSV call so.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|metric| metric.name() == name)
    }

    /// Whether it is a mean or a percentile of the latencies of the whole measured phase.
    pub fn is_latency(self) -> bool {
        matches!(self.entry().derivation, Some(Derivation::Mean | Derivation::Percentile(_)))
    }

    /// Whether it is about what a load did while something was done to its target, or before or after.
    pub fn is_of_part(self) -> bool {
        match self.entry().derivation {
            Some(Derivation::RateIn(_) | Derivation::PercentileIn(..)) => true,
            Some(Derivation::LongestStatement) => true,
            Some(Derivation::Quotient(upper, _)) => upper.is_of_part(),
            Some(
                Derivation::Rate
                | Derivation::Mean
                | Derivation::Percentile(_)
                | Derivation::Unserved
                | Derivation::Used(_),
            )
            | None => false,
        }
    }

    /// Those that say what an operation takes, in the order of the registry.
    pub fn of_resources() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|metric| metric.resource().is_some())
    }

    /// The resource of which it says how much an operation takes.
    pub fn resource(self) -> Option<Resource> {
        match self.entry().derivation? {
            Derivation::Used(resource) => Some(resource),
            _ => None,
        }
    }

    /// The names that figures of it have, best first.
    pub fn printed_names(self) -> impl Iterator<Item = PrintedName> {
        [named(self.entry().id)].into_iter().chain(self.entry().printed_as.iter().copied())
    }

    /// The metric that a figure of that name is of; figures of other names are kept and shown, and
    /// nothing is concluded from them.
    pub fn of_figure(name: &str) -> Option<Self> {
        let is = |metric: &Self| metric.printed_names().any(|known| known.name == name);
        Self::ALL.iter().copied().find(is)
    }

    /// What a distribution of latencies says of it, in milliseconds; `None` where it is none of
    /// latency, and for an empty distribution.
    pub fn of_latencies(self, latencies: &Latencies) -> Option<f64> {
        match self.entry().derivation? {
            Derivation::Mean => latencies.mean_ms(),
            Derivation::Percentile(percentile) => latencies.percentile_ms(percentile),
            _ => None,
        }
    }
}

impl Serialize for Metric {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.name())
    }
}

impl MetricUnit {
    /// As figures of the store have it.
    pub fn text(self) -> &'static str {
        match self {
            Self::PerSecond => "1/s",
            Self::Seconds => "s",
            Self::Milliseconds => "ms",
            Self::Microseconds => "µs",
            Self::Bytes | Self::BytesEach => "bytes",
            Self::SecondsPerSecond => "s/s",
            Self::Percent => "%",
            Self::Count | Self::Ratio => "",
        }
    }

    fn suffix(self) -> &'static str {
        match self {
            Self::PerSecond | Self::Count | Self::Ratio | Self::SecondsPerSecond => "",
            Self::Percent => "_percent",
            Self::Seconds => "_s",
            Self::Milliseconds => "_ms",
            Self::Microseconds => "_us",
            Self::Bytes | Self::BytesEach => "_bytes",
        }
    }

    /// By what a figure in a unit as printed is multiplied to be in this one. `None` for a unit
    /// that is missing where one is needed, or that measures something else.
    pub fn factor_from(self, unit: &str) -> Option<f64> {
        match self {
            Self::PerSecond => match unit {
                "" | "1/s" | "/s" | "per s" => Some(1.0),
                "1/min" | "/min" | "per min" => Some(1.0 / 60.0),
                _ => None,
            },
            Self::Seconds => seconds_in(unit),
            Self::Milliseconds => seconds_in(unit).map(|seconds| seconds * 1e3),
            Self::Microseconds => seconds_in(unit).map(|seconds| seconds * 1e6),
            Self::Bytes | Self::BytesEach => Some(match unit {
                "" | "B" | "bytes" => 1.0,
                "KiB" => 1024.0,
                "MiB" => 1024.0 * 1024.0,
                "GiB" => 1024.0 * 1024.0 * 1024.0,
                _ => return None,
            }),
            Self::SecondsPerSecond => (unit == "s/s").then_some(1.0),
            Self::Percent => (unit == "%").then_some(1.0),
            Self::Count | Self::Ratio => unit.is_empty().then_some(1.0),
        }
    }
}

/// How many seconds a unit of time has; `None` for what is not known as one.
pub fn seconds_in(unit: &str) -> Option<f64> {
    Some(match unit {
        "ns" => 1e-9,
        "us" | "µs" | "μs" => 1e-6,
        "ms" => 1e-3,
        "s" | "sec" => 1.0,
        "min" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
