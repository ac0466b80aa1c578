//! The option file of another server, whose settings a private one gets as far as they suit it.

use crate::problem::{Place, Problems};
use crate::read::{data_file, script_file};
use model::system::Feature;
use model::{ConfigChange, ServerConfig, System, VersionSetting};
use settings::{KnownSettings, OptionLine, Verdict, is_name};
use std::collections::BTreeMap;
use std::path::{Component, Path};

/// Files that are read for one.
const MOST_FILES: usize = 100;
/// Files of directories that are read.
const ENDING: &str = "cnf";

/// A file that was read.
pub(super) struct Config {
    pub(super) config: ServerConfig,
    known: &'static KnownSettings,
    /// What the server gets.
    given: BTreeMap<String, String>,
}

/// Reads an option file for a server that runs on a copy of another one's data, or on its own.
pub(super) fn read(
    written: &str,
    at: Place,
    system: System,
    is_copy: bool,
    problems: &mut Problems,
) -> Option<Config> {
    if !system.has(Feature::OptionFiles) {
        let products = Feature::OptionFiles.products();
        problems
            .add(at, format!("`config` is an option file of {products}"))
            .help("give `settings` in its place");
        return None;
    }
    let known = system.facts().settings;
    let mut reading = Reading {
        known,
        at,
        left: MOST_FILES,
        settings: BTreeMap::new(),
        of_versions: Vec::new(),
        problems,
    };
    reading.file(Path::new(written))?;
    let (settings, of_versions) = (reading.settings, reading.of_versions);
    let mut changes = Vec::new();
    let mut given = BTreeMap::new();
    for (name, value) in &settings {
        let given_value = suited(known, is_copy, (name, value), |instead, why| {
            changes.push(change(known, (name, name), value, instead, why));
        });
        given.extend(given_value.map(|value| (name.clone(), value)));
    }
    let suits = |one: VersionSetting| {
        let shown = format!("[{}] {}", one.group, one.name);
        if known.is_secret(&one.name) {
            let why = "what an option file has in secret is given to no record";
            changes.push(change(known, (&one.name, &shown), &one.value, None, why));
            return None;
        }
        let value = suited(known, is_copy, (&one.name, &one.value), |instead, why| {
            changes.push(change(known, (&one.name, &shown), &one.value, instead, why));
        })?;
        Some(VersionSetting { value, ..one })
    };
    let of_versions = of_versions.into_iter().filter_map(suits).collect();
    let settings: BTreeMap<String, String> =
        settings.into_iter().filter(|(name, _)| !known.is_secret(name)).collect();
    let cache = known.cache_bytes(&settings);
    let file = written.to_owned();
    let config = ServerConfig { file, settings, changes, of_versions, cache };
    Some(Config { config, known, given })
}

/// The value that a private server gets of a setting, if it gets it at all; `changed` is told what it gets in
/// place of another one, and why.
///
/// What could harm the host is left out, trusted or not: the file was written for a server that may belong to a
/// cluster, and to directories that are in use. Trust is for what the study itself says.
fn suited(
    known: &KnownSettings,
    is_copy: bool,
    (name, value): (&str, &str),
    mut changed: impl FnMut(Option<String>, &str),
) -> Option<String> {
    match known.judge(name, value) {
        Verdict::Allowed if is_copy && known.is_of_originals(name) => {
            changed(None, "a copy neither replicates nor runs events");
            return None;
        }
        Verdict::Allowed => {}
        Verdict::NeedsTrust(_) if known.names_own_file(name) => {
            let file = value.rsplit('/').next().unwrap_or_default().to_owned();
            changed(
                Some(file.clone()),
                "a private server keeps its files in a directory of its own",
            );
            return Some(file);
        }
        Verdict::NeedsTrust(why) | Verdict::Decided(why) => {
            changed(None, why);
            return None;
        }
    }
    Some(value.to_owned())
}

/// A change of a setting, which is shown by another name than it has.
fn change(
    known: &KnownSettings,
    (name, shown): (&str, &str),
    value: &str,
    instead: Option<String>,
    why: &str,
) -> ConfigChange {
    let value = if known.is_secret(name) { "***" } else { value };
    ConfigChange { name: shown.to_owned(), value: value.to_owned(), instead, why: why.to_owned() }
}

