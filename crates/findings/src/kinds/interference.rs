//! What a statement and the load beside it do to each other.

use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers;
use stats::Estimate;

/// What the statements of a test and the load beside them did to each other on one target.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BesideEachOther {
    /// What was done, by name.
    pub what: String,
    /// Whether it is a change of the schema.
    pub is_change: bool,
    /// How long it took beside the load, in seconds.
    pub elapsed: Estimate,
    /// That ÷ the time that it takes alone, paired by trial; absent where that is not known.
    pub slowdown: Option<Estimate>,
    /// Throughput of the load meanwhile ÷ before, paired by trial.
    pub throughput_kept: Option<Estimate>,
    /// p99 latency of the load before and meanwhile, in milliseconds.
    pub p99_ms: Option<(Estimate, Estimate)>,
    /// The longest time that a statement of the load waited for its answer, in milliseconds.
    pub longest_blocked_ms: Option<Estimate>,
}

impl FindingKind for BesideEachOther {
    const HEADING: &'static str = "Beside the load";

    fn say(found: &Group<'_, Self>) -> String {
        let found = found.first;
        let mut parts = vec![format!(
            "{} takes {} beside the load{}",
            found.what,
            numbers::estimate(&found.elapsed, "s"),
            found.slowdown.as_ref().map_or(String::new(), slowdown),
        )];
        parts.extend(found.throughput_kept.as_ref().map(kept));
        parts.extend(found.p99_ms.as_ref().map(|(before, during)| {
            format!(
                "its p99 latency is {} meanwhile, and {} before",
                numbers::estimate(during, "ms"),
                numbers::estimate(before, "ms")
            )
        }));
        parts.extend(found.longest_blocked_ms.as_ref().map(|longest| {
            format!(
                "the longest wait of one of its statements is {}",
                numbers::estimate(longest, "ms")
            )
        }));
        parts.join("; ")
    }
}

/// How many times as long as alone; only where that is known to be so.
fn slowdown(ratio: &Estimate) -> String {
    match ratio.interval {
        Some(interval) if interval.low <= 1.0 && interval.high >= 1.0 => {
            format!(", and whether that is longer than alone is not resolved ({})", times(ratio))
        }
        _ => format!(", {} as long as alone", times(ratio)),
    }
}

/// How much of its throughput the load loses or gains meanwhile.
fn kept(ratio: &Estimate) -> String {
    let lost = |share: f64| 1.0 - share;
    let (verb, change): (&str, fn(f64) -> f64) = match ratio.point < 1.0 {
        true => ("loses", lost),
        false => ("gains", |share| share - 1.0),
    };
    let share = numbers::percent(change(ratio.point));
    let Some(interval) = ratio.interval else {
        let measured = match ratio.n {
            1 => "measured once".to_owned(),
            n => format!("the median of {n} trials"),
        };
        return format!("the load {verb} {share} of its throughput meanwhile, {measured}");
    };
    let ends = [change(interval.low), change(interval.high)];
    let ends = (ends[0].min(ends[1]), ends[0].max(ends[1]));
    let confidence = numbers::percent(interval.confidence);
    let within = format!("({confidence} interval {})", numbers::percents(ends));
    match interval.low <= 1.0 && interval.high >= 1.0 {
        true => format!(
            "whether the load {verb} throughput meanwhile is not resolved: {share} {within}"
        ),
        false => format!("the load {verb} {share} of its throughput meanwhile {within}"),
    }
}

fn times(ratio: &Estimate) -> String {
    numbers::estimate(ratio, "times")
}
