//! Names of the values of enums, of figures and of targets, as they stand in sentences.

use crate::Check;
use crate::numbers::{count, figure};
use model::{Bound, FailureKind, Metric, MetricUnit, SearchOver, UnitName};

/// What a check of every trial is about.
pub fn check(check: Check) -> &'static str {
    match check {
        Check::LittlesLaw => {
            "check 1, Little’s law: clients = throughput × (latency + client delay)"
        }
        Check::ServerCounters => {
            "check 2: the counters of the server or of the devices agree with weighin’s"
        }
        Check::ClientNotBottleneck => "check 3: the load generator was not the bottleneck",
        Check::SteadyState => "check 4: steady state, no trend left after the warm-up",
        Check::CacheAsDeclared => {
            "check 5: caches as specified, cold trials read from storage and warm ones from memory"
        }
        Check::OwnMachine => {
            "check 6: no hypervisor, other process or limit took processor time from the load"
        }
        Check::Answers => "check 8: answers had all their rows",
    }
}

/// What a failure is about.
pub fn failure_kind(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Unreachable => "unreachable",
        FailureKind::AccessDenied => "access denied",
        FailureKind::MissingDatabase => "database missing",
        FailureKind::MissingTables => "tables missing",
        FailureKind::ForeignTables => "foreign tables",
        FailureKind::ForeignData => "foreign data",
        FailureKind::TooFewConnections => "too few connections",
        FailureKind::DiskFull => "disk full",
        FailureKind::ServerLost => "server lost",
        FailureKind::HostLost => "host lost",
        FailureKind::VolumeFailed => "volume failed",
        FailureKind::NotUp => "did not come up",
        FailureKind::Replication => "replication broken",
        FailureKind::MissingProgram => "program missing",
        FailureKind::SandboxStart => "private server did not start",
        FailureKind::Tls => "TLS",
        FailureKind::Statement => "statement refused",
        FailureKind::TimedOut => "timed out",
        FailureKind::NotPermitted => "not permitted",
        FailureKind::Stopped => "stopped",
        FailureKind::Skipped => "skipped",
        FailureKind::NotOffered => "not offered",
        FailureKind::Other => "other",
    }
}

/// A target's name as it stands in a sentence: quoted where it would read as prose or markup.
pub fn target_name(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_.:@/+".contains(c);
    if !name.is_empty() && name.chars().all(plain) {
        name.to_owned()
    } else {
        format!("“{name}”")
    }
}

/// What a metric is called in a sentence.
pub fn metric_name(metric: Metric) -> &'static str {
    metric.entry().words
}

/// The unit of a metric, for headings; `counted` is what throughput counts. Empty where the metric
/// names what it counts.
pub fn unit(metric: Metric, counted: UnitName) -> String {
    match metric.unit() {
        MetricUnit::PerSecond => format!("{counted}/s"),
        MetricUnit::Bytes => "MB".to_owned(),
        other => other.text().to_owned(),
    }
}

/// The bound as a condition: `with p95 < 20 ms`.
pub fn bound(bound: &Bound) -> String {
    format!("with {bound}")
}

/// The unit of what was searched for; `counted` is what throughput counts.
pub fn search_unit(over: SearchOver, counted: UnitName) -> String {
    match over {
        SearchOver::Rate => format!("{counted}/s"),
        SearchOver::Clients => "clients".to_owned(),
    }
}

/// A load that was searched for: `1,200 transactions/s`, `16 clients`.
pub fn searched_load(over: SearchOver, load: f64, counted: UnitName) -> String {
    match over {
        SearchOver::Rate => format!("{} {counted}/s", figure(load)),
        SearchOver::Clients if load == 1.0 => "1 client".to_owned(),
        SearchOver::Clients => format!("{} clients", count(load as u64)),
    }
}
