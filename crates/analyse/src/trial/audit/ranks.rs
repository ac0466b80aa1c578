//! Printed ranks against the values that they rank.

use super::checked::Checked;
use super::figure::{Figure, Row};
use super::units::Dimension;
use findings::{Identity, Range};
use std::cmp::Ordering;

const RANK: &str = "rank";

/// A row with its rank and the value that may have decided it.
struct Ranked<'a> {
    row: Row<'a>,
    rank: Figure<'a>,
    value: Figure<'a>,
}

pub(super) fn check(rows: &[Row<'_>], checked: &mut Checked) {
    let mut groups: Vec<Vec<Row>> = Vec::new();
    for row in rows.iter().filter(|row| row.figure(RANK).is_some()) {
        let same = |other: &Row| {
            let place = |row: &Row| (row.key.test.clone(), row.key.level, row.key.repeat);
            place(row) == place(other) && row.file == other.file
        };
        match groups.iter_mut().find(|group| same(&group[0])) {
            Some(group) => group.push(*row),
            None => groups.push(vec![*row]),
        }
    }
    for group in groups {
        ranking(&group, checked);
    }
}

/// Which figure a ranking goes by is not said; it is sound if it goes by any that all rows have.
fn ranking(rows: &[Row<'_>], checked: &mut Checked) {
    let Some(first) = rows.first() else { return };
    let candidates = first.figures().filter(|figure| better(figure).is_some());
    let tried = candidates.filter_map(|candidate| {
        let mut tried = Checked::default();
        by(&ranked(rows, candidate.name())?, &mut tried);
        Some(tried)
    });
    if let Some(best) = tried.min_by_key(|tried| tried.found.len()) {
        checked.identities += best.identities;
        checked.found.extend(best.found);
    }
}

/// Every row with its value of that metric; `None` unless all have one and the ranks are places
/// among just these rows.
fn ranked<'a>(rows: &[Row<'a>], metric: &str) -> Option<Vec<Ranked<'a>>> {
    let of_row = |row: &Row<'a>| {
        let mut rank = row.figure(RANK)?;
        rank.range = Range::exact(rank.range.nominal);
        Some(Ranked { row: *row, rank, value: row.figure(metric)? })
    };
    let ranked: Vec<Ranked> = rows.iter().map(of_row).collect::<Option<_>>()?;
    let place = |ranked: &Ranked| (1.0..=rows.len() as f64).contains(&ranked.rank.range.nominal);
    (rows.len() > 1 && ranked.iter().all(place)).then_some(ranked)
}

fn by(ranked: &[Ranked<'_>], checked: &mut Checked) {
    for own in ranked {
        let count = |fits: &dyn Fn(&Ranked) -> bool| ranked.iter().filter(|r| fits(r)).count();
        let clearly = |ordering| {
            count(&|other| {
                !other.value.range.meets(own.value.range) && order(other, own) == ordering
            })
        };
        let place = 1 + count(&|other| order(other, own) == Ordering::Greater);
        let follows = Range {
            nominal: place as f64,
            low: (1 + clearly(Ordering::Greater)) as f64,
            high: (ranked.len() - clearly(Ordering::Less)) as f64,
        };
        checked.expect(&own.row, Identity::Rank, vec![own.value.term()], follows, &own.rank);
    }
}

/// Greater is better.
fn order(a: &Ranked<'_>, b: &Ranked<'_>) -> Ordering {
    let by_value = a.value.range.nominal.total_cmp(&b.value.range.nominal);
    if better(&a.value) == Some(Ordering::Less) { by_value.reverse() } else { by_value }
}

/// Which values of a figure are the better ones: of times the lesser, of rates the greater; other
/// figures rank nothing.
fn better(figure: &Figure<'_>) -> Option<Ordering> {
    match figure.unit.dimension {
        Dimension::Time => Some(Ordering::Less),
        Dimension::Rate | Dimension::DataRate => Some(Ordering::Greater),
        _ if figure.name().ends_with("_per_s") => Some(Ordering::Greater),
        _ => None,
    }
}
