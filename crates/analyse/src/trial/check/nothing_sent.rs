//! Transactions that asked nothing of the server, and count all the same.

use super::CheckResult;
use findings::NothingSent;
use model::{LoadResult, Test, Workload};

/// Share of the transactions below which they change no result.
const NOTICE: f64 = 0.01;

pub(super) fn result(test: Option<&Test>, load: &LoadResult) -> Option<CheckResult> {
    // Of one's own scripts alone: all others send what they are.
    test?.workload().and_then(Workload::transactions)?;
    let (transactions, statements) = (load.measure.transactions, load.measure.queries);
    let empty = transactions.saturating_sub(statements);
    (empty as f64 > NOTICE * transactions as f64)
        .then(|| CheckResult::valid(NothingSent { transactions, empty }))
}
