//! What the data of a private server stand on.

use crate::keys::Maybe;
use crate::keys::volume::{VolumeTable, min_mib};
use crate::problem::Problems;
use crate::text::size::parse_size;
use model::{BuiltVolume, FileSystem, IoLimits};
use toml::Spanned;

/// What md stripes by unless told otherwise (mdadm(8)).
const DEFAULT_CHUNK: u64 = 512 << 10;
/// A page is the least that md can stripe by; the least device holds two of the most.
const CHUNKS: std::ops::RangeInclusive<u64> = 4 << 10..=16 << 20;
const MIB: u64 = 1 << 20;
/// The largest file that ext4 can hold.
const LARGEST: u64 = 16 << 40;

/// Validates a volume to build. What it returns is one only if no problem was noted.
pub(crate) fn volume(table: Spanned<VolumeTable>, problems: &mut Problems) -> Option<BuiltVolume> {
    let at = table.span();
    let table = table.into_inner();
    if table.size.is_none() {
        let help = "write volume = { size = \"1GiB\" }, or name a directory on a volume";
        problems.missing(at, "a volume to build has a size", help);
    }
    let file_system = table.file_system.value("file_system", problems)?;
    let devices = table.devices.value("devices", problems);
    let limits = IoLimits {
        read_iops: table.read_iops.value("read_iops", problems),
        write_iops: table.write_iops.value("write_iops", problems),
        read_bytes: rate("read_rate", &table.read_rate, problems),
        write_bytes: rate("write_rate", &table.write_rate, problems),
    };
    let chunk_bytes = chunk(&table.chunk, devices, file_system, problems);
    Some(BuiltVolume {
        devices,
        device_bytes: device_bytes(&table.size?, devices, file_system, problems)?,
        chunk_bytes,
        file_system,
        limits,
    })
}

/// A size as written; `None` when it is absent or none.
fn size(key: &str, written: &Spanned<String>, text: &str, problems: &mut Problems) -> Option<u64> {
    match parse_size(text) {
        Ok(bytes) => Some(bytes),
        Err(error) => {
            problems.add(written.span(), format!("`{key}`: {error}"));
            None
        }
    }
}

fn device_bytes(
    written: &Spanned<String>,
    devices: u32,
    file_system: FileSystem,
    problems: &mut Problems,
) -> Option<u64> {
    let bytes = size("size", written, written.get_ref(), problems)?;
    let least = min_mib(devices, file_system);
    if (least * MIB..=LARGEST).contains(&bytes) {
        return Some(bytes - bytes % MIB);
    }
    let message = format!(
        "`size` must be from {least}MiB to 16TiB for {} on {devices} {}, not {}",
        file_system.name(),
        if devices == 1 { "device" } else { "devices" },
        written.get_ref()
    );
    problems.add(written.span(), message);
    None
}

fn chunk(
    written: &Maybe<String>,
    devices: u32,
    file_system: FileSystem,
    problems: &mut Problems,
) -> Option<u64> {
    let usual = match file_system {
        FileSystem::Ext4 | FileSystem::Xfs => DEFAULT_CHUNK,
        FileSystem::Btrfs => FileSystem::BTRFS_CHUNK,
    };
    let Some(written) = written else { return (devices > 1).then_some(usual) };
    let bytes = size("chunk", written, written.get_ref(), problems)?;
    if devices == 1 {
        problems
            .add(written.span(), "`chunk` does not apply to a single device")
            .help("add a line like devices = 2, or leave it out");
    } else if file_system == FileSystem::Btrfs && bytes != usual {
        problems
            .add(written.span(), "btrfs stripes by 64KiB and nothing else")
            .help("leave `chunk` out, or take file_system = \"ext4\" or \"xfs\", which md stripes");
    } else if !bytes.is_power_of_two() || !CHUNKS.contains(&bytes) {
        problems
            .add(written.span(), "`chunk` must be a power of two from 4KiB to 16MiB")
            .help("write it like chunk = \"256KiB\"");
    }
    Some(bytes)
}

/// Bytes per second.
fn rate(key: &str, written: &Maybe<String>, problems: &mut Problems) -> Option<u64> {
    let written = written.as_ref()?;
    let Some(per_second) = written.get_ref().trim().strip_suffix("/s") else {
        problems
            .add(written.span(), format!("`{key}` is bytes per second"))
            .help(format!("write it like {key} = \"50MiB/s\""));
        return None;
    };
    let bytes = size(key, written, per_second, problems)?;
    // A page: the kernel moves data in no smaller pieces.
    if bytes < 4 << 10 {
        problems.add(written.span(), format!("`{key}` must be 4KiB/s or more"));
    }
    Some(bytes)
}
