//! Arithmetic that must hold between figures that others printed, and between those that weighin
//! recorded.
//!
//! Every printed figure stands for an interval: what its last digit leaves open. An identity holds if some
//! true values within these intervals fulfil it, so that what is merely rounded, or cut off, is
//! never found wrong. Where it fails, the figures cannot all be true, whichever of them is not. Weighin's own figures are exact: what does
//! not agree there is a defect of weighin, and such a trial is void.

mod bandwidth;
mod checked;
mod dates;
mod figure;
mod negative;
mod offered;
mod order;
mod outstanding;
mod own;
mod pattern;
mod per_unit;
mod ranks;
mod rates;
mod sums;
mod units;

use crate::trial::check::CheckResult;
use checked::Checked;
use figure::Row;
use findings::{ArithmeticChecked, Contradiction, Finding, Identity, Source, Subject, Validity};
use model::Dataset;

/// What the audit of a whole dataset came to.
pub(crate) struct Audit {
    /// What it found in trials, with the trial's place in the dataset.
    pub(crate) results: Vec<(usize, CheckResult)>,
    /// At most one about the figures of each source.
    pub(crate) findings: Vec<Finding>,
}

/// Checks every identity for which the figures are there. A printed contradiction larger than the
/// study's margin makes its trial suspect, smaller ones are notices; one in weighin's own figures
/// makes the trial void, and so does a larger one with the offered rate, at which the trial did not run
/// then.
pub(crate) fn audit(dataset: &Dataset) -> Audit {
    let (printed, own) = (printed(dataset), own::check(dataset));
    let findings = [(Source::Others, &printed), (Source::Own, &own)];
    let findings = findings.into_iter().filter_map(|(source, checked)| finding(source, checked));
    let suspect = |found: &Contradiction| match found.relative() > dataset.study.margin {
        true if found.identity == Identity::Offered => Validity::Void,
        true => Validity::Suspect,
        false => Validity::Valid,
    };
    Audit {
        findings: findings.collect(),
        results: results(printed, suspect).chain(results(own, |_| Validity::Void)).collect(),
    }
}

fn printed(dataset: &Dataset) -> Checked {
    let rows: Vec<Row> = dataset
        .trials
        .iter()
        .enumerate()
        .filter_map(|(index, record)| {
            let outcome = record.outcome()?;
            let file = &outcome.source.as_ref()?.file;
            Some(Row { index, key: &record.key, outcome, file })
        })
        .collect();
    let mut checked = Checked::default();
    for row in &rows {
        dates::check(row, &mut checked);
        rates::check(row, &mut checked);
        order::check(row, &mut checked);
        sums::check(row, &mut checked);
        outstanding::check(row, &mut checked);
        offered::check(row, &mut checked);
        negative::check(row, &mut checked);
    }
    bandwidth::check(&rows, &mut checked);
    per_unit::check(&rows, &mut checked);
    ranks::check(&rows, &mut checked);
    checked
}

fn results(
    checked: Checked,
    validity: impl Fn(&Contradiction) -> Validity,
) -> impl Iterator<Item = (usize, CheckResult)> {
    checked.found.into_iter().map(move |(index, found)| {
        let validity = validity(&found);
        (index, CheckResult::new(validity, found))
    })
}

/// How many identities were checked, and how many hold; `None` where there were none.
fn finding(source: Source, checked: &Checked) -> Option<Finding> {
    let (checked, violated) = (checked.identities, checked.found.len());
    (checked > 0)
        .then(|| Finding::new(Subject::default(), ArithmeticChecked { source, checked, violated }))
}
