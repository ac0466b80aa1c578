//! What paths do not say, and the patterns by which the user can.

use super::infer::{infer, understood};
use super::pattern::{Layout, LayoutQuestion, Suggestion, escaped};
use super::roles::{Path, Word};
use super::written::{as_pattern, suggest};
use super::{File, Naming};
use crate::{ImportedTrial, Parsed};
use model::{Figure, Level, TrialEnd};
use std::collections::{BTreeSet, HashMap};

/// Most patterns of a suggestion.
const MOST_PATTERNS: usize = 8;

impl LayoutQuestion {
    /// The same, with patterns for the files that the first one of a suggestion does not fit, and with
    /// how many there are that none fits.
    pub(super) fn completed(mut self: Box<Self>, files: &[File], naming: &Naming<'_>) -> Box<Self> {
        // What the user's own layouts leave over, these say nothing of.
        let inferred = naming.layouts.is_empty();
        self.suggestions.retain_mut(|suggestion| {
            let mut left: Vec<&File> = files.iter().collect();
            let mut fitted = |pattern: &str| {
                let before = left.len();
                if let Ok(layout) = pattern.parse::<Layout>() {
                    left.retain(|file| layout.fits(std::iter::once(file.path.as_str())) == 0);
                }
                (left.len() < before).then(|| left.iter().map(|file| (*file).clone()).collect())
            };
            // Words that are neither numbers nor dates cannot number repeats.
            let mut rest: Option<Vec<File>> = fitted(&suggestion.pattern);
            let mut unfit = rest.as_ref().map(Vec::len);
            while let Some(files) = rest.take().filter(|files| inferred && !files.is_empty()) {
                let further = further(&files, naming, &suggestion.meaning);
                let Some(pattern) = further.filter(|_| suggestion.more.len() < MOST_PATTERNS)
                else {
                    break;
                };
                rest = fitted(&pattern);
                if let Some(files) = &rest {
                    unfit = Some(files.len());
                    suggestion.more.push(pattern);
                }
            }
            if let Some(unfit) = unfit.filter(|unfit| *unfit > 0) {
                let all = files.len();
                suggestion.meaning.push_str(&format!(
                    " (it fits {} of {all} files; add a --layout for the others)",
                    all - unfit
                ));
            }
            unfit.is_some()
        });
        self
    }
}

/// A pattern for files that another one does not fit, by which their words mean the same.
fn further(files: &[File], naming: &Naming<'_>, meaning: &str) -> Option<String> {
    if let Err(question) = infer(files, naming) {
        let same = |suggestion: &Suggestion| suggestion.meaning == meaning;
        return question.suggestions.into_iter().find(same).map(|suggestion| suggestion.pattern);
    }
    let paths = understood(files, naming);
    let pattern = as_pattern(paths.first()?);
    if pattern.parse::<Layout>().is_ok() {
        return Some(pattern);
    }
    // All words of one file are as they are: a number stands for what it says inside.
    let name = files.first()?.path.rsplit(['/', '\\']).next()?;
    let start = name.find(|c: char| c.is_ascii_digit())?;
    let rest = name[start..].trim_start_matches(|c: char| c.is_ascii_digit());
    Some(format!("{}{{_}}{}", escaped(&name[..start]), escaped(rest)))
}

/// Where results of different files would become repeats of one another without a word that says so.
pub(super) fn mixed_up(
    files: &[Parsed],
    facts: &[File],
    naming: &Naming<'_>,
) -> Result<(), Box<LayoutQuestion>> {
    type Place<'a> = (&'a str, &'a str, Level, &'a str, Option<u32>);
    let mut seen: HashMap<Place<'_>, &ImportedTrial> = HashMap::new();
    let (mut first, mut count) = (None, 0);
    let trials = files.iter().flat_map(|parsed| &parsed.trials).filter(|t| !t.tool.is_empty());
    for trial in trials {
        let place = (&*trial.target, &*trial.test, trial.level, &*trial.repeat, trial.block);
        let other = *seen.entry(place).or_insert(trial);
        // A copy of a result is left out later, and named.
        if other.file != trial.file && figures(other) != figures(trial) {
            first.get_or_insert((other, trial));
            count += 1;
        }
    }
    let Some((one, other)) = first else { return Ok(()) };
    let message = format!(
        "{} by the same target ({}), test ({}) and level as others, and nothing says that they \
         are repeats: {} and {}",
        if count == 1 { "a result goes".to_owned() } else { format!("{count} results go") },
        one.target,
        one.test,
        one.file,
        other.file
    );
    Err(Box::new(LayoutQuestion { message, suggestions: readings(facts, one, other, naming) }))
}

fn figures(trial: &ImportedTrial) -> Option<&Vec<Figure>> {
    match &trial.end {
        TrialEnd::Completed(outcome) => Some(&outcome.figures),
        TrialEnd::Failed(_) => None,
    }
}

/// What the words may be in which two paths differ.
fn readings(
    facts: &[File],
    one: &ImportedTrial,
    other: &ImportedTrial,
    naming: &Naming<'_>,
) -> Vec<Suggestion> {
    let meanings = [
        ("they are repeats", "repeat", true),
        ("they are results of different targets", "target", naming.target.is_none()),
        ("they are results of different tests", "test", naming.test.is_none()),
    ];
    let meanings = meanings.into_iter().filter(|(.., possible)| *possible);
    if !naming.layouts.is_empty() {
        let suggestion = |(meaning, name, _): (&str, &str, bool)| {
            let both = (one.file.as_str(), other.file.as_str());
            let pattern = naming.layouts.iter().find_map(|layout| layout.telling(both, name))?;
            Some(Suggestion { meaning: meaning.to_owned(), pattern, more: Vec::new() })
        };
        return meanings.filter_map(suggestion).collect();
    }
    let paths = understood(facts, naming);
    let of = |trial: &ImportedTrial| {
        facts.iter().position(|file| file.path == trial.file).map(|at| &paths[at])
    };
    let (Some(one), Some(other)) = (of(one), of(other)) else { return Vec::new() };
    let words = |path: &Path| -> BTreeSet<(usize, String)> {
        path.all().map(|(at, word)| (at, path.text(at, word).to_owned())).collect()
    };
    // One of them may have all words of the other, and more.
    let (path, known) = match words(one).is_subset(&words(other)) {
        true => (other, words(one)),
        false => (one, words(other)),
    };
    let differs = |at: usize, word: &Word| !known.contains(&(at, path.text(at, word).to_owned()));
    if !path.all().any(|(at, word)| differs(at, word)) {
        return Vec::new();
    }
    meanings
        .map(|(meaning, name, _)| {
            suggest(path, meaning.to_owned(), &|at, word| {
                differs(at, word).then(|| name.to_owned())
            })
        })
        .collect()
}
