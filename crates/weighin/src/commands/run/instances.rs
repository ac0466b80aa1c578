//! Targets that come and go with a run.

use crate::progress::RunProgress;
use crate::signals;
use campaign::{Hosts, Instances, RunError};
use model::{Failure, FailureKind, Stop, Study, Target};
use std::collections::BTreeMap;
use store::{Store, StoreError};

/// The instances of a run, none of which is up yet.
pub(super) fn of<'a>(
    study: &'a Study,
    hosts: &Hosts,
    store: &Store,
    stop: &Stop,
) -> Result<Instances<'a>, StoreError> {
    let earlier = match study.targets.iter().any(|target| target.instance().is_some()) {
        true => store.dataset()?.instances,
        false => Vec::new(),
    };
    Ok(Instances::new(study, &hosts.load, read, &earlier, stop))
}

/// Takes down what is up, however the run has ended.
pub(super) fn end(
    instances: &mut Instances<'_>,
    store: &mut Store,
    progress: &mut RunProgress,
) -> Result<(), RunError> {
    if !instances.any_up() {
        return Ok(());
    }
    // That takes as long as it takes; after another signal it goes on without this process.
    signals::ended_in_order();
    instances.take_all_down(Some(store), &mut |event| progress.show(&event))
}

/// Reads what `up` of a target printed.
pub(crate) fn read(
    study: &Study,
    target: &Target,
    output: &str,
) -> Result<(Target, BTreeMap<String, String>), Failure> {
    let told = study::told(study, target, output).map_err(|error| {
        Failure::new(FailureKind::NotUp, format!("`up` has ended, but {error}"), error.help())
    })?;
    Ok((told.target, told.labels))
}
