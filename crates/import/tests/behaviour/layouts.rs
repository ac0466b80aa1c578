//! What paths say of results: archives of many layouts, each a tree of files as somebody kept them.

mod ambiguous;
mod hostile;
mod loads;
mod patterns;
mod plausible;

use import::{Layout, LayoutQuestion, Naming, Parsed, Problem, Source, Understood};
use import::{name_trials, recognise};
use model::ReadBudget;
use std::collections::{BTreeMap, BTreeSet};

/// What sysbench prints of a run; no two have the same figures.
fn sysbench(threads: u32, file: &str) -> String {
    let rate = 1000 + file.bytes().fold(0_u32, |sum, byte| (sum * 31 + u32::from(byte)) % 99_991);
    format!(
        "sysbench 1.0.20 (using system LuaJIT 2.1.0)\nNumber of threads: {threads}\n    \
         transactions: {rate} ({rate}.17 per sec.)\n    total time: 1.0001s\n"
    )
}

fn fio(jobs: u32, depth: u32, block: &str, file: &str) -> String {
    let iops = 1000 + file.bytes().map(u32::from).sum::<u32>();
    format!(
        "{{\n\"fio version\": \"fio-3.33\",\n\"jobs\": [{{\"jobname\": \"job\", \"groupid\": 0, \
         \"error\": 0, \"job options\": {{\"ioengine\": \"libaio\", \"iodepth\": \"{depth}\", \
         \"numjobs\": \"{jobs}\", \"bs\": \"{block}\"}}, \"read\": {{\"io_bytes\": 4096, \
         \"iops\": {iops}.125, \"runtime\": 1000}}}}]\n}}\n"
    )
}

/// An archive of sysbench's runs: paths with numbers of threads.
fn archive(files: &[(String, u32)]) -> Vec<Parsed> {
    let text = |(file, threads): &(String, u32)| read(file, &sysbench(*threads, file));
    files.iter().map(text).collect()
}

fn read(file: &str, text: &str) -> Parsed {
    recognise(text).unwrap().parse(Source { file, text, budget: &ReadBudget::default() })
}

/// Trials as `target | test | clients`, each with how many there are.
type Cells = BTreeMap<String, usize>;

fn cells(files: &[Parsed]) -> Cells {
    let mut cells = Cells::new();
    for trial in files.iter().flat_map(|parsed| &parsed.trials) {
        let cell = format!("{} | {} | {}", trial.target, trial.test, trial.level.clients);
        *cells.entry(cell).or_default() += 1;
    }
    cells
}

fn infer(mut files: Vec<Parsed>) -> Result<(Cells, Understood, Vec<Parsed>), LayoutQuestion> {
    let (understood, problems) =
        name_trials(&mut files, &Naming::default()).map_err(|question| *question)?;
    let odd = |problem: &Problem| problem.message.starts_with("left out: nothing says");
    assert!(problems.iter().all(odd), "{problems:?}");
    Ok((cells(&files), understood, files))
}

fn with_patterns(
    mut files: Vec<Parsed>,
    patterns: &[&str],
) -> Result<(Cells, Understood, Vec<Parsed>, Vec<Problem>), LayoutQuestion> {
    let layouts: Vec<Layout> = patterns.iter().map(|text| text.parse().unwrap()).collect();
    let naming = Naming { layouts: &layouts, ..Naming::default() };
    let (understood, problems) = name_trials(&mut files, &naming).map_err(|question| *question)?;
    Ok((cells(&files), understood, files, problems))
}

/// Every target with every test and level, so often.
fn grid(targets: &[&str], tests: &[&str], levels: &[u32], repeats: usize) -> Cells {
    let mut cells = Cells::new();
    for target in targets {
        for test in tests {
            for level in levels {
                cells.insert(format!("{target} | {test} | {level}"), repeats);
            }
        }
    }
    cells
}

/// The labels of targets: `target: name=value`.
fn labels(files: &[Parsed]) -> BTreeSet<String> {
    let labels = files.iter().flat_map(|parsed| &parsed.labels);
    labels.map(|label| format!("{}: {}={}", label.target, label.name, label.value)).collect()
}
