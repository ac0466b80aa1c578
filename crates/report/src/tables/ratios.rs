use super::{Table, TableCell, Tone, numbers, words};
use crate::level_axis::LevelAxis;
use crate::numbers::{count, figure, list};
use crate::view;
use crate::words::{in_unit, metric_name, unit, verdict};
use analyse::{Comparison, Means, Metric, TestAnalysis, Verdict};
use model::Level;
use stats::Estimate;
use std::collections::{BTreeSet, HashMap};

/// What a row shows of one metric: the figures, their ratio, and what follows.
type Figures<'a> = (&'a Means, &'a Estimate, Verdict);

/// Two targets against one another, level by level, then over all levels together. The figures are
/// those that the ratios are of; the table of cells has medians.
pub(crate) fn ratios(test: &TestAnalysis, baseline: &str, candidate: &str) -> Table {
    let axis = LevelAxis::for_test(test);
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
        let means = match unit(metric, view::counted(test)) {
            unit if unit.is_empty() => "geometric means".to_owned(),
            unit => format!("geometric means, {unit}"),
        };
        columns.extend([numbers(means), numbers(ratio), words("verdict")]);
    }
    let mut table = Table::new(columns);
    let of_pair =
        test.comparisons.iter().filter(|c| c.baseline == baseline && c.candidate == candidate);
    let pair: HashMap<(Level, Metric), &Comparison> =
        of_pair.map(|c| ((c.level, c.metric), c)).collect();
    let levels: BTreeSet<Level> = pair.keys().map(|(level, _)| *level).collect();
    for level in levels {
        let of = |metric| -> Option<Figures> {
            let found = pair.get(&(level, metric))?;
            Some((&found.means, &found.ratio, found.verdict))
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
        let of = |metric| overall(metric).map(|o| (&o.means, &o.ratio, o.verdict));
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
    let cells = metrics.iter().flat_map(|&metric| columns(metric, of(metric), baseline, candidate));
    std::iter::once(first).chain(cells).collect()
}

fn columns(
    metric: Metric,
    figures: Option<Figures>,
    baseline: &str,
    candidate: &str,
) -> [TableCell; 3] {
    let said = figures.map_or(TableCell::default(), |(.., said)| {
        let tone = match said {
            Verdict::CandidateBetter | Verdict::BaselineBetter => Tone::Good,
            Verdict::Equivalent => Tone::Plain,
            Verdict::Unresolved => Tone::Doubtful,
        };
        TableCell::text(verdict(said, baseline, candidate)).with_tone(tone)
    });
    let both = figures.map_or(TableCell::default(), |(means, ..)| quotient(metric, means));
    [both, TableCell::estimate(figures.map(|(_, ratio, _)| ratio)), said]
}

/// The figures of a ratio: `1,430 ÷ 1,740`.
pub(super) fn quotient(metric: Metric, means: &Means) -> TableCell {
    let mean = |point: f64| {
        let alone = Estimate { point, interval: None, n: 1 };
        figure(in_unit(metric, &alone).point)
    };
    TableCell::text(format!("{} ÷ {}", mean(means.candidate), mean(means.baseline)))
}
