//! Latencies: how many there are, and how they lie to each other.

use super::{OwnFigures, time};
use findings::{Identity, Range};
use model::{Latencies, LoadResult, OpenLoopResult, ReceiveDelay};

/// Relative error of a value in a histogram: it keeps three digits.
const RESOLUTION: f64 = 1e-3;
/// Absolute error in milliseconds: the grain of the shortest values, below which a histogram tells
/// nothing apart from zero.
const SHORTEST_MS: f64 = 1e-4;
/// Where a reply seems to come before its request its service time is zero: error in milliseconds
/// of the kernel's time stamps against the engine's clock.
const CLOCKS_MS: f64 = 1e-3;

pub(super) fn check(own: &mut OwnFigures<'_>, load: &LoadResult) {
    let latencies = ("latencies", load.latencies.count());
    let waits = ("waits", load.waits.count());
    match &load.open {
        None => own.sum(&[("measure.transactions", load.measure.transactions), waits], latencies),
        Some(open) => {
            own.sum(&[("answered", open.answered), waits], latencies);
            open_loop(own, load, open);
        }
    }
    in_order(own, ["latency min", "latency mean", "latency max"], &load.latencies);
    if let Some(delay) = load.client.receive_delay {
        delays(own, delay);
    }
}

fn open_loop(own: &mut OwnFigures<'_>, load: &LoadResult, open: &OpenLoopResult) {
    let answered = ("answered", open.answered);
    own.sum(&[answered], ("service times", open.service_times.count()));
    own.sum(&[answered], ("schedule lags", open.schedule_lags.count()));
    own.part(answered, ("scheduled in the measured phase", open.scheduled));
    let scheduled = ("scheduled in the measured phase", open.scheduled);
    own.part(scheduled, ("ledger.scheduled", load.ledger.scheduled));
    let answered = load.succeeded();
    let means = [&open.schedule_lags, &open.service_times, &*answered].map(Latencies::mean_ms);
    let cut_off = load.latencies.max_ms().is_some_and(|longest| longest >= Latencies::LONGEST_MS);
    if let ([Some(lag), Some(service), Some(response)], false) = (means, cut_off) {
        // Every response time is how late its operation began and how long it then took.
        let error = (lag + service + response) * RESOLUTION + CLOCKS_MS;
        let follows = Range::around(lag + service, error);
        let terms = || vec![time("mean schedule lag", lag), time("mean service time", service)];
        own.time(Identity::Sum, terms, follows, ("mean response time", response));
    }
}

/// Percentiles rise; the mean lies within what was recorded.
fn in_order(own: &mut OwnFigures<'_>, [min, mean, max]: [&str; 3], of: &Latencies) {
    let (Some(least), Some(average), Some(most)) = (of.min_ms(), of.mean_ms(), of.max_ms()) else {
        return;
    };
    let percentiles = [("p50", 50.0), ("p95", 95.0), ("p99", 99.0), ("p999", 99.9)];
    let percentiles = percentiles.map(|(name, rank)| (name, of.percentile_ms(rank)));
    let percentiles = percentiles.into_iter().filter_map(|(name, ms)| Some((name, ms?)));
    let values: Vec<(&str, f64)> =
        [(min, least)].into_iter().chain(percentiles).chain([(max, most)]).collect();
    rising(own, &values);
    for ((name, end), follows) in [
        ((min, least), Range::at_least(Range::around(least, SHORTEST_MS))),
        ((max, most), Range::at_most(Range::around(most, SHORTEST_MS))),
    ] {
        own.time(Identity::MeanInRange, || vec![time(name, end)], follows, (mean, average));
    }
}

fn delays(own: &mut OwnFigures<'_>, delay: ReceiveDelay) {
    rising(
        own,
        &[
            ("receive delay p50", delay.p50_ms),
            ("receive delay p99", delay.p99_ms),
            ("receive delay max", delay.max_ms),
        ],
    );
}

fn rising(own: &mut OwnFigures<'_>, values: &[(&str, f64)]) {
    for pair in values.windows(2) {
        let ((lower, below), higher) = (pair[0], pair[1]);
        let follows = Range::at_least(Range::around(below, SHORTEST_MS));
        own.time(Identity::PercentileOrder, || vec![time(lower, below)], follows, higher);
    }
}
