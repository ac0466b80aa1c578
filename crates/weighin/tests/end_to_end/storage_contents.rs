//! What block devices and files hold before weighin writes on them, on real loop devices.

use crate::support::{LoopDevice, Started, Workplace, file_of, shared_directory, wait_for};
use std::fs::{File, Permissions};
use std::os::unix::fs::{FileExt, PermissionsExt, chown};
use std::path::Path;

/// Writes bytes at a place of a file.
fn write(file: &Path, bytes: &[u8], at: u64) {
    File::options().write(true).open(file).unwrap().write_all_at(bytes, at).unwrap();
}

/// Reads so many bytes at a place of a file.
fn read(file: &Path, bytes: usize, at: u64) -> Vec<u8> {
    let mut buffer = vec![0; bytes];
    File::open(file).unwrap().read_exact_at(&mut buffer, at).unwrap();
    buffer
}

#[test]
fn a_little_data_on_a_large_device_is_found_and_kept() {
    let place = Workplace::new();
    let directory = shared_directory();
    let image = file_of(directory.path(), "image", 1024);
    // As much, and where, as was once overwritten: between the places that were looked at.
    let data: Vec<u8> = (0..1_500_000_u32).map(|number| number as u8 | 1).collect();
    write(&image, &data, 2 << 20);
    let Some(device) = LoopDevice::over(&image) else { return };
    let path = device.path();
    let held = ["holds data at 2.0 MiB", "erase = ["];
    place.weighin(&["prepare", path, "--data=900MiB"]).refused(3, &held);
    place.weighin(&["load", path, "--data=1MiB", "--duration=1s"]).refused(3, &held);
    assert_eq!(read(&image, 1 << 20, 0), vec![0; 1 << 20], "no mark was made");
    assert!(read(&image, data.len(), 2 << 20) == data, "not a byte has changed");
}

#[test]
fn what_lies_behind_weighins_data_is_neither_overwritten_nor_cleaned_up() {
    let place = Workplace::new();
    let directory = shared_directory();
    let image = file_of(directory.path(), "image", 64);
    let Some(device) = LoopDevice::over(&image) else { return };
    write(&device.0, b"somebody's", 40 << 20);
    let path = device.path();
    let prepared = place.weighin(&["prepare", path, "--vms=2", "--data=8MiB"]).done();
    let words = "checked all 16.0 MiB that will be written: empty";
    assert!(prepared.contains(words) && prepared.contains("Filled the data of 2"), "{prepared}");
    let again = place.weighin(&["prepare", path, "--vms=2", "--data=8MiB"]).done();
    assert!(again.contains("weighin's own") && again.contains("All data is there"), "{again}");
    let more = ["prepare", path, "--vms=6", "--data=8MiB"];
    place.weighin(&more).refused(3, &["holds data at 40.0 MiB"]);
    let three = place.weighin(&["prepare", path, "--vms=3", "--data=8MiB"]).done();
    assert!(three.contains("checked all 8.0 MiB behind that will be written: empty"), "{three}");
    // A smaller layout does not forget how far weighin has written.
    place.weighin(&["prepare", path, "--vms=1", "--data=4MiB"]).done();
    place.weighin(&["cleanup", path]).done();
    assert_eq!(read(&device.0, 40 << 20, 0), vec![0; 40 << 20]);
    assert_eq!(read(&device.0, 10, 40 << 20), b"somebody's");
}

#[test]
fn a_run_records_how_much_it_looked_at() {
    let place = Workplace::new();
    let directory = shared_directory();
    let image = file_of(directory.path(), "image", 32);
    let Some(device) = LoopDevice::over(&image) else { return };
    place.write(
        "s.toml",
        format!(
            "[study]\nname = \"s\"\nrepeats = 2\n[[target]]\nname = \"disk\"\nkind = \"storage\"\n\
             volumes = [{:?}]\n[[test]]\nworkload = \"storage\"\nwarmup = \"100ms\"\n\
             duration = \"300ms\"\ndata = \"4MiB\"\npattern = \"t1 o4 b4k\"\n",
            device.path()
        ),
    );
    let words = "checked all 4.0 MiB that will be written: empty";
    let checked = place.weighin(&["check", "s.toml"]).done();
    assert!(checked.contains(words), "{checked}");
    let ran = place.weighin(&["run", "s.toml"]);
    assert!(ran.err.contains(words), "{}", ran.err);
    let dataset = place.store().dataset().unwrap();
    let target = &dataset.targets[0];
    let found = target.server.variables.get("volume 1 contents").map(String::as_str);
    assert_eq!(found, Some(words));
}

