//! Whose companions are, by the words of their names.

use crate::figures::plural;
use crate::{ImportedTrial, path};
use std::collections::BTreeSet;

/// Words in names of companions that name no target, unless results have them too.
const OF_ANY: [&str; 26] = [
    "mysql", "mariadb", "host", "disk", "config", "conf", "cnf", "my", "mysqld", "mysqladmin",
    "sysvars", "settings", "server", "db", "database", "session", "dump", "facts", "info", "all",
    "innodb", "run", "vars", "parameters", "params", "system",
];

/// The trial that samples and counters belong to: that of their directory and name; the one whose name
/// has the same words, or alone has theirs; the one trial of their directory, where they name no other;
/// and of other directories the one whose path has the same words.
pub(crate) fn owner(trials: &[ImportedTrial], file: &str) -> Result<usize, String> {
    let find = |is: &dyn Fn(&ImportedTrial) -> bool| -> Vec<usize> {
        trials.iter().enumerate().filter(|(_, trial)| is(trial)).map(|(at, _)| at).collect()
    };
    let here = |trial: &ImportedTrial| path::directory(&trial.file) == path::directory(file);
    let near = find(&here);
    if near.is_empty() {
        return elsewhere(file, &|words, above| {
            find(&|trial| {
                path::below(&trial.file, above).is_some_and(|rest| path::words(rest) == words)
            })
        });
    }
    let same = find(&|trial| here(trial) && path::stem(&trial.file) == path::stem(file));
    if !same.is_empty() {
        return only(&same);
    }
    let words = |at: usize| path::words(path::name(&trials[at].file));
    let own = telling(path::name(file), near.iter().flat_map(|at| words(*at)));
    let of = |is: &dyn Fn(&[String]) -> bool| -> Vec<usize> {
        near.iter().copied().filter(|at| is(&words(*at))).collect()
    };
    let same = of(&|words| !own.is_empty() && words == own);
    if !same.is_empty() {
        return only(&same);
    }
    let with = of(&|words| !own.is_empty() && own.iter().all(|word| words.contains(word)));
    match (&with[..], &near[..]) {
        ([only], _) => Ok(*only),
        ([], [only]) if !names_another(&own, &words(*only)) => Ok(*only),
        _ => {
            let trials = plural(near.len(), "trial");
            Err(format!("its directory has {trials}, and none in a file of its name"))
        }
    }
}

fn only(same: &[usize]) -> Result<usize, String> {
    match same {
        [own] => Ok(*own),
        several => {
            let trials = plural(several.len(), "trial");
            Err(format!("the file of its name has {trials}; which it belongs to is not known"))
        }
    }
}

/// The words of a companion's name by which it may be told whose it is, beside results of these words.
fn telling(name: &str, of_results: impl Iterator<Item = String>) -> Vec<String> {
    let known: BTreeSet<String> = of_results.collect();
    let says = |word: &String| known.contains(word) || !OF_ANY.contains(&word.as_str());
    path::words(name).into_iter().filter(says).collect()
}

/// Whether a name has a number or a workload that the other lacks: that of another run.
fn names_another(own: &[String], of_trial: &[String]) -> bool {
    let telling = |word: &&String| {
        word.contains(|c: char| c.is_ascii_digit()) || crate::layout::is_workload(word)
    };
    own.iter().filter(telling).any(|word| !of_trial.contains(word))
}

/// The trial below a directory further up whose path has the same words as that of a file.
fn elsewhere(file: &str, with: &dyn Fn(&[String], &str) -> Vec<usize>) -> Result<usize, String> {
    let mut above = path::directory(file);
    while !above.is_empty() {
        above = path::directory(above);
        let words = path::below(file, above).map(path::words).unwrap_or_default();
        if let [own] = with(&words, above)[..]
            && !words.is_empty()
        {
            return Ok(own);
        }
    }
    Err("there are no results next to it".to_owned())
}

/// The targets that variables belong to, each with how exactly the dump names it: those of which a word
/// of its name is in the paths of the trials of its directory, of those below it, or of those beside it;
/// and where it names nothing, all of its directory or else of those below.
pub(crate) fn targets(
    trials: &[ImportedTrial],
    file: &str,
) -> Result<BTreeSet<String>, &'static str> {
    let directory = path::directory(file);
    let of_all = || trials.iter().flat_map(|trial| path::words(&trial.file));
    let own = telling(path::name(file), of_all());
    let here = |trial: &&ImportedTrial| path::directory(&trial.file) == directory;
    let below = |trial: &&ImportedTrial| path::below(&trial.file, directory).is_some();
    let of = |is: &dyn Fn(&&ImportedTrial) -> bool| -> Vec<&ImportedTrial> {
        trials.iter().filter(is).collect()
    };
    let mut near = of(&here);
    if near.is_empty() {
        near = of(&below);
    }
    if own.is_empty() {
        let found: BTreeSet<String> = near.iter().map(|trial| trial.target.clone()).collect();
        return if found.is_empty() { Err("there are no results next to it") } else { Ok(found) };
    }
    let mut above = directory;
    loop {
        let found = named(&near, above, &own);
        if !found.is_empty() {
            return Ok(found);
        }
        if above.is_empty() {
            return Err("its name is that of no target and of no results");
        }
        above = path::directory(above);
        near = of(&|trial| path::below(&trial.file, above).is_some());
    }
}

/// The targets of the trials whose paths have all words that any of their paths has of these.
fn named(trials: &[&ImportedTrial], above: &str, own: &[String]) -> BTreeSet<String> {
    let words = |trial: &ImportedTrial| -> BTreeSet<String> {
        let rest = path::below(&trial.file, above).unwrap_or(&trial.file);
        path::words(rest).into_iter().chain(path::words(&trial.target)).collect()
    };
    let paths: Vec<(BTreeSet<String>, &str)> =
        trials.iter().map(|trial| (words(trial), trial.target.as_str())).collect();
    // A word that all paths have tells none of them from another.
    let telling = own.iter().any(|word| paths.iter().any(|(words, _)| words.contains(word)));
    let has_all = |words: &BTreeSet<String>| own.iter().all(|word| words.contains(word));
    let matching = paths.iter().filter(|(words, _)| telling && has_all(words));
    let found: BTreeSet<String> = matching.map(|(_, target)| (*target).to_owned()).collect();
    // `a` and not `a-b`, where the name says no more.
    let exact = |target: &&String| {
        let of_target: BTreeSet<String> = path::words(target).into_iter().collect();
        of_target == own.iter().cloned().collect()
    };
    match found.iter().find(exact) {
        Some(target) => BTreeSet::from([target.clone()]),
        None => found,
    }
}
