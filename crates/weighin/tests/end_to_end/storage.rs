//! Volumes without a server: studies and loads by hand on real files and loop devices, and that
//! nothing of the user's is overwritten.

use crate::support::{
    LoopDevice, Workplace, file_of, not_tested, number, shared_directory, with_mounts,
};
use std::path::Path;
use std::process::Command;

/// A study of one target with these volumes and one test with these keys.
fn study(volumes: &[&Path], keys: &str) -> String {
    let volumes: Vec<String> = volumes.iter().map(|path| format!("{path:?}")).collect();
    format!(
        "[study]\nname = \"s\"\nrepeats = 2\nseed = 5\n[[target]]\nname = \"disk\"\n\
         kind = \"storage\"\nvolumes = [{}]\n[[test]]\nworkload = \"storage\"\nwarmup = \"200ms\"\n\
         duration = \"1s\"\ndata = \"4MiB\"\n{keys}\n",
        volumes.join(", ")
    )
}

#[test]
fn a_study_of_two_directories_gives_figures_by_volume_and_by_virtual_machine() {
    let place = Workplace::new();
    let (one, two) = (shared_directory(), shared_directory());
    let keys = "block = \"4KiB\"\nqueue_depth = [1, 8]\nreads = 70\nvms = 3";
    place.write("s.toml", study(&[one.path(), two.path()], keys));
    let checked = place.weighin(&["check", "s.toml"]).done();
    assert!(checked.contains("3 files will be made"), "{checked}");
    assert!(std::fs::read_dir(one.path()).unwrap().next().is_none(), "check leaves nothing");
    let planned = place.weighin(&["plan", "s.toml"]).done();
    assert!(
        planned.contains("queue depth") && planned.contains("8.00\u{a0}MiB of disk"),
        "{planned}"
    );
    place.weighin(&["run", "s.toml"]).done();

    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.len(), 4);
    for trial in &dataset.trials {
        let load = trial.load().expect("it completed");
        let fleet = load.fleet.as_ref().expect("a fleet");
        assert_eq!((fleet.vms.len(), fleet.volumes.len()), (3, 2));
        assert_eq!([fleet.volumes[0].vms, fleet.volumes[1].vms], [2, 1]);
        let moved = fleet.moved();
        assert_eq!(moved, load.measure.moved, "what machines did adds up");
    }
    let report = place.weighin(&["report", "s.toml", "--format", "json"]).json();
    let fleets = report["tests"][0]["fleets"].as_array().expect("fleets").clone();
    assert_eq!(fleets.len(), 2);
    let volume = &fleets[0]["volumes"][0];
    for figure in ["ios", "bytes", "read_mean_ms", "write_p99_ms"] {
        assert!(volume[figure]["point"].as_f64().is_some_and(|value| value > 0.0), "{volume}");
    }
    assert!(fleets[0]["vms"]["evenness"]["point"].as_f64().is_some_and(|even| even <= 1.0));
    let page = place.weighin(&["report", "s.toml", "--format", "markdown"]).done();
    for words in ["### Volumes", "### Virtual machines", "IOs/s per GB", "70 % reads"] {
        assert!(page.contains(words), "no {words:?} in\n{page}");
    }

    let path = one.path().to_str().unwrap();
    let cleaned = place.weighin(&["cleanup", path]).done();
    assert!(cleaned.contains("Removed weighin's data"), "{cleaned}");
    assert!(std::fs::read_dir(path).unwrap().next().is_none(), "nothing is left");
}

#[test]
fn a_load_by_hand_counts_what_the_device_counts() {
    let place = Workplace::new();
    let directory = shared_directory();
    let path = directory.path().to_str().unwrap();
    let size = ["--vms=2", "--data=8MiB"];
    let prepared = place.weighin(&["prepare", path, size[0], size[1]]).done();
    assert!(prepared.contains("Filled the data of 2 virtual machines"), "{prepared}");
    let again = place.weighin(&["prepare", path, size[0], size[1]]).done();
    assert!(again.contains("All data is there"), "{again}");
    let pattern = ["--pattern=t2 o4 b16k", "--reads=50", "--duration=3s", "--verify", "--json"];
    let json = place.weighin(&[&["load", path][..], &size, &pattern].concat()).json();
    let storage = &json["storage"];
    assert_eq!((&json["clients"], &storage["queue_depth_per_vm"]), (&16.into(), &8.into()));
    assert!(number(&json["storage"], "/verified_units") > 0.0, "{storage}");
    for moved in storage["moved"].as_array().unwrap() {
        if let Some(device) = moved["device_bytes"].as_f64() {
            // Others may use the device as well, and what is in flight is counted later.
            assert!(device >= 0.99 * number(moved, "/weighin_bytes"), "{moved}");
        }
    }
}

