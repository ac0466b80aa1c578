//! One dataset out of what any number of files gave.

use crate::companion::attach;
use crate::{ImportedTrial, Parsed, Problem, price, twice};
use model::{
    Block, Dataset, ImportedTask, Level, Place, Plan, RunInfo, Study, System, Target, Task, Test,
    Trial, TrialKey, TrialRecord, UnixMillis,
};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

/// Confidence of intervals and margin of sameness, as in a study file that says nothing of them.
const CONFIDENCE: f64 = 0.95;
const MARGIN: f64 = 0.03;

/// The longest name of a target or test, in bytes: each stands many times in results and report.
const LONGEST_NAME: usize = 1_000;

/// The trials whose names a reader can use; each file with others is named once.
fn without_endless_names(
    mut trials: Vec<ImportedTrial>,
    problems: &mut Vec<Problem>,
) -> Vec<ImportedTrial> {
    let mut named = BTreeSet::new();
    trials.retain(|trial| {
        let names = [("target", &trial.target), ("test", &trial.test)];
        let Some((what, name)) = names.into_iter().find(|(_, name)| name.len() > LONGEST_NAME) else {
            return true;
        };
        if named.insert(trial.file.clone()) {
            let begin: String = name.chars().take(40).collect();
            let message = format!(
                "results of the {what} «{begin}…» are left out: its name has {} bytes, and {LONGEST_NAME} \
                 at most can be told apart by a reader; is a separator missing?",
                name.len()
            );
            problems.push(Problem { file: trial.file.clone(), line: 0, message });
        }
        false
    });
    trials
}

/// The results of all files as one run of a study of that name.
///
/// Targets and tests come in the order in which they first appear. Trials of one target, test and
/// level are numbered as repeats by their blocks or dates, where all have them, else in the order of
/// the files; the plan is that order. Also gives the problems: those of the files, and what could not be put together.
pub fn assemble(name: &str, run: RunInfo, files: Vec<Parsed>) -> (Dataset, Vec<Problem>) {
    let mut targets = Targets::default();
    let (mut trials, mut prices, mut labels, mut problems) = (vec![], vec![], vec![], vec![]);
    let mut beside = vec![];
    for file in files {
        trials.extend(file.trials);
        prices.extend(file.prices);
        labels.extend(file.labels);
        beside.extend(file.beside);
        problems.extend(file.problems);
    }
    let trials = without_endless_names(trials, &mut problems);
    prices.retain(|price| price.target.len() <= LONGEST_NAME);
    labels.retain(|label| label.target.len() <= LONGEST_NAME);
    let mut trials = twice::leave_out(trials, &mut problems);
    let facts = attach(&mut trials, beside, &mut problems);
    for trial in &trials {
        targets.named(&trial.target);
    }
    for row in prices {
        let owner = targets.named(&row.target);
        problems.extend(price::add(owner, row).err());
    }
    for label in labels {
        targets.named(&label.target).labels.insert(label.name, label.value);
    }
    let tests = tests(&trials);
    in_order_of_time(&mut trials);
    let records = records(trials);
    let blocks = blocks(&records);
    let study = Study {
        name: study_name(name),
        question: None,
        answer_by: None,
        answer_at: None,
        repeats: u32::try_from(blocks.len()).unwrap_or(u32::MAX).max(1),
        until: None,
        budget: None,
        seed: 0,
        confidence: CONFIDENCE,
        margin: MARGIN,
        sample_every: Study::SAMPLE_EVERY,
        targets: targets.list,
        parallel: false,
        slices: None,
        duet: false,
        aa_control: None,
        tests,
        fleet: None,
        host_instances: Vec::new(),
        files: Vec::new(),
        source: String::new(),
    };
    let plan = Plan { seed: 0, blocks };
    let superseded = Vec::new();
    (
        Dataset {
            study,
            run,
            plan,
            targets: facts,
            trials: records,
            superseded,
            instances: Vec::new(),
            notes: Vec::new(),
        },
        problems,
    )
}

/// Targets in the order in which they first appear.
#[derive(Default)]
struct Targets {
    list: Vec<Target>,
    places: HashMap<String, usize>,
}

impl Targets {
    /// The one of that name, added where it is new.
    fn named(&mut self, name: &str) -> &mut Target {
        let place = self.places.get(name).copied().unwrap_or_else(|| {
            self.list.push(Target {
                name: name.to_owned(),
                system: System::Unknown,
                place: Place::Imported,
                price: None,
                labels: BTreeMap::new(),
                path: None,
                load_hosts: None,
            });
            self.places.insert(name.to_owned(), self.list.len() - 1);
            self.list.len() - 1
        });
        &mut self.list[place]
    }
}

fn tests(trials: &[ImportedTrial]) -> Vec<Test> {
    let mut tests: Vec<(&str, BTreeSet<Level>)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for trial in trials {
        let place = *places.entry(&trial.test).or_insert_with(|| {
            tests.push((&trial.test, BTreeSet::new()));
            tests.len() - 1
        });
        tests[place].1.insert(trial.level);
    }
    let mut of_tests: HashMap<&str, Vec<&ImportedTrial>> = HashMap::new();
    trials.iter().for_each(|trial| of_tests.entry(&trial.test).or_default().push(trial));
    let test = |(name, levels): (&str, BTreeSet<Level>)| {
        let levels = levels.into_iter().collect();
        let in_turns = in_turns(of_tests.get(name).into_iter().flatten().copied());
        let task = ImportedTask { name: name.to_owned(), levels, in_turns };
        Test::new(name, Task::Imported(task))
    };
    tests.into_iter().map(test).collect()
}

