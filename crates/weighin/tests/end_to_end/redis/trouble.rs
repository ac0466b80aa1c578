//! Private servers that end, and disks that fill up, in the middle of a trial.

use super::{sandbox, study, study_of};
use crate::support::{Workplace, wait_for, with_mounts};
use model::{FailureKind, TrialEnd};
use std::path::Path;

/// The process of the only private server that runs; absent between trials.
fn server_of(sandboxes: &Path) -> Option<u32> {
    let homes = std::fs::read_dir(sandboxes).unwrap().flatten();
    let running: Vec<u32> = homes
        .flat_map(|home| host::local::os::processes_working_in(&home.path().join("data")))
        .collect();
    assert!(running.len() <= 1, "only the server whose trial runs is up");
    running.first().copied()
}

#[test]
fn a_server_that_dies_in_a_trial_is_a_result_and_the_run_goes_on() {
    let place = Workplace::new();
    let target = sandbox("save = \"\"");
    let text = study(&[("one", &target), ("two", &target)]);
    let text = text.replace("400ms", "2s").replace("clients = [1, 4]", "rate = [500, 1_000]");
    place.write("cache.toml", text);
    let mut run = place.start(&["run", "cache.toml"]);
    run.wait_for_line("[2/8]");
    run.wait_for_load();
    wait_for("the end of a server", || {
        server_of(place.sandboxes()).is_some_and(|server| host::local::os::kill(server).is_ok())
    });
    let ran = run.end();
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    place.assert_no_server_left();

    let trials = place.store().dataset().unwrap().trials;
    assert_eq!(trials.len(), 8);
    let failed: Vec<_> = trials.iter().filter_map(|t| Some((t.position, t.failure()?))).collect();
    // Of the third, or of a later one on a busy machine.
    let [(3.., failure)] = failed.as_slice() else { panic!("{failed:?}") };
    assert_eq!(failure.kind, FailureKind::ServerLost);
    assert!(failure.message.contains("has ended (signal: 9"), "{failure}");
    assert!(failure.remedy.contains("dmesg"), "{failure}");
}

#[test]
fn a_disk_that_fills_up_under_the_append_only_log_is_told() {
    // Synced now and then, the server refuses writes; synced at each write, it gives up.
    for (sync, words) in [
        ("everysec", ["MISCONF", "No space left on device"]),
        ("always", ["has ended (exit status: 1)", "AOF write error"]),
    ] {
        let place = Workplace::new();
        let disk = place.path("disk");
        std::fs::create_dir(&disk).unwrap();
        let mount = format!("mount -t tmpfs -o mode=755,size=24m small {}", disk.display());
        let settings = format!(
            "appendonly = true, appendfsync = \"{sync}\", auto-aof-rewrite-percentage = 0, \
             save = \"\""
        );
        let target = sandbox(&settings)
            .replace("sandbox = {", &format!("sandbox = {{ directory = {disk:?},"));
        let test = "keys = 100\nvalue_size = 20_000\nratio = \"1:0\"\nclients = 2\n\
                    warmup = \"0s\"\nduration = \"12s\"";
        let text = study_of(&[("log", &target)], test).replace("repeats = 2", "repeats = 1");
        place.write("cache.toml", text);
        let Some(ran) = with_mounts(&place, &mount, &["run", "cache.toml"], "") else { return };
        assert_eq!(ran.code, Some(1), "{}\n{}", ran.out, ran.err);
        let trials = place.store().dataset().unwrap().trials;
        let TrialEnd::Failed(failure) = &trials[0].end else { panic!("{:?}", trials[0].end) };
        assert_eq!(failure.kind, FailureKind::DiskFull, "{failure}");
        assert!(words.iter().all(|part| failure.message.contains(part)), "{failure}");
        assert!(failure.remedy.contains("free space"), "{failure}");
        place.assert_no_server_left();
    }
}
