//! Totals against their parts, shares against the whole.

use super::checked::Checked;
use super::figure::{Figure, Row};
use super::units::Dimension;
use findings::{Identity, Range, Term};

/// Totals with all of their parts.
const SUMS: [(&str, &[&str]); 2] =
    [("queries", &["reads", "writes", "other"]), ("requests", &["reads", "writes", "other"])];
/// Shares that make up the whole.
const SHARES: [&[&str]; 2] =
    [&["read_percent", "write_percent"], &["cpu_user", "cpu_system", "cpu_iowait", "cpu_idle"]];

pub(super) fn check(row: &Row<'_>, checked: &mut Checked) {
    for (total, parts) in SUMS {
        sum(row, total, parts, checked);
    }
    for figure in row.figures() {
        // `iops` or `iops_per_volume` of `read_…` and `write_…`.
        if matches!(figure.unit.dimension, Dimension::Rate | Dimension::DataRate) {
            let parts = ["read", "write"].map(|part| format!("{part}_{}", figure.name()));
            sum(row, figure.name(), &parts.each_ref().map(String::as_str), checked);
        }
    }
    for shares in SHARES {
        let figures = all(row, shares).filter(|all| all.len() == shares.len());
        let percent = |figure: &Figure| figure.unit.dimension == Dimension::Percent;
        if let Some((last, others)) = figures.as_deref().and_then(<[Figure]>::split_last)
            && percent(last)
            && others.iter().all(percent)
        {
            let rest = added(others);
            let follows = Range {
                nominal: 100.0 - rest.nominal,
                low: 100.0 - rest.high,
                high: 100.0 - rest.low,
            };
            checked.expect(row, Identity::Sum, terms(others), follows, last);
        }
    }
}

fn sum(row: &Row<'_>, total: &str, parts: &[&str], checked: &mut Checked) {
    let Some((total, parts)) = row.figure(total).zip(all(row, parts)) else { return };
    if parts.iter().all(|part| part.unit.dimension == total.unit.dimension) {
        checked.expect(row, Identity::Sum, terms(&parts), added(&parts), &total);
    }
}

/// The figures of these names, if all are there.
fn all<'a>(row: &Row<'a>, names: &[&str]) -> Option<Vec<Figure<'a>>> {
    names.iter().map(|name| row.figure(name)).collect()
}

fn added(figures: &[Figure<'_>]) -> Range {
    figures.iter().fold(Range::exact(0.0), |sum, figure| sum + figure.range)
}

fn terms(figures: &[Figure<'_>]) -> Vec<Term> {
    figures.iter().map(Figure::term).collect()
}
