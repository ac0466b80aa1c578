//! Loads that differ by what the files say themselves.

use crate::{Aspect, ImportedTrial, Parsed};
use model::{Level, text};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Most characters of what a file says of its load in the name of a test.
const LONGEST: usize = 60;

/// Results of one target, test and level whose files say that their loads differ are no repeats, but
/// results of different tests: the names of these get what differs. Says which tests that were.
pub(super) fn tell_apart(files: &mut [Parsed]) -> Vec<String> {
    let differing = differing(files);
    for trial in files.iter_mut().flat_map(|parsed| &mut parsed.trials).filter(|t| is_read(t)) {
        let Some(aspects) = differing.get(&trial.test) else { continue };
        let said = trial.load.iter().filter(|(aspect, _)| aspects.contains(aspect));
        let said: Vec<String> =
            said.map(|(_, said)| text::excerpt(said, LONGEST).into_owned()).collect();
        if !said.is_empty() {
            trial.test = format!("{}, {}", trial.test, said.join(", "));
        }
    }
    let doubt = |test: &String| {
        format!("the files of {test} say that their loads differ: each load is a test of its own")
    };
    differing.keys().map(doubt).collect()
}

fn is_read(trial: &ImportedTrial) -> bool {
    !trial.tool.is_empty()
}

/// In what trials of one cell differ, for every test with such cells.
fn differing(files: &[Parsed]) -> BTreeMap<String, BTreeSet<Aspect>> {
    type Place<'a> = (&'a str, &'a str, Level, Aspect);
    let mut first: HashMap<Place<'_>, &str> = HashMap::new();
    let mut differing: BTreeMap<String, BTreeSet<Aspect>> = BTreeMap::new();
    for trial in files.iter().flat_map(|parsed| &parsed.trials).filter(|t| is_read(t)) {
        for (aspect, said) in &trial.load {
            let place = (&*trial.target, &*trial.test, trial.level, *aspect);
            if *first.entry(place).or_insert(said) != said {
                differing.entry(trial.test.clone()).or_default().insert(*aspect);
            }
        }
    }
    differing
}
