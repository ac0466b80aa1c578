//! In which settings the targets' servers differ (method R17).

use crate::SettingDifference;
use model::{Dataset, Place, Study};
use std::collections::{BTreeMap, BTreeSet};

/// Variables whose values differ between the targets that were observed, or that some of them
/// lack, in order of name.
pub(crate) fn differences(dataset: &Dataset) -> Vec<SettingDifference> {
    let intended = intended(&dataset.study);
    let incidental: BTreeSet<String> = dataset
        .targets
        .iter()
        .flat_map(|facts| &facts.server.incidental)
        .map(|name| normal(name))
        .collect();
    let mut by_name: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for facts in &dataset.targets {
        for (name, value) in &facts.server.variables {
            let values = by_name.entry(normal(name)).or_default();
            values.insert(facts.target.clone(), value.clone());
        }
    }
    by_name
        .into_iter()
        .filter(|(name, _)| !incidental.contains(name))
        .filter(|(_, values)| {
            let distinct: BTreeSet<&String> = values.values().collect();
            distinct.len() > 1 || values.len() < dataset.targets.len()
        })
        .map(|(name, values)| {
            let intended = intended.contains(&name);
            SettingDifference { name, values, intended }
        })
        .collect()
}

/// Names of the settings that the study gives to any of its sandboxes.
fn intended(study: &Study) -> BTreeSet<String> {
    let sandboxes = study.targets.iter().filter_map(|target| match &target.place {
        Place::Sandbox(sandbox) => Some(sandbox),
        Place::Server(_) | Place::Storage(_) | Place::Imported => None,
    });
    sandboxes.flat_map(|sandbox| sandbox.settings.keys()).map(|name| normal(name)).collect()
}

/// A variable's name whichever way it is spelled: option files take upper case, `-` for `_`, and
/// `loose_` in front.
fn normal(name: &str) -> String {
    let name = name.trim().to_ascii_lowercase().replace('-', "_");
    name.strip_prefix("loose_").map(str::to_owned).unwrap_or(name)
}
