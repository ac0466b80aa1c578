//! Counts, rates and times of one trial.

use super::checked::Checked;
use super::dates::{self, ELAPSED};
use super::figure::{Figure, Row};
use super::units::Dimension;
use findings::{Identity, Range, Term};

/// Seconds between the moments at which a tool reads the clock for its rates and for the time that it
/// prints: sysbench 1.0 takes about one millisecond more for the rates, and on a busy machine as long as
/// it waits for a processor, up to 16 ms where that was looked for.
const CLOCKS: f64 = 0.1;
/// Rates whose count has another name.
const OTHER_NAMES: [(&str, &str); 1] = [("lag_applied", "initial_lag")];

/// A count with its rate.
struct Pair<'a> {
    count: Figure<'a>,
    rate: Figure<'a>,
}

pub(super) fn check(row: &Row<'_>, checked: &mut Checked) {
    let pairs = pairs(row);
    if let Some((terms, time)) = time(row) {
        for Pair { count, rate } in &pairs {
            if let Some(follows) = count.range.over(time) {
                let mut terms = terms.clone();
                terms.insert(0, count.term());
                checked.expect(row, Identity::Rate, terms, follows, rate);
            }
        }
    }
    same_time(row, &pairs, checked);
}

/// Every pair gives a time, and it must be one and the same: so each rate follows from its count
/// and another pair. The other pair is that of transactions, which tools print themselves while
/// other rates are often reckoned afterwards.
fn same_time(row: &Row<'_>, pairs: &[Pair<'_>], checked: &mut Checked) {
    let of_transactions = pairs.iter().position(|pair| pair.count.name() == "transactions");
    let reference = of_transactions.unwrap_or(0);
    let Some(known) = pairs.get(reference) else { return };
    let Some(time) = known.count.range.over(known.rate.range) else { return };
    for (i, Pair { count, rate }) in pairs.iter().enumerate() {
        if let Some(follows) = count.range.over(time).filter(|_| i != reference) {
            let terms = vec![count.term(), known.count.term(), known.rate.term()];
            checked.expect(row, Identity::SameTime, terms, follows, rate);
        }
    }
}

fn pairs<'a>(row: &Row<'a>) -> Vec<Pair<'a>> {
    let pair = |rate: Figure<'a>| {
        let counted = rate.name().strip_suffix("_per_s")?;
        let other = OTHER_NAMES.iter().find(|(name, _)| *name == counted);
        let count = row.figure(other.map_or(counted, |(_, name)| name))?;
        let reckonable = matches!(count.unit.dimension, Dimension::Count | Dimension::Time)
            && matches!(rate.unit.dimension, Dimension::Rate | Dimension::Other | Dimension::Count);
        (reckonable && count.range.nominal > 0.0).then_some(Pair { count, rate })
    };
    row.figures().filter_map(pair).collect()
}

/// The time that a trial took, in seconds: as printed, or from its start to its end.
fn time(row: &Row<'_>) -> Option<(Vec<Term>, Range)> {
    let from_tool = row.outcome.source.as_ref().is_some_and(|source| !source.tool.is_empty());
    match row.any(&ELAPSED, Dimension::Time) {
        Some(elapsed) if from_tool => Some((vec![elapsed.term()], elapsed.range.widened(CLOCKS))),
        Some(elapsed) => Some((vec![elapsed.term()], elapsed.range)),
        None => dates::span(row),
    }
}
