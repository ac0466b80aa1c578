//! The study files in `examples` are valid, and can be planned.

use model::{Study, Task, Workload};
use std::path::{Path, PathBuf};
use study::{estimate, expand, load, scaled};

fn examples() -> Vec<(PathBuf, Study)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let files = std::fs::read_dir(directory).expect("the directory is there");
    files
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let study = load(&path).unwrap_or_else(|error| panic!("{error}"));
            (path, study)
        })
        .collect()
}

#[test]
fn every_example_can_be_planned() {
    for (path, study) in examples() {
        assert_eq!(path.file_stem().unwrap().to_str(), Some(study.name.as_str()));
        let plan = expand(&study, study.seed);
        let cells: usize = study.tests.iter().map(|test| test.levels().len()).sum();
        let trials = cells * study.targets.len() * study.repeats as usize;
        assert_eq!(plan.trials().count(), trials, "{}", path.display());
        let whole = estimate(&plan, &study);
        let short = scaled(&study, 0.1);
        assert!(estimate(&expand(&short, study.seed), &short) <= whole, "{}", path.display());
    }
}

#[test]
fn there_is_an_example_of_each_kind() {
    let studies = examples();
    let tasks = || studies.iter().flat_map(|(_, study)| &study.tests).map(|test| &test.task);
    let workloads = || {
        tasks().filter_map(|task| match task {
            Task::Load(load) => Some(&load.workload),
            _ => None,
        })
    };
    assert!(tasks().any(|task| matches!(task, Task::Search(_))));
    assert!(tasks().any(|task| matches!(task, Task::Statement(_))));
    assert!(workloads().any(|workload| matches!(workload, Workload::Oltp(_))));
    assert!(workloads().any(|workload| matches!(workload, Workload::KeyValue(_))));
    assert!(workloads().any(|workload| matches!(workload, Workload::Storage(_))));
}
