//! Targets that run side by side: servers in network namespaces, each with a load host of its own, whose
//! sshd tells of a boot and a clock of its own.

use crate::load_hosts::assert_counted;
use crate::own_load_hosts::Pair;
use crate::ssh::{command, copies_with, signal};
use crate::support::{Ran, Started, Workplace, wait_for};
use model::{FailureKind, TrialEnd, TrialRecord};
use std::collections::BTreeSet;
use std::fs;
use std::time::{Duration, Instant};

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

/// So many servers with their load hosts; `None` where this user may not make them.
fn pairs(place: &Workplace, count: usize) -> Option<Vec<Pair>> {
    let ahead: Vec<String> = (1..=count).map(|hours| (hours * 3600).to_string()).collect();
    let names = NAMES.iter().zip(&ahead).take(count);
    names.map(|(name, ahead)| Pair::start(place, (name, ahead))).collect()
}

/// A light load on all of them; `keys` are of `[study]`, and `test` of the test.
fn study(place: &Workplace, pairs: &[Pair], keys: &str, test: &str) {
    let hosts = NAMES
        .iter()
        .zip(pairs)
        .map(|(name, _)| format!("[[load_host]]\nname = \"{name}\"\nssh = \"{name}\"\n"));
    let targets =
        NAMES.iter().zip(pairs).map(|(name, pair)| pair.target(&format!("on-{name}"), name));
    let (hosts, targets): (String, String) = (hosts.collect(), targets.collect());
    place.write(
        "study.toml",
        format!(
            "[study]\nname = \"abreast\"\n{keys}\n{hosts}{targets}\
             [[test]]\nworkload = \"oltp_point_select\"\ntable_size = 1000\n{test}\n"
        ),
    );
}

/// By how much the loads of a round really began apart, by the clocks of their hosts, at the most.
fn spread(trials: &[&TrialRecord]) -> f64 {
    let begun = |trial: &&TrialRecord| {
        let late = trial.load().unwrap().generators.iter().map(|part| part.begun_late);
        let uncertainty = trial.sampling.load_hosts[0].clock_before.uncertainty_seconds;
        (late.max().unwrap().as_secs_f64(), uncertainty)
    };
    let begun: Vec<(f64, f64)> = trials.iter().map(begun).collect();
    let latest = begun.iter().map(|(late, around)| late + around).fold(0.0, f64::max);
    let earliest = begun.iter().map(|(late, around)| late - around).fold(f64::MAX, f64::min);
    latest - earliest
}

#[test]
fn six_targets_run_at_once_and_begin_at_one_moment() {
    let place = Workplace::new();
    let Some(pairs) = pairs(&place, 6) else { return };
    let test = "clients = 1\nrate = 40\nwarmup = \"300ms\"\nduration = \"4s\"";
    study(&place, &pairs, "repeats = 2\nparallel = true\nnoise_floor = true", test);
    let planned = Ran::of(command(&place, &["plan", "study.toml"])).done();
    for words in [
        "Targets run side by side",
        "on-a (again) runs by itself",
        "That makes 4 rounds",
        "about 19",
    ] {
        assert!(planned.contains(words), "no «{words}» in {planned}");
    }
    let run = Ran::of(command(&place, &["run", "study.toml", "--plain"]));
    assert!(run.err.contains("side by side on on-"), "{}", run.err);
    run.done();

    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.len(), 14);
    for repeat in 1..=2 {
        let of_block = dataset.trials.iter().filter(|trial| trial.key.repeat == repeat);
        let (beside, alone): (Vec<&TrialRecord>, Vec<&TrialRecord>) =
            of_block.partition(|trial| trial.side_by_side.is_some());
        assert_eq!((beside.len(), alone.len()), (6, 1));
        assert_eq!(alone[0].key.target, "on-a (again)");
        let positions: BTreeSet<u32> = beside.iter().map(|trial| trial.position).collect();
        let mut moments = BTreeSet::new();
        for trial in &beside {
            let others = trial.side_by_side.as_ref().unwrap();
            let with: BTreeSet<u32> = others.with.iter().copied().chain([trial.position]).collect();
            assert_eq!(with, positions, "{}", trial.key);
            moments.insert(others.began_at);
            assert!((trial.started_at..trial.finished_at).contains(&others.began_at));
            assert_counted_some(trial);
        }
        assert_eq!(moments.len(), 1);
        // All of them were under way at one time, and none while the A/A control was.
        let last_start = beside.iter().map(|trial| trial.started_at).max().unwrap();
        let first_end = beside.iter().map(|trial| trial.finished_at).min().unwrap();
        assert!(last_start < first_end);
        let (start, end) = (alone[0].started_at, alone[0].finished_at);
        assert!(beside.iter().all(|trial| trial.finished_at <= start || trial.started_at >= end));
        // As far as a busy machine lets them; their clocks are hours apart.
        assert!(spread(&beside) < 1_800.0, "{}", spread(&beside));
    }
    let store = place.files(".weighin")[0].display().to_string();
    let report = |format: &str| Ran::of(command(&place, &["report", &store, "--format", format]));
    let json = report("json").json();
    let beside = json["trials"].as_array().unwrap().iter();
    assert_eq!(beside.filter(|trial| trial["side_by_side"].is_string()).count(), 12);
    assert!(report("csv").done().contains(",side_by_side,began_at_ms"));
    let page = report("markdown").done();
    for words in
        ["12 of 14 trials ran beside others", "in blocks 1 and 2: 12 trials of 14", "costs"]
    {
        assert!(page.contains(words), "no «{words}» in {page}");
    }
}

