//! Little's law as an upper bound on printed figures.

use super::checked::Checked;
use super::figure::Row;
use super::pattern::Pattern;
use super::units::Dimension;
use findings::{Identity, Origin, Range, Term};
use model::{FigureNumber, FigureValue};

/// What may be exceeded before it is said: a window of finite length counts requests with their
/// whole latency that began before it, and tools take the time for rates and for latencies at
/// slightly different moments.
const EDGES: f64 = 1.05;
/// Operations per second of one client with several requests outstanding.
const PER_CLIENT: [&str; 2] = ["iops_per_vm", "iops"];
/// What pgbench prints of a run at a rate, which it does not print.
const SCHEDULE_LAG: &str = "schedule_lag_avg";
const MEANS: [&str; 8] = [
    "latency", "latency_avg", "latency_mean", "read_latency", "write_latency", "read_latency_avg",
    "write_latency_avg", "latency_average",
];

/// In any system rate × mean latency is the mean number of requests under way (J. D. C. Little,
/// *Operations Research* 9, 1961), which is at most the number that may be. It is less where the
/// load is held back, so the bound goes one way only. Where reads and writes have a latency each,
/// the shares being unknown, the lower one gives the bound.
pub(super) fn check(row: &Row<'_>, checked: &mut Checked) {
    let means = MEANS.iter().filter_map(|name| row.figure(name));
    let means = means.filter(|mean| mean.unit.dimension == Dimension::Time);
    let lowest = means.min_by(|a, b| a.range.nominal.total_cmp(&b.range.nominal));
    let Some((latency, (rate, limit, origin))) = lowest.zip(load(row)) else { return };
    let Some(rate) = row.any(&rate, Dimension::Rate) else { return };
    let Some(most) = Range::exact(limit * EDGES).over(rate.range) else { return };
    let number = FigureNumber { value: limit, resolution: 0.0 };
    let limit = Term {
        name: "outstanding".to_owned(),
        value: FigureValue::Number(number),
        unit: String::new(),
        origin,
    };
    let terms = vec![limit, rate.term()];
    checked.expect(row, Identity::Outstanding, terms, Range::at_most(most), &latency);
}

/// The names of the rate, and how many requests may be under way for it.
fn load(row: &Row<'_>) -> Option<([&'static str; 2], f64, Origin)> {
    if let Some(limit) = Pattern::for_test(&row.key.test).limit() {
        return Some((PER_CLIENT, limit as f64, Origin::TestName));
    }
    let level = row.key.level;
    // Where transactions are due at a rate that is not said, their latency begins before they do.
    let due = row.figure(SCHEDULE_LAG).is_some();
    let closed = level.clients > 0 && level.rate.is_none() && !due;
    let names = ["transactions_per_s", "events_per_s"];
    closed.then(|| (names, f64::from(level.clients), Origin::Level))
}
