//! Workloads of weighin's own, which are keys of a test like those that a user writes.

use crate::keys::TransactionsKeys;
use crate::keys::transactions::SetKey;
use crate::problem::Problems;
use crate::problem::names::{choices, nearest};
use model::bounds::MAX_PARTITIONS;
use toml::Spanned;
use workload::script::{self, PARTITIONS};

/// The keys of the workload that a test names.
pub(super) fn keys(written: &Spanned<String>, problems: &mut Problems) -> Option<TransactionsKeys> {
    let name = written.get_ref();
    let Some(found) = script::builtin_workload(name) else {
        let names = script::builtin_workload_names;
        let near = nearest(name, names())
            .map_or(String::new(), |near| format!(": did you mean `{near}`?"));
        problems
            .add(written.span(), format!("there is no built-in workload `{name}`{near}"))
            .help(format!("there is {}", choices(names())));
        return None;
    };
    match toml::from_str(found.keys) {
        Ok(keys) => Some(keys),
        Err(error) => {
            // A test reads all that there are.
            problems.add(written.span(), format!("weighin's own {name}: {error}"));
            None
        }
    }
}

/// Notes what the test says beside it that it says itself.
pub(super) fn check(keys: &TransactionsKeys, problems: &mut Problems) {
    let Some(built_in) = &keys.built_in else { return };
    let load = keys.load.as_ref().and_then(|sources| sources.first()).map(Spanned::span);
    let setup = keys.setup.as_ref().map(Spanned::span);
    let undo = keys.undo.as_ref().map(Spanned::span);
    for (key, at) in [("setup", setup), ("load", load), ("undo", undo)] {
        let Some(at) = at else { continue };
        problems
            .add(at, format!("`{key}` stands beside `built_in`, which makes its own data"))
            .other(built_in.span(), "the workload of weighin's own")
            .help(format!("leave out {key}; `set` gives the data other sizes"));
    }
}

/// Notes a number of partitions that is none, where the workload that a test names has them.
pub(super) fn check_partitions(
    own: &TransactionsKeys,
    keys: &TransactionsKeys,
    problems: &mut Problems,
) {
    let variable = |keys: &TransactionsKeys| keys.set.as_ref()?.get(PARTITIONS).cloned();
    let (Some(_), Some(written)) = (variable(own), variable(keys)) else { return };
    let possible = 0..=i64::from(MAX_PARTITIONS);
    if !matches!(written.get_ref(), SetKey::Integer(count) if possible.contains(count)) {
        problems
            .add(written.span(), format!("`{PARTITIONS}` is a number from 0 to {MAX_PARTITIONS}"))
            .help(format!("write {PARTITIONS} = 0 for a table without partitions"));
    }
}
