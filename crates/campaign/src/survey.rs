//! What would make a study fail on a target, found before anything runs.

use crate::intervention::check_programs;
use crate::systems::{self, Holding, Missing};
use crate::{Hosts, Step};
use model::{Failure, Stop, Study, Target, Test};
use std::path::PathBuf;

/// What [`survey`] found of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surveyed {
    /// The server's version; of volumes what they are, and what was found on them.
    pub version: String,
    /// What a run would make first.
    pub missing: Missing,
}

/// Reaches or starts a target and looks for whatever would make the study fail on it. Leaves nothing
/// changed; a private server is gone again afterwards. Tells of volumes how many bytes of one were
/// read.
///
/// # Errors
/// The first thing that will not work, with the way to fix it; [`Failure::stopped`].
pub fn survey(
    study: &Study,
    target: &Target,
    hosts: &Hosts,
    consent: &[PathBuf],
    stop: &Stop,
    progress: &mut dyn FnMut(Step),
) -> Result<Surveyed, Failure> {
    check_programs(study, hosts.load.as_ref())?;
    let system = systems::of(target)?;
    system.check_feasible(study, target, hosts)?;
    let mut holding = Holding::new(study, hosts, consent, stop, progress);
    for before in study.servers().take_while(|other| other.name != target.name) {
        systems::of(before)?.reserve(before, &mut holding);
    }
    let mut handle = system.hold(target, &mut holding)?;
    handle.bring_up(study)?;
    let mut version = handle.facts()?.version;
    for (path, found) in handle.found() {
        version += &format!("; {}: {found}", path.display());
    }
    let mut missing = Missing { count: 0, noun: "table" };
    for workload in study.tests.iter().filter_map(Test::data) {
        let needed = handle.missing(workload, study)?;
        missing = Missing { count: missing.count.max(needed.count), ..needed };
    }
    Ok(Surveyed { version, missing })
}
