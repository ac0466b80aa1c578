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

/// Makes the enum and its entries from one list, so that a metric is one entry.
macro_rules! registry {
    ($($(#[$doc:meta])* $metric:ident = $entry:expr;)*) => {
        /// What a figure is a measure of: an entry of the registry. The order is that of tables.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Metric { $($(#[$doc])* $metric,)* }

        impl Metric {
            /// Every metric, in the order of the registry.
            pub const ALL: &'static [Self] = &[$(Self::$metric),*];

            pub fn entry(self) -> &'static MetricEntry {
                match self { $(Self::$metric => const { &$entry },)* }
            }
        }
    };
}

registry! {
    /// Work done per second.
    Throughput = MetricEntry {
        id: "throughput",
        unit: MetricUnit::PerSecond,
        better: Better::More,
        words: "throughput",
        derivation: Some(Derivation::Rate),
        printed_as: &[
            counted("transactions_per_s", UnitName::TRANSACTION),
            counted("operations_per_s", UnitName::OPERATION),
            counted("requests_per_s", UnitName::REQUEST),
            counted("queries_per_s", UnitName::QUERY),
            counted("new_orders_per_min", UnitName::NEW_ORDER),
            counted("iops", UnitName::IO),
        ],
    };
    /// How long a piece of work took as a whole.
    Elapsed = MetricEntry {
        id: "elapsed",
        unit: MetricUnit::Seconds,
        better: Better::Less,
        words: "time taken",
        derivation: None,
        printed_as: &[],
    };
    /// The same of a piece of work that elsewhere runs beside a load, without that load.
    ElapsedAlone = MetricEntry {
        id: "elapsed_alone",
        unit: MetricUnit::Seconds,
        better: Better::Less,
        words: "time taken alone",
        derivation: None,
        printed_as: &[],
    };
    /// How many times as long a piece of work takes beside a load as without it.
    Slowdown = MetricEntry {
        id: "slowdown",
        unit: MetricUnit::Ratio,
        better: Better::Less,
        words: "time beside the load ÷ alone",
        derivation: Some(Derivation::Quotient(Metric::Elapsed, Metric::ElapsedAlone)),
        printed_as: &[],
    };
    /// The longest time that a statement of the load took that was under way meanwhile.
    LongestBlocked = MetricEntry {
        id: "longest_blocked",
        unit: MetricUnit::Milliseconds,
        better: Better::Less,
        words: "longest wait of a statement",
        derivation: Some(Derivation::LongestStatement),
        printed_as: &[],
    };
    /// For how long rates that a load profile asks for were not served.
    Unserved = MetricEntry {
        id: "unserved",
        unit: MetricUnit::Seconds,
        better: Better::Less,
        words: "time until its rates were served",
        derivation: Some(Derivation::Unserved),
        printed_as: &[],
    };
    /// Throughput before something was done to the target.
    ThroughputBefore = rate_in("throughput_before", "throughput before", Around::Before);
    /// Throughput while it was done.
    ThroughputDuring = rate_in("throughput_during", "throughput during", Around::During);
    /// Throughput when it was done.
    ThroughputAfter = rate_in("throughput_after", "throughput after", Around::After);
    /// How much of the throughput is left while something is done to the target: 1 is all of it.
    ThroughputKept = MetricEntry {
        id: "throughput_kept",
        unit: MetricUnit::Ratio,
        better: Better::More,
        words: "throughput during ÷ before",
        derivation: Some(Derivation::Quotient(Metric::ThroughputDuring, Metric::ThroughputBefore)),
        printed_as: &[],
    };
    /// 99th percentile of latency before something was done to the target.
    LatencyP99Before = p99_in("latency_p99_before", "p99 latency before", Around::Before);
    /// The same while it was done.
    LatencyP99During = p99_in("latency_p99_during", "p99 latency during", Around::During);
    /// The same when it was done.
    LatencyP99After = p99_in("latency_p99_after", "p99 latency after", Around::After);
    /// The longest time without an acknowledged write.
    Downtime = MetricEntry {
        id: "downtime",
        unit: MetricUnit::Seconds,
        better: Better::Less,
        words: "downtime",
        derivation: None,
        printed_as: &[],
    };
    /// From when a primary was taken away until a write failed.
    FirstError = MetricEntry {
        id: "first_error",
        unit: MetricUnit::Seconds,
        better: Better::Neither,
        words: "time to the first failed write",
        derivation: None,
        printed_as: &[],
    };
    /// From when a primary was taken away until the first write was accepted after the downtime.
    FirstAccepted = MetricEntry {
        id: "first_accepted",
        unit: MetricUnit::Seconds,
        better: Better::Less,
        words: "time to the first accepted write",
        derivation: None,
        printed_as: &[],
    };
    /// From when a primary was taken away until the rate was back.
    RateBack = MetricEntry {
        id: "rate_back",
        unit: MetricUnit::Seconds,
        better: Better::Less,
        words: "time until 95 % of the rate",
        derivation: None,
        printed_as: &[],
    };
    /// Writes that were acknowledged and are not there afterwards.
    LostWrites = MetricEntry {
        id: "lost_writes",
        unit: MetricUnit::Count,
        better: Better::Less,
        words: "lost writes",
        derivation: None,
        printed_as: &[],
    };
    /// Writes that were not acknowledged and are there afterwards.
    UnacknowledgedWrites = MetricEntry {
        id: "unacknowledged_writes",
        unit: MetricUnit::Count,
        better: Better::Neither,
        words: "unacknowledged writes that are there",
        derivation: None,
        printed_as: &[],
    };
    /// Writes that were due and not acknowledged.
    FailedWrites = MetricEntry {
        id: "failed_writes",
        unit: MetricUnit::Count,
        better: Better::Less,
        words: "failed writes",
        derivation: None,
        printed_as: &[],
    };
    /// Mean latency.
    LatencyMean = MetricEntry {
        printed_as: &[named("latency_avg")],
        ..latency("latency_mean", "mean latency", Derivation::Mean)
    };
    /// Median latency.
    LatencyP50 = MetricEntry {
        printed_as: &[named("latency_median")],
        ..latency("latency_p50", "median latency", Derivation::Percentile(50.0))
    };
    /// 95th percentile of latency.
    LatencyP95 = MetricEntry {
        printed_as: &[named("latency_95th")],
        ..latency("latency_p95", "p95 latency", Derivation::Percentile(95.0))
    };
    /// 99th percentile of latency.
    LatencyP99 = latency("latency_p99", "p99 latency", Derivation::Percentile(99.0));
    /// Rows that statements gave back.
    RowsReturned = MetricEntry {
        id: "rows_returned",
        unit: MetricUnit::Count,
        better: Better::Neither,
        words: "rows returned",
        derivation: None,
        printed_as: &[],
    };
    /// Temporary space that statements took on disk.
    TemporarySpace = MetricEntry {
        id: "temporary",
        unit: MetricUnit::Bytes,
        better: Better::Less,
        words: "temporary space",
        derivation: None,
        printed_as: &[],
    };
    /// By how much the files of the target's data grew at the most.
    DataGrowth = MetricEntry {
        id: "data_growth",
        unit: MetricUnit::Bytes,
        better: Better::Less,
        words: "growth of the data directory",
        derivation: None,
        printed_as: &[],
    };
    /// From the start of appliers until the last replica has applied the backlog.
    CatchUpTime = measured("catch_up", MetricUnit::Seconds, Better::Less, "catch-up time");
    /// Time in which the backlog was written ÷ catch-up time: below 1 a replica never catches up
    /// with a primary that goes on like this.
    LagApplied = measured(
        "lag_applied_s_per_s",
        MetricUnit::SecondsPerSecond,
        Better::More,
        "lag applied per second",
    );
    /// Transactions of the backlog ÷ catch-up time.
    ApplyRate = measured("applied_per_s", MetricUnit::PerSecond, Better::More, "apply rate");
    /// Processor time of all replicas while they caught up.
    ReplicaCpu =
        measured("replica_cpu", MetricUnit::Percent, Better::Neither, "processor time of replicas");
    /// Transactions in the backlog, those of weighin's heartbeat included.
    BacklogTransactions = measured(
        "backlog_transactions",
        MetricUnit::Count,
        Better::Neither,
        "transactions in the backlog",
    );
    /// By how much the primary's binary log grew.
    BacklogSize = measured("backlog", MetricUnit::Bytes, Better::Neither, "size of the backlog");
    /// How long writing it took.
    BacklogTime =
        measured("backlog_time", MetricUnit::Seconds, Better::Neither, "time to write the backlog");
    /// Processor time of the server's process for an operation.
    ServerCpu = used("server_cpu_per_op", MetricUnit::Microseconds, "server CPU", Resource::ServerCpu);
    /// What of it was spent in the kernel.
    ServerSystemCpu = used(
        "server_system_cpu_per_op",
        MetricUnit::Microseconds,
        "of it in the kernel",
        Resource::ServerSystemCpu,
    );
    /// Processor time of the replicas' processes for an operation.
    ReplicasCpu =
        used("replicas_cpu_per_op", MetricUnit::Microseconds, "replicas’ CPU", Resource::ReplicaCpu);
    /// Processor time of the target's machine for an operation, without weighin's own.
    HostCpu = used("host_cpu_per_op", MetricUnit::Microseconds, "host CPU", Resource::HostCpu);
    ContextSwitches = used(
        "context_switches_per_op",
        MetricUnit::Count,
        "context switches",
        Resource::ContextSwitches,
    );
    DiskReads = used("disk_reads_per_op", MetricUnit::Count, "disk reads", Resource::DiskReads);
    DiskWrites = used("disk_writes_per_op", MetricUnit::Count, "disk writes", Resource::DiskWrites);
    DiskReadBytes = used(
        "disk_read_per_op",
        MetricUnit::BytesEach,
        "read from disk",
        Resource::DiskReadBytes,
    );
    DiskWrittenBytes = used(
        "disk_written_per_op",
        MetricUnit::BytesEach,
        "written to disk",
        Resource::DiskWrittenBytes,
    );
    LogBytes = used("log_per_op", MetricUnit::BytesEach, "log", Resource::LogBytes);
    CacheMisses =
        used("cache_misses_per_op", MetricUnit::Count, "cache misses", Resource::CacheMisses);
    /// What the target received over the network, for an operation.
    NetworkReceived = used(
        "network_received_per_op",
        MetricUnit::BytesEach,
        "received by the server",
        Resource::NetworkReceived,
    );
    /// What it sent.
    NetworkSent = used(
        "network_sent_per_op",
        MetricUnit::BytesEach,
        "sent by the server",
        Resource::NetworkSent,
    );
    RoundTrips = used("round_trips_per_op", MetricUnit::Count, "round trips", Resource::RoundTrips);
    /// Processor time of what is on the way of a load to its server, for an operation.
    PathCpu = used(
        "path_cpu_per_op",
        MetricUnit::Microseconds,
        "CPU on the way",
        Resource::PathCpu,
    );
    /// Packets of TCP that the target received, for an operation.
    PacketsReceived = used(
        "packets_received_per_op",
        MetricUnit::Count,
        "packets received",
        Resource::PacketsReceived,
    );
    PacketsSent =
        used("packets_sent_per_op", MetricUnit::Count, "packets sent", Resource::PacketsSent);
    /// Resident memory of the server when measuring ended.
    ServerMemory =
        used("server_memory", MetricUnit::Bytes, "memory at the end", Resource::Memory);
    SpacePerRow =
        used("space_per_row", MetricUnit::BytesEach, "space for a row", Resource::SpacePerRow);
    Growth = used(
        "growth_per_million_writes",
        MetricUnit::Bytes,
        "growth for a million rows written",
        Resource::Growth,
    );
    WriteAmplification = used(
        "write_amplification",
        MetricUnit::Ratio,
        "bytes written to disk ÷ bytes of rows",
        Resource::WriteAmplification,
    );
}

const fn used(
    id: &'static str,
    unit: MetricUnit,
    words: &'static str,
    resource: Resource,
) -> MetricEntry {
    MetricEntry {
        id,
        unit,
        better: Better::Less,
        words,
        derivation: Some(Derivation::Used(resource)),
        printed_as: &[],
    }
}

const fn measured(
    id: &'static str,
    unit: MetricUnit,
    better: Better,
    words: &'static str,
) -> MetricEntry {
    MetricEntry { id, unit, better, words, derivation: None, printed_as: &[] }
}

const fn rate_in(id: &'static str, words: &'static str, part: Around) -> MetricEntry {
    MetricEntry {
        id,
        unit: MetricUnit::PerSecond,
        better: Better::More,
        words,
        derivation: Some(Derivation::RateIn(part)),
        printed_as: &[],
    }
}

const fn p99_in(id: &'static str, words: &'static str, part: Around) -> MetricEntry {
    latency(id, words, Derivation::PercentileIn(part, 99.0))
}

const fn latency(id: &'static str, words: &'static str, derivation: Derivation) -> MetricEntry {
    MetricEntry {
        id,
        unit: MetricUnit::Milliseconds,
        better: Better::Less,
        words,
        derivation: Some(derivation),
        printed_as: &[],
    }
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
