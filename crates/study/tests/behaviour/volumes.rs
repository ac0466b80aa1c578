//! What the key `volume` turns into, and what is said of one that cannot be meant.

use model::{BuiltVolume, FileSystem, IoLimits, Place, SandboxSpec};
use study::{json_schema, parse};

fn study(sandbox: &str) -> String {
    format!(
        "[study]\nname = \"s\"\n[[target]]\nname = \"t\"\nkind = \"redis\"\nsandbox = {{ {sandbox} }}\n\
         [[test]]\nworkload = \"key_value\"\nclients = 1\n"
    )
}

fn sandbox(keys: &str) -> SandboxSpec {
    let study = parse(&study(keys), "s").unwrap();
    let Place::Sandbox(sandbox) = &study.targets[0].place else { panic!("a sandbox") };
    sandbox.clone()
}

fn refusal(keys: &str) -> String {
    parse(&study(keys), "s.toml").unwrap_err().to_string()
}

const MIB: u64 = 1 << 20;

#[test]
fn a_directory_is_a_volume_by_either_key() {
    for keys in ["volume = \"/mnt/fast\"", "directory = \"/mnt/fast\""] {
        let sandbox = sandbox(keys);
        assert_eq!(sandbox.directory.as_deref(), Some("/mnt/fast".as_ref()));
        assert_eq!(sandbox.volume, None);
    }
    let both = refusal("volume = \"/mnt/fast\", directory = \"/mnt/slow\"");
    assert!(both.contains("both say where the data are"), "{both}");
}

#[test]
fn every_key_of_a_volume_arrives() {
    let sandbox = sandbox(
        "directory = \"/mnt\", volume = { devices = 2, size = \"1GiB\", chunk = \"256KiB\", \
         file_system = \"xfs\", read_iops = 1000, write_iops = 500, read_rate = \"50MiB/s\", \
         write_rate = \"1MB/s\" }",
    );
    assert_eq!(sandbox.directory.as_deref(), Some("/mnt".as_ref()));
    let expected = BuiltVolume {
        devices: 2,
        device_bytes: 1024 * MIB,
        chunk_bytes: Some(256 << 10),
        file_system: FileSystem::Xfs,
        limits: IoLimits {
            read_iops: Some(1000),
            write_iops: Some(500),
            read_bytes: Some(50 * MIB),
            write_bytes: Some(1_000_000),
        },
    };
    assert_eq!(sandbox.volume, Some(expected));
}

#[test]
fn what_is_left_out_is_as_usual() {
    let plain = sandbox("volume = { size = \"100MB\" }").volume.unwrap();
    // Whole MiB.
    assert_eq!((plain.devices, plain.device_bytes), (1, 95 * MIB));
    assert_eq!((plain.chunk_bytes, plain.file_system), (None, FileSystem::Ext4));
    assert!(plain.limits.is_none());
    let chunk = |system: &str| {
        let keys =
            format!("volume = {{ devices = 2, size = \"1GiB\", file_system = \"{system}\" }}");
        sandbox(&keys).volume.unwrap().chunk_bytes
    };
    assert_eq!((chunk("ext4"), chunk("btrfs")), (Some(512 << 10), Some(64 << 10)));
}

#[test]
fn what_cannot_be_meant_is_told_with_the_way_to_mend_it() {
    let cases = [
        ("volume = {}", ["has a size", "volume = { size = \"1GiB\" }"]),
        ("volume = 7", ["`volume`", "a directory, or a table"]),
        ("volume = { size = \"1GiB\", stripes = 2 }", ["unknown key `stripes`", "`devices`"]),
        (
            "volume = { size = \"1GiB\", write_iop = 2 }",
            ["`write_iop`", "did you mean `write_iops`"],
        ),
        ("volume = { size = 1 }", ["`size` must be a string", "integer `1`"]),
        ("volume = { size = \"1\" }", ["`1` has no unit", "`1B`"]),
        ("volume = { size = \"16MiB\" }", ["from 32MiB to 16TiB", "not 16MiB"]),
        ("volume = { size = \"200MiB\", file_system = \"xfs\" }", ["from 320MiB", "for xfs"]),
        ("volume = { size = \"1GiB\", file_system = \"zfs\" }", ["unknown file_system", "`xfs`"]),
        ("volume = { size = \"1GiB\", devices = 17 }", ["`devices`", "from 1 to 16"]),
        ("volume = { size = \"1GiB\", chunk = \"64KiB\" }", ["`chunk`", "devices = 2"]),
        (
            "volume = { size = \"1GiB\", devices = 2, chunk = \"100KiB\" }",
            ["power of two", "256KiB"],
        ),
        (
            "volume = { size = \"1GiB\", devices = 2, chunk = \"256KiB\", file_system = \"btrfs\" }",
            ["btrfs stripes by 64KiB", "leave `chunk` out"],
        ),
        ("volume = { size = \"1GiB\", read_iops = 0 }", ["`read_iops`", "from 1"]),
        ("volume = { size = \"1GiB\", write_rate = \"50MiB\" }", ["bytes per second", "50MiB/s"]),
        ("volume = { size = \"1GiB\", write_rate = \"1B/s\" }", ["`write_rate`", "4KiB/s or more"]),
    ];
    for (keys, words) in cases {
        let said = refusal(keys);
        assert!(words.iter().all(|word| said.contains(word)), "{keys}\n{said}");
    }
}

#[test]
fn the_schema_knows_both_forms() {
    let schema = json_schema();
    let target = &schema["properties"]["target"]["items"]["properties"];
    let volume = &target["sandbox"]["properties"]["volume"];
    let forms = volume["anyOf"].as_array().unwrap();
    assert_eq!(forms[0]["type"], "string");
    assert_eq!(forms[1]["properties"]["devices"]["maximum"], 16);
    assert_eq!(forms[1]["additionalProperties"], false);
    assert!(volume["description"].as_str().unwrap().contains("volume"));
}
