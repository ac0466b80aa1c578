//! Several load generators shared the load as they were meant to.

use super::CheckResult;
use model::{GeneratorShare, LoadResult};
use serde::Serialize;

/// Check 3: a load generator whose share of the load was not the one that it should have had.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct UnevenLoad {
    /// Its number, from 1.
    pub generator: u32,
    pub generators: u32,
    /// Transactions that succeeded in the measured phase over its connections.
    pub transactions: u64,
    /// How many would have been its share.
    pub fair: f64,
}

/// How far a generator's transactions may lie from its fair share, relative to that share.
const UNEVEN: f64 = 0.2;
/// Standard deviations of a Poisson variable by which they may lie from it by chance.
const STANDARD_DEVIATIONS: f64 = 3.0;

/// The generator that was furthest from its fair share of the transactions, where that is too far:
/// the load was not the one of many clients alike that was asked for.
pub(super) fn result(load: &LoadResult) -> Option<CheckResult> {
    let far = |place: usize, share: &GeneratorShare| {
        let fair = fair(load, share);
        let off = share.transactions as f64 - fair;
        let tolerated = (UNEVEN * fair).max(STANDARD_DEVIATIONS * fair.sqrt());
        let uneven = UnevenLoad {
            generator: place as u32 + 1,
            generators: load.generators.len() as u32,
            transactions: share.transactions,
            fair,
        };
        (off.abs() > tolerated).then_some((off.abs() / fair, uneven))
    };
    let shares = load.generators.iter().enumerate();
    let all = shares.filter_map(|(place, share)| far(place, share));
    let (_, worst) = all.max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    Some(CheckResult::suspect(worst))
}

/// Transactions that a generator should have: in a closed loop in proportion to its clients; at a
/// rate as many as every other, since arrivals are divided evenly.
fn fair(load: &LoadResult, share: &GeneratorShare) -> f64 {
    let all: u64 = load.generators.iter().map(|share| share.transactions).sum();
    let part = match load.open {
        None => f64::from(share.clients) / f64::from(load.clients.max(1)),
        Some(_) => 1.0 / load.generators.len() as f64,
    };
    all as f64 * part
}
