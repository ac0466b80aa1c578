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
    let said = "runs/variables.txt:2: b has other variables in runs/b/variables.txt, which count: \
                max_connections";
    assert_eq!(problems[0], said);
}

/// A dump with a buffer pool of so many MiB.
fn pool(mebibytes: u32) -> String {
    format!("Variable_name\tValue\ninnodb_buffer_pool_size\t{mebibytes}\nversion\t11.4.2\n")
}

/// The buffer pools of targets.
fn pools(dataset: &Dataset) -> Vec<(&str, &str)> {
    let pool =
        |facts: &'_ model::TargetFacts| facts.server.variables["innodb_buffer_pool_size"].clone();
    let mut pools: Vec<(&str, String)> =
        dataset.targets.iter().map(|facts| (facts.target.as_str(), pool(facts))).collect();
    pools.sort();
    pools.into_iter().map(|(target, pool)| (target, &*pool.leak())).collect()
}

#[test]
fn variables_go_to_the_targets_that_they_name_and_to_no_others() {
    let (small, large, other) = (pool(2), pool(32), pool(64));
    let run = |threads: u32| {
        RUN.replace("Number of threads: 1", &format!("Number of threads: {threads}"))
    };
    let (eight, sixteen) = (run(8), run(16));
    for names in [
        ["runs/small.vars.txt", "runs/large.vars.txt"],
        // Of one run.
        ["runs/small-RW_8th.vars.txt", "runs/large-RW_16th.vars.txt"],
        ["vars/small.txt", "vars/large.txt"],
        ["runs/variables-small.txt", "runs/show-variables.large.log"],
        ["runs/mysqld-small.cnf.txt", "runs/my.large.vars"],
    ] {
        let (dataset, problems) = tree(&[
            (names[0], &small),
            (names[1], &large),
            ("runs/small-RW_8th.sysbench.txt", &eight),
            ("runs/small-RW_16th.sysbench.txt", &sixteen),
            ("runs/large-RW_8th.sysbench.txt", &eight),
            ("runs/large-RW_16th.sysbench.txt", &sixteen),
            ("runs/medium.vars.txt", &other),
        ]);
        assert_eq!(pools(&dataset), [("large", "32"), ("small", "2")], "{names:?}");
        assert_eq!(problems.len(), 1, "{names:?}: {problems:?}");
        assert!(problems[0].starts_with("runs/medium.vars.txt:2: left out"), "{problems:?}");
    }
    // One target has the name of another within its own.
    let (dataset, problems) = tree(&[
        ("runs/db.vars.txt", &other),
        ("runs/small.vars.txt", &small),
        ("runs/small-tuned.vars.txt", &large),
        ("runs/small/RW_8th.sysbench.txt", &eight),
        ("runs/small-tuned/RW_8th.sysbench.txt", &eight),
        ("runs/large/RW_8th.sysbench.txt", &eight),
    ]);
    let expected = [("large", "64"), ("small", "2"), ("small-tuned", "32")];
    assert_eq!(pools(&dataset), expected, "{problems:?}");
    // Names of servers may be those of targets.
    let (dataset, problems) = tree(&[
        ("runs/mysql.vars.txt", &small),
        ("runs/mariadb.vars.txt", &large),
        ("runs/mysql-RW_8th.sysbench.txt", &eight),
        ("runs/mariadb-RW_8th.sysbench.txt", &eight),
    ]);
    assert_eq!(pools(&dataset), [("mariadb", "32"), ("mysql", "2")], "{problems:?}");
    // Nothing next to it: it is named.
    let (_, problems) = tree(&[("a/rw.log", RUN), ("b/variables.txt", &small)]);
    assert!(problems[0].contains("no results next to it"), "{problems:?}");
}

#[test]
fn samples_go_to_the_run_that_they_name_and_to_no_other() {
    let with = |files: &[(&str, &str)]| -> (Vec<String>, Vec<String>) {
        let (dataset, problems) = tree(files);
        let with = dataset.trials.iter().filter(|trial| !trial.sampling.samples.is_empty());
        (with.map(|trial| format!("{} {}", trial.key.target, trial.key.test)).collect(), problems)
    };
    let run = |threads: u32| {
        RUN.replace("Number of threads: 1", &format!("Number of threads: {threads}"))
    };
    for (sysbench, iostat) in [
        ("res01/sysbench.ro.8.res", "res01/iostat.ro.8.res"),
        ("res01/ro-8.log", "res01/iostat-ro-8.log"),
        ("runs/sysbench/db1/ro-8.log", "runs/iostat/db1/ro-8.log"),
    ] {
        let other = sysbench.replace("ro", "rw");
        let (with, problems) = with(&[(sysbench, &run(8)), (&other, &run(8)), (iostat, DISKS)]);
        assert!(problems.is_empty(), "{iostat}: {problems:?}");
        assert!(matches!(&with[..], [one] if one.ends_with("ro")), "{iostat}: {with:?}");
    }
    // That of another run, which is not there.
    for iostat in ["a/rw-16.iostat.log", "a/iostat.ro.8.res", "a/iostat-wo-8.log"] {
        let (with, problems) = with(&[("a/rw-8.log", &run(8)), (iostat, DISKS)]);
        assert!(with.is_empty(), "{iostat}");
        assert!(problems[0].contains("none in a file of its name"), "{problems:?}");
    }
}