/// Reading a device to its end can take hours.
#[test]
fn a_signal_ends_the_reading_of_a_large_device() {
    let place = Workplace::new();
    let directory = shared_directory();
    let image = directory.path().join("image");
    File::create(&image).unwrap().set_len(1 << 40).unwrap();
    let Some(device) = LoopDevice::over(&image) else { return };
    let arguments = ["prepare", device.path(), "--data=1000GiB"];
    let mut started = Started::new(place.command(&arguments));
    let io = format!("/proc/{}/io", started.pid());
    wait_for("the reading", || {
        let io = std::fs::read_to_string(&io).unwrap_or_default();
        let read = io.lines().find_map(|line| line.strip_prefix("rchar: "));
        read.is_some_and(|read| read.parse::<u64>().unwrap() > 64 << 20)
    });
    assert!(started.is_running());
    started.signal("TERM");
    assert_eq!(started.end().code, Some(130));
    assert_eq!(read(&image, 4096, 0), vec![0; 4096], "nothing was written");
}

#[test]
fn a_file_that_others_can_exchange_is_refused() {
    if !host::local::os::is_root() {
        // Only root can give a directory away.
        return;
    }
    let place = Workplace::new();
    let directory = shared_directory();
    let file = file_of(directory.path(), "image", 8);
    chown(directory.path(), Some(65_534), None).unwrap();
    let words = ["in the hands of others", "belongs to user 65534", "chown"];
    let path = file.to_str().unwrap();
    place.weighin(&["load", path, "--data=1MiB"]).refused(3, &words);
    // Nor by way of a link from elsewhere.
    let link = place.path("link");
    std::os::unix::fs::symlink(&file, &link).unwrap();
    place.weighin(&["load", link.to_str().unwrap(), "--data=1MiB"]).refused(3, &words);
    place.weighin(&["load", directory.path().to_str().unwrap(), "--data=1MiB"]).refused(3, &words);
    assert!(std::fs::read(&file).unwrap().iter().all(|&byte| byte == 0));
}

#[test]
fn a_planted_folder_has_nothing_overwritten_or_removed() {
    if !host::local::os::is_root() {
        // Only root can give a directory away.
        return;
    }
    let place = Workplace::new();
    let directory = shared_directory();
    std::fs::set_permissions(directory.path(), Permissions::from_mode(0o1777)).unwrap();
    let canary = place.path("canary");
    std::fs::write(&canary, vec![7; 1 << 20]).unwrap();
    let folder = directory.path().join("weighin-storage");
    std::fs::create_dir(&folder).unwrap();
    let marker =
        "The files in this directory were made by weighin, which overwrites and removes them.\n";
    std::fs::write(folder.join("made-by-weighin.txt"), marker).unwrap();
    std::os::unix::fs::symlink(&canary, folder.join("weighin-vm-000.dat")).unwrap();
    for path in [&folder.join("made-by-weighin.txt"), &folder] {
        chown(path, Some(65_534), Some(65_534)).unwrap();
    }
    let path = directory.path().to_str().unwrap();
    let words = ["is not weighin's own", "belongs to user 65534", "move it elsewhere"];
    for command in ["load", "prepare"] {
        place.weighin(&[command, path, "--data=1MiB"]).refused(3, &words);
    }
    place.weighin(&["cleanup", path]).refused(3, &words);
    assert!(std::fs::read(&canary).unwrap() == vec![7; 1 << 20]);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
}
