//! Percentiles, means, minima and maxima of one distribution.

use super::checked::Checked;
use super::figure::{Figure, Row};
use findings::{Identity, Range};

/// What a figure is of its distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Statistic {
    Mean,
    /// 0 is the minimum, 100 the maximum.
    Percentile(f64),
}

/// Tools find percentiles in buckets, and minimum and maximum exactly: a percentile of fio may be
/// above the maximum by a bucket of 1/64, one of sysbench by a step of 1.8 %.
const BUCKET: f64 = 0.02;

pub(super) fn check(row: &Row<'_>, checked: &mut Checked) {
    let mut distributions: Vec<(&str, Vec<(Statistic, Figure)>)> = Vec::new();
    for figure in row.figures() {
        let Some((name, part)) = part(figure.name()) else { continue };
        match distributions.iter_mut().find(|(known, _)| *known == name) {
            Some((_, figures)) => figures.push((part, figure)),
            None => distributions.push((name, vec![(part, figure)])),
        }
    }
    for (_, figures) in distributions {
        distribution(row, &figures, checked);
    }
}

fn distribution(row: &Row<'_>, figures: &[(Statistic, Figure<'_>)], checked: &mut Checked) {
    let mut ordered: Vec<(f64, &Figure)> = Vec::new();
    for (part, figure) in figures {
        if let Statistic::Percentile(rank) = part {
            ordered.push((*rank, figure));
        }
    }
    ordered.sort_by(|a, b| a.0.total_cmp(&b.0));
    let from_tool = row.outcome.source.as_ref().is_some_and(|source| !source.tool.is_empty());
    for pair in ordered.windows(2) {
        let (lower, higher) = (pair[0].1, pair[1].1);
        let mut follows = Range::at_least(lower.range);
        if from_tool && (pair[0].0 == 0.0 || pair[1].0 == 100.0) {
            follows.low *= 1.0 - BUCKET;
        }
        checked.expect(row, Identity::PercentileOrder, vec![lower.term()], follows, higher);
    }
    for (_, mean) in figures.iter().filter(|(part, _)| *part == Statistic::Mean) {
        for (rank, end) in &ordered {
            let follows = match rank {
                0.0 => Range::at_least(end.range),
                100.0 => Range::at_most(end.range),
                _ => continue,
            };
            checked.expect(row, Identity::MeanInRange, vec![end.term()], follows, mean);
        }
    }
}

/// `latency_p99` is the 99th percentile of `latency`, `latency_p999` its 99.9th.
fn part(name: &str) -> Option<(&str, Statistic)> {
    let (of, last) = name.rsplit_once('_').unwrap_or(("", name));
    let part = match last {
        "mean" | "avg" | "average" => Statistic::Mean,
        "min" => Statistic::Percentile(0.0),
        "median" => Statistic::Percentile(50.0),
        "max" => Statistic::Percentile(100.0),
        _ => {
            let digits = last.strip_prefix('p').or_else(|| last.strip_suffix("th"))?;
            Statistic::Percentile(percentile(digits)?)
        }
    };
    Some((of, part))
}

/// Digits beyond the second are decimals where no point says otherwise: 999 is 99.9.
fn percentile(digits: &str) -> Option<f64> {
    let value: f64 = digits.parse().ok()?;
    let whole = digits.bytes().all(|digit| digit.is_ascii_digit());
    let decimals = if whole && digits != "100" { digits.len().saturating_sub(2) } else { 0 };
    let rank = value / 10_f64.powi(decimals as i32);
    (0.0..=100.0).contains(&rank).then_some(rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_which_part_of_a_distribution_a_figure_is() {
        assert_eq!(part("latency_p95"), Some(("latency", Statistic::Percentile(95.0))));
        assert_eq!(part("latency_p999"), Some(("latency", Statistic::Percentile(99.9))));
        assert_eq!(part("latency_p99.99"), Some(("latency", Statistic::Percentile(99.99))));
        assert_eq!(part("latency_95th"), Some(("latency", Statistic::Percentile(95.0))));
        assert_eq!(part("p100"), Some(("", Statistic::Percentile(100.0))));
        assert_eq!(part("read_latency_avg"), Some(("read_latency", Statistic::Mean)));
        assert_eq!(part("iops_per_vm"), None);
        assert_eq!(part("latency_p"), None);
    }
}
