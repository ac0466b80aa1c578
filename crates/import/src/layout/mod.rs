//! What the paths of files say of the results in them: targets, tests, levels, repeats.
//!
//! Patterns that the user gives say it outright ([`pattern`]). Without one it is inferred over all
//! files together ([`infer`]): what varies and agrees with what the files say themselves is that;
//! words that name workloads are tests; the rest is the target. Nothing is a repeat of anything
//! unless a word, a date in one file, or the user says so: what would be mixed up is a
//! [`LayoutQuestion`].

mod axes;
mod copies;
mod infer;
mod loads;
mod numbers;
mod pattern;
mod placeholder;
mod question;
mod roles;
mod settings;
mod token;
mod understood;
mod vocabulary;
mod written;

pub use pattern::{Layout, LayoutQuestion, PatternError, Suggestion};
pub use understood::{Understood, UnderstoodPart};

use crate::{ImportedTrial, Knob, Label, Parsed, Problem, still_running};
use copies::Copies;
use std::collections::{BTreeMap, HashMap};
use understood::Notes;

/// Whether a word names a workload.
pub(crate) fn is_workload(word: &str) -> bool {
    vocabulary::is_test(word)
}

/// What the user says of all files.
#[derive(Clone, Copy, Debug, Default)]
pub struct Naming<'a> {
    /// The target of files that do not name it.
    pub target: Option<&'a str>,
    /// The test of files that do not name it.
    pub test: Option<&'a str>,
    /// Patterns of paths, of which the first that fits a file counts; none where they are inferred.
    pub layouts: &'a [Layout],
}

/// What the path of a file says.
#[derive(Clone, Debug, Default, PartialEq)]
struct PathFacts {
    target: String,
    labels: BTreeMap<String, String>,
    /// Empty where it says nothing of the test.
    test: String,
    clients: Option<u32>,
    rate: Option<u32>,
    block: Option<u32>,
    /// What tells repeats apart; empty where nothing does.
    repeat: String,
}

/// Names the trials of all files that do not name their targets and tests themselves.
///
/// # Errors
/// When what the paths say can be read in more than one way, and the ways lead to different results.
pub fn name_trials(
    files: &mut [Parsed],
    naming: &Naming<'_>,
) -> Result<(Understood, Vec<Problem>), Box<LayoutQuestion>> {
    let running = still_running::leave_out(files);
    let (understood, problems) = name_without_copies(files, naming)?;
    Ok((understood, running.into_iter().chain(problems).collect()))
}

fn name_without_copies(
    files: &mut [Parsed],
    naming: &Naming<'_>,
) -> Result<(Understood, Vec<Problem>), Box<LayoutQuestion>> {
    let copies = Copies::find(files);
    if copies.is_empty() {
        return name_all(files, naming);
    }
    // Which of two is the copy is said by neither, so the one counts whose name says whose it is.
    let mut question = None;
    for copies in [&copies, &copies.others()] {
        let mut left = files.to_vec();
        let mut problems = copies.leave_out(&mut left);
        match name_all(&mut left, naming) {
            Ok((understood, more)) => {
                files.clone_from_slice(&left);
                problems.extend(more);
                return Ok((understood, problems));
            }
            Err(asked) => question = question.or(Some(asked)),
        }
    }
    question.map_or_else(|| name_all(files, naming), Err)
}

