//! Targets that are loaded at once on this machine: `duet`.

use crate::keys::StudyTable;
use crate::problem::Problems;
use model::{CacheState, Place, Software, Target, Task, Test};

const APART: &str = "put it into a study of its own, or remove `duet`";

/// Validates `duet`: whether targets can be kept apart on this machine, and what their tests do can be done
/// to all of them at one moment.
pub(crate) fn duet(
    table: &StudyTable,
    targets: &[Target],
    tests: &[Test],
    problems: &mut Problems,
) -> bool {
    let Some(at) = table.duet.place().filter(|_| table.duet.value()) else { return false };
    let mut refuse = |message: String, help: &str| {
        problems.add(at.clone(), message).help(help);
    };
    for (other, name) in
        [(table.parallel.value(), "parallel"), (table.slices.place().is_some(), "slices")]
    {
        if other {
            let message = format!("`duet` and `{name}` each say when targets are loaded");
            refuse(message, "remove one of the two");
        }
    }
    if targets.len() < 2 {
        refuse(
            "`duet` needs two targets: one has nobody to be loaded with".to_owned(),
            "remove it, or add a target",
        );
    }
    for target in targets {
        if let Some((what, help)) = not_apart(target) {
            refuse(format!("`duet`: the target `{}` {what}", target.name), help);
        }
    }
    for test in tests {
        if let Some((what, help)) = not_at_once(test) {
            refuse(format!("`duet`: the test `{}` {what}", test.name), help);
        }
        let has_load_hosts =
            |load: &model::Load| targets.iter().any(|target| !load.load_hosts(target).is_empty());
        if test.load().is_some_and(has_load_hosts) {
            refuse(
                format!("`duet`: the load of the test `{}` is made by other machines", test.name),
                "with `duet` this machine makes all loads; remove `load_hosts`, or use `parallel` with \
                 a machine for each target",
            );
        }
    }
    true
}

/// Why a target cannot have a part of this machine, and what to do.
fn not_apart(target: &Target) -> Option<(&'static str, &'static str)> {
    let spec = match &target.place {
        Place::Sandbox(spec) => spec,
        Place::Server(_) => {
            return Some((
                "is a server that runs already, whose processors weighin does not choose",
                "make it a private one: sandbox = {}, or use `slices`",
            ));
        }
        Place::Storage(_) | Place::Imported => {
            return Some(("is no private server", "remove `duet`, or this target"));
        }
    };
    if target.ssh_host().is_some() {
        return Some((
            "is on another machine",
            "with `duet` all targets are private servers on the machine that weighin runs on; use \
             `slices`, or `parallel` with a machine for each target",
        ));
    }
    if matches!(spec.software, Software::Container(_)) {
        return Some((
            "runs in a container, whose engine has control groups of its own",
            "use installed programs or an unpacked distribution, or `slices`",
        ));
    }
    let has_proxy = target.path.as_ref().is_some_and(|path| path.proxy.is_some());
    has_proxy.then_some((
        "is reached through a proxy, whose processors weighin does not choose",
        "remove the proxy, or use `slices`",
    ))
}

/// Why what a test does cannot be done to several targets at one moment, and what to do.
fn not_at_once(test: &Test) -> Option<(&'static str, &'static str)> {
    let load = match &test.task {
        Task::Load(load) => load,
        Task::Search(_) => {
            return Some(("searches, and each target would be at another step", APART));
        }
        _ => return Some(("is no load", APART)),
    };
    if load.workload.storage().is_some() {
        return Some(("is a load on storage, which is not kept apart", APART));
    }
    if load.operations.is_some() {
        return Some((
            "is over when its work is done, and the slower target would have the rest for itself",
            "give it a `duration` in place of the number of its operations",
        ));
    }
    if !load.interventions.is_empty() {
        return Some(("has interventions, whose work runs on all processors", APART));
    }
    if load.steady_within.is_some() {
        return Some((
            "settles before it is measured, which the others would have to wait for",
            "give `warmup` a time and remove `steady_within`, or remove `duet`",
        ));
    }
    if test.cache == CacheState::Cold {
        return Some((
            "begins with cold caches, which all targets of the machine share",
            "remove `cache`, or `duet`",
        ));
    }
    test.cross_check.then_some((
        "has a cross-check, which would run while another target is measured",
        "remove `cross_check`, or `duet`",
    ))
}
