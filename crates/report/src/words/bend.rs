//! How latency grows with clients where it is all that is known, in words.

use super::labels::target_name;
use super::metric::metric_name;
use super::place::what_grows;
use crate::numbers::{self, figure};
use analyse::{GapAt, LatencyGap, LatencyKnee};
use stats::Estimate;

/// `p95 latency bends upwards from 64 clients on, as printed: …`.
pub(super) fn bend(bend: &LatencyKnee) -> String {
    let (metric, from, to) = (metric_name(bend.metric), bend.from, bend.to);
    let throughput = bend.throughput.map_or(String::new(), |ratio| {
        let stopped = if bend.saturated { ": it has all but stopped growing" } else { "" };
        format!(
            ". By Little’s law, as {} ÷ mean latency, throughput at {to} is {} that at {from}{stopped}",
            what_grows(to),
            times(&ratio),
        )
    });
    format!(
        "{metric} bends upwards from {from} on{}: up to {to} it becomes {} what it was for each \
         doubling of {}, before that no more than {}{throughput}",
        if bend.growth.interval.is_none() { ", as printed" } else { "" },
        times(&bend.growth),
        what_grows(to),
        times(&bend.growth_before),
    )
}

/// Without the remark on single measurements, which the sentence makes once.
fn times(ratio: &Estimate) -> String {
    match ratio.interval {
        Some(_) => numbers::estimate(ratio, "×"),
        None => format!("{} ×", figure(ratio.point)),
    }
}

/// `as printed, the p95 latency of vps is higher than that of hardware at every level: …`.
pub(super) fn gap(gap: &LatencyGap) -> String {
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
