//! What lies on the way of loads.

use crate::Severity;
use crate::kind::{FindingKind, Group};
use crate::names::target_name;
use crate::numbers;
use serde::Serialize;
use stats::{Estimate, Interval};

/// How many round trips an operation makes, by how much longer it takes with a delay on its way.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RoundTrips {
    /// The target with less of a delay, from which the other differs in that alone.
    pub baseline: String,
    pub candidate: String,
    /// By how much longer a round trip to the candidate took, as it was measured beside the loads: the
    /// mean over the repeats.
    pub delay_ms: f64,
    /// By how much longer an operation took on the mean.
    pub added_ms: Estimate,
    /// The one over the other.
    pub round_trips: Estimate,
    /// How many were counted on the way to the candidate; absent where the operations of its trials were
    /// not.
    pub counted: Option<f64>,
}

impl FindingKind for RoundTrips {
    const HEADING: &'static str = "Round trips";

    fn say(found: &Group<'_, Self>) -> String {
        let (one, what) = (found.first, found.counted);
        let mut said = format!(
            "each {} makes {}: {} further away than {} it takes {} longer",
            what.one,
            trips(&one.round_trips),
            ms(one.delay_ms),
            target_name(&one.baseline),
            numbers::estimate(&one.added_ms, "ms"),
        );
        if let Some(counted) = one.counted.filter(|counted| differs(*counted, &one.round_trips)) {
            said += &format!(
                "; {} were counted on the way: a delay also changes how long operations wait in the server",
                numbers::figure(counted)
            );
        }
        said
    }
}

fn trips(estimate: &Estimate) -> String {
    format!("{} round trips", numbers::estimate(estimate, ""))
}

fn ms(length: f64) -> String {
    format!("{} ms", numbers::figure(length))
}

/// Share of a count from which on what follows from latencies is another figure.
const OTHER: f64 = 0.1;

fn differs(counted: f64, estimate: &Estimate) -> bool {
    let is_within = estimate.interval.is_some_and(|i| i.low <= counted && counted <= i.high);
    !is_within && (estimate.point - counted).abs() > OTHER * counted
}

/// What TLS, a pooler or a proxy on the way costs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PathCost {
    /// The target without it, from which the other differs in that alone.
    pub baseline: String,
    pub candidate: String,
    /// By how much longer an operation took on the mean.
    pub added_ms: Estimate,
    /// Processor time of the server for an operation beyond that of the baseline; absent where it was not seen.
    pub server_cpu_us: Option<Estimate>,
    /// Processor time of the pooler or proxy for an operation; absent where there is none, or it was not seen.
    pub path_cpu_us: Option<Estimate>,
}

impl FindingKind for PathCost {
    const HEADING: &'static str = "Cost of the way";

    fn say(found: &Group<'_, Self>) -> String {
        let (one, what) = (found.first, found.counted);
        let mut said = format!(
            "each {} takes {} than on {}",
            what.one,
            difference(&one.added_ms, "ms", ["longer", "shorter"]),
            target_name(&one.baseline),
        );
        if let Some(cpu) = &one.server_cpu_us {
            let difference = difference(cpu, "µs", ["more", "less"]);
            said += &format!(", and {difference} of the server’s processor time");
        }
        if let Some(cpu) = &one.path_cpu_us {
            let cpu = numbers::estimate(cpu, "µs");
            said += &format!("; what it goes through takes {cpu} of processor time");
        }
        said
    }
}

/// A difference in words, of which one is for more and one for less; both where neither is certain.
fn difference(found: &Estimate, unit: &str, [more, less]: [&str; 2]) -> String {
    let Some(interval) = found.interval else {
        let word = if found.point < 0.0 { less } else { more };
        let point = Estimate { point: found.point.abs(), ..*found };
        return format!("{} {word}", numbers::estimate(&point, unit));
    };
    if interval.low > 0.0 {
        return format!("{} {more}", numbers::estimate(found, unit));
    }
    if interval.high < 0.0 {
        let interval = Interval { low: -interval.high, high: -interval.low, ..interval };
        let found = Estimate { point: -found.point, interval: Some(interval), ..*found };
        return format!("{} {less}", numbers::estimate(&found, unit));
    }
    format!(
        "neither certainly {more} nor certainly {less} ({} to {} {unit})",
        numbers::figure(interval.low),
        numbers::figure(interval.high)
    )
}

/// A delay that was not the one that was asked for.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DelayMissed {
    pub asked_ms: f64,
    /// What it was beside the load: the mean of a trial's round trips, the median of trials.
    pub measured_ms: f64,
}

impl FindingKind for DelayMissed {
    const HEADING: &'static str = "Delay on the way";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn say(found: &Group<'_, Self>) -> String {
        let DelayMissed { asked_ms, measured_ms } = found.first;
        format!(
            "round trips were {} longer, and not the {} that was asked for: the thread that delays them had \
             to wait for a processor. Round trips per operation are computed from the measured delay",
            ms(*measured_ms),
            ms(*asked_ms)
        )
    }
}
