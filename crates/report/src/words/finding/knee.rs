//! How latency grows with clients where it is all that is known.

use super::{Group, Words};
use crate::numbers::{self, figure, interval_with_confidence};
use crate::words::labels::target_name;
use crate::words::metric::metric_name;
use crate::words::place::what_grows;
use analyse::{GapAt, LatencyGap, LatencyKnee};
use stats::Estimate;

impl Words for LatencyKnee {
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
            "{metric} bends upwards from {from} on{}: up to {to} each doubling of {what} \
             multiplies it by {}, before that by at most {}{throughput}",
            if knee.growth.interval.is_none() { ", as printed" } else { "" },
            factor(&knee.growth),
            factor(&knee.growth_before),
        )
    }
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

impl Words for LatencyGap {
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
