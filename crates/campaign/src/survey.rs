//! What would make a study fail on a target, found before anything runs.

use crate::redis::{keys, rights};
use crate::storage::{Taking, Volumes, check_room, loads};
use crate::tables::Step;
use crate::{Deployment, check_limits, opinion, tables};
use model::{CacheState, Failure, FailureKind, Place, SandboxSpec, Stop, Study, Target, Workload};
use std::path::PathBuf;
use target::sandbox::sandbox_directory;

/// What [`survey`] found of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surveyed {
    /// The server's version; of volumes what they are, and what was found on them.
    pub version: String,
    /// Tables, keys, or files, that a run would make first.
    pub to_make: usize,
    /// Which of these: `table`, `key` or `file`.
    pub noun: &'static str,
}

/// Reaches or starts a target and looks for whatever would make the study fail on it. Leaves nothing
/// changed; a private server is gone again afterwards. Tells of volumes how many bytes of one were
/// read.
///
/// # Errors
/// The first thing that will not work, with the way to mend it; [`Failure::stopped`].
pub fn survey(
    study: &Study,
    target: &Target,
    consent: &[PathBuf],
    stop: &Stop,
    progress: &mut dyn FnMut(Step),
) -> Result<Surveyed, Failure> {
    check_feasible(study, target)?;
    if let Place::Storage(_) = target.place {
        return survey_volumes(study, target, &mut Taking { consent, stop, progress });
    }
    let deployment = Deployment::bring_up(target, stop)?;
    let mut control = deployment.login().control()?;
    opinion::Tools::find(study, target)?.check_login(deployment.login(), &mut control)?;
    let version = control.facts()?.version;
    let mut to_make = None;
    for test in &study.tests {
        let load = test.runnable_load()?;
        if let Some(highest) = load.levels.iter().max() {
            check_limits(&mut control, &load.workload, highest.clients)?;
        }
        let needed = match &load.workload {
            Workload::KeyValue(keys) => {
                let most = rights::most_keys(study);
                (keys::dry_run(control.redis()?, keys, most)?, "key")
            }
            Workload::Oltp(_) | Workload::Storage(_) => {
                let oltp = load.workload.oltp()?;
                (tables::dry_run(deployment.login(), control.sql()?, oltp)?, "table")
            }
        };
        to_make = to_make.max(Some(needed));
    }
    let (to_make, noun) = to_make.unwrap_or((0, "table"));
    Ok(Surveyed { version, to_make, noun })
}

/// The same of volumes, where those before them in the study have taken their room.
fn survey_volumes(
    study: &Study,
    target: &Target,
    taking: &mut Taking<'_>,
) -> Result<Surveyed, Failure> {
    let loads = loads(study);
    let before = study.servers().take_while(|other| other.name != target.name);
    let before: Vec<Volumes> =
        before.filter_map(|other| Volumes::open(other, &loads).ok()).collect();
    let volumes = Volumes::take(target, &loads, taking)?;
    check_room(before.iter().chain([&volumes]))?;
    let mut version = volumes.facts().version.clone();
    for (path, found) in volumes.contents() {
        version += &format!("; {}: {found}", path.display());
    }
    Ok(Surveyed { version, to_make: volumes.unfilled(), noun: "file" })
}

/// What a study asks of a target and the kind of target cannot give.
pub(crate) fn check_feasible(study: &Study, target: &Target) -> Result<(), Failure> {
    opinion::Tools::find(study, target)?;
    check_volume(study, target)?;
    let cold = study.tests.iter().find(|test| test.cache == CacheState::Cold);
    let Some(cold) = cold else { return Ok(()) };
    match target.place {
        Place::Server(_) => Err(Failure::new(
            FailureKind::NotPermitted,
            format!("the test {} is cold, and weighin may not restart this server", cold.name),
            "set cache = \"warm\", or make the target a sandbox",
        )),
        Place::Sandbox(_) | Place::Storage(_) if !target::os::is_root() => Err(Failure::new(
            FailureKind::NotPermitted,
            format!(
                "the test {} is cold, and only root may empty this machine's caches",
                cold.name
            ),
            "run weighin as root, or set cache = \"warm\"",
        )),
        Place::Sandbox(_) | Place::Storage(_) => Ok(()),
        Place::Elsewhere => Err(target.out_of_reach()),
    }
}

/// Whether the volume of a target can be built, beside those of all others in the same directory.
fn check_volume(study: &Study, target: &Target) -> Result<(), Failure> {
    let Place::Sandbox(SandboxSpec { volume: Some(volume), directory, .. }) = &target.place else {
        return Ok(());
    };
    let bytes = study.servers().filter_map(|target| match &target.place {
        Place::Sandbox(spec) if spec.directory == *directory => spec.volume,
        _ => None,
    });
    let bytes = bytes.map(|volume| volume.bytes()).fold(0, u64::saturating_add);
    let directory = directory.clone().unwrap_or_else(sandbox_directory);
    target::volume::check(volume, &directory, bytes)
}
