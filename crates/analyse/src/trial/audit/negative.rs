//! Rates and latencies that are printed as less than zero.

use super::checked::Checked;
use super::figure::Row;
use super::units::{self, Dimension};
use findings::{Contradiction, Identity, Range, Term};
use model::FigureValue;

/// Counted only where one is below zero: that others are not says nothing of them.
pub(super) fn check(row: &Row<'_>, checked: &mut Checked) {
    for figure in &row.outcome.figures {
        let FigureValue::Number(number) = figure.value else { continue };
        let dimension = units::parse(&figure.unit).dimension;
        let is_rate = matches!(dimension, Dimension::Rate | Dimension::DataRate);
        if number.value >= 0.0 || !(is_rate || figure.metric.starts_with("latency_")) {
            continue;
        }
        checked.count(false, row.index, || Contradiction {
            identity: Identity::NotNegative,
            file: row.file.to_owned(),
            terms: Vec::new(),
            follows: Range::at_least(Range::exact(0.0)),
            printed: Term::printed(figure),
            off: number.value,
        });
    }
}