#[test]
fn a_device_with_a_file_system_is_left_alone_unless_both_allow_to_erase_it() {
    let place = Workplace::new();
    let directory = shared_directory();
    let image = file_of(directory.path(), "image", 32);
    let made = Command::new("mkfs.ext4").arg("-q").arg(&image).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfs.ext4");
    let Some(device) = LoopDevice::over(&image) else { return };
    let before = std::fs::read(&image).unwrap();
    let path = device.0.to_str().unwrap();
    let keys = "pattern = \"t1 o4 b4k\"\nreads = 0";
    place.write("s.toml", study(&[&device.0], keys));
    let held = ["holds an ext2, ext3 or ext4 file system", "erase = ["];
    place.weighin(&["run", "s.toml"]).refused(3, &held);
    place.weighin(&["run", "s.toml", "--erase", path]).refused(3, &held);
    place.weighin(&["load", path, "--duration=1s"]).refused(3, &held[..1]);
    let allowed =
        study(&[&device.0], keys).replace("[[test]]", &format!("erase = [{path:?}]\n[[test]]"));
    place.write("s.toml", &allowed);
    let half = ["the study allows to erase it", "--erase /dev/loop"];
    place.weighin(&["run", "s.toml"]).refused(3, &half);
    place.weighin(&["check", "s.toml"]).refused(3, &[]);
    assert!(std::fs::read(&image).unwrap() == before, "not a byte of the user's has changed");

    place.weighin(&["run", "s.toml", "--erase", path]).done();
    // What is weighin's own needs no consent.
    place.write("again.toml", study(&[&device.0], keys));
    place.weighin(&["check", "again.toml"]).done();
    place.weighin(&["cleanup", path]).done();
    assert!(std::fs::read(&image).unwrap().iter().all(|&byte| byte == 0), "it is empty again");
}

#[test]
fn a_file_that_holds_anything_and_a_device_in_use_are_refused() {
    let place = Workplace::new();
    let directory = shared_directory();
    let file = file_of(directory.path(), "precious", 16);
    std::fs::write(directory.path().join("note"), "mine").unwrap();
    use std::os::unix::fs::FileExt;
    let content = std::fs::File::options().write(true).open(&file).unwrap();
    content.write_all_at(b"precious", 1 << 20).unwrap();
    let path = file.to_str().unwrap();
    place.weighin(&["load", path, "--data=1MiB"]).refused(3, &["holds data", "--erase"]);
    let Some(_device) = LoopDevice::over(&file) else { return };
    // Not even with consent.
    let erase = ["load", path, "--data=1MiB", "--erase", path];
    place.weighin(&erase).refused(3, &["is in use by the loop device", "nothing uses"]);
}

#[test]
fn too_little_room_is_said_before_anything_is_written() {
    let place = Workplace::new();
    let directory = shared_directory();
    place.write(
        "s.toml",
        study(&[directory.path()], "pattern = \"t1 o1 b4k\"").replace("4MiB", "9TiB"),
    );
    let words = ["are needed", "`vms` or `data` smaller"];
    place.weighin(&["run", "s.toml"]).refused(3, &words);
    let checked = place.weighin(&["check", "s.toml"]);
    assert_eq!(checked.code, Some(3));
    assert!(words.iter().all(|words| checked.out.contains(words)), "{}", checked.out);
    let scaled = place.weighin(&["check", "s.toml", "--scale=0.000001"]);
    assert_eq!(scaled.code, Some(0), "{}", scaled.out);
    assert!(std::fs::read_dir(directory.path()).unwrap().next().is_none());
    assert!(place.files(".weighin").is_empty());
    let file = file_of(directory.path(), "small", 3);
    let path = file.to_str().unwrap();
    place.weighin(&["load", path, "--data=2MiB"]).refused(3, &["3.0 MiB", "4.0 MiB are needed"]);
}

