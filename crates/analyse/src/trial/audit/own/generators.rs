//! What several load generators did against the whole.

use super::{Count, OwnFigures};
use model::{GeneratorShare, LoadResult};

/// A figure of a share by name, as the generators' sum and as the whole has it.
type Figure = (&'static str, fn(&GeneratorShare) -> u64, Count);

pub(super) fn check(own: &mut OwnFigures<'_>, load: &LoadResult) {
    if load.generators.is_empty() {
        return;
    }
    let figures: [Figure; 5] = [
        (
            "clients of the load generators",
            |share| share.clients.into(),
            ("clients", load.clients.into()),
        ),
        (
            "transactions of the load generators",
            |share| share.transactions,
            ("measure.transactions", load.measure.transactions),
        ),
        (
            "queries of the load generators",
            |share| share.queries,
            ("measure.queries", load.measure.queries),
        ),
        (
            "errors of the load generators",
            |share| share.errors,
            ("measure.errors", load.measure.errors),
        ),
        (
            "latencies of the load generators",
            |share| share.latencies.unpack().count(),
            ("latencies", load.latencies.count()),
        ),
    ];
    for (name, of, whole) in figures {
        own.sum(&[(name, load.generators.iter().map(of).sum())], whole);
    }
}
