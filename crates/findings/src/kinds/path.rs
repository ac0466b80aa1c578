//! What lies on the way of loads.

use crate::Severity;
use crate::kind::{FindingKind, Group};
use crate::names::target_name;
use crate::numbers;
use serde::Serialize;
use stats::Estimate;

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
