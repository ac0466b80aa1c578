//! In which settings the targets' servers differ.

use crate::{Place, Study, System, TargetFacts};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// A server variable in which targets differ.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SettingDifference {
    /// The server's name for it.
    pub name: String,
    /// Value by name of target; a target that lacks the variable is missing.
    pub values: BTreeMap<String, String>,
    pub origin: SettingOrigin,
}

/// Why the values of a setting differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingOrigin {
    /// The study sets it for one of the targets or more.
    Study,
    /// All targets are private servers, which have nothing but the study's settings: it is what each
    /// server has by default.
    Default,
    /// Whoever set up these servers.
    Unknown,
}

/// Variables whose values differ between the targets of one system that were observed, or that some of
/// them lack, in order of name. Those of different systems have nothing in common but what the study
/// sets.
pub fn setting_differences(study: &Study, targets: &[TargetFacts]) -> Vec<SettingDifference> {
    let intended = intended(study);
    let private = targets.iter().all(|facts| {
        let target = study.measured().find(|target| target.name == facts.target);
        target.is_some_and(|target| matches!(target.place, Place::Sandbox(_)))
    });
    let incidental: BTreeSet<String> = targets
        .iter()
        .flat_map(|facts| &facts.server.incidental)
        .map(|name| setting_name(name))
        .collect();
    let mut by_system: BTreeMap<System, Vec<&String>> = BTreeMap::new();
    for facts in targets {
        let target = study.measured().find(|target| target.name == facts.target);
        let system = target.map_or(System::Unknown, |target| target.system);
        by_system.entry(system).or_default().push(&facts.target);
    }
    let mut by_name: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
    for facts in targets {
        for (name, value) in &facts.server.variables {
            let values = by_name.entry(setting_name(name)).or_default();
            values.insert(facts.target.clone(), value.clone());
        }
    }
    by_name
        .into_iter()
        .filter(|(name, _)| !incidental.contains(name))
        .filter(|(name, values)| {
            intended.contains(name) && differ(values.values(), targets.len())
                || by_system.values().any(|targets| {
                    let own = targets.iter().filter_map(|target| values.get(*target));
                    own.clone().next().is_some() && differ(own, targets.len())
                })
        })
        .map(|(name, values)| {
            let origin = match (intended.contains(&name), private) {
                (true, _) => SettingOrigin::Study,
                (false, true) => SettingOrigin::Default,
                (false, false) => SettingOrigin::Unknown,
            };
            SettingDifference { name, values, origin }
        })
        .collect()
}

/// Whether so many targets have different values, or some of them none.
fn differ<'a>(values: impl Iterator<Item = &'a String> + Clone, targets: usize) -> bool {
    values.clone().count() < targets || values.collect::<BTreeSet<&String>>().len() > 1
}

/// Names of the settings that the study gives to any of its sandboxes.
fn intended(study: &Study) -> BTreeSet<String> {
    let sandboxes = study.targets.iter().filter_map(|target| match &target.place {
        Place::Sandbox(sandbox) => Some(sandbox),
        Place::Server(_) | Place::Storage(_) | Place::Imported => None,
    });
    sandboxes.flat_map(|sandbox| sandbox.settings.keys()).map(|name| setting_name(name)).collect()
}

/// A variable's name whichever way it is spelled: option files take upper case, `-` for `_`, and
/// `loose_` in front.
pub fn setting_name(name: &str) -> String {
    let name = name.trim().to_ascii_lowercase().replace('-', "_");
    name.strip_prefix("loose_").map(str::to_owned).unwrap_or(name)
}
