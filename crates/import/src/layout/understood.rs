//! What was made of the paths, for people to check.

use super::File;
use super::infer::as_pattern;
use super::pattern::Layout;
use super::roles::{Path, Role};
use crate::Parsed;
use model::Level;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What was understood of all files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Understood {
    /// Names of the targets, in order of name.
    pub targets: Vec<String>,
    pub tests: Vec<String>,
    pub levels: Vec<Level>,
    /// Most trials of a cell.
    pub repeats: usize,
    /// Trials in all.
    pub trials: usize,
    /// What words of the paths were taken for.
    pub parts: Vec<UnderstoodPart>,
    /// The inferred layout as a pattern, and how many of how many files it fits.
    pub pattern: Option<(String, usize, usize)>,
    /// What is not sure.
    pub doubts: Vec<String>,
}

/// What some words of the paths were taken for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnderstoodPart {
    /// `clients`, `test`.
    pub role: &'static str,
    /// How many different ones there are.
    pub values: usize,
    /// One of them.
    pub example: String,
    /// A file that has it in its path.
    pub file: String,
}

/// What reading the paths brought to light.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    pub(super) parts: Vec<UnderstoodPart>,
    pub(super) pattern: Option<(String, usize, usize)>,
    pub(super) doubts: Vec<String>,
}

impl Notes {
    pub(super) fn of(paths: &[Path], files: &[File], doubts: Vec<String>) -> Self {
        const SHOWN: [(Role, &str); 7] = [
            (Role::Target, "target"),
            (Role::Test, "test"),
            (Role::Clients, "clients"),
            (Role::Rate, "rate"),
            (Role::Repeat, "repeat"),
            (Role::Date, "date, which is left out"),
            (Role::Counter, "number, which is left out"),
        ];
        let mut values: BTreeMap<usize, (BTreeSet<&str>, usize)> = BTreeMap::new();
        for (file, path) in paths.iter().enumerate() {
            for (at, word) in path.all().filter(|(_, word)| !word.constant) {
                if let Some(role) = SHOWN.iter().position(|(role, _)| *role == word.role) {
                    let text = path.text(at, word);
                    values.entry(role).or_insert_with(|| (BTreeSet::new(), file)).0.insert(text);
                }
            }
        }
        let part = |(role, (texts, file)): (usize, (BTreeSet<&str>, usize))| {
            let path = &paths[file];
            let of_role = path.all().find(|(_, w)| w.varies(SHOWN[role].0));
            let example =
                of_role.map_or(String::new(), |(at, word)| path.text(at, word).to_owned());
            let file = files[file].path.clone();
            UnderstoodPart { role: SHOWN[role].1, values: texts.len(), example, file }
        };
        let parts: Vec<UnderstoodPart> = values.into_iter().map(part).collect();
        let pattern = paths.first().filter(|_| !parts.is_empty()).and_then(|path| {
            let text = as_pattern(path);
            let layout: Layout = text.parse().ok()?;
            let fits = layout.fits(files.iter().map(|file| file.path.as_str()));
            Some((text, fits, files.len()))
        });
        Self { parts, pattern, doubts }
    }
}

pub(super) fn understood(files: &[Parsed], notes: Notes) -> Understood {
    let trials = || files.iter().flat_map(|parsed| &parsed.trials);
    let names = |name: &dyn Fn(&crate::ImportedTrial) -> String| -> Vec<String> {
        trials().map(name).collect::<BTreeSet<_>>().into_iter().collect()
    };
    let mut cells: HashMap<(&str, &str, Level), usize> = HashMap::new();
    for trial in trials() {
        *cells.entry((&trial.target, &trial.test, trial.level)).or_default() += 1;
    }
    let levels: BTreeSet<Level> = trials().map(|trial| trial.level).collect();
    Understood {
        targets: names(&|trial| trial.target.clone()),
        tests: names(&|trial| trial.test.clone()),
        levels: levels.into_iter().collect(),
        repeats: cells.into_values().max().unwrap_or(0),
        trials: trials().count(),
        parts: notes.parts,
        pattern: notes.pattern,
        doubts: notes.doubts,
    }
}
