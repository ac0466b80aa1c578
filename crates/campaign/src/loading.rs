//! What making data leaves to a target to be done, and waiting for that before the first trial.

use engine::Stop;
use model::{Debt, DebtChange, Failure, LoadingDebt, ServerCounters};
use std::time::{Duration, Instant};
use system::TargetHandle;

/// The longest time that is waited.
const LONGEST: Duration = Duration::from_secs(120);
/// Time between two looks.
const STEP: Duration = Duration::from_millis(500);
/// Looks in a row between which nothing may have changed.
const LOOKS: u32 = 4;
/// What a target may still have to do, of what it takes, without being waited for.
const NEGLIGIBLE: f64 = 0.05;
/// Of what it takes a debt may change so much from one look to the next, and still stands still.
const STANDS_STILL: f64 = 0.005;
/// How much of a debt without a limit is of no account.
const LEAST: u64 = 10_000;

/// Waits until a target whose data was just made has done what that left, or does no more of it; `None`
/// where nothing was left, or the target does not tell.
///
/// # Errors
/// [`Failure::stopped`].
pub(crate) fn wait(
    target: &mut dyn TargetHandle,
    stop: &Stop,
) -> Result<Option<LoadingDebt>, Failure> {
    let began = Instant::now();
    let mut look = || target.counters();
    let Some(first) = look() else { return Ok(None) };
    let debts: Vec<Debt> = Debt::ALL.into_iter().filter(|debt| is_left(&first, *debt)).collect();
    if debts.is_empty() {
        return Ok(None);
    }
    let (mut last, mut still) = (first.clone(), 0);
    while still < LOOKS && began.elapsed() < LONGEST {
        if stop.is_requested() {
            return Err(Failure::stopped());
        }
        std::thread::sleep(STEP);
        let Some(now) = look() else { break };
        let rests = debts.iter().all(|debt| stands_still(&last, &now, *debt));
        still = if rests { still + 1 } else { 0 };
        last = now;
    }
    let change = |debt: Debt| {
        let amount = |counters| debt.amount(counters).unwrap_or_default();
        let limit = debt.limit(&last);
        DebtChange {
            debt,
            from: amount(&first),
            to: amount(&last),
            limit,
            is_level: still >= LOOKS,
        }
    };
    let debts = debts.into_iter().map(change).collect();
    Ok(Some(LoadingDebt { waited: began.elapsed(), debts }))
}

/// Whether there is enough of it to be waited for.
fn is_left(counters: &ServerCounters, debt: Debt) -> bool {
    let Some(amount) = debt.amount(counters) else { return false };
    match debt.limit(counters) {
        _ if debt.is_work() => amount > 0,
        Some(limit) => amount as f64 > NEGLIGIBLE * limit as f64,
        None => amount > LEAST,
    }
}

fn stands_still(before: &ServerCounters, now: &ServerCounters, debt: Debt) -> bool {
    let (Some(from), Some(to)) = (debt.amount(before), debt.amount(now)) else {
        return true;
    };
    match debt.limit(now) {
        _ if debt.is_work() => to == 0,
        Some(limit) => from.abs_diff(to) as f64 <= STANDS_STILL * limit as f64,
        None => from.abs_diff(to) <= LEAST / LOOKS as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::signal;

    fn counters(told: &[(&str, i64)]) -> ServerCounters {
        told.iter().map(|&(name, value)| (name.to_owned(), value)).collect()
    }

    #[test]
    fn what_is_left_is_work_under_way_and_amounts_of_account() {
        let age =
            |age| counters(&[(signal::CHECKPOINT_AGE, age), (signal::CHECKPOINT_AGE_LIMIT, 1000)]);
        assert!(is_left(&age(51), Debt::CheckpointAge) && !is_left(&age(50), Debt::CheckpointAge));
        let cleans = |count| counters(&[(signal::CLEANUPS_RUNNING, count)]);
        assert!(is_left(&cleans(1), Debt::Cleanup) && !is_left(&cleans(0), Debt::Cleanup));
        let old = |count| counters(&[(signal::OLD_VERSIONS, count)]);
        assert!(
            is_left(&old(10_001), Debt::OldVersions) && !is_left(&old(10_000), Debt::OldVersions)
        );
        assert!(!is_left(&counters(&[]), Debt::DeadRows), "a target that does not tell");
    }

    #[test]
    fn what_falls_does_not_stand_still_and_work_under_way_never_does() {
        let age =
            |age| counters(&[(signal::CHECKPOINT_AGE, age), (signal::CHECKPOINT_AGE_LIMIT, 1000)]);
        assert!(stands_still(&age(500), &age(496), Debt::CheckpointAge));
        assert!(!stands_still(&age(500), &age(490), Debt::CheckpointAge));
        let snapshot = |running| counters(&[(signal::SNAPSHOT_RUNNING, running)]);
        assert!(!stands_still(&snapshot(1), &snapshot(1), Debt::Snapshot));
        assert!(stands_still(&snapshot(1), &snapshot(0), Debt::Snapshot));
    }
}
