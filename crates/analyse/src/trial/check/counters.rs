//! Check 2: the server's own counters.

use super::CheckResult;
use findings::{CounterMismatch, CountersUnavailable, Validity};
use model::{CounterReading, LoadResult, TrialRecord, signal};

/// Above this share of statements that are not ours the trial is suspect. Below it they are a
/// notice: a monitoring agent or an administrator's look at the server.
const SUSPECT_FOREIGN: f64 = 0.01;
/// Above this share the server was doing another job as well.
const VOID_FOREIGN: f64 = 0.20;

/// A statement counter of the server that differs from ours.
struct Mismatch {
    counter: String,
    server: i64,
    weighin: u64,
    /// Server − weighin, beyond what failed transactions explain.
    excess: i128,
}

/// Compares the requests that the server counted over the whole load with those that it
/// acknowledged to us. `None` when a counter that the load must have moved is not known.
///
/// Both count the same events, so they agree exactly. The exception is a transaction that failed
/// or timed out: the server may have counted a statement whose reply was an error or never came,
/// one for each such transaction. Acts during the load may have run a statement each, and a server that does
/// as much by itself, or counts what its routines and triggers run, says how much that may be. Fewer statements on the server than were acknowledged cannot
/// happen: either our count is wrong or the counters were reset (the server restarted), and in
/// both cases nothing vouches for the trial.
pub(super) fn results(record: &TrialRecord, load: &LoadResult) -> Option<Vec<CheckResult>> {
    let sampling = &record.sampling;
    let (before, after) = (sampling.before.as_ref()?, sampling.after.as_ref()?);
    let acts = record.interventions().filter(|mark| mark.work.is_none()).count();
    let unacknowledged =
        i128::from(load.ledger.failed) + i128::from(load.ledger.timed_out) + acts as i128;
    let mut mismatches = Vec::new();
    for (counter, weighin) in load.requests.expected() {
        let readings = before.counters.get(counter).zip(after.counters.get(counter));
        let Some((&from, &to)) = readings else {
            if weighin > 0 {
                return None;
            }
            continue;
        };
        let server = to.saturating_sub(from);
        let difference = i128::from(server) - i128::from(weighin);
        if (0..=unacknowledged).contains(&difference) {
            continue;
        }
        let unacknowledged = unacknowledged + by_itself(counter, before, after);
        if !(0..=unacknowledged).contains(&difference) {
            let excess = if difference < 0 { difference } else { difference - unacknowledged };
            let counter = counter.to_owned();
            mismatches.push(Mismatch { counter, server, weighin, excess });
        }
    }
    let validity = validity(&mismatches, load.requests.total());
    let result = |mismatch: Mismatch| {
        CheckResult::new(
            validity,
            CounterMismatch {
                counter: mismatch.counter,
                server: mismatch.server,
                weighin: mismatch.weighin,
            },
        )
    };
    Some(mismatches.into_iter().map(result).collect())
}

/// How far the server may have moved a counter by work of its own, or by what its routines ran.
fn by_itself(counter: &str, before: &CounterReading, after: &CounterReading) -> i128 {
    let growth = |name: &str| {
        let readings = before.counters.get(name).zip(after.counters.get(name));
        readings.map_or(0, |(&from, &to)| i128::from(to) - i128::from(from)).max(0)
    };
    growth(&signal::by_itself(counter)) + growth(signal::STATEMENTS_IN_ROUTINES)
}

/// That the check could not be made: nothing contradicts the trial, and nothing confirms it.
pub(super) fn unavailable() -> CheckResult {
    CheckResult::suspect(CountersUnavailable)
}

fn validity(mismatches: &[Mismatch], statements: u64) -> Validity {
    let foreign: i128 = mismatches.iter().map(|mismatch| mismatch.excess).sum();
    let share = foreign as f64 / statements.max(1) as f64;
    if mismatches.iter().any(|mismatch| mismatch.excess < 0) || share > VOID_FOREIGN {
        Validity::Void
    } else if share > SUSPECT_FOREIGN {
        Validity::Suspect
    } else {
        Validity::Valid
    }
}
