//! What the data of a private server stand on.

use crate::numbers::{bytes, count, counted, list};
use model::{BuiltVolume, IoLimits, Place, SandboxSpec, Study};

/// What the data of a private server stand on, as the end of a sentence; empty for weighin's usual
/// directory.
pub(crate) fn stands_on(sandbox: &SandboxSpec) -> String {
    let data = match (&sandbox.volume, &sandbox.directory) {
        (Some(volume), _) => format!(", on a volume built from files: {}", built(volume)),
        (None, Some(directory)) => format!(", with its data in {}", directory.display()),
        (None, None) => String::new(),
    };
    let temporary = sandbox.temporary_volume.as_ref().map_or(String::new(), |volume| {
        format!(", with its temporary files on a volume built from files: {}", built(volume))
    });
    format!("{data}{temporary}")
}

/// The targets whose volumes have limits.
pub(super) fn limited(study: &Study) -> Vec<&str> {
    let has_limits = |place: &Place| match place {
        Place::Sandbox(spec) => spec.volume.is_some_and(|volume| !volume.limits.is_none()),
        _ => false,
    };
    let targets = study.targets.iter().filter(|target| has_limits(&target.place));
    targets.map(|target| target.name.as_str()).collect()
}

/// What a volume is made of, and what it is limited to.
fn built(volume: &BuiltVolume) -> String {
    let (system, size) = (volume.file_system.name(), bytes(volume.device_bytes));
    let devices = match volume.chunk_bytes {
        Some(chunk) => format!(
            "{system} striped by {} over {} of {size}",
            bytes(chunk),
            counted(volume.devices as usize, "device")
        ),
        None => format!("{system} on a device of {size}"),
    };
    match limits(&volume.limits).as_slice() {
        [] => devices,
        limits if volume.devices > 1 => {
            format!("{devices}, each limited to {} per second", list(limits))
        }
        limits => format!("{devices}, limited to {} per second", list(limits)),
    }
}

fn limits(limits: &IoLimits) -> Vec<String> {
    let said = [
        limits.read_iops.map(|n| format!("{} reads", count(n))),
        limits.write_iops.map(|n| format!("{} writes", count(n))),
        limits.read_bytes.map(|n| format!("{} read", bytes(n))),
        limits.write_bytes.map(|n| format!("{} written", bytes(n))),
    ];
    said.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::FileSystem;

    fn plain(text: &str) -> String {
        text.replace('\u{a0}', " ")
    }

    #[test]
    fn a_volume_is_described_with_its_limits() {
        let striped = BuiltVolume {
            devices: 2,
            device_bytes: 1 << 30,
            chunk_bytes: Some(256 << 10),
            file_system: FileSystem::Xfs,
            limits: IoLimits {
                read_iops: Some(1000),
                write_bytes: Some(50 << 20),
                ..IoLimits::default()
            },
        };
        let expected = "xfs striped by 256 KiB over 2 devices of 1.00 GiB, each limited to 1,000 reads \
                        and 50.0 MiB written per second";
        assert_eq!(plain(&built(&striped)), expected);
        let single = BuiltVolume {
            devices: 1,
            chunk_bytes: None,
            file_system: FileSystem::Ext4,
            limits: IoLimits { write_iops: Some(50), ..IoLimits::default() },
            ..striped
        };
        let expected = "ext4 on a device of 1.00 GiB, limited to 50 writes per second";
        assert_eq!(plain(&built(&single)), expected);
        let unlimited = BuiltVolume { limits: IoLimits::default(), ..single };
        assert_eq!(plain(&built(&unlimited)), "ext4 on a device of 1.00 GiB");
    }

    #[test]
    fn a_directory_is_named_and_the_usual_one_is_not() {
        let mut sandbox = SandboxSpec::default();
        assert_eq!(stands_on(&sandbox), "");
        sandbox.directory = Some("/mnt/fast".into());
        assert_eq!(stands_on(&sandbox), ", with its data in /mnt/fast");
    }
}
