//! What lies beside results finds the trials that it belongs to.

use super::{read, show};
use import::{Naming, Parsed, assemble, name_trials};
use model::{Dataset, TrialRecord};

const RUN: &str = include_str!("../../fixtures/sysbench/1.0.20-histogram.txt");
const TWO_RUNS: &str = include_str!("../../fixtures/sysbench/two-runs.txt");
const DISKS: &str = include_str!("../../fixtures/iostat/12-dated.log");

/// Reads files of those names and texts.
fn tree(files: &[(&str, &str)]) -> (Dataset, Vec<String>) {
    let mut parsed: Vec<Parsed> = files.iter().map(|(file, text)| read(file, text)).collect();
    name_trials(&mut parsed, &Naming::default()).unwrap();
    let (dataset, problems) = assemble("tree", test_support::run(), parsed);
    (dataset, problems.iter().map(ToString::to_string).collect())
}

fn trial<'a>(dataset: &'a Dataset, target: &str) -> &'a TrialRecord {
    dataset.trials.iter().find(|trial| trial.key.target == target).unwrap()
}

#[test]
fn files_of_one_stem_and_directory_belong_together() {
    let (dataset, problems) = tree(&[
        ("runs/a/rw-1.after.txt", show::AFTER),
        ("runs/a/rw-1.before.txt", show::BEFORE),
        ("runs/a/rw-1.sysbench", RUN),
        ("runs/a/rw-1.iostat.log", DISKS),
        ("runs/a/other.sysbench", RUN),
        ("runs/b/rw-1.sysbench", RUN),
        ("runs/b/variables.txt", show::VARIABLES),
    ]);
    assert!(problems.is_empty(), "{problems:?}");
    let with = dataset.trials.iter().filter(|trial| !trial.sampling.samples.is_empty());
    let with: Vec<String> =
        with.map(|trial| format!("{} {}", trial.key.target, trial.key.test)).collect();
    assert_eq!(with, ["a rw"]);
    let sampling = &dataset.trials.iter().find(|t| t.key.test == "rw").unwrap().sampling;
    let (before, after) = (sampling.before.as_ref().unwrap(), sampling.after.as_ref().unwrap());
    assert_eq!(before.at_seconds, 0.0);
    assert!(after.at_seconds > 0.0 && after.counters["Com_commit"] > before.counters["Com_commit"]);
    let [facts] = &dataset.targets[..] else { panic!("{:?}", dataset.targets) };
    assert_eq!(facts.target, "b");
    assert!(facts.server.version.contains("MariaDB"), "{}", facts.server.version);
}

#[test]
fn the_one_trial_of_a_directory_needs_no_name() {
    let (dataset, problems) = tree(&[("a/run.log", RUN), ("a/iostat.log", DISKS)]);
    assert!(problems.is_empty(), "{problems:?}");
    assert!(!trial(&dataset, "a").sampling.samples.is_empty());
}

#[test]
fn what_belongs_to_no_trial_is_named() {
    let (dataset, problems) = tree(&[
        ("a/two.log", TWO_RUNS),
        ("a/disk.log", DISKS),
        ("b/disk.log", DISKS),
        ("c/rw.log", RUN),
        ("c/status.txt", show::BEFORE),
    ]);
    assert!(dataset.trials.iter().all(|trial| trial.sampling.samples.is_empty()));
    let starts = ["a/disk.log:", "b/disk.log:", "c/status.txt:2: a single reading"];
    assert_eq!(problems.len(), starts.len(), "{problems:?}");
    for (problem, start) in problems.iter().zip(starts) {
        assert!(problem.starts_with(start), "{problem}");
    }
}

#[test]
fn variables_above_belong_to_all_targets_below_and_contradictions_are_named() {
    let other = show::VARIABLES.replace("max_connections\t", "max_connections\t9");
    let files = [
        ("runs/a/rw-1.log", RUN),
        ("runs/b/rw-1.log", RUN),
        ("runs/variables.txt", show::VARIABLES),
        ("runs/b/variables.txt", &other),
    ];
    let (dataset, problems) = tree(&files);
    assert_eq!(dataset.targets.len(), 2);
    assert_eq!(problems.len(), 1, "{problems:?}");
    let said = "runs/b/variables.txt:2: b has other variables in runs/variables.txt, which count: \
                max_connections";
    assert_eq!(problems[0], said);
}
