//! What servers are told to do while a test measures them.

use crate::load::asks_cross_check;
use crate::problem::Problems;
use crate::test::length;
use crate::validate::{means_nothing, one_of};
use crate::wire::{KeyValueKeys, LoadKeys};
use model::{BackgroundWork, Trigger};
use std::time::Duration;

/// The trigger of a test that measures for `duration`; what goes with none or not without one.
pub(crate) fn trigger(
    table: &KeyValueKeys,
    load: &LoadKeys,
    duration: Duration,
    problems: &mut Problems,
) -> Option<Trigger> {
    let Some(written) = &table.trigger else {
        if let Some(at) = &table.trigger_at {
            means_nothing("trigger_at", at.span(), "trigger", "\"bgsave\"", problems);
        }
        return None;
    };
    if load.slo.is_some() {
        problems
            .add(written.span(), "a `trigger` cannot stand beside an `slo`: steps are short")
            .help("measure it in a test with levels of `clients`");
    }
    if asks_cross_check(load) {
        problems
            .add(
                written.span(),
                "`cross_check` cannot be had of a `trigger`: no other tool has one",
            )
            .help("ask for it in a test without");
    }
    let names = BackgroundWork::ALL.map(BackgroundWork::name);
    let work = one_of("trigger", &table.trigger, names, BackgroundWork::from_name, problems);
    let Some(at) = &table.trigger_at else {
        problems
            .add(written.span(), "this `trigger` has no time")
            .help("add a line like trigger_at = \"10s\", counted from the start of measuring");
        return None;
    };
    let moment = length("trigger_at", &table.trigger_at, Duration::ZERO, problems);
    if moment >= duration {
        problems.add(at.span(), "`trigger_at` must lie within the time measured").help(
            "it counts from the start of measuring; name an earlier time, or raise `duration`",
        );
    }
    Some(Trigger { work: work?, at: moment })
}
