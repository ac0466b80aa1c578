use crate::Hosts;
use model::{BuiltVolume, Failure, Place, Study, Target};

/// Whether the volumes of a target can be built, beside those of all others in the same directory.
pub(super) fn check_volume(study: &Study, target: &Target, hosts: &Hosts) -> Result<(), Failure> {
    let Place::Sandbox(own) = &target.place else { return Ok(()) };
    let bytes = study.servers().map(|target| match &target.place {
        Place::Sandbox(spec) if (&spec.directory, &spec.host) == (&own.directory, &own.host) => {
            let bytes = spec.built_volumes().map(|volume| volume.bytes());
            bytes.fold(0, u64::saturating_add).saturating_mul(1 + target.replicas() as u64)
        }
        _ => 0,
    });
    let bytes = bytes.fold(0, u64::saturating_add);
    let check = |volume: BuiltVolume| {
        let Some(host) = hosts.for_target(target) else { return Err(target.out_of_reach()) };
        host.check_built_volume(&volume, own.directory.as_deref(), bytes)
    };
    own.built_volumes().try_for_each(check)
}
