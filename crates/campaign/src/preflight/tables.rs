//! Whether tables that statements of the user's own use are made alike on all targets.

use super::{Diagnostics, Examined};
use model::{System, text};
use std::collections::{BTreeMap, BTreeSet};
use system::TableDefinition;

/// Differences that are named in one message.
const SHOWN: usize = 6;
/// Characters of a name that is shown.
const LONGEST_NAME: usize = 80;

/// A table as a target has it, and the name of the target.
type OfTarget<'a> = (&'a str, &'a TableDefinition);

pub(super) fn compare(targets: &[Examined], found: &mut Diagnostics) {
    // Each system has words of its own.
    let mut tables: BTreeMap<(System, &str), Vec<OfTarget<'_>>> = BTreeMap::new();
    for examined in targets {
        for (name, definition) in &examined.tables {
            let of = tables.entry((examined.target.system, name)).or_default();
            of.push((&examined.target.name, definition));
        }
    }
    let all = tables.iter().flat_map(|((_, name), of)| differences(name, of));
    let mut all: Vec<String> = all.collect();
    if all.is_empty() {
        return;
    }
    let more = all.len().saturating_sub(SHOWN);
    all.truncate(SHOWN);
    let more = if more > 0 { format!("; and {more} more") } else { String::new() };
    found.warn(
        format!("the targets differ in tables that the statements use: {}{more}", all.join("; ")),
        "make them alike, unless that is what the study compares",
    );
}

/// In what a table differs from one target to another, in words.
fn differences(table: &str, of: &[OfTarget<'_>]) -> Vec<String> {
    let table = shown(table);
    let mut all = Vec::new();
    let storages: BTreeSet<&str> = of.iter().map(|(_, one)| one.storage.as_str()).collect();
    if storages.len() > 1 {
        let on = |storage: &&str| {
            let targets = names(of, |one| one.storage == **storage);
            format!("{} on {targets}", shown(storage))
        };
        let each: Vec<String> = storages.iter().map(on).collect();
        all.push(format!("{table} is kept by {}", each.join(" and by ")));
    }
    all.extend(on_some(of, |one| &one.indexes).map(|(index, on, not)| {
        format!("{table} has the index {} on {on}, and not on {not}", shown(index))
    }));
    all.extend(on_some(of, |one| &one.triggers).map(|(trigger, on, not)| {
        format!("{table} has the trigger {} on {on}, and not on {not}", shown(trigger))
    }));
    all
}

/// What a table has on some targets alone: its words, the targets that have it, and those that have not.
fn on_some<'a>(
    of: &'a [OfTarget<'a>],
    has: fn(&TableDefinition) -> &BTreeSet<String>,
) -> impl Iterator<Item = (&'a str, String, String)> {
    let all: BTreeSet<&str> = of.iter().flat_map(|(_, one)| has(one)).map(String::as_str).collect();
    let not_all = move |words: &&str| of.iter().any(|(_, one)| !has(one).contains(*words));
    all.into_iter().filter(not_all).map(move |words| {
        let with = names(of, |one| has(one).contains(words));
        let without = names(of, |one| !has(one).contains(words));
        (words, with, without)
    })
}

/// The targets whose table is so.
fn names(of: &[OfTarget<'_>], is_so: impl Fn(&TableDefinition) -> bool) -> String {
    let targets = of.iter().filter(|(_, one)| is_so(one)).map(|(target, _)| *target);
    targets.collect::<Vec<_>>().join(", ")
}

fn shown(name: &str) -> String {
    text::excerpt(name, LONGEST_NAME).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(storage: &str, indexes: &[&str], triggers: &[&str]) -> TableDefinition {
        let set = |words: &[&str]| words.iter().map(|one| (*one).to_owned()).collect();
        let (indexes, triggers) = (set(indexes), set(triggers));
        TableDefinition { storage: storage.to_owned(), indexes, triggers }
    }

    #[test]
    fn what_some_targets_have_alone_is_told_with_them() {
        let one = table("InnoDB", &["unique (id)", "(customer)"], &[]);
        let two = table("Aria", &["unique (id)"], &["audit (after insert)"]);
        assert_eq!(differences("orders", &[("a", &one), ("b", &one)]), [""; 0]);
        assert_eq!(
            differences("orders", &[("a", &one), ("b", &two), ("c", &one)]),
            [
                "orders is kept by Aria on b and by InnoDB on a, c",
                "orders has the index (customer) on a, c, and not on b",
                "orders has the trigger audit (after insert) on b, and not on a, c",
            ]
        );
    }
}
