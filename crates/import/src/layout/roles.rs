//! What the words of a path are.

use super::File;
use super::token::{Component, Kind, Number, Token};
use super::vocabulary::{is_kind, is_repeat, is_target};
use std::collections::HashMap;

/// What a word of a path says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    /// The kind of the file, the tool.
    Kind,
    Clients,
    Rate,
    Repeat,
    Date,
    Test,
    /// What it ran on: engines, versions, sizes, numbers of hosts and of settings.
    Target,
    /// A number of which nothing says what it counts.
    Counter,
    /// A word of which nothing says what it means.
    Unknown,
}

/// A word of a path with its role.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub(super) token: Token,
    pub(super) role: Role,
    /// Whether all files have it at this place.
    pub(super) constant: bool,
}

impl Word {
    pub(super) fn number(&self) -> Option<&Number> {
        match &self.token.kind {
            Kind::Number(number) => Some(number),
            _ => None,
        }
    }

    pub(super) fn varies(&self, role: Role) -> bool {
        self.role == role && !self.constant
    }
}

/// A path taken apart.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) components: Vec<Component>,
    /// For each component, its words.
    pub(super) words: Vec<Vec<Word>>,
}

impl Path {
    /// All words, each with the number of its component.
    pub(super) fn all(&self) -> impl Iterator<Item = (usize, &Word)> {
        self.words.iter().enumerate().flat_map(|(at, words)| words.iter().map(move |w| (at, w)))
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = (usize, &mut Word)> {
        self.words
            .iter_mut()
            .enumerate()
            .flat_map(|(at, words)| words.iter_mut().map(move |word| (at, word)))
    }

    pub(super) fn text(&self, component: usize, word: &Word) -> &str {
        self.components[component].word(&word.token)
    }

    pub(super) fn is_name(&self, component: usize) -> bool {
        component + 1 == self.components.len()
    }
}

/// Takes all paths apart, and says of each word what it is by itself.
pub(super) fn paths(files: &[File], points_part: bool) -> Vec<Path> {
    let mut paths: Vec<Path> = files
        .iter()
        .map(|file| {
            let components = super::token::components(&file.path, points_part);
            let words = |component: &Component| {
                let word = |token: &Token| Word {
                    token: token.clone(),
                    role: role(token, component.word(token)),
                    constant: false,
                };
                component.tokens.iter().map(word).collect()
            };
            let words = components.iter().map(words).collect();
            Path { components, words }
        })
        .collect();
    constants(&mut paths);
    paths
}

fn role(token: &Token, text: &str) -> Role {
    match &token.kind {
        Kind::Test => Role::Test,
        Kind::Date => Role::Date,
        Kind::Version => Role::Target,
        Kind::Number(number) if is_repeat(number.word()) => Role::Repeat,
        // 1000 and more is a port or an amount, and counts nothing that is done again.
        Kind::Number(number) if number.is_bare() && number.value < 1000 => Role::Counter,
        Kind::Number(_) => Role::Target,
        Kind::Word if is_kind(text) => Role::Kind,
        Kind::Word if is_target(text) => Role::Target,
        Kind::Word => Role::Unknown,
    }
}

/// Marks the words that all files have in the same component.
fn constants(paths: &mut [Path]) {
    let mut counts: HashMap<(usize, String), (usize, usize)> = HashMap::new();
    for (at, path) in paths.iter().enumerate() {
        for (component, word) in path.all() {
            let text = path.text(component, word).to_lowercase();
            let (last, count) = counts.entry((component, text)).or_insert((usize::MAX, 0));
            if *last != at {
                (*last, *count) = (at, *count + 1);
            }
        }
    }
    let files = paths.len();
    for path in paths {
        let texts: Vec<(usize, String)> =
            path.all().map(|(at, word)| (at, path.text(at, word).to_lowercase())).collect();
        for ((_, word), key) in path.all_mut().zip(texts) {
            word.constant = counts.get(&key).is_some_and(|(_, count)| *count == files);
        }
    }
}
