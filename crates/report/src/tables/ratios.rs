use super::{Cell, Table, Tone, numbers, words};
use crate::numbers::count;
use crate::words::verdict;
use analyse::{Comparison, Metric, TestAnalysis, Verdict};

/// Two targets against one another, level by level.
pub(crate) fn ratios(test: &TestAnalysis, baseline: &str, candidate: &str) -> Table {
    let mut table = Table::new([
        numbers("clients"),
        numbers("base, transactions/s"),
        numbers("throughput ratio"),
        words("verdict"),
        numbers("base p95, ms"),
        numbers("p95 ratio"),
        words("verdict"),
    ]);
    let pair: Vec<&Comparison> = test
        .comparisons
        .iter()
        .filter(|c| c.baseline == baseline && c.candidate == candidate)
        .collect();
    let mut levels: Vec<model::Level> = pair.iter().map(|c| c.level).collect();
    levels.sort_unstable();
    levels.dedup();
    for level in levels {
        let of = |metric| pair.iter().find(|c| c.level == level && c.metric == metric).copied();
        let mut row = vec![Cell::text(count(level.clients.into()))];
        row.extend(columns(of(Metric::Throughput)));
        row.extend(columns(of(Metric::LatencyP95)));
        table.push(row);
    }
    table
}

fn columns(comparison: Option<&Comparison>) -> [Cell; 3] {
    let said = comparison.map_or(Cell::default(), |c| {
        let tone = match c.verdict {
            Verdict::CandidateBetter | Verdict::BaselineBetter => Tone::Good,
            Verdict::Equivalent => Tone::Plain,
            Verdict::Unresolved => Tone::Doubtful,
        };
        Cell::text(verdict(c.verdict, &c.baseline, &c.candidate)).with_tone(tone)
    });
    [
        Cell::estimate(comparison.map(|c| &c.base)),
        Cell::estimate(comparison.map(|c| &c.ratio)),
        said,
    ]
}
