//! How a trial went: failures, errors, outages, whether it kept up with what was offered, and
//! whether every operation is accounted for.

use super::Doubt;
use crate::{Evidence, Validity};
use model::{LoadResult, Outage, TrialEnd, TrialRecord};
use std::time::Duration;

/// Above this share of failed transactions the trial is suspect. Below it they are notices: a
/// mixed OLTP load at many clients has a few deadlocks by nature.
const SUSPECT_FAILURES: f64 = 0.01;
/// Above this share what succeeded is no longer the workload that was asked for.
const VOID_FAILURES: f64 = 0.5;

pub(super) fn doubts(record: &TrialRecord) -> Vec<Doubt> {
    match &record.end {
        TrialEnd::Failed(failure) => vec![Doubt {
            validity: Validity::Void,
            evidence: Evidence::TrialFailed { failure: failure.clone() },
        }],
        TrialEnd::Completed(load) => {
            let mut doubts: Vec<Doubt> = ledger(load).into_iter().chain(errors(load)).collect();
            doubts.extend(load.outages.iter().map(outage));
            doubts.extend(overloaded(load));
            doubts
        }
        TrialEnd::Reported(_) => Vec::new(),
    }
}

fn ledger(load: &LoadResult) -> Option<Doubt> {
    (!load.ledger.balances())
        .then_some(Doubt { validity: Validity::Void, evidence: Evidence::LedgerUnbalanced })
}

fn errors(load: &LoadResult) -> Option<Doubt> {
    let (failed, succeeded) = (load.measure.errors, load.measure.transactions);
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
    let most_frequent = load.errors.iter().max_by_key(|error| error.count);
    let (message, code) = most_frequent
        .map(|error| (error.message.clone(), error.sql_state.clone()))
        .unwrap_or_default();
    Some(Doubt { validity, evidence: Evidence::Errors { failed, succeeded, message, code } })
}

/// Whatever a trial with an outage was to measure, the outage is in it.
fn outage(outage: &Outage) -> Doubt {
    let after_loss = |at: Duration| at.saturating_sub(outage.first_error);
    Doubt {
        validity: Validity::Suspect,
        evidence: Evidence::Outage {
            first_error: outage.first_error,
            downtime: outage.downtime(),
            back_after: outage.recovered.map(after_loss),
            failed: outage.failed,
        },
    }
}

/// Response times of a load that the server fell behind say how long it ran, not how fast the
/// server is.
fn overloaded(load: &LoadResult) -> Option<Doubt> {
    let open = load.open.as_ref().filter(|_| load.is_overloaded())?;
    Some(Doubt {
        validity: Validity::Suspect,
        evidence: Evidence::Overloaded {
            rate: open.rate,
            throughput: load.measure.transactions_per_second(),
            dropped: load.ledger.dropped,
        },
    })
}
