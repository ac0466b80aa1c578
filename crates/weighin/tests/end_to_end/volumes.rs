//! Private servers on volumes that weighin builds, and what is said where it can't.

use crate::support::{Ran, Workplace, not_tested, shared_directory, wait_for, with_mounts};
use host::local::sandbox::{Sandbox, SandboxOptions};
use model::{BuiltVolume, FileSystem, IoLimits, System};
use std::path::Path;
use std::process::Command;

/// A study of Redis servers that sync every write, each with that as its volume.
fn study(volumes: &[(&str, &str)]) -> String {
    let mut text = "[study]\nname = \"volumes\"\nrepeats = 2\n".to_owned();
    for (name, volume) in volumes {
        text += &format!(
            "[[target]]\nname = \"{name}\"\nkind = \"redis\"\n[target.sandbox]\n\
             settings = {{ appendonly = true, appendfsync = \"always\", save = \"\" }}\n\
             volume = {volume}\n"
        );
    }
    text + "[[test]]\nworkload = \"key_value\"\nkeys = 100\nvalue_size = 100\nratio = \"1:0\"\n\
            clients = 4\nwarmup = \"200ms\"\nduration = \"1s\"\n"
}

/// Whether this machine can build volumes of ext4 and btrfs with limits; a word about it where not.
pub fn volumes_can_be_built() -> bool {
    let volume = BuiltVolume {
        devices: 1,
        device_bytes: 512 << 20,
        chunk_bytes: None,
        file_system: FileSystem::Btrfs,
        limits: IoLimits { write_iops: Some(200), ..IoLimits::default() },
    };
    let checked = host::local::volume::check(&volume, Path::new("/var/tmp"), volume.bytes());
    checked.inspect_err(|failure| not_tested(&failure.message)).is_ok()
}

/// The files of all loop devices of this machine.
pub fn files_of_loop_devices() -> String {
    let devices = std::fs::read_dir("/sys/block").unwrap().flatten();
    let files = devices.map(|device| device.path().join("loop/backing_file"));
    files.filter_map(|file| std::fs::read_to_string(file).ok()).collect()
}

#[test]
fn a_study_of_volumes_runs_and_its_report_says_what_they_were() {
    if !volumes_can_be_built() {
        return;
    }
    let place = Workplace::new();
    let striped = "{ devices = 2, size = \"128MiB\", file_system = \"btrfs\", write_iops = 200 }";
    place.write("v.toml", study(&[("striped", striped), ("plain", "{ size = \"64MiB\" }")]));
    let checked = place.weighin(&["check", "v.toml"]).done();
    assert_eq!(checked.matches("ok  ").count(), 2, "{checked}");
    place.weighin(&["run", "v.toml"]).done();
    place.assert_no_server_left();
    let place_of_all = place.sandboxes().to_str().unwrap();
    wait_for("the end of their devices", || !files_of_loop_devices().contains(place_of_all));

    let trials = place.store().completed().len();
    assert_eq!(trials, 4);
    let report = place.weighin(&["report", "v.toml", "--format", "markdown"]).done();
    let report = report.replace('\u{a0}', " ");
    for words in [
        "btrfs striped by 64.0 KiB over 2 devices of 128 MiB, each limited to 200 writes per second",
        "ext4 on a device of 64.0 MiB",
        "Requests that wait for the limits of a volume (striped) are not in a queue yet",
    ] {
        assert!(report.contains(words), "no «{words}» in\n{report}");
    }
}

#[test]
fn the_devices_of_a_volume_are_those_that_were_made_for_it() {
    if !volumes_can_be_built() {
        return;
    }
    let directory = shared_directory();
    for (file_system, devices) in [(FileSystem::Ext4, 1), (FileSystem::Btrfs, 2)] {
        let volume = BuiltVolume {
            devices,
            device_bytes: 128 << 20,
            chunk_bytes: None,
            file_system,
            limits: IoLimits::default(),
        };
        weighin::systems::register();
        let sandbox = Sandbox::start(SandboxOptions {
            system: System::Redis,
            directory: Some(directory.path().to_owned()),
            volume: Some(volume),
            ..SandboxOptions::default()
        });
        let sandbox = sandbox.unwrap();
        let found = host::local::sample::volume_of(sandbox.data_directory()).unwrap();
        assert_eq!(found.file_system, file_system.name());
        assert_eq!(found.devices.len(), devices as usize, "{found:?}");
        assert_eq!(found.members, found.devices);
        for device in &found.members {
            let file = format!("/sys/block/{device}/loop/backing_file");
            let file = std::fs::read_to_string(file).unwrap();
            assert!(Path::new(&file).starts_with(directory.path()), "{file}");
        }
        let below = host::local::sample::volume_of(directory.path()).unwrap();
        assert_eq!(found.beneath, below.members);
    }
}

#[test]
fn a_volume_that_cannot_be_built_is_refused_before_the_first_trial() {
    let place = Workplace::new();
    place.write("huge.toml", study(&[("huge", "{ size = \"16TiB\" }")]));
    if volumes_can_be_built() {
        let refused = place.weighin(&["run", "huge.toml"]);
        refused.refused(3, &["target huge", "16.0 TiB", "make the volumes smaller"]);
        assert!(place.files(".weighin").is_empty());
        place.assert_no_server_left();

        // Each would have room, and both have none: they are there at the same time.
        let free = host::local::os::free_space(place.sandboxes()).unwrap();
        let share = format!(
            "{{ devices = 4, size = \"{}MiB\", file_system = \"btrfs\" }}",
            (free >> 20) * 6 / 10 / 4
        );
        place.write("two.toml", study(&[("one", &share), ("two", &share)]));
        let checked = place.weighin(&["check", "two.toml"]);
        assert_eq!(checked.code, Some(3), "{checked:?}");
        // In one line where the room that is free has not changed meanwhile.
        let refused = |line: &&str| line.contains("the volumes take");
        let refused: String = checked.out.lines().filter(refused).collect();
        assert!(refused.contains("one") && refused.contains("two"), "{}", checked.out);
    }
    // A user that is not root.
    let mut command = place.surround(Command::new("unshare"));
    command.args(["--user", env!("CARGO_BIN_EXE_weighin"), "check", "huge.toml"]);
    let ran = Ran::of(command);
    if ran.err.contains("unshare") {
        return not_tested("this user may not become another");
    }
    assert_eq!(ran.code, Some(3), "{ran:?}");
    assert!(ran.out.contains("only root may build a volume"), "{}", ran.out);
    assert!(ran.out.contains("volume = \"/mnt/fast\""), "{}", ran.out);
}

#[test]
fn what_a_machine_lacks_is_said_with_the_way_to_mend_it() {
    if !volumes_can_be_built() {
        return;
    }
    let place = Workplace::new();
    place.write("limited.toml", study(&[("limited", "{ size = \"64MiB\", write_iops = 200 }")]));
    let lacks = |mounts: &str| with_mounts(&place, mounts, &["check", "limited.toml"], "");
    let Some(programs) = lacks("mount -t tmpfs none /usr/sbin") else { return };
    assert_eq!(programs.code, Some(3), "{programs:?}");
    assert!(programs.out.contains("needs losetup"), "{}", programs.out);
    assert!(programs.out.contains("install the Debian package"), "{}", programs.out);
    let Some(groups) = lacks("umount --all --types cgroup,cgroup2") else { return };
    assert_eq!(groups.code, Some(3), "{groups:?}");
    assert!(groups.out.contains("no control groups that limit IO"), "{}", groups.out);
    assert!(groups.out.contains("leave the limits of the volume out"), "{}", groups.out);
}
