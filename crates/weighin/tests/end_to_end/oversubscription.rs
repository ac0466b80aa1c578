//! Virtual machines that share processors, on the control groups of this machine.

use crate::support::{
    Started, Workplace, held_back, not_tested, number, shared_directory, wait_for, with_mounts,
};
use host::local::processors::Processors;
use model::{CrossCheckEnd, Failure};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

/// What a load of four virtual machines is, without processors.
const LOAD: [&str; 5] =
    ["--pattern=t1 o8 b4k", "--vms=4", "--data=4MiB", "--warmup=200ms", "--duration=1s"];

/// Holds these four to a tenth of a processor, less than they could use on any machine.
const A_TENTH: &str = "--cpu-oversubscription=40";

/// Groups of weighin's on this machine whose names go on like that.
fn groups(name: &str) -> Vec<PathBuf> {
    let begins = format!("weighin-cpus-{name}");
    let mut found = Vec::new();
    let mut open = vec![PathBuf::from("/sys/fs/cgroup")];
    while let Some(directory) = open.pop() {
        let entries = std::fs::read_dir(&directory).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            if entry.file_name().to_string_lossy().starts_with(&begins) {
                found.push(entry.path());
            }
            open.push(entry.path());
        }
    }
    found
}

/// Whether this machine lets this user hold anything to processors, as the tests of `target` make
/// sure. Where it does, whatever does not work is weighin's fault.
pub fn may_hold_processors() -> bool {
    // Asked once, before any of the tests has groups.
    static ASKED: LazyLock<Result<(), Failure>> = LazyLock::new(|| Processors::hold(0.1).map(drop));
    ASKED.as_ref().inspect_err(|failure| not_tested(&failure.message)).is_ok()
}

fn study(volume: &Path, keys: &str) -> String {
    format!(
        "[study]\nname = \"s\"\nrepeats = 2\nseed = 5\n[[target]]\nname = \"disk\"\n\
         kind = \"storage\"\nvolumes = [{volume:?}]\n[[test]]\nworkload = \"storage\"\n\
         warmup = \"200ms\"\nduration = \"1s\"\ndata = \"4MiB\"\nvms = 4\n{keys}\n"
    )
}

#[test]
fn threads_of_either_kind_use_no_more_than_their_share_and_the_group_is_gone_then() {
    let (place, volume) = (Workplace::new(), shared_directory());
    if !may_hold_processors() {
        return;
    }
    // By hand, whatever is not io_uring means threads that block.
    for io in ["io_uring", "epoll"] {
        let path = volume.path().to_str().unwrap();
        // For longer than others: thirty periods, of which the first and the last count little.
        let options = [A_TENTH, "--duration=3s", "--json", "--io", io];
        let load = [&["load", path][..], &LOAD[..4], &options].concat();
        let started = Started::new(place.command(&load));
        let own = format!("{}-", started.pid());
        let json = started.end().json();
        let found = |name: &str| number(&json["storage"]["processors"], name);
        assert_eq!(found("/count"), 0.1);
        // Where the tests themselves are held to little, less than that may be left of it.
        let is_throttled = found("/throttled_periods") >= 1.0 && found("/throttled_seconds") > 0.0;
        assert!(is_throttled || held_back(), "{io}: {}", json["storage"]["processors"]);
        assert!(found("/throttled_periods") <= found("/periods"), "{io}");
        // The kernel keeps to it from period to period, and the phase does not begin with one.
        assert!(found("/busy") < 1.3, "{io}: {}", found("/busy"));
        assert!(number(&json, "/transactions") > 0.0);
        assert_eq!(groups(&own), Vec::<PathBuf>::new(), "{io}");
    }
}

/// A long load that is under way in its group, and how the group's name goes on.
fn under_way(place: &Workplace, volume: &Path) -> (Started, String) {
    let path = volume.to_str().unwrap();
    let load = [&["load", path][..], &LOAD[..3], &[A_TENTH, "--duration=600s"]].concat();
    let started = Started::new(place.command(&load));
    let own = format!("{}-", started.pid());
    wait_for("members of the group", || {
        groups(&own).iter().any(|group| {
            let members = ["tasks", "cgroup.threads"].map(|list| group.join(list));
            let text = |list| std::fs::read_to_string(list).unwrap_or_default();
            members.iter().any(|list| !text(list).is_empty())
        })
    });
    (started, own)
}

#[test]
fn the_group_is_gone_when_a_load_is_stopped_and_one_that_was_killed_is_cleared_by_the_next() {
    let (place, volume) = (Workplace::new(), shared_directory());
    if !may_hold_processors() {
        return;
    }
    let (stopped, own) = under_way(&place, volume.path());
    stopped.signal("INT");
    assert_ne!(stopped.end().code, Some(0));
    assert_eq!(groups(&own), Vec::<PathBuf>::new());

    let (killed, own) = under_way(&place, volume.path());
    killed.kill();
    // The kernel lets go of it when the last of its threads is gone; it does not remove it.
    let path = volume.path().to_str().unwrap();
    let load = [&["load", path][..], &LOAD, &[A_TENTH]].concat();
    wait_for("the next to remove it", || {
        place.weighin(&load).done();
        groups(&own).is_empty()
    });
}

