//! Storage that fails: devices and file systems that give errors, shrink, vanish or fill up while
//! weighin works on them. The tests make devices and mount file systems, which only root may do.

use crate::support::{Disk, LoopDevice, Workplace, file_of, shared_directory, wait_for};
use model::{Failure, FailureKind, TrialRecord};
use std::path::Path;
use std::process::Command;

/// A study of two targets of one volume each, `frail` and `sound`, three times: 6 trials. They last
/// for longer than it takes a busy machine to start a program that does harm; those that fail do not.
/// Limited, they leave the processors to others.
fn duel(frail: &Path, sound: &Path) -> String {
    let target = |name: &str, volume: &Path| {
        format!("[[target]]\nname = {name:?}\nkind = \"storage\"\nvolumes = [{volume:?}]\n")
    };
    format!(
        "[study]\nname = \"s\"\nrepeats = 3\nseed = 5\n{}{}[[test]]\nworkload = \"storage\"\n\
         pattern = \"t1 o4 b4k\"\niops_limit = 2000\ndata = \"8MiB\"\nwarmup = \"100ms\"\nduration = \"10s\"\n",
        target("frail", frail),
        target("sound", sound),
    )
}

/// IOs that only a load does: more than what looks at a device between trials.
const MANY: u64 = 500;

/// Runs the study, lets something happen while the second trial on `frail`, which is on that device,
/// is under way, and gives what became of its three trials. Those on `sound` must have gone well, and
/// the run have told of the others by its exit code.
fn trials_around(
    place: &Workplace,
    study: &str,
    device: &LoopDevice,
    event: impl FnOnce(),
) -> Vec<TrialRecord> {
    place.write("s.toml", study);
    let loaded = study::load(&place.path("s.toml")).unwrap();
    let plan = study::expand(&loaded, loaded.seed);
    let mut on_frail = plan.trials().filter(|trial| trial.key.target == "frail");
    let second = on_frail.nth(1).unwrap().position;
    let mut run = place.start(&["run", "s.toml"]);
    run.wait_for_line(&format!("[{}/6]", second - 1));
    // Threads of the trial before may be there yet; it does no IOs any more.
    let before = device.ios();
    wait_for("the trial's IOs", || device.ios() > before + MANY);
    event();
    let ran = run.end();
    assert_eq!(ran.code, Some(1), "{}\n{}", ran.out, ran.err);
    let trials = place.store().dataset().unwrap().trials;
    assert_eq!(trials.len(), 6, "the run goes on to its end");
    let (frail, sound): (Vec<_>, Vec<_>) =
        trials.into_iter().partition(|trial| trial.key.target == "frail");
    assert!(sound.iter().all(|trial| trial.load().is_some()), "{sound:?}");
    assert!(frail[0].load().is_some(), "what was measured before stays");
    frail
}

/// Why a trial failed: a volume did, and the kernel's log is where to look.
fn volume_failure(trial: &TrialRecord) -> &Failure {
    let failure = trial.failure().unwrap_or_else(|| panic!("it did not fail: {trial:?}"));
    assert_eq!(failure.kind, FailureKind::VolumeFailed, "{failure}");
    assert!(failure.remedy.contains("dmesg"), "{failure}");
    failure
}

/// Asserts that the report tells of the failures in these words.
fn reported(place: &Workplace, words: &[&str]) {
    let page = place.weighin(&["report", "s.toml", "--format", "markdown"]).done();
    for word in words {
        assert!(page.contains(word), "no «{word}» in:\n{page}");
    }
}

fn cut(image: &Path, mebibytes: u64) {
    std::fs::File::options().write(true).open(image).unwrap().set_len(mebibytes << 20).unwrap();
}

#[test]
fn a_device_that_gives_errors_in_mid_run_fails_its_trials_and_no_others() {
    let place = Workplace::new();
    let (directory, sound) = (shared_directory(), shared_directory());
    let image = file_of(directory.path(), "image", 10);
    let Some(device) = LoopDevice::over(&image) else { return };
    // Somebody who has it open keeps its cache, which must not answer for it.
    let _reader = std::fs::File::open(&device.0).unwrap();
    // The device keeps its size, and has nothing behind its second half any more.
    let trials = trials_around(&place, &duel(&device.0, sound.path()), &device, || cut(&image, 5));
    let what = format!(" of {} failed: Input/output error (os error 5)", device.path());
    for trial in &trials[1..] {
        let message = &volume_failure(trial).message;
        assert!(message.starts_with("a read of 4096 bytes at byte "), "{message}");
        assert!(message.ends_with(&what), "{message}");
    }
    reported(&place, &["volume failed", &what, "dmesg"]);
    place.weighin(&["check", "s.toml"]).refused(3, &[]);
}

#[test]
fn a_device_that_shrinks_in_mid_run_is_a_failure() {
    let place = Workplace::new();
    let (directory, sound) = (shared_directory(), shared_directory());
    let image = file_of(directory.path(), "image", 10);
    let Some(device) = LoopDevice::over(&image) else { return };
    let trials = trials_around(&place, &duel(&device.0, sound.path()), &device, || {
        cut(&image, 5);
        let resized = Command::new("losetup").arg("--set-capacity").arg(&device.0).status();
        assert!(resized.is_ok_and(|status| status.success()));
    });
    let message = &volume_failure(&trials[1]).message;
    assert!(message.contains(&format!(" of {} ", device.path())), "{message}");
    let third = trials[2].failure().unwrap();
    let sizes = format!("{} has 5242880 bytes where 9437184 are needed", device.path());
    assert_eq!((third.kind, &third.message), (FailureKind::DiskFull, &sizes));
    reported(&place, &[&sizes]);
}

