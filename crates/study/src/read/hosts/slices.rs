//! Loads that take turns: `slices` and `settling`.

use crate::keys::StudyTable;
use crate::problem::Problems;
use model::{CacheState, Endpoint, Load, Place, Slices, Target, Task, Test};
use std::ops::RangeInclusive;
use std::time::Duration;

/// Shorter ones are all settling, longer ones are trials.
const LENGTHS: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(3600);
const SETTLING: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_secs(60);

/// Validates `slices` and `settling`: whether several targets can be up at once, and what their tests do
/// can be done in slices.
pub(crate) fn slices(
    table: &StudyTable,
    targets: &[Target],
    tests: &[Test],
    problems: &mut Problems,
) -> Option<Slices> {
    let settling = table.settling.value("settling", problems);
    let Some(length) = table.slices.value("slices", problems) else {
        if let (Some(at), None) = (table.settling.place(), table.slices.place()) {
            problems
                .add(at, "`settling` is the beginning of a slice, and there are no `slices`")
                .help("add slices = \"10s\", or remove it");
        }
        return None;
    };
    let at = table.slices.place()?;
    let mut refuse = |message: String, help: &str| {
        problems.add(at.clone(), message).help(help);
    };
    if !LENGTHS.contains(&length) {
        refuse("`slices` must be from 1s to 1h".to_owned(), "write slices = \"10s\"");
    }
    if !SETTLING.contains(&settling) {
        refuse("`settling` must be from 0s to 60s".to_owned(), "write settling = \"1s\"");
    }
    if table.parallel.value() {
        refuse(
            "`slices` lets targets take turns, and `parallel` runs them at once".to_owned(),
            "remove one of the two",
        );
    }
    if targets.len() < 2 {
        refuse(
            "`slices` needs two targets: one has nobody to take turns with".to_owned(),
            "remove it, or add a target",
        );
    }
    for test in tests {
        if let Some((what, help)) = in_one_piece(test) {
            refuse(format!("`slices`: the test `{}` {what}", test.name), help);
        }
    }
    for (place, one) in targets.iter().enumerate() {
        let others = targets.iter().skip(place + 1);
        for other in others.filter(|other| is_same_server(one, other)) {
            refuse(
                format!(
                    "`slices`: the targets `{}` and `{}` are one server, which would have the \
                     connections of both at once",
                    one.name, other.name
                ),
                "give each target a server of its own, or remove `slices`",
            );
        }
    }
    Some(Slices { length, settling })
}

/// Why what a test does cannot be cut into slices, and what to do.
fn in_one_piece(test: &Test) -> Option<(&'static str, &'static str)> {
    const APART: &str = "put it into a study of its own, or remove `slices`";
    let load: &Load = match &test.task {
        Task::Load(load) => load,
        Task::Search(_) => {
            return Some(("searches, and each target would be at another step", APART));
        }
        _ => return Some(("is no load", APART)),
    };
    if load.workload.storage().is_some() {
        return Some(("is a load on storage, which is measured without a break", APART));
    }
    if load.operations.is_some() {
        return Some((
            "is over when its work is done, which no clock can cut",
            "give it a `duration` in place of the number of its operations",
        ));
    }
    if !load.interventions.is_empty() {
        return Some(("has interventions, which act at a moment of a whole load", APART));
    }
    if load.profile.is_some() {
        return Some((
            "has a load profile, which cannot be cut",
            "remove `load_profile`, or `slices`",
        ));
    }
    if load.steady_within.is_some() {
        return Some((
            "settles before it is measured, which the others would have to wait for",
            "give `warmup` a time and remove `steady_within`, or remove `slices`",
        ));
    }
    if test.cache == CacheState::Cold {
        return Some((
            "begins with cold caches, which are warm from the second slice on",
            "remove `cache`, or `slices`",
        ));
    }
    test.cross_check.then_some((
        "has a cross-check, which would run while others are measured",
        "remove `cross_check`, or `slices`",
    ))
}

fn is_same_server(one: &Target, other: &Target) -> bool {
    let address = |target: &Target| -> Option<Endpoint> {
        let Place::Server(spec) = &target.place else { return None };
        Some(spec.address.endpoint.clone()).filter(|endpoint| *endpoint != Endpoint::NotUp)
    };
    address(one).is_some_and(|own| address(other) == Some(own))
}
