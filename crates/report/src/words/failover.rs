//! Failovers in words.

use crate::numbers;
use analyse::{Analysis, Evidence, TestAnalysis};
use findings::names::target_name;
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
    let mut targets: Vec<Losses> = Vec::new();
    for finding in analysis.findings_of(&test.test) {
        let lost = match &finding.evidence {
            Evidence::WritesLost(found) => found.lost,
            Evidence::NoWriteLost(_) => 0,
            _ => continue,
        };
        let Some(target) = finding.subject.target.as_deref() else { continue };
        // The first target once more, against which the noise is held, is no candidate.
        if !test.cells.iter().any(|cell| cell.target == target) {
            continue;
        }
        let known = targets.iter().position(|known| known.target == target);
        let place = known.unwrap_or_else(|| {
            targets.push(Losses { target, ..Losses::default() });
            targets.len() - 1
        });
        targets[place].lost += lost;
        targets[place].trials += usize::from(lost > 0);
        targets[place].looked_at += 1;
    }
    // Of a failover whose writes never came back it is not known.
    let all = |target: &str| -> usize {
        let own = test.cells.iter().filter(|cell| cell.target == target);
        own.map(|cell| cell.trials.len()).sum()
    };
    let unharmed = || targets.iter().filter(|one| one.lost == 0);
    let is_whole = |one: &&Losses| one.looked_at == all(one.target);
    let none: Vec<String> =
        unharmed().filter(is_whole).map(|one| target_name(one.target)).collect();
    let some = targets.iter().filter(|one| one.lost > 0).map(|one| {
        format!(
            "{} lost {} in {}",
            target_name(one.target),
            numbers::counted(one.lost as usize, "acknowledged write"),
            numbers::counted(one.trials, "trial")
        )
    });
    let in_part = unharmed().filter(|one| !is_whole(one)).map(|one| {
        format!(
            "{} lost no acknowledged write in {}; of {} it is not known",
            target_name(one.target),
            numbers::counted(one.looked_at, "trial"),
            match all(one.target) - one.looked_at {
                1 => "1 other, which failed,".to_owned(),
                failed => format!("{} others, which failed,", numbers::count(failed as u64)),
            },
        )
    });
    let none =
        (!none.is_empty()).then(|| format!("{} lost no acknowledged write", numbers::list(&none)));
    let parts: Vec<String> = some.chain(none).chain(in_part).collect();
    (!parts.is_empty()).then(|| format!("{}.", parts.join("; ")))
}

/// What a target lost.
#[derive(Default)]
struct Losses<'a> {
    target: &'a str,
    /// Acknowledged writes, in so many trials.
    lost: u64,
    trials: usize,
    /// Trials of which it is known.
    looked_at: usize,
}
