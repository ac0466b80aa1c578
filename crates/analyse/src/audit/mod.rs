//! Arithmetic that must hold between figures that others printed.
//!
//! Every figure stands for an interval: what its last digit leaves open. An identity holds if some
//! true values within these intervals fulfil it, so that what is merely rounded, or cut off, is
//! never found wrong. Where it fails, the figures cannot all be true, whichever of them is not.

mod bandwidth;
mod checked;
mod contradiction;
mod dates;
mod figure;
mod order;
mod outstanding;
mod pattern;
mod per_unit;
mod range;
mod ranks;
mod rates;
mod sums;
mod units;

pub use contradiction::{Contradiction, Identity, Origin, Prefix, Term};
pub use range::Range;

use crate::check::Doubt;
use crate::{Evidence, Finding, Severity, Subject, Validity};
use checked::Checked;
use figure::Row;
use model::Dataset;

/// What the audit of everything that was imported came to.
pub(crate) struct Audit {
    /// Doubts on trials, with the trial's place in the dataset.
    pub(crate) doubts: Vec<(usize, Doubt)>,
    /// How many identities were checked.
    identities: usize,
}

/// Checks every identity for which the figures are there. A trial with a contradiction larger
/// than the study's margin is suspect; smaller ones are notices.
pub(crate) fn audit(dataset: &Dataset) -> Audit {
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
    let doubt = |contradiction: Contradiction| {
        let relevant = contradiction.relative() > dataset.study.margin;
        let validity = if relevant { Validity::Suspect } else { Validity::Valid };
        Doubt { validity, evidence: Evidence::Contradiction(Box::new(contradiction)) }
    };
    Audit {
        identities: checked.identities,
        doubts: checked.found.into_iter().map(|(index, found)| (index, doubt(found))).collect(),
    }
}

impl Audit {
    /// How many identities were checked, and how many hold; `None` where there were none.
    pub(crate) fn finding(&self) -> Option<Finding> {
        let (checked, violated) = (self.identities, self.doubts.len());
        (checked > 0).then(|| Finding {
            severity: if violated == 0 { Severity::Passed } else { Severity::Notice },
            subject: Subject::default(),
            evidence: Evidence::ArithmeticChecked { checked, violated },
        })
    }
}
