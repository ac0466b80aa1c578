//! Where findings were made, in words.

use crate::names::target_name;
use crate::numbers;
use crate::{Finding, Subject};
use model::{Level, LevelUnit, TrialKey, UnitName};
use std::collections::{BTreeSet, HashMap};

/// What findings of one kind are about: `oltp, durable and relaxed at 8 and 16 clients`. Parts that
/// they don't name, and the levels where `with_levels` is false, are left out.
pub fn findings(findings: &[&Finding], with_levels: bool) -> String {
    let all: Vec<&Subject> = findings.iter().map(|finding| &finding.subject).collect();
    subjects(&all, with_levels)
}

/// The trials of these keys: `oltp, durable at 8 clients (repeats 1 and 3)`.
pub fn trials(keys: &[&TrialKey]) -> String {
    let all: Vec<Subject> = keys
        .iter()
        .map(|key| Subject {
            test: Some(key.test.clone()),
            target: Some(key.target.clone()),
            level: Some(key.level),
            repeat: Some(key.repeat),
        })
        .collect();
    subjects(&all.iter().collect::<Vec<&Subject>>(), true)
}

/// More single trials than this, in several tests, are counted and not listed.
const MAX_LISTED: usize = 24;

fn subjects(all: &[&Subject], with_levels: bool) -> String {
    if let Some(many) = many_trials(all) {
        return many;
    }
    let mut tests: Vec<(Option<&str>, Vec<&Subject>)> = Vec::new();
    let mut places: HashMap<Option<&str>, usize> = HashMap::new();
    for subject in all {
        let test = subject.test.as_deref();
        let place = *places.entry(test).or_insert(tests.len());
        if place == tests.len() {
            tests.push((test, Vec::new()));
        }
        tests[place].1.push(subject);
    }
    let in_test = |(test, subjects): (Option<&str>, Vec<&Subject>)| {
        let parts: Vec<String> = test
            .map(str::to_owned)
            .into_iter()
            .chain(Some(targets(&subjects, with_levels)))
            .filter(|part| !part.is_empty())
            .collect();
        parts.join(", ")
    };
    let described: Vec<String> = tests.into_iter().map(in_test).collect();
    described.join("; ")
}

/// So many trials of several tests that nobody would read which: `58 trials (4 tests, 3 targets, at
/// 200 and 1,000 clients)`.
fn many_trials(all: &[&Subject]) -> Option<String> {
    if all.len() <= MAX_LISTED || all.iter().any(|subject| subject.repeat.is_none()) {
        return None;
    }
    let tests: BTreeSet<&str> = all.iter().filter_map(|s| s.test.as_deref()).collect();
    let targets: BTreeSet<&str> = all.iter().filter_map(|s| s.target.as_deref()).collect();
    let at: BTreeSet<Level> = all.iter().filter_map(|subject| subject.level).collect();
    let at: Vec<Level> = at.into_iter().collect();
    (tests.len() > 1).then(|| {
        format!(
            "{} ({}, {},{})",
            numbers::counted(all.len(), "trial"),
            numbers::counted(tests.len(), "test"),
            numbers::counted(targets.len(), "target"),
            at_levels(&at),
        )
    })
}

/// Targets with their levels, those at the same levels together.
fn targets(subjects: &[&Subject], with_levels: bool) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in subjects.iter().filter_map(|subject| subject.target.as_deref()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for name in names {
        let own = subjects.iter().filter(|subject| subject.target.as_deref() == Some(name));
        let own: Vec<&Subject> = own.copied().collect();
        let at = if with_levels { levels_and_repeats(&own) } else { String::new() };
        match groups.iter_mut().find(|(same, _)| *same == at) {
            Some((_, targets)) => targets.push(target_name(name)),
            None => groups.push((at, vec![target_name(name)])),
        }
    }
    let described: Vec<String> = groups
        .into_iter()
        .map(|(at, names)| {
            let names = numbers::list(&names);
            if at.is_empty() { names } else { format!("{names} at {at}") }
        })
        .collect();
    described.join("; ")
}

