use super::{Table, TableCell, Tone, numbers, words};
use crate::level_axis::LevelAxis;
use crate::numbers::{count, list};
use crate::words::{metric_name, verdict};
use analyse::{Comparison, Metric, TestAnalysis, Verdict};
use stats::Estimate;

/// What a row shows of one metric: the ratio, and what follows.
type Figures<'a> = (&'a Estimate, Verdict);

/// Two targets against one another, level by level, then over all levels together. The figures
/// themselves are in the table of cells.
pub(crate) fn ratios(test: &TestAnalysis, baseline: &str, candidate: &str) -> Table {
    let axis = LevelAxis::of(test);
    let Some(basis) = test.basis else { return Table::new([]) };
    // A task that is no load has no latency to compare.
    let has = |metric: &Metric| {
        *metric == basis.metric || test.comparisons.iter().any(|c| c.metric == *metric)
    };
    let metrics: Vec<Metric> = basis.compared().filter(has).collect();
    let mut columns = vec![numbers(axis.name())];
    for &metric in &metrics {
        let ratio = match metric {
            Metric::Throughput => "throughput ratio".to_owned(),
            Metric::LatencyP95 => axis.p95_ratio().to_owned(),
            other => format!("{} ratio", metric_name(other)),
        };
        columns.extend([numbers(ratio), words("verdict")]);
    }
    let mut table = Table::new(columns);
    let pair: Vec<&Comparison> = test
        .comparisons
        .iter()
        .filter(|c| c.baseline == baseline && c.candidate == candidate)
        .collect();
    let mut levels: Vec<model::Level> = pair.iter().map(|c| c.level).collect();
    levels.sort_unstable();
    levels.dedup();
    for level in levels {
        let of = |metric| -> Option<Figures> {
            let found = pair.iter().find(|c| c.level == level && c.metric == metric)?;
            Some((&found.ratio, found.verdict))
        };
        table.push(row(TableCell::text(axis.text(level)), &metrics, of, baseline, candidate));
    }
    let overall = |metric| {
        test.overall
            .iter()
            .find(|o| o.metric == metric && o.baseline == baseline && o.candidate == candidate)
    };
    if let Some(found) = overall(basis.metric) {
        let over = if found.all_levels {
            TableCell::text("all")
        } else {
            let levels: Vec<String> =
                found.levels.iter().map(|&level| count(axis.number(level).into())).collect();
            TableCell::text("together").with_note(list(&levels))
        };
        let of = |metric| overall(metric).map(|o| (&o.ratio, o.verdict));
        table.push_group(row(over, &metrics, of, baseline, candidate));
    }
    // A task without levels has none to name.
    table.without_empty_columns()
}

fn row<'a>(
    first: TableCell,
    metrics: &[Metric],
    of: impl Fn(Metric) -> Option<Figures<'a>>,
    baseline: &str,
    candidate: &str,
) -> Vec<TableCell> {
    let cells = metrics.iter().flat_map(|&metric| columns(of(metric), baseline, candidate));
    std::iter::once(first).chain(cells).collect()
}

fn columns(figures: Option<Figures>, baseline: &str, candidate: &str) -> [TableCell; 2] {
    let said = figures.map_or(TableCell::default(), |(_, said)| {
        let tone = match said {
            Verdict::CandidateBetter | Verdict::BaselineBetter => Tone::Good,
            Verdict::Equivalent => Tone::Plain,
            Verdict::Unresolved => Tone::Doubtful,
        };
        TableCell::text(verdict(said, baseline, candidate)).with_tone(tone)
    });
    [TableCell::estimate(figures.map(|(ratio, _)| ratio)), said]
}
