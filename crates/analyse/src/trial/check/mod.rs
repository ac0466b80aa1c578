//! What every trial is checked for before anything is concluded from it.

pub mod ad_hoc;
pub(crate) mod answers;
pub(crate) mod backlog;
pub(crate) mod blocks;
pub(crate) mod cache;
pub(crate) mod cached_answers;
pub(crate) mod client;
pub(crate) mod client_delay;
pub(crate) mod clock;
pub(crate) mod counted;
pub(crate) mod counters;
mod cut_short;
pub(crate) mod debt;
mod duet;
pub(crate) mod evicted;
pub(crate) mod failover;
pub(crate) mod generators;
pub(crate) mod host;
mod imitated;
pub(crate) mod intervention;
pub(crate) mod little;
mod nothing_sent;
pub(crate) mod outcome;
mod own_data;
pub(crate) mod steady;
pub(crate) mod throttling;
pub(crate) mod waits;

use crate::ServerEvent;
use crate::cell::events::events;
use findings::{Check, CheckPassed, Evidence, Finding, Severity, Subject, Validity};
use model::{Dataset, LoadResult, SearchOver, ServerFacts, Test, TrialRecord};
use std::sync::Arc;

/// What a check found in a trial.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CheckResult {
    /// What the trial is worth because of it.
    pub(crate) validity: Validity,
    /// Mostly the same in trial after trial, which share it then.
    pub(crate) evidence: Arc<Evidence>,
}

impl CheckResult {
    pub(crate) fn new(validity: Validity, evidence: impl Into<Evidence>) -> Self {
        Self { validity, evidence: Arc::new(evidence.into()) }
    }

    fn void(evidence: impl Into<Evidence>) -> Self {
        Self::new(Validity::Void, evidence)
    }

    fn suspect(evidence: impl Into<Evidence>) -> Self {
        Self::new(Validity::Suspect, evidence)
    }

    fn valid(evidence: impl Into<Evidence>) -> Self {
        Self::new(Validity::Valid, evidence)
    }

    pub(crate) fn severity(&self) -> Severity {
        match self.validity {
            Validity::Void => Severity::Severe,
            Validity::Suspect => Severity::Warning,
            Validity::Valid => self.evidence.severity(),
        }
    }
}

/// What all checks found in one trial.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct CheckedTrial {
    /// The worst of the results, `Valid` where there is none.
    pub(crate) validity: Validity,
    pub(crate) results: Vec<CheckResult>,
    /// The numbered checks that could be made, and whether the trial passed.
    made: Vec<(Check, bool)>,
    /// Those that lacked what they look at: nobody knows what they would have found.
    pub(crate) not_made: Vec<Check>,
}

impl CheckedTrial {
    pub(crate) fn add(&mut self, result: CheckResult) {
        self.validity = self.validity.max(result.validity);
        self.results.push(result);
    }

    /// Shares what was found in the same words before: a figure that differs is evidence of its own.
    pub(crate) fn share(&mut self, found: &mut Vec<Arc<Evidence>>) {
        for result in &mut self.results {
            match found.iter().find(|known| ***known == *result.evidence) {
                Some(known) => result.evidence = Arc::clone(known),
                None => {
                    if found.len() == MOST_SHARED {
                        found.remove(0);
                    }
                    found.push(Arc::clone(&result.evidence));
                }
            }
        }
    }
}

/// How many findings are looked through for the same.
const MOST_SHARED: usize = 16;