fn name_all(
    files: &mut [Parsed],
    naming: &Naming<'_>,
) -> Result<(Understood, Vec<Problem>), Box<LayoutQuestion>> {
    let mut problems = Vec::new();
    let facts = facts(files);
    let (said, mut notes): (Vec<Option<PathFacts>>, _) = if naming.layouts.is_empty() {
        infer::without_odd_ones(&facts, naming)
            .map_err(|question| question.completed(&facts, naming))?
    } else {
        let (said, doubts) = pattern::apply(&facts, naming)?;
        (said, Notes { doubts, ..Notes::default() })
    };
    let index: HashMap<&str, usize> =
        facts.iter().enumerate().map(|(at, file)| (file.path.as_str(), at)).collect();
    let mut labels = BTreeMap::new();
    for parsed in files.iter_mut() {
        let mut unfit = None;
        parsed.trials.retain_mut(|trial| {
            let Some(&at) = index.get(trial.file.as_str()).filter(|_| trial.is_unnamed()) else {
                return true;
            };
            let Some(said) = &said[at] else {
                unfit = Some(trial.file.clone());
                return false;
            };
            name(trial, said, naming);
            for (name, value) in &said.labels {
                labels.insert((trial.target.clone(), name.clone()), value.clone());
            }
            true
        });
        problems.extend(unfit.map(|file| {
            Problem {
                file,
                line: 0,
                message: match naming.layouts.is_empty() {
                    true => {
                        "left out: nothing says what a word of its name is, which few files have; \
                         say it with --layout for all files"
                            .to_owned()
                    }
                    false => "fits no --layout, and is left out".to_owned(),
                },
            }
        }));
    }
    if let Some(first) = files.first_mut() {
        let label = |((target, name), value)| Label { target, name, value };
        first.labels.extend(labels.into_iter().map(label));
    }
    tell_tools_apart(files);
    notes.doubts.extend(loads::tell_apart(files));
    notes.doubts.extend(axes::tell_apart(files));
    let mixed_up = question::mixed_up(files, &facts, naming);
    mixed_up.map_err(|question| question.completed(&facts, naming))?;
    notes.doubts.extend(copies::counted_twice(files));
    Ok((understood::understood(files, notes), problems))
}

/// Gives a trial what the path of its file says.
fn name(trial: &mut ImportedTrial, said: &PathFacts, naming: &Naming<'_>) {
    trial.target.clone_from(&said.target);
    trial.test = match naming.test {
        Some(test) => test.to_owned(),
        None if said.test.is_empty() => trial.tool.to_owned(),
        None => said.test.clone(),
    };
    if !trial.part.is_empty() {
        trial.test = format!("{}, {}", trial.test, trial.part);
    }
    if trial.level.clients == 0 && trial.level.rate.is_none() {
        trial.level.clients = said.clients.unwrap_or(0);
    }
    if trial.level.rate.is_none() {
        trial.level.rate = said.rate;
    }
    trial.block = trial.block.or(said.block);
    trial.repeat.clone_from(&said.repeat);
}

/// A test of one name that several tools measured is a test of each.
fn tell_tools_apart(files: &mut [Parsed]) {
    let mut tools: HashMap<String, Vec<&'static str>> = HashMap::new();
    for trial in files.iter().flat_map(|parsed| &parsed.trials).filter(|t| !t.tool.is_empty()) {
        let known = tools.entry(trial.test.clone()).or_default();
        if !known.contains(&trial.tool) {
            known.push(trial.tool);
        }
    }
    for trial in files.iter_mut().flat_map(|parsed| &mut parsed.trials) {
        let several = tools.get(&trial.test).is_some_and(|tools| tools.len() > 1);
        if several && !trial.tool.is_empty() {
            trial.test = format!("{}, {}", trial.test, trial.tool);
        }
    }
}

/// A file with results that do not say whose they are.
#[derive(Clone, Debug)]
struct File {
    path: String,
    /// What all its trials say in the same way.
    inside: BTreeMap<Knob, u64>,
}

impl File {
    fn says(&self, knob: Knob) -> Option<u64> {
        self.inside.get(&knob).copied()
    }
}

/// What the files say themselves, in the order of their paths.
fn facts(files: &[Parsed]) -> Vec<File> {
    let mut found: BTreeMap<&str, BTreeMap<Knob, Option<u64>>> = BTreeMap::new();
    for trial in files.iter().flat_map(|parsed| &parsed.trials).filter(|t| t.is_unnamed()) {
        let inside = found.entry(&trial.file).or_default();
        let clients = Some((Knob::Clients, u64::from(trial.level.clients)));
        let rate = trial.level.rate.map(|rate| (Knob::Rate, u64::from(rate)));
        let own = clients.filter(|(_, clients)| *clients > 0).into_iter().chain(rate);
        for (knob, value) in own.chain(trial.said.iter().copied()) {
            let known = inside.entry(knob).or_insert(Some(value));
            // Trials that differ in it: the path cannot say it of all.
            if *known != Some(value) {
                *known = None;
            }
        }
    }
    let all = |inside: BTreeMap<Knob, Option<u64>>| {
        inside.into_iter().filter_map(|(knob, value)| Some((knob, value?))).collect()
    };
    found
        .into_iter()
        .map(|(path, inside)| File { path: path.to_owned(), inside: all(inside) })
        .collect()
}