/// Whether the source says that targets were measured in turns: by blocks, or because the dates of a
/// level's trials go round all targets before any comes again.
fn in_turns<'a>(trials: impl Iterator<Item = &'a ImportedTrial>) -> bool {
    let mut levels: BTreeMap<Level, Vec<&ImportedTrial>> = BTreeMap::new();
    trials.for_each(|trial| levels.entry(trial.level).or_default().push(trial));
    levels
        .values()
        .all(|trials| trials.iter().all(|trial| trial.block.is_some()) || dates_go_round(trials))
}

fn dates_go_round(trials: &[&ImportedTrial]) -> bool {
    let dated = trials.iter().map(|trial| Some((trial.started_at?, trial.target.as_str())));
    let Some(mut dated) = dated.collect::<Option<Vec<(UnixMillis, &str)>>>() else { return false };
    dated.sort();
    let mut counts: BTreeMap<&str, u32> = dated.iter().map(|(_, target)| (*target, 0)).collect();
    // As long as all were in turn, whole rounds are behind each.
    let in_round = counts.len();
    dated.iter().enumerate().all(|(before, (_, target))| {
        let own = counts.entry(target).or_default();
        let in_turn = *own as usize == before / in_round;
        *own += 1;
        in_turn
    })
}

/// Trials that all have a date count as repeats in the order of their dates, whatever the files are
/// called.
fn in_order_of_time(trials: &mut [ImportedTrial]) {
    if trials.iter().all(|trial| trial.started_at.is_some()) {
        trials.sort_by_key(|trial| trial.started_at);
    }
}

/// The trials as records, first repeats first, otherwise in the order of the files.
fn records(trials: Vec<ImportedTrial>) -> Vec<TrialRecord> {
    let numbers = repeats(&trials);
    let mut records: Vec<TrialRecord> = trials
        .into_iter()
        .zip(numbers)
        .map(|(trial, repeat)| {
            let (target, test, level) = (trial.target, trial.test, trial.level);
            TrialRecord {
                key: TrialKey { target, test, level, repeat },
                position: 0,
                seed: 0,
                started_at: trial.started_at.unwrap_or(UnixMillis(0)),
                finished_at: trial.finished_at.unwrap_or(UnixMillis(0)),
                clock_jump_ms: None,
                end: trial.end,
                sampling: trial.sampling,
                cross_check: None,
                search: None,
                side_by_side: None,
            }
        })
        .collect();
    records.sort_by_key(|record| record.key.repeat);
    for (position, record) in (1..).zip(&mut records) {
        record.position = position;
    }
    records
}

/// The number of the repeat of each trial, from 1 and without gaps over all of them. Those of a block
/// have one number over all targets, whichever of them lack it; all others are counted by cell.
fn repeats(trials: &[ImportedTrial]) -> Vec<u32> {
    let cell = |trial: &ImportedTrial| (trial.target.clone(), trial.test.clone(), trial.level);
    // Files that have the same block of a cell number their blocks each for itself.
    let mut first: HashMap<_, &str> = HashMap::new();
    let by_file = trials
        .iter()
        .filter(|trial| trial.block.is_some())
        .any(|trial| *first.entry((cell(trial), trial.block)).or_insert(&trial.file) != trial.file);
    let mut files: HashMap<&str, usize> = HashMap::new();
    let mut counts: HashMap<_, u32> = HashMap::new();
    let places: Vec<_> = trials
        .iter()
        .map(|trial| {
            let next = files.len();
            let file = if by_file { *files.entry(&trial.file).or_insert(next) } else { 0 };
            let count = counts.entry((cell(trial), trial.block, file)).or_default();
            *count += 1;
            (trial.block, file, *count)
        })
        .collect();
    let in_blocks = places.iter().filter_map(|&(block, file, count)| Some((file, block?, count)));
    let blocks: BTreeSet<(usize, u32, u32)> = in_blocks.collect();
    let numbers: BTreeMap<(usize, u32, u32), u32> = blocks.into_iter().zip(1..).collect();
    let number = |&(block, file, count): &(Option<u32>, usize, u32)| match block {
        Some(block) => numbers.get(&(file, block, count)).copied().unwrap_or(count),
        None => count,
    };
    places.iter().map(number).collect()
}

/// The plan that would have led to these records.
fn blocks(records: &[TrialRecord]) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for record in records {
        if blocks.last().is_none_or(|block| block.number != record.key.repeat) {
            blocks.push(Block { number: record.key.repeat, extension: 0, trials: Vec::new() });
        }
        let trial = Trial {
            key: record.key.clone(),
            position: record.position,
            seed: record.seed,
            load_time: Duration::ZERO,
        };
        if let Some(block) = blocks.last_mut() {
            block.trials.push(trial);
        }
    }
    blocks
}

/// A name that can be part of a file's: letters, digits, `-` and `_`.
fn study_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || c == '_' { c } else { '-' };
    let name: String = name.chars().map(plain).collect();
    let name = name.trim_matches('-');
    if name.is_empty() { "imported".to_owned() } else { name.to_owned() }
}