#[test]
fn file_systems_in_memory_and_those_without_direct_input_and_output_are_refused() {
    let place = Workplace::new();
    let path = place.path("memory");
    std::fs::create_dir(&path).unwrap();
    place.write("s.toml", study(&[&path], "pattern = \"t1 o1 b4k\""));
    let path = path.to_str().unwrap();
    for (kind, words) in [("tmpfs", "in memory"), ("ramfs", "O_DIRECT")] {
        for arguments in [&["load", path, "--data=1MiB"][..], &["run", "s.toml"]] {
            let mount = format!("mount -t {kind} {kind} {path}");
            let list = format!("ls -A {path} > left");
            let Some(ran) = with_mounts(&place, &mount, arguments, &list) else { return };
            ran.refused(3, &[path, words, "name a directory on"]);
            assert_eq!(std::fs::read_to_string(place.path("left")).unwrap(), "");
        }
    }
}

#[test]
fn blocks_smaller_than_those_of_the_device_are_refused() {
    let place = Workplace::new();
    let directory = shared_directory();
    let file = file_of(directory.path(), "image", 8);
    let Some(device) = LoopDevice::over(&file) else { return };
    let path = device.0.to_str().unwrap();
    let resized = Command::new("losetup").args(["--sector-size", "4096", path]).status();
    if !resized.is_ok_and(|status| status.success()) {
        return not_tested("this machine's loop devices have no sectors of 4096 bytes");
    }
    let words = ["takes no blocks of 512 bytes", "4 KiB"];
    place.weighin(&["load", path, "--pattern=o1 b512B", "--data=1MiB"]).refused(3, &words);
    place.write("s.toml", study(&[&device.0], "pattern = \"o1 b512B\"\nreads = 0"));
    place.weighin(&["run", "s.toml"]).refused(3, &words);
    assert!(std::fs::read(&file).unwrap().iter().all(|&byte| byte == 0), "nothing was written");
}

#[test]
fn options_of_servers_mean_nothing_to_volumes_and_the_other_way_round() {
    let place = Workplace::new();
    let directory = shared_directory();
    let path = directory.path().to_str().unwrap();
    for (option, words) in [
        (&["--clients=4"][..], "--clients does not apply to storage"),
        (&["--tables=4"], "--tables does not apply to storage"),
        (&["--keys=4"], "--keys does not apply to storage"),
        (&["--workload=key_value"], "which is storage without a server"),
        (&["--sync-every=2"], "applies only where something is written"),
        (
            &["--pattern=redo log", "--reads=3"],
            "--reads repeats what the pattern of a redo log says",
        ),
        (&["--pattern=fast"], "is not a pattern"),
    ] {
        let arguments = [&["load", path][..], option].concat();
        place.weighin(&arguments).refused(2, &[words]);
    }
    let server = ["load", "mysql://u@127.0.0.1:1/db", "--workload=oltp_read_only", "--vms=2"];
    place.weighin(&server).refused(2, &["--vms does not apply to oltp_read_only"]);
    assert!(std::fs::read_dir(path).unwrap().next().is_none());
}

#[test]
fn a_bound_on_latency_and_on_processors_ends_in_a_sustained_rate() {
    let place = Workplace::new();
    let directory = shared_directory();
    let keys = "pattern = \"t1 o8 b4k\"\nvms = 2\nslo = \"mean < 500ms\"\ncpu_limit = 99";
    let short = study(&[directory.path()], keys).replace("\"1s\"", "\"300ms\"");
    place.write("s.toml", short);
    let ran = place.weighin(&["run", "s.toml"]);
    let _ = ran.done();
    let dataset = place.store().dataset().unwrap();
    let mut bounded = 0;
    for trial in &dataset.trials {
        let search = trial.search.as_ref().expect("a search");
        assert_eq!(search.bound.cpu_percent, Some(99));
        assert!(search.steps.len() > 1, "{search:?}");
        bounded += usize::from(search.answer.missed.is_some() && search.answer.met.is_some());
    }
    let report = place.weighin(&["report", "s.toml", "--format", "json"]).json();
    let findings = report["findings"].as_array().unwrap();
    let sustained = findings.iter().find(|finding| finding["evidence"]["kind"] == "sustained_rate");
    if let Some(finding) = sustained {
        // Only where every search found both ends; repeats that scatter widely sustain none either.
        assert_eq!(bounded, dataset.trials.len());
        let words = finding["words"].as_str().unwrap();
        assert!(words.contains("sustains up to"), "{words}");
        assert!(words.contains("mean < 500 ms and processors at most 99 % busy"), "{words}");
    }
}
