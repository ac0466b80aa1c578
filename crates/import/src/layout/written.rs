//! Paths written as patterns, and the names that their words have there.

use super::pattern::{Suggestion, TOGETHER, escaped};
use super::roles::{Path, Role, Word};
use super::settings;
use super::token::Kind;
use std::collections::BTreeSet;

/// The layout of a path as a pattern, from the first component that says anything.
pub(super) fn as_pattern(path: &Path) -> String {
    pattern(path, &|_, _| None)
}

/// The pattern of a path in which some words have other names than inferred.
pub(super) fn suggest(
    path: &Path,
    meaning: String,
    named: &dyn Fn(usize, &Word) -> Option<String>,
) -> Suggestion {
    Suggestion { meaning, pattern: pattern(path, named), more: Vec::new() }
}

/// A path as a pattern: words that vary by their names, all others as they stand. It begins with the
/// first directory that has a name in it.
pub(super) fn pattern(path: &Path, named: &dyn Fn(usize, &Word) -> Option<String>) -> String {
    let several = path.all().filter(|(_, word)| word.varies(Role::Target)).count() > 1;
    let (mut parts, mut used) = (Vec::new(), BTreeSet::new());
    for (at, words) in path.words.iter().enumerate() {
        let text = &path.components[at].text;
        let (mut part, mut end, mut last) = (String::new(), 0, String::new());
        for word in words {
            let name = named(at, word).or_else(|| own_name(path, at, word, several));
            let Some(name) = name else {
                last.clear();
                continue;
            };
            let place = match word.number() {
                Some(number) if matches!(name.as_str(), "clients" | "rate") => {
                    number.digits.clone()
                }
                Some(number) if number.before == name => number.digits.start..word.token.at.end,
                _ => word.token.at.clone(),
            };
            // Words of one name beside each other are one.
            if name != last || place.start != end + 1 {
                let mut unique = name.clone();
                let mut number = 1;
                while !TOGETHER.contains(&unique.as_str()) && !used.insert(unique.clone()) {
                    number += 1;
                    unique = format!("{name}{number}");
                }
                part.push_str(&escaped(&text[end..place.start]));
                part.push_str(&format!("{{{unique}}}"));
            }
            (end, last) = (place.end, name);
        }
        part.push_str(&escaped(&text[end..]));
        parts.push((part, end > 0 || !last.is_empty()));
    }
    let first = parts.iter().position(|(_, named)| *named).unwrap_or(parts.len().saturating_sub(1));
    let parts: Vec<String> = parts.into_iter().skip(first).map(|(part, _)| part).collect();
    parts.join("/")
}

fn own_name(path: &Path, at: usize, word: &Word, several_targets: bool) -> Option<String> {
    let name = match word.role {
        Role::Clients => "clients".to_owned(),
        Role::Rate => "rate".to_owned(),
        Role::Repeat => "repeat".to_owned(),
        Role::Test if !word.constant => "test".to_owned(),
        Role::Target | Role::Unknown if !word.constant && several_targets => {
            let plain = |c: char| if c.is_alphanumeric() { c } else { '_' };
            label(path, at, word).0.chars().map(plain).collect()
        }
        Role::Target if !word.constant => "target".to_owned(),
        Role::Unknown | Role::Counter | Role::Date | Role::Kind if !word.constant => "_".to_owned(),
        _ => return None,
    };
    Some(name)
}

/// The label that a word of a target is, by name and value.
pub(super) fn label(path: &Path, at: usize, word: &Word) -> (String, String) {
    let text = path.text(at, word);
    if let Some(number) = word.number().filter(|number| !number.before.is_empty()) {
        let digits = &path.components[at].text[number.digits.clone()];
        return (number.before.clone(), format!("{digits}{}", number.after));
    }
    if let Some((_, name)) = before(path, at, word) {
        return (name.to_lowercase(), text.to_owned());
    }
    let name = match word.token.kind {
        Kind::Version => "version".to_owned(),
        _ if path.is_name(at) => "name".to_owned(),
        _ => format!("directory{}", at + 1),
    };
    (name, text.to_owned())
}

/// The constant word before a short one, with its beginning: `kernel` of `kernel-A`.
pub(super) fn before<'a>(
    path: &'a Path,
    component: usize,
    word: &Word,
) -> Option<(usize, &'a str)> {
    let text = path.text(component, word);
    let telling = text.len() > 2 && text.contains(|c: char| c.is_alphabetic());
    let words = &path.words[component];
    let at = words.iter().position(|other| other.token == word.token)?.checked_sub(1)?;
    let other = &words[at];
    let fits = other.constant
        && other.token.kind == Kind::Word
        && matches!(other.role, Role::Unknown | Role::Target)
        && other.token.at.end + 1 == word.token.at.start;
    let name = path.text(component, other);
    (fits && (!telling || settings::is_one(name))).then_some((other.token.at.start, name))
}
