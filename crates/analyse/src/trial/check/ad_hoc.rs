//! The checks of a load that belongs to no study.

use super::check;
use findings::{Check, Evidence, Finding, Subject, Validity};
use model::{Dataset, TrialRecord};

/// What all checks found in a load that was run by hand.
#[derive(Clone, Debug, PartialEq)]
pub struct CheckedLoad {
    /// The worst of what was found.
    pub validity: Validity,
    /// Most severe first. They are about the load, so that none has a subject.
    pub findings: Vec<Finding>,
    /// The numbered checks that passed, in order.
    pub passed: Vec<Check>,
    /// Those that could not be made, in order.
    pub not_made: Vec<Check>,
}

/// Makes every check of a trial on a load by hand: `record` is that of the only trial of `dataset`.
pub fn check_load(dataset: &Dataset, record: &TrialRecord) -> CheckedLoad {
    let checked = check(dataset, dataset.study.test(&record.key.test), record);
    let finding = |result: &super::CheckResult| Finding {
        severity: result.severity(),
        ..Finding::new(Subject::default(), Evidence::clone(&result.evidence))
    };
    let mut findings: Vec<Finding> = checked.results.iter().map(finding).collect();
    findings.sort_by_key(|finding| finding.severity);
    let outcome = |check: &Check| {
        checked.made.iter().find(|(made, _)| made == check).map(|&(_, passed)| passed)
    };
    let all = || Check::ALL.into_iter();
    CheckedLoad {
        validity: checked.validity,
        findings,
        passed: all().filter(|check| outcome(check) == Some(true)).collect(),
        not_made: all().filter(|check| outcome(check).is_none()).collect(),
    }
}
