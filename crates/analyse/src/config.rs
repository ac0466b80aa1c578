//! What private servers did not get of the option files that the study names.

use findings::{ChangedSetting, ConfigChanged, Finding, Subject};
use model::{Dataset, Place, ServerConfig, ServerFacts};

/// One for each target that has such a file and did not get all of it.
pub(crate) fn findings(dataset: &Dataset) -> Vec<Finding> {
    let of = |target: &model::Target| {
        let Place::Sandbox(spec) = &target.place else { return None };
        let config = spec.config.as_ref()?;
        let facts = dataset.targets.iter().find(|facts| facts.target == target.name);
        let settings = changed(config, facts.map(|facts| &facts.server));
        let found = ConfigChanged { file: config.file.clone(), settings };
        (!found.settings.is_empty()).then(|| Finding::new(Subject::target(&target.name), found))
    };
    dataset.study.targets.iter().filter_map(of).collect()
}

/// What was known before, and what the server itself shows.
fn changed(config: &ServerConfig, server: Option<&ServerFacts>) -> Vec<ChangedSetting> {
    let planned = config.changes.iter().map(|change| ChangedSetting {
        name: change.name.clone(),
        value: change.value.clone(),
        instead: change.instead.clone(),
        why: change.why.clone(),
    });
    let is_planned = |name: &str| config.changes.iter().any(|change| change.name == name);
    let unknown =
        config.settings.iter().filter(|(name, _)| !is_planned(name)).filter_map(|(name, value)| {
            let variables = &server?.variables;
            let plain = name.strip_prefix("loose_").unwrap_or(name);
            let is_known = variables.contains_key(plain)
                || ["skip_", "disable_", "enable_"].iter().any(|prefix| {
                    plain.strip_prefix(prefix).is_some_and(|rest| variables.contains_key(rest))
                });
            (!is_known).then(|| ChangedSetting {
                name: name.clone(),
                value: value.clone(),
                instead: None,
                why: "the server shows no such setting".to_owned(),
            })
        });
    let smaller = config.cache.as_ref().and_then(|(name, wanted)| {
        let actual: u64 = server?.variables.get(name)?.parse().ok()?;
        // Servers round it to chunks.
        (actual < wanted / 2).then(|| ChangedSetting {
            name: name.clone(),
            value: wanted.to_string(),
            instead: Some(actual.to_string()),
            why: "it would be more than half of the memory of its machine".to_owned(),
        })
    });
    let other_versions = config.of_versions.iter().filter_map(|one| {
        let version = server?.version.as_str();
        (!one.suits(version)).then(|| ChangedSetting {
            name: format!("[{}] {}", one.group, one.name),
            value: one.value.clone(),
            instead: None,
            why: format!(
                "its group is for servers of version {}, and this is {version}",
                one.version
            ),
        })
    });
    planned.chain(other_versions).chain(unknown).chain(smaller).collect()
}
