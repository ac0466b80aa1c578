use crate::Hosts;
use model::{Failure, Place, SandboxSpec, Study, Target};

/// Whether the volume of a target can be built, beside those of all others in the same directory.
pub(super) fn check_volume(study: &Study, target: &Target, hosts: &Hosts) -> Result<(), Failure> {
    let Place::Sandbox(SandboxSpec { volume: Some(volume), directory, .. }) = &target.place else {
        return Ok(());
    };
    let bytes = study.servers().filter_map(|target| match &target.place {
        Place::Sandbox(spec) if spec.directory == *directory => {
            Some(spec.volume?.bytes().saturating_mul(1 + target.replicas() as u64))
        }
        _ => None,
    });
    let bytes = bytes.fold(0, u64::saturating_add);
    let Some(host) = hosts.of(target) else { return Err(target.out_of_reach()) };
    host.check_built_volume(volume, directory.as_deref(), bytes)
}
