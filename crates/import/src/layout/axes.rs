//! Loads of closed loops and loads at rates: they share no axis, whatever their names say.

use crate::{ImportedTrial, Parsed};
use std::collections::{BTreeMap, BTreeSet};

/// What the trials of one test are at.
#[derive(Debug, Default)]
struct Levels<'a> {
    closed: bool,
    /// Numbers of clients by target and rate.
    open: BTreeMap<(&'a str, u32), BTreeSet<u32>>,
}

impl Levels<'_> {
    fn clients_differ(&self) -> bool {
        self.open.values().any(|clients| clients.len() > 1)
    }
}

/// Results at rates are a test of their own where others of their test are of closed loops; and a test of
/// each number of clients where one rate was offered through several. Says which tests that were.
pub(super) fn tell_apart(files: &mut [Parsed]) -> Vec<String> {
    let mut tests: BTreeMap<&str, Levels<'_>> = BTreeMap::new();
    for trial in files.iter().flat_map(|parsed| &parsed.trials) {
        let levels = tests.entry(&trial.test).or_default();
        match trial.level.rate {
            Some(rate) => {
                let place = levels.open.entry((&trial.target, rate)).or_default();
                place.insert(trial.level.clients);
            }
            None => levels.closed = true,
        }
    }
    let mixed: BTreeMap<String, (bool, bool)> = tests
        .into_iter()
        .map(|(test, levels)| {
            let both = levels.closed && !levels.open.is_empty();
            (test.to_owned(), (both, levels.clients_differ()))
        })
        .filter(|(_, (both, clients))| *both || *clients)
        .collect();
    let open = |trial: &&mut ImportedTrial| trial.level.rate.is_some();
    for trial in files.iter_mut().flat_map(|parsed| &mut parsed.trials).filter(open) {
        let Some((both, clients)) = mixed.get(&trial.test) else { continue };
        if *both {
            trial.test.push_str(", at rates");
        }
        if *clients {
            trial.test.push_str(&format!(", {} clients", trial.level.clients));
        }
    }
    let said = |(test, (both, _)): (&String, &(bool, bool))| match both {
        true => format!(
            "{test} has results of closed loops and results at rates: these are a test of their own"
        ),
        false => format!("{test} has rates through several numbers of clients: each is a test"),
    };
    mixed.iter().map(said).collect()
}
