//! Files that quote or copy results of others, told before any question is asked about their names.

use super::vocabulary::is_kind;
use crate::twice::{digits, figures, text};
use crate::{ImportedTrial, Parsed, Problem, path};
use model::TrialEnd;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Figures of two results that agree by chance have fewer digits together.
const TELLING_DIGITS: f64 = 8.0;
/// Words in names of files that tell of results, or keep a second one.
const SECOND: [&str; 12] = [
    "summary", "report", "readme", "md", "html", "htm", "bak", "orig", "backup", "copy", "old",
    "all",
];

/// Words in names of directories that say where files are kept.
const KEPT: [&str; 10] =
    ["raw", "archive", "archives", "final", "latest", "tmp", "upload", "files", "details", "saved"];

/// Results of other files that are looked at for one: a figure that more of them have tells nothing.
const MOST: usize = 100;

/// A trial, by its file's place and its own.
type Place = (usize, usize);

/// Trials that are those of another file.
#[derive(Debug, Default)]
pub(super) struct Copies {
    /// What is left out, with what it is a copy of.
    pairs: Vec<(Place, Place)>,
}

struct EarlierTrial<'a> {
    place: Place,
    trial: &'a ImportedTrial,
    figures: BTreeSet<String>,
}

/// The trials that have a figure.
#[derive(Default)]
struct Having {
    count: usize,
    by_file: BTreeMap<usize, Vec<usize>>,
}

impl Copies {
    /// Finds trials whose figures are, digit by digit, those of a trial of another file whose path has
    /// the same words, apart from such as say where it is kept; or that a summary of all quotes. Other
    /// names may stand for other results, whatever they have in common.
    pub(super) fn find(files: &[Parsed]) -> Self {
        let mut known: Vec<EarlierTrial<'_>> = Vec::new();
        for (file, parsed) in files.iter().enumerate() {
            for (at, trial) in parsed.trials.iter().enumerate().filter(|(_, t)| t.is_unnamed()) {
                let completed = matches!(trial.end, TrialEnd::Completed(_));
                if completed && figures(trial).map(digits).sum::<f64>() >= TELLING_DIGITS {
                    let figures = figures(trial).map(text).collect();
                    known.push(EarlierTrial { place: (file, at), trial, figures });
                }
            }
        }
        // By file, so that a file with thousands of equal results is not searched for each of them.
        let mut having: HashMap<&str, Having> = HashMap::new();
        for (at, one) in known.iter().enumerate() {
            for figure in &one.figures {
                let having = having.entry(figure).or_default();
                having.count += 1;
                having.by_file.entry(one.place.0).or_default().push(at);
            }
        }
        let mut words: HashMap<&str, Vec<String>> =
            known.iter().map(|one| (one.trial.file.as_str(), words(&one.trial.file))).collect();
        // What all paths begin with, such as the directory that was named, says nothing.
        let mut common: Vec<String> = words.values().next().cloned().unwrap_or_default();
        for words in words.values() {
            let same = common.iter().zip(words).take_while(|(one, other)| one == other).count();
            common.truncate(same);
        }
        for words in words.values_mut() {
            words.drain(..common.len());
        }
        let mut pairs = Vec::new();
        for (at, one) in known.iter().enumerate() {
            let rarest = one.figures.iter().map(|figure| &having[figure.as_str()]);
            let Some(rarest) = rarest.min_by_key(|having| having.count) else { continue };
            let elsewhere = rarest.by_file.iter().filter(|(file, _)| **file != one.place.0);
            let mut elsewhere = elsewhere.flat_map(|(_, with)| with).copied().take(MOST);
            let original = elsewhere.find(|other| {
                let other_one = &known[*other];
                let (own, others) = (&words[&*one.trial.file], &words[&*other_one.trial.file]);
                other_one.trial.file != one.trial.file
                    && other_one.trial.tool == one.trial.tool
                    && (own == others || own.is_empty() && is_second(&one.trial.file))
                    && one.figures.is_subset(&other_one.figures)
                    && (one.figures.len() < other_one.figures.len()
                        || rank(one, own, at) > rank(other_one, others, *other))
            });
            pairs.extend(original.map(|original| (one.place, known[original].place)));
        }
        Self { pairs }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    /// The same where the other one of two is left out: where its name says less of whose it is.
    pub(super) fn others(&self) -> Self {
        let mut left_out = BTreeSet::new();
        let pairs = self.pairs.iter().map(|(copy, original)| (*original, *copy));
        Self { pairs: pairs.filter(|(original, _)| left_out.insert(*original)).collect() }
    }

    /// Takes them out, and says so: once for each file.
    pub(super) fn leave_out(&self, files: &mut [Parsed]) -> Vec<Problem> {
        let left_out: BTreeSet<Place> = self.pairs.iter().map(|(copy, _)| *copy).collect();
        let mut said = BTreeSet::new();
        let mut problems = Vec::new();
        for ((file, at), original) in &self.pairs {
            let copy = &files[*file].trials[*at].file;
            if said.insert(copy.clone()) {
                let original = &files[original.0].trials[original.1].file;
                problems.push(Problem {
                    file: copy.clone(),
                    line: 0,
                    message: format!(
                        "left out: it has the results of {original}, digit by digit, so it is a copy"
                    ),
                });
            }
        }
        for (file, parsed) in files.iter_mut().enumerate() {
            let mut at = 0;
            parsed.trials.retain(|_| {
                at += 1;
                !left_out.contains(&(file, at - 1))
            });
        }
        problems
    }
}

/// What tells the copy of two: a name of summaries or second files, more words, a later place.
fn rank(one: &EarlierTrial<'_>, words: &[String], at: usize) -> (bool, usize, usize) {
    (is_second(&one.trial.file), words.len(), at)
}

fn is_second(file: &str) -> bool {
    path::all_words(file).any(|word| SECOND.contains(&word.to_lowercase().as_str()))
}

/// The words of a path that say what is in it.
fn words(file: &str) -> Vec<String> {
    let words = path::all_words(file).map(str::to_lowercase);
    let says_nothing = |word: &str| is_kind(word) || SECOND.contains(&word) || KEPT.contains(&word);
    words.filter(|word| !says_nothing(word)).collect()
}

/// Results of different targets, tests or levels whose figures are the same: which of them they are of
/// is not known.
pub(super) fn counted_twice(files: &[Parsed]) -> Option<String> {
    /// More than could be the same by rounding and limits.
    const SURE_DIGITS: f64 = 12.0;
    let mut seen: HashMap<Vec<String>, &ImportedTrial> = HashMap::new();
    let (mut first, mut count) = (None, 0);
    for trial in files.iter().flat_map(|parsed| &parsed.trials).filter(|t| !t.tool.is_empty()) {
        if figures(trial).map(digits).sum::<f64>() < SURE_DIGITS {
            continue;
        }
        let mut all: Vec<String> = figures(trial).map(text).collect();
        all.sort();
        let other = *seen.entry(all).or_insert(trial);
        let cell = |trial: &ImportedTrial| (trial.target.clone(), trial.test.clone(), trial.level);
        if cell(other) != cell(trial) && other.file != trial.file {
            first.get_or_insert((other, trial));
            count += 1;
        }
    }
    let (one, other) = first?;
    Some(format!(
        "{} has the figures of {}, digit by digit: one result counts as {} on {} and as {} on {} \
         (such results: {count})",
        other.file, one.file, one.test, one.target, other.test, other.target
    ))
}
