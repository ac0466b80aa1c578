//! How a trial went: failures, errors, outages, whether it kept up with what was offered, and
//! whether every operation is accounted for.

use super::CheckResult;
use findings::{
    ConnectionsLost, Errors, FewTransactions, LedgerUnbalanced, NotOffered, Overloaded,
    TrialFailed, Validity,
};
use model::{ErrorClass, ErrorCount, LoadResult, Outage, TrialEnd, TrialRecord};
use std::time::Duration;

/// Above this share of failed transactions the trial is suspect. Below it they are notices: a
/// mixed OLTP load at many clients has a few deadlocks by nature.
const SUSPECT_FAILURES: f64 = 0.01;
/// Above this share what succeeded is no longer the workload that was asked for.
const VOID_FAILURES: f64 = 0.5;

pub(super) fn results(record: &TrialRecord, is_of_load: bool) -> Vec<CheckResult> {
    match &record.end {
        TrialEnd::Failed(failure) if failure.is_not_offered() => {
            vec![CheckResult::valid(NotOffered { failure: failure.clone() })]
        }
        TrialEnd::Failed(failure) => {
            vec![CheckResult::void(TrialFailed { failure: failure.clone() })]
        }
        TrialEnd::Completed(outcome) => {
            let Some(load) = &outcome.load else { return Vec::new() };
            let mut results: Vec<CheckResult> =
                ledger(load).into_iter().chain(errors(load)).collect();
            results.extend(load.outages.iter().map(outage));
            results.extend(overloaded(load).filter(|_| is_of_load));
            results.extend(few(load).filter(|_| is_of_load));
            results
        }
    }
}

fn ledger(load: &LoadResult) -> Option<CheckResult> {
    (!load.ledger.balances()).then_some(CheckResult::void(LedgerUnbalanced))
}

fn errors(load: &LoadResult) -> Option<CheckResult> {
    // What was never answered is a finding of its own.
    let failed = load.measure.errors.saturating_sub(load.ledger.timed_out);
    let succeeded = load.measure.transactions;
    if failed == 0 {
        return None;
    }
    let share = failed as f64 / (failed as f64 + succeeded as f64);
    let validity = if share > VOID_FAILURES {
        Validity::Void
    } else if share > SUSPECT_FAILURES {
        Validity::Suspect
    } else {
        Validity::Valid
    };
    let answered = load.errors.iter().filter(|error| error.class != ErrorClass::Unanswered);
    let most_frequent = answered.max_by_key(|error| error.count);
    let (message, code, remedy) = most_frequent.map(told).unwrap_or_default();
    Some(CheckResult::new(validity, Errors { failed, succeeded, message, code, remedy }))
}

/// The message of an error, its code as people look it up, and how to fix it.
fn told(error: &ErrorCount) -> (String, String, String) {
    let code = if error.sql_state.is_empty() { &error.code } else { &error.sql_state };
    (error.message.clone(), code.clone(), error.remedy.clone())
}

/// Whatever a trial with an outage was to measure, the outage is in it.
fn outage(outage: &Outage) -> CheckResult {
    let after_loss = |at: Duration| at.saturating_sub(outage.first_error);
    CheckResult::suspect(ConnectionsLost {
        first_error: outage.first_error,
        downtime: outage.downtime(),
        back_after: outage.recovered.map(after_loss),
        failed: outage.failed,
    })
}

/// Where transactions failed, that is what is said.
fn few(load: &LoadResult) -> Option<CheckResult> {
    let (transactions, clients) = (load.measure.transactions, load.clients);
    let few = load.open.is_none()
        && load.measure.errors == 0
        && load.outages.is_empty()
        && transactions < u64::from(clients);
    few.then(|| CheckResult::suspect(FewTransactions { transactions, clients }))
}

/// Response times of a load that the server fell behind say how long it ran, not how fast the
/// server is.
fn overloaded(load: &LoadResult) -> Option<CheckResult> {
    let open = load.open.as_ref().filter(|_| load.is_overloaded())?;
    Some(CheckResult::suspect(Overloaded {
        rate: open.rate,
        in_time: open.answered.min(load.measure.transactions) as f64 / open.scheduled.max(1) as f64,
        dropped: load.ledger.dropped,
    }))
}