/// What the server counted is what was made on it, however little that is.
fn assert_counted_some(trial: &TrialRecord) {
    let load = trial.load().unwrap();
    assert!(load.measure.transactions > 0, "{}: {:?}", trial.key, load.measure);
    assert_counted(trial);
}

#[test]
fn one_that_fails_takes_nothing_from_the_others_and_a_killed_run_goes_on() {
    let place = Workplace::new();
    let Some(pairs) = pairs(&place, 2) else { return };
    // So long that a slow machine, too, gets to kill what makes it.
    let test = "clients = 1\nrate = 40\nwarmup = \"300ms\"\nduration = \"15s\"";
    study(&place, &pairs, "repeats = 2\nparallel = true", test);
    let generators = |host| copies_with(&place, host, " load-generator");
    let both = || {
        let mut made_by = Vec::new();
        wait_for("both load generators", || {
            made_by = NAMES[..2].iter().map(|host| generators(host)).collect();
            made_by.iter().all(|pids| pids.len() == 1)
        });
        // Threads of a load that is under way, and not logging in.
        wait_for("both loads", || {
            made_by.iter().flatten().all(|pid| {
                fs::read_dir(format!("/proc/{pid}/task")).is_ok_and(|tasks| tasks.count() > 2)
            })
        });
        made_by
    };
    let mut run = Started::new(command(&place, &["run", "study.toml", "--plain"]));
    let made_by = both();
    std::thread::sleep(Duration::from_secs(1));
    signal(made_by[0][0], "KILL");
    run.wait_for_line("FAILED");
    run.wait_for_line("[2/4]");
    // In the middle of the second block.
    both();
    run.kill();
    let store = place.files(".weighin")[0].display().to_string();
    {
        let dataset = place.store().dataset().unwrap();
        assert_eq!(dataset.trials.len(), 2);
        for trial in &dataset.trials {
            match (&trial.end, trial.key.target.as_str()) {
                (TrialEnd::Failed(failure), "on-a") => {
                    assert_eq!(failure.kind, FailureKind::Other, "{failure:?}");
                }
                (TrialEnd::Completed(_), "on-b") => assert_counted_some(trial),
                (end, target) => panic!("{target}: {end:?}"),
            }
        }
    }
    wait_for("the end of what the killed run had started", || {
        NAMES[..2].iter().all(|host| generators(host).is_empty())
    });
    let again = command(&place, &["run", "study.toml", "--store", &store, "--retry-failed"]);
    Ran::of(again).done();
    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.len(), 4);
    assert!(dataset.trials.iter().all(|trial| trial.load().is_some()));
    let of = |repeat: u32| dataset.trials.iter().filter(move |trial| trial.key.repeat == repeat);
    assert!(of(2).all(|trial| trial.side_by_side.as_ref().is_some_and(|o| o.with.len() == 1)));
    // The one that was measured anew had nobody beside it.
    let mut anew = of(1).filter(|trial| trial.key.target == "on-a");
    assert!(anew.all(|trial| trial.side_by_side.is_none()));
}