/// Adds what the server gets to what the study sets, which wins. A setting that its version does not know
/// keeps no server from starting.
pub(super) fn add(config: &Config, settings: &mut BTreeMap<String, String>) {
    for (name, value) in &config.given {
        let plain = name.strip_prefix("loose_").unwrap_or(name);
        if !settings.contains_key(plain) {
            settings.insert(config.known.optional(plain), value.clone());
        }
    }
}

struct Reading<'a> {
    known: &'static KnownSettings,
    at: Place,
    left: usize,
    settings: BTreeMap<String, String>,
    of_versions: Vec<VersionSetting>,
    problems: &'a mut Problems,
}

impl Reading<'_> {
    /// Reads a file, and those that it includes; `None` where one cannot be.
    fn file(&mut self, file: &Path) -> Option<()> {
        let shown = file.display().to_string();
        let Some(left) = self.left.checked_sub(1) else {
            return self.refuse(format!("{shown} and others are more than {MOST_FILES} files"));
        };
        self.left = left;
        let text = script_file::read(&shown, self.at.clone(), self.problems)?;
        for (number, line) in self.known.lines(text.as_bytes()) {
            match line {
                OptionLine::Include { path, is_directory } => {
                    let path = String::from_utf8_lossy(&path).into_owned();
                    self.include(file, number, &path, is_directory)?;
                }
                OptionLine::Option { group, name, value } if self.known.has_group(&group) => {
                    let value = value.map(|value| String::from_utf8_lossy(&value).into_owned());
                    self.option(&shown, number, &name, value.unwrap_or_default())?;
                }
                OptionLine::Option { group, name, value } => {
                    let Some(version) = self.known.version_of(&group) else { continue };
                    let value = value.map(|value| String::from_utf8_lossy(&value).into_owned());
                    let (name, value) =
                        self.named(&shown, number, &name, value.unwrap_or_default())?;
                    let version = version.to_owned();
                    self.of_versions.push(VersionSetting { group, version, name, value });
                }
            }
        }
        Some(())
    }

    fn option(&mut self, file: &str, number: usize, name: &str, value: String) -> Option<()> {
        let (name, value) = self.named(file, number, name, value)?;
        // Of most options given twice the last one counts, and an empty one adds nothing to those before.
        let is_empty = |value: &str| value.trim_matches(['"', '\'', ' ']).is_empty();
        let adds = self.known.adds_up(&name) && !is_empty(&value);
        match self.settings.get_mut(&name).filter(|known| adds && !is_empty(known)) {
            Some(known) => *known = format!("{known} {value}"),
            None => drop(self.settings.insert(name, value)),
        }
        Some(())
    }

    /// A setting by the name that it has with underscores.
    fn named(
        &mut self,
        file: &str,
        number: usize,
        name: &str,
        value: String,
    ) -> Option<(String, String)> {
        let name = self.known.normal_name(name);
        if !is_name(&name) || value.contains(char::is_control) {
            self.refuse(format!("{file}, line {number}: this is no setting"))?;
        }
        Some((name, value))
    }

    /// What a file of another machine includes by an absolute path is not what this machine has there.
    fn include(
        &mut self,
        from: &Path,
        number: usize,
        path: &str,
        is_directory: bool,
    ) -> Option<()> {
        let shown = from.display();
        let is_below = !path.is_empty()
            && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        if !is_below {
            return self.refuse(format!(
                "{shown}, line {number} includes {path}, which is not below its own directory"
            ));
        }
        let beside = from.parent().unwrap_or(Path::new("")).join(path);
        if !is_directory {
            return self.file(&beside);
        }
        let root = self.problems.directory.clone().unwrap_or_default();
        match data_file::list(&root.join(&beside), ENDING) {
            Ok(files) => {
                let names = files.iter().filter_map(|file| file.file_name());
                names.map(|name| beside.join(name)).try_for_each(|file| self.file(&file))
            }
            Err(error) => self.refuse(format!("{} cannot be read: {error}", beside.display())),
        }
    }

    fn refuse(&mut self, message: String) -> Option<()> {
        self.problems.add(self.at.clone(), message).help(
            "copy what it includes beside it, and write the path relative to it, or put the lines into \
             the file itself",
        );
        None
    }
}
