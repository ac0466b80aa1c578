pub(crate) mod names;
pub(crate) mod render;
pub(crate) mod secret;

use model::{SqlSyntax, StudyFile, Target};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::de::DeTable;

/// What something is about: bytes of the study file; of a command line the number of an option.
pub(crate) type Place = Range<usize>;

/// Where the value of each key of a table is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Places(BTreeMap<String, Place>);

impl Places {
    pub fn in_table(table: &DeTable<'_>) -> Self {
        let entries = table.iter();
        Self(entries.map(|(key, value)| (key.get_ref().to_string(), value.span())).collect())
    }

    /// Where the value of a key is, if it is given.
    pub fn get(&self, key: &str) -> Option<Place> {
        self.0.get(key).cloned()
    }

    /// Those keys that are given.
    pub fn written_among(&self, keys: &'static [&'static str]) -> Vec<(&'static str, Place)> {
        keys.iter().filter_map(|key| Some((*key, self.get(key)?))).collect()
    }
}

/// One thing that is wrong with what a user asks for.
#[derive(Debug)]
pub(crate) struct Problem {
    pub at: Place,
    pub message: String,
    /// Another place that belongs to it, and what is there.
    pub other: Option<(Place, String)>,
    pub help: Option<String>,
    /// What exactly is wrong in a text that the place names, ready to print.
    pub inside: Option<String>,
    /// The line may hold a secret and must not be shown.
    pub secret: bool,
}

impl Problem {
    pub fn inside(&mut self, text: impl Into<String>) -> &mut Self {
        self.inside = Some(text.into());
        self
    }

    pub fn help(&mut self, text: impl Into<String>) -> &mut Self {
        self.help = Some(text.into());
        self
    }

    pub fn secret(&mut self) -> &mut Self {
        self.secret = true;
        self
    }

    pub fn other(&mut self, at: Place, text: impl Into<String>) -> &mut Self {
        self.other = Some((at, text.into()));
        self
    }
}

/// How the user has written keys and their values, and so how messages write them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum Notation {
    /// As lines of a study file.
    #[default]
    File,
    /// As options of a command line, which have these names.
    Options(fn(&str) -> String),
}

impl Notation {
    /// What a key is called: `clients` or --clients.
    pub fn key(self, key: &str) -> String {
        match self {
            Self::File => format!("`{key}`"),
            Self::Options(option) => option(key),
        }
    }

    /// A key with a value, which is given as in a study file. Of a list an option takes the first.
    pub fn setting(self, key: &str, value: &str) -> String {
        let Self::Options(option) = self else { return format!("{key} = {value}") };
        let first = value.trim_matches(['[', ']']).split(',').next().unwrap_or(value);
        let text = first.trim_matches('"');
        let quote = if text.contains([' ', '<']) { "'" } else { "" };
        format!("{}={quote}{text}{quote}", option(key))
    }

    /// A key with a value that the user is to add.
    pub fn line(self, key: &str, value: &str) -> String {
        let setting = self.setting(key, value);
        match self {
            Self::File => format!("a line like {setting}"),
            Self::Options(_) => setting,
        }
    }
}

/// Everything that is wrong: collected, so that a user corrects it in one go.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    list: Vec<Problem>,
    incomplete: bool,
    /// How messages write keys.
    pub notation: Notation,
    /// Where the files are that the study names.
    pub directory: Option<PathBuf>,
    /// How the targets want their SQL written: once for each way.
    pub syntaxes: Vec<SqlSyntax>,
    files: RefCell<Vec<StudyFile>>,
}

impl Problems {
    /// Those of a command line whose options have these names.
    pub fn for_options(option: fn(&str) -> String) -> Self {
        Self { notation: Notation::Options(option), ..Self::default() }
    }

    /// Notes a file whose contents the study takes.
    pub fn note_file(&self, name: &str, path: &Path) {
        let file = StudyFile { name: name.to_owned(), path: path.to_owned() };
        let mut files = self.files.borrow_mut();
        if !files.contains(&file) {
            files.push(file);
        }
    }

    /// The files that were noted.
    pub fn take_files(&self) -> Vec<StudyFile> {
        self.files.take()
    }

    /// Notes which targets scripts are to run on.
    pub fn learn_syntaxes<'a>(&mut self, targets: impl Iterator<Item = &'a Target>) {
        for syntax in targets.filter_map(|target| target.system.facts().sql) {
            if !self.syntaxes.contains(syntax) {
                self.syntaxes.push(*syntax);
            }
        }
    }

    /// What the user calls a key.
    pub fn key(&self, key: &str) -> String {
        self.notation.key(key)
    }

    /// Notes a problem; the returned value takes a help text or a second place.
    pub fn add(&mut self, at: Place, message: impl Into<String>) -> &mut Problem {
        self.list.push(Problem {
            at,
            message: message.into(),
            other: None,
            help: None,
            inside: None,
            secret: false,
        });
        self.list.last_mut().expect("an element was pushed on the line above")
    }

    /// For what stands in another text, by the same rules.
    pub fn elsewhere(&self) -> Self {
        let Self { notation, syntaxes, .. } = self;
        Self { notation: *notation, syntaxes: syntaxes.clone(), ..Self::default() }
    }

    /// Takes over the problems of another text, as those of one place.
    pub fn take(&mut self, other: Self, at: &Place) {
        let moved = |problem: Problem| Problem { at: at.clone(), other: None, ..problem };
        self.list.extend(other.list.into_iter().map(moved));
    }

    /// Notes that a key was misspelt or its value dropped: from now on a missing key may be a
    /// consequence of that, so [`Self::missing`] keeps silent.
    pub fn mark_incomplete(&mut self) {
        self.incomplete = true;
    }

    /// Notes that something is missing at a place.
    pub fn missing(&mut self, at: Place, message: impl Into<String>, help: impl Into<String>) {
        if !self.incomplete {
            self.add(at, message).help(help);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All problems in the order in which the user has written what they are about.
    pub fn into_sorted(mut self) -> Vec<Problem> {
        self.list.sort_by_key(|problem| problem.at.start);
        self.list
    }
}
