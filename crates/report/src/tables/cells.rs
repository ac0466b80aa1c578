use super::{RestsOn, Table, TableCell, Tone, cell_id, numbers, words};
use crate::level_axis::{LevelAxis, overloaded};
use crate::numbers::percent;
use crate::view::{self, Tally};
use crate::words::with_unit;
use analyse::{Analysis, Metric, TestAnalysis, Validity};
use model::Derivation;

/// Every cell of a test, the levels in order and the targets within each.
pub(crate) fn cells(analysis: &Analysis, test: &TestAnalysis) -> Table {
    let axis = LevelAxis::for_test(test);
    let metrics = shown(analysis, test);
    let figure = |cell: &analyse::Cell, metric: Metric| match overloaded(cell) {
        Some(overloaded) if metric.is_latency() => {
            TableCell::text(overloaded).with_tone(Tone::Doubtful)
        }
        _ => TableCell::of_metric(metric, cell.estimate(metric).as_ref()),
    };
    let heading = |metric: &Metric| match metric.entry().derivation {
        Some(Derivation::Mean) => "mean, ms".to_owned(),
        Some(Derivation::Percentile(percentile)) => axis.percentile(percentile),
        _ => with_unit(*metric, view::counted(test)),
    };
    let mut columns = vec![numbers(axis.name()), words("target")];
    columns.extend(metrics.iter().map(heading).map(numbers));
    columns.extend([numbers("spread"), words("trials")]);
    let mut table = Table::new(columns);
    let mut ordered: Vec<(usize, &analyse::Cell)> = test.cells.iter().enumerate().collect();
    ordered.sort_by_key(|(_, cell)| cell.level);
    let mut previous = None;
    for (place, cell) in ordered {
        let opens = previous != Some(cell.level);
        previous = Some(cell.level);
        let mut row = vec![
            TableCell::text(axis.text(cell.level)),
            TableCell::target(&cell.target, view::series(analysis, &cell.target)),
        ];
        row.extend(metrics.iter().map(|&metric| figure(cell, metric)));
        row.extend([
            TableCell::text(cell.spread.map_or(crate::numbers::NOTHING.to_owned(), percent)),
            validity(analysis, cell),
        ]);
        if opens {
            table.push_group(row);
        } else {
            table.push(row);
        }
        if let Some(id) = cell_id(analysis, test, place) {
            table.name_last(id);
        }
    }
    if view::has_levels(analysis, test) { table } else { table.without_empty_columns() }
}

/// Of a load always throughput and percentiles, and what else is known of any cell.
fn shown(analysis: &Analysis, test: &TestAnalysis) -> Vec<Metric> {
    let has_levels = view::has_levels(analysis, test);
    let is_shown = |metric: &&Metric| match metric {
        Metric::Throughput | Metric::LatencyP50 | Metric::LatencyP95 | Metric::LatencyP99
            if has_levels =>
        {
            true
        }
        // They have a table of their own.
        metric if metric.is_of_part() || metric.resource().is_some() => false,
        metric if has_levels && metric.is_latency() => false,
        metric => test.cells.iter().any(|cell| cell.estimate(**metric).is_some()),
    };
    Metric::ALL.iter().filter(is_shown).copied().collect()
}

fn validity(analysis: &Analysis, cell: &analyse::Cell) -> TableCell {
    let tally = Tally::for_cells(analysis, [cell]);
    let tone = match tally {
        Tally { void: 0, failed: 0, suspect: 0, valid: 1.., .. } => Tone::Good,
        Tally { void: 0, failed: 0, suspect: 0, unwatched: 1.., .. } => Tone::Plain,
        Tally { void: 0, failed: 0, suspect: 1.., .. } => Tone::Doubtful,
        Tally { void: 0, failed: 0, suspect: 0, printed: 1.., .. } => Tone::Plain,
        _ => Tone::Bad,
    };
    let trials = cell.trials.iter().filter_map(|trial| {
        let record = analysis.dataset.trials.get(trial.record)?;
        let text = format!("{}{}", trial.repeat, sign(trial.validity));
        Some(RestsOn { position: record.position, text, id: None })
    });
    TableCell { trials: trials.collect(), ..TableCell::text(tally.describe()).with_tone(tone) }
}

fn sign(validity: Validity) -> &'static str {
    match validity {
        Validity::Valid => "",
        Validity::Suspect => "?",
        Validity::Void => "✕",
    }
}
