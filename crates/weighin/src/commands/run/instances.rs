//! Targets that are provisioned for a run.

use crate::progress::RunProgress;
use crate::signals;
use ::study::OutputError;
use campaign::{Instances, OutputReader, RunError};
use model::{Failure, FailureKind, Stop, Study, Target};
use std::collections::BTreeMap;
use store::{Store, StoreError};
use system::Hosts;

/// The instances of a run, none of which is up yet.
pub(super) fn for_study<'a>(
    study: &'a Study,
    hosts: &Hosts,
    store: &Store,
    stop: &Stop,
) -> Result<Instances<'a>, StoreError> {
    let earlier = match study.has_instances() {
        true => store.dataset()?.instances,
        false => Vec::new(),
    };
    Ok(Instances::new(study, hosts, OUTPUT_READER, &earlier, stop))
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

/// Reads what `up` printed.
pub(crate) const OUTPUT_READER: OutputReader =
    OutputReader { target: read_of_target, host: read_of_host };

fn read_of_host(output: &str) -> Result<(String, BTreeMap<String, String>), Failure> {
    study::host_output(output).map_err(|error| not_told(&error))
}

fn not_told(error: &OutputError) -> Failure {
    Failure::new(FailureKind::NotUp, format!("`up` has ended, but {error}"), error.help())
}

fn read_of_target(
    study: &Study,
    target: &Target,
    output: &str,
) -> Result<(Target, BTreeMap<String, String>), Failure> {
    let told = study::instance_output(study, target, output).map_err(|error| not_told(&error))?;
    Ok((told.target, told.labels))
}