#[test]
fn a_file_system_that_is_shut_down_in_mid_run_is_a_failure_that_names_the_file() {
    let place = Workplace::new();
    let sound = shared_directory();
    let Some(disk) = Disk::with_size("xfs", 320) else { return };
    let trials = trials_around(&place, &duel(disk.path(), sound.path()), disk.device(), || {
        // As a file system does by itself when its device is gone.
        let shutdown = ["-x", "-c", "shutdown"];
        let done = Command::new("xfs_io").args(shutdown).arg(disk.path()).status();
        assert!(done.is_ok_and(|status| status.success()), "xfs_io is needed for this test");
    });
    let file = format!("{}/weighin-storage/weighin-vm-000.dat", disk.path().display());
    let message = &volume_failure(&trials[1]).message;
    assert!(message.contains(&format!(" of {file} failed: Input/output error")), "{message}");
    let message = &volume_failure(&trials[2]).message;
    assert!(message.ends_with("is gone: Input/output error (os error 5)"), "{message}");
    reported(&place, &["volume failed", &file]);
}

#[test]
fn a_volume_that_is_unmounted_in_mid_run_is_not_taken_for_what_is_in_its_place_then() {
    let place = Workplace::new();
    let sound = shared_directory();
    let Some(disk) = Disk::with_size("ext4", 64) else { return };
    let trials =
        trials_around(&place, &duel(disk.path(), sound.path()), disk.device(), || disk.unmount());
    assert!(trials[1].load().is_some(), "its files were open, and as good as before");
    let message = &volume_failure(&trials[2]).message;
    assert!(
        message.contains(&format!("the volume {} is gone", disk.path().display())),
        "{message}"
    );
    // Where it was mounted there is a directory of another disk.
    let left = std::fs::read_dir(disk.path()).unwrap().count();
    assert_eq!(left, 0, "nothing was written there");
    reported(&place, &["volume failed", "leads to something else"]);
}

#[test]
fn a_disk_that_fills_up_while_files_are_made_keeps_what_is_the_users_and_nothing_else() {
    let place = Workplace::new();
    let Some(disk) = Disk::with_size("ext4", 192) else { return };
    let Some(thin) = disk.thin("ext4", 192) else { return };
    let precious = disk.path().join("precious");
    let content: Vec<u8> = (0..1_000_000_u32).flat_map(u32::to_le_bytes).collect();
    std::fs::write(&precious, &content).unwrap();
    // Both have room when they are looked at, and what fills the first takes it from the second.
    let study = duel(thin.path(), disk.path()).replace("8MiB", "128MiB");
    place.write("s.toml", study);
    place.weighin(&["check", "s.toml"]).done();
    place
        .weighin(&["run", "s.toml"])
        .refused(3, &["target sound", "cannot fill", "No space left on device", "make room"]);
    assert!(place.files(".weighin").is_empty());
    assert!(std::fs::read(&precious).unwrap() == content, "the user's file is as it was");
    assert!(!disk.path().join("weighin-storage").exists(), "what was begun is gone");
    // Filled whole, it serves the next run.
    assert!(thin.path().join("weighin-storage/weighin-vm-000.dat").exists());
}

#[test]
fn nothing_is_filled_before_every_volume_was_looked_at() {
    let place = Workplace::new();
    let (directory, other) = (shared_directory(), shared_directory());
    let foreign = directory.path().join("precious");
    std::fs::write(&foreign, "mine").unwrap();
    place.write("s.toml", duel(other.path(), &foreign));
    place.weighin(&["run", "s.toml"]).refused(3, &["target sound", "holds data"]);
    assert!(std::fs::read_dir(other.path()).unwrap().next().is_none(), "nothing was written");
    assert_eq!(std::fs::read_to_string(&foreign).unwrap(), "mine");
}

#[test]
fn volumes_that_share_a_file_system_need_room_for_all_of_them() {
    let place = Workplace::new();
    let Some(disk) = Disk::with_size("ext4", 64) else { return };
    let [one, two] = ["one", "two"].map(|name| disk.path().join(name));
    for path in [&one, &two] {
        std::fs::create_dir(path).unwrap();
    }
    // Each would fit.
    place.write("s.toml", duel(&one, &two).replace("8MiB", "32MiB"));
    place.weighin(&["run", "s.toml"]).refused(3, &["target sound", "64.0 MiB are needed"]);
    let checked = place.weighin(&["check", "s.toml"]);
    assert!(checked.out.contains("ok       frail"), "{}", checked.out);
    assert!(checked.out.contains("error    sound"), "{}", checked.out);
    place.write("s.toml", duel(&one, &two).replace("8MiB", "16MiB"));
    place.weighin(&["check", "s.toml"]).done();
    for path in [&one, &two] {
        assert!(std::fs::read_dir(path).unwrap().next().is_none(), "nothing was written");
    }
}
