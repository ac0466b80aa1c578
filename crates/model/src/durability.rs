//! What servers promise of data that they have acknowledged, told by their settings.

use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Something that a server can promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Promise {
    /// A commit is on disk when it is acknowledged.
    CommitsOnDisk,
    /// A page that was half written when the machine went down can be repaired.
    WholePages,
}

/// A setting on which a promise depends.
#[derive(Debug)]
pub struct DurabilitySetting {
    pub promise: Promise,
    pub name: &'static str,
    /// The values with which it is kept, in lower case.
    pub kept_with: &'static [&'static str],
}

/// Whether a server keeps a promise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    pub promise: Promise,
    pub kept: bool,
    /// The settings that say so, such as `fsync = on`.
    pub settings: Vec<String>,
}

/// Which promises a server with these variables keeps, by the settings that tell of them; nothing of those
/// that it does not tell.
pub(crate) fn kept(
    settings: &[DurabilitySetting],
    variables: &BTreeMap<String, String>,
) -> Vec<Kept> {
    let mut all: Vec<Kept> = Vec::new();
    for setting in settings {
        let Some(value) = variables.get(setting.name) else { continue };
        let kept = setting.kept_with.contains(&value.to_ascii_lowercase().as_str());
        let said = format!("{} = {value}", setting.name);
        match all.iter_mut().find(|one| one.promise == setting.promise) {
            Some(one) => {
                one.kept &= kept;
                one.settings.push(said);
            }
            None => all.push(Kept { promise: setting.promise, kept, settings: vec![said] }),
        }
    }
    all
}

impl Kept {
    /// What the server does, such as `has commits on disk before it acknowledges them (fsync = on)`.
    pub fn in_words(&self) -> String {
        let does = match (self.promise, self.kept) {
            (Promise::CommitsOnDisk, true) => "has commits on disk before it acknowledges them",
            (Promise::CommitsOnDisk, false) => "acknowledges commits before they are on disk",
            (Promise::WholePages, true) => "can repair pages that were half written",
            (Promise::WholePages, false) => "cannot repair pages that were half written",
        };
        format!("{does} ({})", self.settings.join(", "))
    }
}

/// Whether targets keep different promises.
pub fn promises_differ<'a>(targets: impl IntoIterator<Item = &'a [Kept]>) -> bool {
    let mut by_promise: BTreeMap<Promise, BTreeSet<bool>> = BTreeMap::new();
    for one in targets.into_iter().flatten() {
        by_promise.entry(one.promise).or_default().insert(one.kept);
    }
    by_promise.values().any(|kept| kept.len() > 1)
}

/// One sentence part for each target, such as `pg has commits on disk … and can repair …`.
pub fn promises_in_words(target: &str, kept: &[Kept]) -> String {
    let words: Vec<String> = kept.iter().map(Kept::in_words).collect();
    format!("{target} {}", words.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::System;

    fn durability(system: System, settings: &[(&str, &str)]) -> Vec<Kept> {
        let variables = settings.iter().map(|&(n, v)| (n.to_owned(), v.to_owned())).collect();
        system.durability(&variables)
    }

    #[test]
    fn a_promise_is_kept_where_all_its_settings_keep_it() {
        let kept = durability(
            System::Postgres,
            &[("fsync", "on"), ("synchronous_commit", "off"), ("full_page_writes", "on")],
        );
        assert_eq!(
            kept.iter().map(Kept::in_words).collect::<Vec<_>>(),
            [
                "acknowledges commits before they are on disk (fsync = on, synchronous_commit = off)",
                "can repair pages that were half written (full_page_writes = on)"
            ]
        );
        let other = durability(System::Mysql, &[("innodb_flush_log_at_trx_commit", "1")]);
        assert!(other[0].kept && other.len() == 1);
        assert!(promises_differ([kept.as_slice(), other.as_slice()]));
        assert!(!promises_differ([&kept[1..], other.as_slice()]));
    }
}
