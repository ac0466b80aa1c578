//! The option file of another server, whose settings a private one gets as far as they suit it.

use crate::problem::{Place, Problems};
use crate::read::{data_file, script_file};
use model::system::Feature;
use model::{ConfigChange, ServerConfig, System};
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

pub(super) fn read(
    written: &str,
    at: Place,
    system: System,
    trusted: bool,
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
    let (settings, mut changes) = (reading.settings, reading.of_versions);
    let mut given = BTreeMap::new();
    for (name, value) in &settings {
        let change = |instead: Option<String>, why: &str| ConfigChange {
            name: name.clone(),
            value: if known.is_secret(name) { "***".to_owned() } else { value.clone() },
            instead,
            why: why.to_owned(),
        };
        match known.judge(name, value) {
            Verdict::Allowed => {}
            Verdict::NeedsTrust(_) if known.names_own_file(name) => {
                let file = value.rsplit('/').next().unwrap_or_default().to_owned();
                changes.push(change(
                    Some(file.clone()),
                    "a private server keeps its files in a directory of its own",
                ));
                given.insert(name.clone(), file);
                continue;
            }
            Verdict::NeedsTrust(_) if trusted => {}
            Verdict::NeedsTrust(why) | Verdict::Decided(why) => {
                changes.push(change(None, why));
                continue;
            }
        }
        given.insert(name.clone(), value.clone());
    }
    let settings: BTreeMap<String, String> =
        settings.into_iter().filter(|(name, _)| !known.is_secret(name)).collect();
    let cache = known.cache_bytes(&settings);
    let config = ServerConfig { file: written.to_owned(), settings, changes, cache };
    Some(Config { config, known, given })
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
    /// Settings that are for servers of one version.
    of_versions: Vec<ConfigChange>,
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
                OptionLine::Option { group, name, value }
                    if self.known.is_of_one_version(&group) =>
                {
                    let value = String::from_utf8_lossy(&value.unwrap_or_default()).into_owned();
                    self.of_one_version(&group, &name, value);
                }
                OptionLine::Option { .. } => {}
            }
        }
        Some(())
    }

    fn option(&mut self, file: &str, number: usize, name: &str, value: String) -> Option<()> {
        let name = self.known.normal_name(name);
        if !is_name(&name) || value.contains(char::is_control) {
            return self.refuse(format!("{file}, line {number}: this is no setting"));
        }
        // Of most options given twice the last one counts.
        match self.settings.get_mut(&name).filter(|_| self.known.adds_up(&name)) {
            Some(known) => *known = format!("{known} {value}"),
            None => drop(self.settings.insert(name, value)),
        }
        Some(())
    }

    /// Which version the server has is not known before it starts.
    fn of_one_version(&mut self, group: &str, name: &str, value: String) {
        let is_secret = self.known.is_secret(name);
        self.of_versions.push(ConfigChange {
            name: format!("[{group}] {name}"),
            value: if is_secret { "***".to_owned() } else { value },
            instead: None,
            why: "its group is for servers of one version; give what is meant as `settings`"
                .to_owned(),
        });
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
