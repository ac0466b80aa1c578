//! Arithmetic that must hold between figures that others printed, and between those that weighin
//! recorded.
//!
//! Every printed figure stands for an interval: what its last digit leaves open. An identity holds if some
//! true values within these intervals fulfil it, so that what is merely rounded, or cut off, is
//! never found wrong. Where it fails, the figures cannot all be true, whichever of them is not. Weighin's own books are exact: what does
//! not agree there is a defect of weighin, and such a trial is void.

mod bandwidth;
mod checked;
mod contradiction;
mod dates;
mod figure;
mod order;
mod outstanding;
mod own;
mod pattern;
mod per_unit;
mod range;
mod ranks;
mod rates;
mod sums;
mod units;

pub use contradiction::{Contradiction, Identity, Origin, Prefix, Source, Term};
pub use range::Range;

use crate::check::Doubt;
use crate::{Evidence, Finding, Severity, Subject, Validity};
use checked::Checked;
use figure::Row;
use model::Dataset;

/// What the audit of a whole dataset came to.
pub(crate) struct Audit {
    /// Doubts on trials, with the trial's place in the dataset.
    pub(crate) doubts: Vec<(usize, Doubt)>,
    /// At most one about the figures of each source.
    pub(crate) findings: Vec<Finding>,
}

/// Checks every identity for which the figures are there. A printed contradiction larger than the
/// study's margin makes its trial suspect, smaller ones are notices; one in weighin's own books
/// makes the trial void.
pub(crate) fn audit(dataset: &Dataset) -> Audit {
    let (printed, own) = (printed(dataset), own::check(dataset));
    let findings = [(Source::Others, &printed), (Source::Own, &own)];
    let findings = findings.into_iter().filter_map(|(source, checked)| finding(source, checked));
    let suspect = |found: &Contradiction| match found.relative() > dataset.study.margin {
        true => Validity::Suspect,
        false => Validity::Valid,
    };
    Audit {
        findings: findings.collect(),
        doubts: doubts(printed, suspect).chain(doubts(own, |_| Validity::Void)).collect(),
    }
}

fn printed(dataset: &Dataset) -> Checked {
    let rows: Vec<Row> = dataset
        .trials
        .iter()
        .enumerate()
        .filter_map(|(index, record)| {
            Some(Row { index, key: &record.key, reported: record.reported()? })
        })
        .collect();
    let mut checked = Checked::default();
    for row in &rows {
        dates::check(row, &mut checked);
        rates::check(row, &mut checked);
        order::check(row, &mut checked);
        sums::check(row, &mut checked);
        outstanding::check(row, &mut checked);
    }
    bandwidth::check(&rows, &mut checked);
    per_unit::check(&rows, &mut checked);
    ranks::check(&rows, &mut checked);
    checked
}

fn doubts(
    checked: Checked,
    validity: impl Fn(&Contradiction) -> Validity,
) -> impl Iterator<Item = (usize, Doubt)> {
    checked.found.into_iter().map(move |(index, found)| {
        let validity = validity(&found);
        (index, Doubt { validity, evidence: Evidence::Contradiction(Box::new(found)) })
    })
}

/// How many identities were checked, and how many hold; `None` where there were none.
fn finding(source: Source, checked: &Checked) -> Option<Finding> {
    let (checked, violated) = (checked.identities, checked.found.len());
    (checked > 0).then(|| Finding {
        severity: if violated == 0 { Severity::Passed } else { Severity::Notice },
        subject: Subject::default(),
        evidence: Evidence::ArithmeticChecked { source, checked, violated },
    })
}