#[test]
fn what_cannot_be_is_refused_before_anything_is_written() {
    let (place, volume) = (Workplace::new(), shared_directory());
    let pattern = "pattern = \"t1 o8 b4k\"";
    let keys = format!("{pattern}\nvms = 5000\ncpu_oversubscription = 1");
    place.write("s.toml", study(volume.path(), &keys).replace("vms = 4\n", ""));
    let words = ["5000 virtual machines × 1 virtual processor ÷ 1 need 5000 processors", "at most"];
    let checked = place.weighin(&["check", "s.toml"]);
    assert_eq!(checked.code, Some(3), "{checked:?}");
    assert!(words.iter().all(|word| checked.out.contains(word)), "{}", checked.out);
    place.weighin(&["run", "s.toml"]).refused(3, &words);
    let planned = place.weighin(&["plan", "s.toml", "--commands"]).done();
    assert!(planned.contains("it would not run on this host"), "{planned}");
    assert!(planned.contains("Neither holds virtual machines to processors"), "{planned}");

    place.write("none.toml", study(volume.path(), &format!("{pattern}\ncpu_oversubscription = 4")));
    let hidden = "umount --recursive --lazy /sys/fs/cgroup";
    if let Some(ran) = with_mounts(&place, hidden, &["run", "none.toml"], "") {
        ran.refused(3, &["no control groups", "leave `cpu_oversubscription` out"]);
    }
    assert!(std::fs::read_dir(volume.path()).unwrap().next().is_none());
    assert!(place.files(".weighin").is_empty());

    let path = volume.path().to_str().unwrap();
    for (options, words) in [
        (&["--vcpus=2"][..], &["--cpu-oversubscription"][..]),
        (&["--cpu-oversubscription=0"], &["number above 0", "4 stands for"]),
        (&["--cpu-oversubscription=2", "--vcpus=3"], &["1.5 processors", "take 3 or more"]),
        (&["--vms=3", "--cpu-oversubscription=1.5", "--workers=1"], &["--workers=2 at least"]),
    ] {
        place.weighin(&[&["load", path][..], options].concat()).refused(2, words);
    }
}

#[test]
fn a_study_says_what_its_virtual_machines_had_and_does_not_doubt_it() {
    let (place, volume) = (Workplace::new(), shared_directory());
    if !may_hold_processors() {
        return;
    }
    let keys = "pattern = \"t1 o8 b4k\"\ncpu_oversubscription = 40\ncross_check = true";
    let longer = study(volume.path(), keys).replace("\"1s\"", "\"3s\"");
    place.write("s.toml", longer);
    place.weighin(&["run", "s.toml"]).done();
    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.len(), 2);
    for trial in &dataset.trials {
        let fleet = trial.load().expect("it completed").fleet.as_ref().expect("a fleet");
        let held = fleet.processors.expect("they were held");
        assert!(held.throttling.throttled > 0 || held_back(), "{held:?}");
        let cross_check = trial.cross_check.as_ref().expect("fio was asked");
        let CrossCheckEnd::Measured(figures) = &cross_check.end else { panic!("{cross_check:?}") };
        // All of fio, from its start to its end, which is a part of this time.
        let seconds = (trial.finished_at.0 - trial.started_at.0) as f64 / 1e3;
        assert!(figures.cpu_seconds < 0.1 * seconds + 0.1, "{figures:?} in {seconds} s");
    }
    let page = place.weighin(&["report", "s.toml", "--format", "markdown"]).done();
    for words in [
        "The 4 virtual machines shared 0.1 processors (40 virtual processors to each)",
        "of the periods of 100\u{a0}ms",
        "throttled, % of periods",
    ] {
        assert!(page.contains(words), "no {words:?} in\n{page}");
    }
    let report = place.weighin(&["report", "s.toml", "--format", "json"]).json();
    let doubted = report["findings"].as_array().unwrap().iter().find(|finding| {
        let kind = finding["evidence"]["kind"].as_str().unwrap();
        ["client_busy", "throttled", "client_delay"].contains(&kind)
    });
    // Tests that are held back themselves make the client so, and a report is right to doubt then; as of a
    // thread that stood still for longer than its limit lets it, which is a tenth of a second at a time.
    let lags = dataset.trials.iter().map(|trial| trial.load().unwrap().client.max_loop_lag);
    let stood_still = lags.max() > Some(Duration::from_millis(400));
    assert!(doubted.is_none() || held_back() || stood_still, "{doubted:?}");
    let shared = &report["tests"][0]["fleets"][0]["processors"];
    assert_eq!(number(shared, "/count"), 0.1);
    let table = place.weighin(&["report", "s.toml", "--format", "csv"]).done();
    let column = table.lines().next().unwrap().split(',').position(|name| name == "vm_processors");
    let row = table.lines().nth(1).unwrap();
    assert_eq!(row.split(',').nth(column.expect("the column")), Some("0.1"), "{row}");
}

#[test]
fn a_limit_of_processor_time_is_of_the_processors_that_the_virtual_machines_have() {
    let (place, volume) = (Workplace::new(), shared_directory());
    if !may_hold_processors() {
        return;
    }
    let keys = "pattern = \"t1 o8 b4k\"\ncpu_oversubscription = 16\ncpu_limit = 50";
    let short = study(volume.path(), keys).replace("\"1s\"", "\"500ms\"");
    place.write("s.toml", short);
    place.weighin(&["run", "s.toml"]).done();
    for trial in &place.store().dataset().unwrap().trials {
        let search = trial.search.as_ref().expect("a search");
        assert!(search.bound.cpu_of_vms, "{:?}", search.bound);
        let held = trial.load().unwrap().fleet.as_ref().unwrap().processors.expect("held");
        let busy = |step: &&model::SearchStep| step.cpu_busy == Some(held.busy);
        assert!(search.steps.iter().any(|step| busy(&step)), "{held:?} in {:?}", search.steps);
    }
    let page = place.weighin(&["report", "s.toml", "--format", "markdown"]).done();
    assert!(page.contains("the virtual machines’ processors at most 50 % busy"), "{page}");
}
