//! Values of a setting: `bp-1G` beside `bp-2G`, `pool_4` beside `pool_8`.

use super::roles::{Path, Role, Word};
use super::token::Kind;
use std::collections::{BTreeMap, BTreeSet};

/// Words that name a setting of a server or of its machine, where a number follows them. `run_4` or
/// `disk-4` may number anything.
const SETTINGS: [&str; 34] = [
    "bp", "bpool", "buffer", "buffers", "bufferpool", "cache", "cachesize", "cores", "cpus",
    "fillfactor", "iocapacity", "iothreads", "logsize", "maxmemory", "mem", "memory", "numa",
    "pagesize", "partitions", "pool", "poolsize", "pools", "ram", "redo", "sharedbuffers",
    "shards", "slots", "stripe", "vcpu", "vcpus", "wal", "warehouses", "workmem", "workers",
];

/// Whether a word names a setting.
pub(super) fn is_one(word: &str) -> bool {
    SETTINGS.contains(&word.to_lowercase().as_str())
}

/// Whether the word right before a number names a setting, and all files have it.
fn is_named(path: &Path, component: usize, at: usize) -> bool {
    let words: &[Word] = &path.words[component];
    let before = at.checked_sub(1).and_then(|before| words.get(before));
    let Some((word, before)) = words.get(at).zip(before) else { return false };
    let is_next = before.token.at.end + 1 == word.token.at.start;
    let may_name = before.token.kind == Kind::Word
        && before.constant
        && matches!(before.role, Role::Unknown | Role::Target | Role::Kind);
    is_next && may_name && is_one(path.text(component, before)) && word.number().is_some()
}

/// Numbers of which nothing says what they count are values of a setting, where a word before them
/// names one: what has another value is another target.
pub(super) fn recognise(paths: &mut [Path]) {
    let mut found = Vec::new();
    for (file, path) in paths.iter().enumerate() {
        for (component, words) in path.words.iter().enumerate() {
            for (at, word) in words.iter().enumerate() {
                let open = matches!(word.role, Role::Counter | Role::Target) && !word.constant;
                if open && is_named(path, component, at) {
                    found.push((file, component, at));
                }
            }
        }
    }
    for (file, component, at) in found {
        paths[file].words[component][at].role = Role::Target;
        // The name of a setting is part of the name of the target.
        paths[file].words[component][at - 1].role = Role::Target;
    }
}

/// The setting that the labels of all files are values of, where they have no other label: its name and
/// its values in their order.
pub(super) fn of_labels(labels: &[Vec<(String, String)>]) -> Option<(String, Vec<String>)> {
    let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for labels in labels {
        let [(name, value)] = labels.as_slice() else { return None };
        values.entry(name).or_default().insert(value);
    }
    let [(name, values)] = &values.into_iter().collect::<Vec<_>>()[..] else { return None };
    let setting = is_one(name);
    let number = |value: &&str| -> Option<(f64, usize)> {
        let digits = value.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(value.len());
        const UNITS: [&str; 4] = ["k", "m", "g", "t"];
        let unit = value[digits..].to_lowercase();
        let unit = UNITS.iter().position(|one| unit.starts_with(one)).map_or(0, |at| at + 1);
        Some((value[..digits].parse().ok()?, unit))
    };
    let mut ordered: Vec<&str> = values.iter().copied().collect();
    let size = |value: &&str| number(value).map(|(n, unit)| n * 1024_f64.powi(unit as i32));
    if !setting || ordered.len() < 2 || !ordered.iter().all(|value| size(value).is_some()) {
        return None;
    }
    ordered.sort_by(|a, b| size(a).partial_cmp(&size(b)).unwrap_or(std::cmp::Ordering::Equal));
    Some(((*name).to_owned(), ordered.into_iter().map(str::to_owned).collect()))
}
