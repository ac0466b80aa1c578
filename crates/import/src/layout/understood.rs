//! What was made of the paths, for people to check.

use super::pattern::{self, Layout};
use super::roles::{Path, Role};
use super::written::as_pattern;
use super::{File, Naming, PathFacts};
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
    pub(super) fn from_paths(
        paths: &[Path],
        files: &[File],
        naming: &Naming<'_>,
        said: &[PathFacts],
        doubts: Vec<String>,
    ) -> Self {
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
        let pattern = (!parts.is_empty()).then(|| used(paths, files, naming, said)).flatten();
        Self { parts, pattern, doubts }
    }
}

/// The pattern by which files would be read as they were, with how many of how many it fits: of those of
/// all paths the one that fits most files and says the same of each as was understood.
fn used(
    paths: &[Path],
    files: &[File],
    naming: &Naming<'_>,
    said: &[PathFacts],
) -> Option<(String, usize, usize)> {
    /// Patterns that are tried.
    const MOST: usize = 32;
    let texts: BTreeSet<String> = paths.iter().map(as_pattern).take(MOST * MOST).collect();
    let mut best: Option<(String, usize, usize)> = None;
    for text in texts.into_iter().take(MOST) {
        let Ok(layout) = text.parse::<Layout>() else { continue };
        let layouts = [layout];
        let Ok((by_pattern, _)) = pattern::apply(files, &Naming { layouts: &layouts, ..*naming })
        else {
            continue;
        };
        let fits = by_pattern.iter().flatten().count();
        let more = best.as_ref().is_none_or(|(_, most, _)| fits > *most);
        if fits > 0 && more && says_the_same(said, &by_pattern) {
            best = Some((text, fits, files.len()));
        }
    }
    best
}

/// Whether a pattern parts files as they were parted: targets and tests may have other names, of which
/// each stands for the same one.
fn says_the_same(said: &[PathFacts], by_pattern: &[Option<PathFacts>]) -> bool {
    let cell = |said: &PathFacts| (said.target.clone(), said.test.clone(), said.repeat.is_empty());
    let (mut there, mut back) = (HashMap::new(), HashMap::new());
    said.iter().zip(by_pattern).filter_map(|(own, other)| Some((own, other.as_ref()?))).all(
        |(own, other)| {
            let (own, other) = (cell(own), cell(other));
            *there.entry(own.clone()).or_insert_with(|| other.clone()) == other
                && *back.entry(other).or_insert_with(|| own.clone()) == own
        },
    )
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