#[test]
fn searches_run_side_by_side_and_a_signal_ends_all() {
    let place = Workplace::new();
    let Some(pairs) = pairs(&place, 2) else { return };
    let test = "slo = \"p95 < 2s\"\nsearch = \"clients\"\nclients = 2\nwarmup = \"100ms\"\nduration = \"300ms\"";
    study(&place, &pairs, "repeats = 1\nparallel = true", test);
    Ran::of(command(&place, &["run", "study.toml"])).done();
    {
        let dataset = place.store().dataset().unwrap();
        assert_eq!(dataset.trials.len(), 2);
        for trial in &dataset.trials {
            assert!(trial.search.is_some() && trial.side_by_side.is_some(), "{}", trial.key);
        }
    }
    fs::remove_file(&place.files(".weighin")[0]).unwrap();
    let test = "clients = 1\nrate = 40\nwarmup = \"300ms\"\nduration = \"60s\"";
    study(&place, &pairs, "repeats = 1\nparallel = true", test);
    let run = Started::new(command(&place, &["run", "study.toml"]));
    wait_for("both loads", || {
        NAMES[..2].iter().all(|host| copies_with(&place, host, " load-generator").len() == 1)
    });
    run.stopped_by_one_signal();
    wait_for("the end of both loads", || {
        NAMES[..2].iter().all(|host| copies_with(&place, host, " load-generator").is_empty())
    });
}

#[test]
fn targets_that_share_a_machine_are_refused_before_the_first_trial() {
    let place = Workplace::new();
    // Two names for one machine.
    place.write("a_boot_id", "one-boot\n");
    place.write("b_boot_id", "one-boot\n");
    let Some(pairs) = pairs(&place, 2) else { return };
    study(&place, &pairs, "repeats = 1\nparallel = true", "clients = 1\nduration = \"300ms\"");
    for arguments in [["check", "study.toml"], ["run", "study.toml"]] {
        let ran = Ran::of(command(&place, &arguments));
        assert_eq!(ran.code, Some(3), "{}\n{}", ran.out, ran.err);
        let said = format!("{}{}", ran.out, ran.err);
        let words =
            ["share a machine", "a makes the load on on-a, b makes the load on on-b", "`parallel`"];
        for words in words {
            assert!(said.contains(words), "no «{words}» in {said}");
        }
    }
    assert_eq!(place.files(".weighin"), Vec::<std::path::PathBuf>::new());
}

/// Printed for a release build on an idle machine; a debug build on a busy one takes longer to start
/// six of everything.
#[test]
#[ignore = "a bar of wall time, for an idle machine: make bench-fleet"]
#[allow(clippy::print_stderr, reason = "it is what the test is for")]
fn six_targets_in_parallel_take_little_longer_than_one() {
    let place = Workplace::new();
    let Some(pairs) = pairs(&place, 6) else { return };
    let test = "clients = 1\nrate = 20\nwarmup = \"1s\"\nduration = \"30s\"";
    let timed = |pairs: &[Pair], keys: &str| {
        study(&place, pairs, keys, test);
        let begun = Instant::now();
        Ran::of(command(&place, &["run", "study.toml", "--store", "results.weighin"])).done();
        let took = begun.elapsed().as_secs_f64();
        let _ = fs::remove_file(place.path("results.weighin"));
        took
    };
    // Copies of weighin and tables are there from then on.
    timed(&pairs, "repeats = 1\nparallel = true");
    let one = timed(&pairs[..1], "repeats = 2");
    let six = timed(&pairs, "repeats = 2\nparallel = true");
    eprintln!("one target {one:.1} s, six side by side {six:.1} s: {:.2} times", six / one);
    assert!(six / one <= 1.3, "{six:.1} s against {one:.1} s");
}
