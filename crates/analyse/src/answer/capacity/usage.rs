//! What a target takes at a rate of what providers charge by use.

use crate::answer::money::nearest;
use crate::{Analysis, Metric, TestAnalysis};
use findings::Amount;
use model::Level;

/// What a target takes at a rate. What was not measured is absent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UseAtRate {
    /// Where transactions took so much: the level whose throughput is nearest to the rate.
    pub level: Level,
    /// Reads of its disks per second.
    pub reads: Option<Amount>,
    pub writes: Option<Amount>,
    /// Bytes that it sends per second.
    pub sent_bytes: Option<Amount>,
    /// What its data takes on disk before the load.
    pub dataset_bytes: Option<u64>,
    /// Bytes per second by which it grows; below 0 where it shrinks.
    pub growth: Option<Amount>,
}

/// What a target takes at a rate; `None` where it has no throughput in that test.
pub fn use_at_rate(
    analysis: &Analysis<'_>,
    test: &TestAnalysis,
    target: &str,
    rate: f64,
) -> Option<UseAtRate> {
    let (level, cell) = nearest(test, target, rate, Some)?;
    let of = |metric| {
        let each = cell.estimate(metric)?;
        Some(Amount::from_estimate(&each).map(|each| each * rate))
    };
    let facts = analysis.dataset.targets.iter().find(|facts| facts.target == target);
    Some(UseAtRate {
        level,
        reads: of(Metric::DiskReads),
        writes: of(Metric::DiskWrites),
        sent_bytes: of(Metric::NetworkSent),
        dataset_bytes: facts.and_then(|facts| facts.server.dataset_bytes),
        growth: cell.growth.map(|each| Amount::from_estimate(&each).map(|each| each * rate)),
    })
}
