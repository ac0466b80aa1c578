//! Targets that are loaded at once on one machine, each on processors of its own.

use crate::load_hosts::assert_counted;
use crate::support::{Workplace, groups_of, not_tested, processes_with, sandbox_study, wait_for};
use model::{Dataset, TrialRecord};
use std::collections::BTreeSet;
use std::fs;
use std::time::Duration;

const TEST: &str = "warmup = \"300ms\"\nduration = \"3s\"";

/// Writes such a study of two targets and says whether this machine can run it; where it cannot, it says
/// why and what to do.
fn duet(place: &Workplace, head: &str, test: &str) -> bool {
    let study = sandbox_study(test);
    let study = study.replace("oltp_read_write", "oltp_point_select").replace("[1, 2]", "2");
    let head = format!("seed = 5\nduet = true\n{head}");
    place.write("duet.toml", study.replace("seed = 5", &head));
    let checked = place.weighin(&["check", "duet.toml"]);
    if checked.code == Some(0) {
        return true;
    }
    let said = format!("{}{}", checked.out, checked.err);
    let is_refused = ["control group", "too few processors"].iter().any(|word| said.contains(word));
    assert!(is_refused && said.contains("leave `duet` out"), "{said}");
    not_tested("targets at once: this machine cannot divide its processors");
    false
}

/// The sets of processors that target and load of a trial had, and how often they were exchanged.
fn own(trial: &TrialRecord) -> (Vec<Vec<u32>>, u32) {
    let own = trial.sampling.account.processor_use.apart.as_ref().unwrap();
    (own.sets.iter().map(|set| set.processors.clone()).collect(), own.exchanges)
}

/// That the trials of a block ran at once, with equal sets that they exchanged.
fn assert_at_once(dataset: &Dataset, block: u32) {
    let trials: Vec<&TrialRecord> =
        dataset.trials.iter().filter(|trial| trial.key.repeat == block).collect();
    let [one, two] = trials[..] else { panic!("two targets: {trials:?}") };
    for (trial, other) in [(one, two), (two, one)] {
        assert_eq!(trial.side_by_side.as_ref().unwrap().with, [other.position]);
        let load = trial.load().unwrap();
        assert_eq!(load.measure.elapsed, Duration::from_secs(3));
        let (sets, exchanges) = own(trial);
        let each = sets[0].len();
        assert!(sets.len() == 2 && sets[1].len() == each && each > 0, "{sets:?}");
        assert!(!sets[0].iter().any(|number| sets[1].contains(number)), "{sets:?}");
        // A machine that is busy may leave out some.
        assert!(exchanges >= 1, "it changed in the measured phase");
        assert_eq!(load.client.cpus_allowed as usize, each, "its clients too");
        assert!(trial.sampling.volume.is_empty(), "both write to that disk");
        let used =
            |sample: &model::Sample| Some((sample.server?.cpus, sample.length.as_secs_f64()));
        let used: Vec<(f64, f64)> = trial.sampling.samples.iter().filter_map(used).collect();
        let seconds: f64 = used.iter().map(|(_, seconds)| seconds).sum();
        let mean = used.iter().map(|(cpus, seconds)| cpus * seconds).sum::<f64>() / seconds;
        assert!(mean > 0.0 && mean < each as f64 + 0.25, "{mean}");
        let shares = trial.sampling.samples.iter().map(|sample| sample.cpu);
        assert!(shares.clone().any(|cpu| cpu.busy() > 0.0), "of its own processors");
    }
    let began = |trial: &TrialRecord| trial.side_by_side.as_ref().unwrap().began_at;
    assert_eq!(began(one), began(two), "they began at one moment");
    assert_eq!(own(one).0, own(two).0, "each had all of them");
}

#[test]
fn targets_are_loaded_at_once_each_on_processors_of_its_own_and_exchange_them() {
    let place = Workplace::new();
    if !duet(&place, "", TEST) {
        return;
    }
    let plan = place.weighin(&["plan", "duet.toml"]).done();
    assert!(plan.contains("Targets are loaded at once"), "{plan}");
    assert!(plan.contains("That makes 2 rounds"), "{plan}");
    let run = place.start(&["run", "duet.toml"]);
    let weighin = run.pid();
    // Servers and clients of both are in two groups while their loads run.
    let sandboxes = place.sandboxes().to_str().unwrap().to_owned();
    wait_for("servers on processors of their own", || {
        let group_of = |pid: &u32| {
            let groups = fs::read_to_string(format!("/proc/{pid}/cgroup")).unwrap_or_default();
            let own = format!("weighin-cpus-{weighin}-");
            groups.lines().find(|line| line.contains(&own)).map(str::to_owned)
        };
        let servers = processes_with(&sandboxes);
        let groups: BTreeSet<String> =
            servers.iter().filter_map(|(pid, _)| group_of(pid)).collect();
        groups.len() == 2
    });
    let ran = run.end();
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    place.assert_no_server_left();
    assert!(groups_of(weighin).is_empty(), "{:?}", groups_of(weighin));

    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.len(), 4);
    for block in [1, 2] {
        assert_at_once(&dataset, block);
    }
    dataset.trials.iter().for_each(assert_counted);
    let page = place.weighin(&["report", "duet.toml", "--format", "markdown"]).done();
    for words in [
        "loaded at once on one machine",
        "not of the whole",
        "Duet Benchmarking",
        "were loaded at once with others",
    ] {
        assert!(page.contains(words), "no «{words}» in {page}");
    }
    let json = place.weighin(&["report", "duet.toml", "--format", "json"]).json();
    for trial in json["trials"].as_array().unwrap() {
        assert!(trial["own_processors"].as_str().unwrap().contains(" s / "), "{trial}");
        assert!(trial["processor_exchanges"].as_u64().unwrap() > 0, "{trial}");
    }
}

#[test]
fn groups_and_servers_go_when_weighin_is_killed_and_the_run_goes_on() {
    let place = Workplace::new();
    if !duet(&place, "", TEST) {
        return;
    }
    let run = place.start(&["run", "duet.toml"]);
    let weighin = run.pid();
    wait_for("the groups", || groups_of(weighin).len() >= 2);
    run.kill();
    place.assert_no_server_left();
    wait_for("the groups to go", || groups_of(weighin).is_empty());
    place.weighin(&["run", "duet.toml", "--resume"]).done();
    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.len(), 4);
    for block in [1, 2] {
        assert_at_once(&dataset, block);
    }
}

#[test]
fn more_targets_than_there_are_cores_are_refused() {
    let place = Workplace::new();
    let study = sandbox_study(TEST);
    let mut study = study.replace("seed = 5", "seed = 5\nduet = true\nnoise_floor = true");
    let cores = std::thread::available_parallelism().unwrap().get();
    if cores > 4 {
        return not_tested("too few processors for targets: there are many");
    }
    for number in 2..=cores {
        let target = format!("[[target]]\nname = \"more{number}\"\nsandbox = {{}}\n[[test]]");
        study = study.replacen("[[test]]", &target, 1);
    }
    place.write("many.toml", study);
    let words = ["too few processors", "a core for each target", "leave `duet` out"];
    place.weighin(&["run", "many.toml"]).refused(3, &words);
}