/// Makes every check that the record of a test allows, which is looked up once for all of them: a study may
/// have hundreds.
pub(crate) fn check(dataset: &Dataset, test: Option<&Test>, record: &TrialRecord) -> CheckedTrial {
    // Beside a load something may be measured that disturbs it: how much is a result then, and no
    // fault of the trial.
    let is_of_load = test.is_none_or(Test::is_of_load);
    let mut results = outcome::results(record, is_of_load);
    results.extend(failover::results(record));
    results.extend(own_data::results(record));
    results.extend(clock::result(record));
    let (mut made, mut lacking) = (Vec::new(), Vec::new());
    if let Some(load) = record.load() {
        let seen = events(record);
        for (check, found) in numbered(dataset, (record, test), load, &seen) {
            if !is_of_load && check.is_of_undisturbed_loads() {
                continue;
            }
            match found {
                Some(found) => {
                    made.push((check, found.is_empty()));
                    results.extend(found);
                }
                None => {
                    let said = not_made(check, load, &seen);
                    lacking.extend(said.is_some().then_some(check));
                    results.extend(said);
                }
            }
        }
        if is_of_load {
            results.extend(debt::start(load));
            let changed = debt::changed(&record.sampling, load);
            // Who reads of the debt need not read of its bytes.
            let backlog = backlog::result(&record.sampling, load).filter(|_| changed.is_empty());
            results.extend(changed.into_iter().chain(backlog));
        }
        results.extend(evicted::result(test, record, load));
        results.extend(cached_answers::result(record, load));
        results.extend(intervention::results(test, record, &seen));
        results.extend(waits::results(load));
        results.extend(cut_short::result(test, load));
        results.extend(nothing_sent::result(test, load));
        results.extend(generators::absent(&dataset.study, test, record, load));
        results.extend(duet::results(dataset, record));
        results.extend(host::saturation(&record.sampling.samples, load));
    }
    let validity = results.iter().map(|result| result.validity).max().unwrap_or(Validity::Valid);
    // Room for a fourth of these is more than all else that is kept of most trials.
    results.shrink_to_fit();
    CheckedTrial { validity, results, made, not_made: lacking }
}

/// What each numbered check says of a trial; `None` where it could not be made.
fn numbered(
    dataset: &Dataset,
    (record, test): (&TrialRecord, Option<&Test>),
    load: &LoadResult,
    events: &[ServerEvent],
) -> [(Check, Option<Vec<CheckResult>>); 7] {
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
        Some(_) => blocks::results(sampling, load),
        None => counters::results(record, load),
    };
    let server = facts(dataset, record);
    let own = server.and_then(|server| server.host.as_ref());
    let used = &sampling.account.processor_use;
    let cpus = host::Cpus {
        load_host: used.apart.as_ref().map_or(dataset.run.host.cpus, |_| used.cpus),
        target_host: own.map_or(0, |host| host.cpus),
    };
    let machine = host::results(sampling, events, load, cpus);
    [
        (Check::LittlesLaw, little::results(clients, load)),
        (Check::ServerCounters, counted),
        (Check::ClientNotBottleneck, Some(client::results(clients, load, sampling))),
        (Check::SteadyState, steady::results(load, events, dataset.study.margin)),
        (Check::CacheAsDeclared, cache::results(&dataset.study, test, (sampling, load), server)),
        (Check::OwnMachine, machine),
        (Check::Answers, answers::results(load)),
    ]
}

/// What is to be said where a check could not be made. Mostly that lies in the nature of the
/// trial: a law of closed loops has nothing to say of an open one.
fn not_made(check: Check, load: &LoadResult, events: &[ServerEvent]) -> Option<CheckResult> {
    match check {
        Check::ServerCounters => Some(counters::unavailable()),
        Check::SteadyState => steady::too_short(load, events),
        // Of volumes nobody else is told from the kernel, which works for the load.
        Check::OwnMachine if load.fleet.is_none() => Some(host::not_seen()),
        _ => None,
    }
}

/// What the server of a trial said of itself.
fn facts<'a>(dataset: &'a Dataset, record: &TrialRecord) -> Option<&'a ServerFacts> {
    let of_target = dataset.targets.iter().find(|facts| facts.target == record.key.target);
    of_target.map(|facts| &facts.server)
}

/// One finding for each check that was made and that all trials passed.
pub(crate) fn passed(trials: &[CheckedTrial]) -> impl Iterator<Item = Finding> {
    Check::ALL.into_iter().filter_map(|check| {
        let results: Vec<bool> = trials
            .iter()
            .flat_map(|trial| &trial.made)
            .filter_map(|&(made, passed)| (made == check).then_some(passed))
            .collect();
        let all = !results.is_empty() && results.iter().all(|&passed| passed);
        all.then(|| Finding::new(Subject::default(), CheckPassed { check, trials: results.len() }))
    })
}