/// `8 clients (repeat 2) and 16 clients (repeats 1 and 3)`; `8 and 16 clients (repeat 2)` where the
/// repeats are the same; `8 and 16 clients` where whole cells are meant.
fn levels_and_repeats(subjects: &[&Subject]) -> String {
    let mut at: Vec<(Level, Vec<String>)> = Vec::new();
    for subject in subjects {
        let Some(level) = subject.level.filter(|&l| l != Level::NONE) else { continue };
        let repeat = subject.repeat.map(|repeat| repeat.to_string());
        match at.iter_mut().find(|(known, _)| *known == level) {
            Some((_, repeats)) => repeats.extend(repeat.filter(|r| !repeats.contains(r))),
            None => at.push((level, repeat.into_iter().collect())),
        }
    }
    at.sort();
    let named = |repeats: &[String]| match repeats {
        [] => String::new(),
        [one] => format!(" (repeat {one})"),
        several => format!(" (repeats {})", numbers::list(several)),
    };
    let Some((_, first)) = at.first() else { return String::new() };
    if at.iter().all(|(_, repeats)| repeats == first) {
        let all: Vec<Level> = at.iter().map(|&(level, _)| level).collect();
        return levels(&all) + &named(first);
    }
    let described: Vec<String> =
        at.iter().map(|(level, repeats)| format!("{level}{}", named(repeats))).collect();
    numbers::list(&described)
}

/// What levels like this one count, where growth with it is spoken of.
pub fn what_grows(level: Level) -> &'static str {
    match level.unit {
        LevelUnit::Clients => "clients",
        LevelUnit::QueueDepth => "reads and writes in flight",
    }
}

/// ` at 8 clients`; nothing where results that were imported do not say.
pub fn at(level: Level) -> String {
    at_levels(&[level])
}

/// ` at 8 and 16 clients`; nothing where results that were imported do not say.
pub fn at_levels(all: &[Level]) -> String {
    let stated = all.iter().any(|&level| level != Level::NONE);
    if stated { format!(" at {}", levels(all)) } else { String::new() }
}

/// `1 client`, `4, 8 and 16 clients`, `queue depths 1 and 8`: levels of one unit name it once.
pub fn levels(levels: &[Level]) -> String {
    let mut names: Vec<String> = levels.iter().map(Level::to_string).collect();
    let UnitName { one, many } = UnitName::CLIENT;
    if let Some((last, others)) = names.split_last_mut()
        && last.ends_with(many)
    {
        for name in others {
            let end = [many, one].into_iter().find_map(|end| name.strip_suffix(end));
            *name = end.unwrap_or(name).trim_end().to_owned();
        }
    }
    let depths = || names.iter().map(|name| name.strip_prefix("queue depth ").map(str::to_owned));
    match depths().collect::<Option<Vec<String>>>() {
        Some(depths) if depths.len() > 1 => format!("queue depths {}", numbers::list(&depths)),
        _ => numbers::list(&names),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_trials_of_several_tests_are_counted() {
        let key = |test: &str, repeat| TrialKey {
            test: test.to_owned(),
            target: "one".to_owned(),
            level: Level::clients(8),
            repeat,
        };
        let keys = |test: &str, number: u32| (1..=number).map(|n| key(test, n)).collect::<Vec<_>>();
        let (reads, writes) = (keys("reads", 15), keys("writes", 15));
        let both: Vec<&TrialKey> = reads.iter().chain(&writes).collect();
        assert_eq!(trials(&both), "30 trials (2 tests, 1 target, at 8 clients)");
        let few: Vec<&TrialKey> = reads.iter().take(2).chain(writes.first()).collect();
        let listed =
            "reads, one at 8 clients (repeats 1 and 2); writes, one at 8 clients (repeat 1)";
        assert_eq!(trials(&few), listed);
    }

    #[test]
    fn levels_share_their_unit() {
        let at = |clients: &[u32]| {
            levels(&clients.iter().map(|&n| Level::clients(n)).collect::<Vec<Level>>())
        };
        assert_eq!(at(&[1]), "1 client");
        assert_eq!(at(&[1, 4, 16]), "1, 4 and 16 clients");
        let depths = [1, 8].map(Level::queue_depth);
        assert_eq!(levels(&depths), "queue depths 1 and 8");
        assert_eq!(levels(&[Level::rate(8, 500), Level::rate(8, 900)]), "500/s and 900/s");
    }
}
