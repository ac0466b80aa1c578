//! What every trial is checked for before anything is concluded from it.

mod answers;
mod blocks;
mod cache;
mod client;
mod counters;
mod debt;
mod evicted;
mod generators;
mod host;
mod imitated;
mod little;
mod outcome;
mod steady;
mod throttling;
mod trigger;
mod turnaround;
pub(crate) mod window;

pub use blocks::DeviceBytes;
pub use evicted::Evictions;

use crate::events::events;
use crate::{Check, Evidence, Finding, ServerEvent, Severity, Subject, Validity};
use model::{Dataset, LoadResult, SearchOver, ServerFacts, TrialRecord};

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
            Validity::Valid if self.evidence.is_warning() => Severity::Warning,
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

impl Judgement {
    /// Takes another doubt into account.
    pub(crate) fn add(&mut self, doubt: Doubt) {
        self.validity = self.validity.max(doubt.validity);
        self.doubts.push(doubt);
    }
}

/// Makes every check that the record allows.
pub(crate) fn judge(dataset: &Dataset, record: &TrialRecord) -> Judgement {
    let mut doubts = outcome::doubts(record);
    let mut made = Vec::new();
    if let Some(load) = record.load() {
        let seen = events(&record.sampling);
        for (check, found) in numbered(dataset, record, load, &seen) {
            match found {
                Some(found) => {
                    made.push((check, found.is_empty()));
                    doubts.extend(found);
                }
                None => doubts.extend(not_made(check, load, &seen)),
            }
        }
        let server = facts(dataset, record);
        doubts.extend(debt::doubt(&record.sampling, load, server));
        doubts.extend(evicted::doubt(dataset, record, load));
        doubts.extend(trigger::doubt(&record.sampling, &seen));
        doubts.extend(host::saturation(&record.sampling.samples, load));
    }
    let validity = doubts.iter().map(|doubt| doubt.validity).max().unwrap_or(Validity::Valid);
    Judgement { validity, doubts, made }
}

/// What each numbered check says of a trial; `None` where it could not be made.
fn numbered(
    dataset: &Dataset,
    record: &TrialRecord,
    load: &LoadResult,
    events: &[ServerEvent],
) -> [(Check, Option<Vec<Doubt>>); 7] {
    let level = record.key.level;
    let clients = match level.search {
        // A search decides on a number of clients up to that of its level.
        Some(SearchOver::Clients) => load.clients,
        // A level of storage is that of one virtual machine.
        _ if load.fleet.is_some() => load.clients,
        _ => level.clients,
    };
    let sampling = &record.sampling;
    let counted = match load.fleet {
        Some(_) => blocks::doubts(sampling, load),
        None => counters::doubts(sampling, load),
    };
    let server = facts(dataset, record);
    let machine = host::doubts(sampling, events, load, dataset.run.host.cpus);
    [
        (Check::LittlesLaw, little::doubts(clients, load)),
        (Check::ServerCounters, counted),
        (Check::ClientNotBottleneck, Some(client::doubts(clients, load))),
        (Check::SteadyState, steady::doubts(load, events, dataset.study.margin)),
        (Check::CacheAsDeclared, cache::doubts(dataset, record, load, server)),
        (Check::OwnMachine, machine),
        (Check::Answers, answers::doubts(load)),
    ]
}

/// What is to be said where a check could not be made. Mostly that lies in the nature of the
/// trial: a law of closed loops has nothing to say of an open one.
fn not_made(check: Check, load: &LoadResult, events: &[ServerEvent]) -> Option<Doubt> {
    match check {
        Check::ServerCounters => Some(counters::unavailable()),
        Check::SteadyState => steady::too_short(load, events),
        _ => None,
    }
}

/// What the server of a trial said of itself.
fn facts<'a>(dataset: &'a Dataset, record: &TrialRecord) -> Option<&'a ServerFacts> {
    let of_target = dataset.targets.iter().find(|facts| facts.target == record.key.target);
    of_target.map(|facts| &facts.server)
}

/// One finding for each check that was made and that all trials passed.
pub(crate) fn passed(judgements: &[Judgement]) -> impl Iterator<Item = Finding> {
    Check::ALL.into_iter().filter_map(|check| {
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
