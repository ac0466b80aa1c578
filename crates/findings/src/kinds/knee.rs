//! How latency grows with clients where it is all that is known.

use model::{Level, Metric};
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{self, figure, interval_with_confidence};
use crate::names::target_name;
use crate::names::metric_name;
use crate::place::what_grows;
use stats::Estimate;

/// Where latency bends upwards: the step between two levels over which it grows most for each
/// doubling of clients, clearly more than over every step before.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LatencyKnee {
    pub metric: Metric,
    /// The critical point: the level from which on it rises fastest.
    pub from: Level,
    /// The next level.
    pub to: Level,
    /// How many times as high latency is for each doubling of clients between the two.
    pub growth: Estimate,
    /// The same over the step before at which it was highest.
    pub growth_before: Estimate,
    /// Throughput at `to` ÷ throughput at `from`, by Little's law from clients ÷ mean latency;
    /// absent where the mean is not known.
    pub throughput: Option<Estimate>,
    /// Whether throughput has all but stopped growing there: surely no more than a tenth for each
    /// doubling of clients, or as printed where nothing was repeated.
    pub saturated: bool,
}

impl FindingKind for LatencyKnee {
    const HEADING: &'static str = "Latency knee";

    fn say(found: &Group<'_, Self>) -> String {
        let knee = found.first;
        let (metric, from, to) = (metric_name(knee.metric), knee.from, knee.to);
        let what = what_grows(to);
        let throughput = knee.throughput.map_or(String::new(), |ratio| {
            let stopped = if knee.saturated { ": it has almost stopped growing" } else { "" };
            let ratio = times(&ratio);
            format!(
                ". By Little’s law, as {what} ÷ mean latency, throughput at {to} is {ratio} that \
                 at {from}{stopped}"
            )
        });
        format!(
            "{metric} rises faster above {from}{}: up to {to} each doubling of {what} \
             multiplies it by {}, below that by at most {}{throughput}",
            if knee.growth.interval.is_none() { ", as printed" } else { "" },
            factor(&knee.growth),
            factor(&knee.growth_before),
        )
    }
}

/// How far apart two latencies are.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct GapAt {
    pub level: Level,
    /// The higher minus the lower one, in milliseconds.
    pub difference_ms: f64,
    /// The higher ÷ the lower one.
    pub ratio: f64,
}

/// `2.14 (95 % interval 2.0–2.3)`.
fn factor(factor: &Estimate) -> String {
    let interval = factor.interval.map(|interval| interval_with_confidence(&interval));
    let interval = interval.map_or(String::new(), |interval| format!(" ({interval})"));
    format!("{}{interval}", figure(factor.point))
}

/// Without the remark on single measurements, which the sentence makes once.
fn times(ratio: &Estimate) -> String {
    match ratio.interval {
        Some(_) => numbers::estimate(ratio, "×"),
        None => format!("{} ×", figure(ratio.point)),
    }
}

/// How far one target is behind another at every level, as printed: by a latency that was measured
/// once.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LatencyGap {
    pub metric: Metric,
    /// The target with the lower latency at all common levels.
    pub ahead: String,
    pub behind: String,
    /// At the lowest common level.
    pub lowest: GapAt,
    /// At the highest common level.
    pub highest: GapAt,
}

impl FindingKind for LatencyGap {
    const HEADING: &'static str = "Latency as printed";

    fn say(found: &Group<'_, Self>) -> String {
        let gap = found.first;
        let at = |at: &GapAt| {
            let (difference, ratio) = (figure(at.difference_ms), figure(at.ratio));
            format!("by {difference} ms ({ratio} ×) at {}", at.level)
        };
        format!(
            "as printed, the {} of {} is higher than that of {} at every level: {}, {}",
            metric_name(gap.metric),
            target_name(&gap.behind),
            target_name(&gap.ahead),
            at(&gap.lowest),
            at(&gap.highest),
        )
    }
}
