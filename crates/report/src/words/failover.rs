//! Failovers in words.

use super::labels::target_name;
use crate::numbers;
use analyse::{Analysis, Evidence, TestAnalysis};
use model::{Failover, FailoverCause};

/// What is done in a test.
pub(super) fn describe(failover: &Failover) -> String {
    let cause = match &failover.cause {
        FailoverCause::Switchover => "A planned switchover",
        FailoverCause::Kill => "The primary killed",
        FailoverCause::Hang => "The primary made to hang",
        FailoverCause::Network => "The network of the primary cut",
        FailoverCause::Command(_) => "A command of the study that takes the primary away",
    };
    format!(
        "{cause} after {}, while a probe writes {} rows a second on {}; a write may take {}",
        numbers::duration(failover.at),
        numbers::count(failover.rate.into()),
        numbers::counted(failover.connections as usize, "connection"),
        numbers::duration(failover.timeout),
    )
}

/// Which targets lost acknowledged writes, and which did not, in one sentence; `None` of tests that
/// count none.
pub(super) fn lost_writes(analysis: &Analysis, test: &TestAnalysis) -> Option<String> {
    let of_test = analysis
        .findings
        .iter()
        .filter(|finding| finding.subject.test.as_deref() == Some(&test.test));
    let mut targets: Vec<(&str, u64, usize)> = Vec::new();
    for finding in of_test {
        let lost = match &finding.evidence {
            Evidence::WritesLost(found) => found.lost,
            Evidence::NoWriteLost(_) => 0,
            _ => continue,
        };
        let Some(target) = finding.subject.target.as_deref() else { continue };
        let known = targets.iter().position(|(name, ..)| *name == target);
        let place = known.unwrap_or_else(|| {
            targets.push((target, 0, 0));
            targets.len() - 1
        });
        targets[place].1 += lost;
        targets[place].2 += usize::from(lost > 0);
    }
    let none: Vec<String> = targets
        .iter()
        .filter(|(_, lost, _)| *lost == 0)
        .map(|(name, ..)| target_name(name))
        .collect();
    let some = targets.iter().filter(|(_, lost, _)| *lost > 0).map(|(name, lost, trials)| {
        format!(
            "{} lost {} in {}",
            target_name(name),
            numbers::counted(*lost as usize, "acknowledged write"),
            numbers::counted(*trials, "trial")
        )
    });
    let none =
        (!none.is_empty()).then(|| format!("{} lost no acknowledged write", numbers::list(&none)));
    let parts: Vec<String> = some.chain(none).collect();
    (!parts.is_empty()).then(|| format!("{}.", parts.join("; ")))
}
