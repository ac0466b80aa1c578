//! What every trial is checked for before anything is concluded from it.

mod client;
mod counters;
mod host;
mod little;
mod outcome;
mod turnaround;

use crate::{Check, Evidence, Finding, Severity, Subject, Validity};
use model::TrialRecord;

/// A reason not to trust a trial fully, or something to know about it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Doubt {
    /// What the trial is worth because of it; `Valid` for a mere notice.
    pub(crate) validity: Validity,
    pub(crate) evidence: Evidence,
}

impl Doubt {
    pub(crate) fn severity(&self) -> Severity {
        match self.validity {
            Validity::Void => Severity::Severe,
            Validity::Suspect => Severity::Warning,
            Validity::Valid => Severity::Notice,
        }
    }
}

/// All that the checks said of one trial.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Judgement {
    /// The worst of the doubts, `Valid` where there is none.
    pub(crate) validity: Validity,
    pub(crate) doubts: Vec<Doubt>,
    /// The numbered checks that could be made, and whether the trial passed.
    made: Vec<(Check, bool)>,
}

/// Makes every check that the record allows.
pub(crate) fn judge(record: &TrialRecord) -> Judgement {
    let mut doubts = outcome::doubts(record);
    let mut made = Vec::new();
    if let Some(load) = record.load() {
        let clients = record.key.level.clients;
        let numbered = [
            (Check::LittlesLaw, little::doubts(clients, load)),
            (Check::ServerCounters, counters::doubts(&record.sampling, load)),
            (Check::ClientNotBottleneck, Some(client::doubts(clients, load))),
        ];
        for (check, found) in numbered {
            match found {
                Some(found) => {
                    made.push((check, found.is_empty()));
                    doubts.extend(found);
                }
                None if check == Check::ServerCounters => doubts.push(counters::unavailable()),
                // A law of closed loops has nothing to say of an open one.
                None => {}
            }
        }
        doubts.extend(host::doubts(&record.sampling.samples, load));
    }
    let validity = doubts.iter().map(|doubt| doubt.validity).max().unwrap_or(Validity::Valid);
    Judgement { validity, doubts, made }
}

/// One finding for each check that was made and that all trials passed.
pub(crate) fn passed(judgements: &[Judgement]) -> impl Iterator<Item = Finding> {
    let checks = [Check::LittlesLaw, Check::ServerCounters, Check::ClientNotBottleneck];
    checks.into_iter().filter_map(|check| {
        let results: Vec<bool> = judgements
            .iter()
            .flat_map(|judgement| &judgement.made)
            .filter_map(|&(made, passed)| (made == check).then_some(passed))
            .collect();
        let all = !results.is_empty() && results.iter().all(|&passed| passed);
        all.then(|| Finding {
            severity: Severity::Passed,
            subject: Subject::default(),
            evidence: Evidence::CheckPassed { check, trials: results.len() },
        })
    })
}
