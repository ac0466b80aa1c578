//! Figures of all commands together, which memtier_benchmark does not always add up itself.

use super::CommandResult;
use crate::figures::{Figures, reckoned};
use model::{FigureNumber, Latencies};

/// By how much figures that are the same may differ as a share.
const TOLERANCE: f64 = 1e-3;
const SUMMED: &str = "of all commands together";

/// Writes the figures of all commands, of which those of `best` are the best run's where these are the
/// average of several. Gives their latencies.
pub(super) fn figures(
    totals: &CommandResult<'_>,
    commands: &[CommandResult<'_>],
    best: Option<&CommandResult<'_>>,
    note: &str,
    figures: &mut Figures,
) -> Option<Latencies> {
    let rate = rate(totals, commands, best);
    let bandwidth = bandwidth(totals, commands, best.is_some());
    totals.rates([rate, bandwidth], note, figures);
    let max = totals.number("Max Latency");
    if max.is_none_or(|max| max.value > 0.0) {
        totals.latencies(note, figures);
        return totals.histogram();
    }
    // Of the average of several runs it prints an empty histogram.
    if rate.is_none_or(|rate| !near(rate, sum(commands, "Ops/sec"))) {
        return None;
    }
    for (metric, value) in [
        ("latency_avg", mean(commands)),
        ("latency_min", extreme(commands, "Min Latency", false)),
        ("latency_max", extreme(commands, "Max Latency", true)),
    ] {
        if let Some(value) = value {
            figures.noted(metric, value, "ms", SUMMED, 0);
        }
    }
    let mut all = Latencies::new();
    for command in commands {
        all.merge(&command.histogram()?);
    }
    let all = Some(all).filter(|all| !all.is_empty())?;
    figures.percentiles(&all);
    Some(all)
}

/// Operations per second. Some versions print a sum for the average of several runs, which is more
/// than the best of them had.
fn rate(
    totals: &CommandResult<'_>,
    commands: &[CommandResult<'_>],
    best: Option<&CommandResult<'_>>,
) -> Option<FigureNumber> {
    let printed = totals.number("Ops/sec")?;
    let Some(most) = best.and_then(|best| best.number("Ops/sec")) else { return Some(printed) };
    let possible = |rate: &FigureNumber| rate.value <= most.value * (1.0 + TOLERANCE);
    Some(printed).filter(possible).or_else(|| Some(sum(commands, "Ops/sec")).filter(possible))
}

/// Bytes per second. From version 2.1 on those of arbitrary commands are counted twice: what is sent
/// is then the same as what is received, and both are all.
fn bandwidth(
    totals: &CommandResult<'_>,
    commands: &[CommandResult<'_>],
    averaged: bool,
) -> Option<FigureNumber> {
    let printed = totals.number("KB/sec")?;
    let of_commands = sum(commands, "KB/sec");
    let fits = |all: FigureNumber| of_commands.value <= all.value * (1.0 + TOLERANCE);
    let half = FigureNumber { value: printed.value / 2.0, ..printed };
    match totals.number("KB/sec RX").zip(totals.number("KB/sec TX")) {
        Some((sent, received)) if sent.value > 0.0 && sent.value == received.value => {
            Some(if fits(half) { half } else { printed })
        }
        // An average does not say.
        Some(_) if averaged && !near(printed, of_commands) => None,
        _ => Some(printed),
    }
}

fn near(one: FigureNumber, other: FigureNumber) -> bool {
    let rounding = one.resolution + other.resolution;
    (one.value - other.value).abs() <= TOLERANCE * one.value + rounding
}

fn sum(commands: &[CommandResult<'_>], name: &str) -> FigureNumber {
    let mut sum = FigureNumber { value: 0.0, resolution: 0.0 };
    for number in commands.iter().filter_map(|command| command.number(name)) {
        sum.value += number.value;
        sum.resolution += number.resolution;
    }
    sum
}

fn mean(commands: &[CommandResult<'_>]) -> Option<FigureNumber> {
    let mut mean = FigureNumber { value: 0.0, resolution: 0.0 };
    let mut all = 0.0;
    for command in commands {
        let (own, _) = command.mean()?;
        let count = command.number("Count")?.value;
        mean.value += own.value * count;
        mean.resolution += own.resolution * count;
        all += count;
    }
    (all > 0.0).then(|| reckoned(mean.value / all, mean.resolution / all))
}

fn extreme(commands: &[CommandResult<'_>], name: &str, largest: bool) -> Option<FigureNumber> {
    let values: Option<Vec<FigureNumber>> =
        commands.iter().map(|command| command.number(name)).collect();
    let by_value = |a: &FigureNumber, b: &FigureNumber| a.value.total_cmp(&b.value);
    let values = values?.into_iter();
    if largest { values.max_by(by_value) } else { values.min_by(by_value) }
}
