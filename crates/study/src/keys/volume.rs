//! The key `volume` as written.

use crate::keys::Maybe;
use crate::keys::choices::FileSystemKey;
use crate::keys::key::{Bounded, Choice, Key, Whole};
use model::FileSystem;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use std::borrow::Cow;
use std::fmt;

/// What the data stand on.
#[derive(Debug)]
pub(crate) enum VolumeKey {
    /// A directory on the volume.
    Directory(String),
    /// A volume to build.
    Built(Box<VolumeTable>),
}

/// A volume that weighin builds out of files for the run, and removes after it. Only for root, on
/// Linux. Sizes and limits are those of each device.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub(crate) struct VolumeTable {
    /// How many devices the data is striped over (RAID 0).
    pub devices: Key<Whole<1, { MAX_DEVICES as i64 }, 1>>,
    /// Size of each device, such as `1GiB`; whole MiB count.
    #[schemars(with = "String")]
    pub size: Maybe<String>,
    /// How much goes to one device before the next has its turn, such as `256KiB`: a power of two.
    /// Always `64KiB` for btrfs.
    #[schemars(with = "Option<String>", extend("default" = "512KiB"))]
    pub chunk: Maybe<String>,
    /// What is made on the devices. Btrfs stripes by itself, the others by the kernel's md.
    pub file_system: Key<Choice<FileSystemKey>>,
    /// Most reads per second of each device.
    #[schemars(extend("x-absent" = "unlimited"))]
    pub read_iops: Key<Bounded<1, { MAX_IOPS as i64 }>>,
    /// Most writes per second of each device, including flushes.
    #[schemars(extend("x-absent" = "unlimited"))]
    pub write_iops: Key<Bounded<1, { MAX_IOPS as i64 }>>,
    /// Most bytes read per second from each device, such as `50MiB/s`.
    #[schemars(with = "Option<String>")]
    #[schemars(extend("x-absent" = "unlimited"))]
    pub read_rate: Maybe<String>,
    /// Most bytes written per second to each device, such as `50MiB/s`.
    #[schemars(with = "Option<String>")]
    #[schemars(extend("x-absent" = "unlimited"))]
    pub write_rate: Maybe<String>,
}

/// By hand, because serde's own way to try one form after the other loses the places in the file.
impl<'de> Deserialize<'de> for VolumeKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Either)
    }
}

struct Either;

impl<'de> Visitor<'de> for Either {
    type Value = VolumeKey;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a directory, or a table that describes a volume to build")
    }

    fn visit_str<E>(self, text: &str) -> Result<VolumeKey, E> {
        Ok(VolumeKey::Directory(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<VolumeKey, A::Error> {
        VolumeTable::deserialize(MapAccessDeserializer::new(map))
            .map(|table| VolumeKey::Built(Box::new(table)))
    }
}

impl JsonSchema for VolumeKey {
    fn schema_name() -> Cow<'static, str> {
        "VolumeKey".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let built = generator.subschema_for::<VolumeTable>();
        schemars::json_schema!({ "anyOf": [{ "type": "string" }, built] })
    }
}

/// Most devices of a volume: a kernel has 8 loop devices unless told otherwise, and makes more on
/// demand.
pub(crate) const MAX_DEVICES: u32 = 16;
/// Most reads or writes per second that a limit can name: no device of today comes near it.
pub(crate) const MAX_IOPS: u32 = 100_000_000;

/// The least size of each device, in MiB: what `mkfs` needs, and room for what md keeps of its own.
pub(crate) fn min_mib(devices: u32, file_system: FileSystem) -> u64 {
    match file_system {
        FileSystem::Ext4 => 32,
        // mkfs.xfs makes no file system below 300 MiB.
        FileSystem::Xfs => 320_u64.div_ceil(devices.into()).max(32),
        // mkfs.btrfs asks for 109 MiB of a device.
        FileSystem::Btrfs => 128,
    }
}
