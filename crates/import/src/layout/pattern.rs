//! Patterns of paths: `{kernel}-{test}/{config}/thr{clients}/res.txt`.

use super::placeholder::Placeholders;
use super::token::components;
use super::{File, Naming, PathFacts};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// A pattern that says what the parts of a path are. It is held against the end of a path: as many
/// directories as it has itself, and the file's name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    text: String,
    components: Vec<Vec<Part>>,
    placeholders: Placeholders,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Name(String),
}

/// Paths that can be read in more than one way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutQuestion {
    /// What is not clear, with an example.
    pub message: String,
    /// What it may mean.
    pub suggestions: Vec<Suggestion>,
}

/// A way in which paths can be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// What holds then, in a clause.
    pub meaning: String,
    /// The pattern that says so.
    pub pattern: String,
    /// Patterns of files that it does not fit.
    pub more: Vec<String>,
}

/// Why a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// A brace without its partner.
    #[error("the layout «{0}» has a brace without its partner; a brace of a name is written twice")]
    Brace(String),
    /// What stands between braces is no name.
    #[error("the layout «{0}» has {{{1}}}, which is no name: letters, digits and _")]
    Name(String, String),
    /// Where one ends and the other begins cannot be told.
    #[error("the layout «{0}» has {{{1}}} right after another name; put what parts them between")]
    Adjacent(String, String),
    /// A name that can only stand once stands twice.
    #[error("the layout «{0}» has {{{1}}} twice")]
    Twice(String, String),
    /// Names nothing.
    #[error("the layout «{0}» names nothing; write for example {{test}}-{{clients}}.txt")]
    Empty(String),
}

/// Part of the path that means nothing.
const IGNORED: &str = "_";
/// Names whose parts are put together where they stand more than once.
pub(super) const TOGETHER: [&str; 4] = ["target", "test", "repeat", IGNORED];
/// Most names of a component of which all ways to read it are tried.
const MOST_NAMES: usize = 8;

/// A text in which braces stand for themselves.
pub(super) fn escaped(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}

impl std::str::FromStr for Layout {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let mut names: BTreeSet<String> = BTreeSet::new();
        let mut all = Vec::new();
        for component in text.split('/').filter(|part| !matches!(*part, "" | ".")) {
            // How files are packed is no part of their paths.
            let parts = parts(text, crate::without_container(component))?;
            for pair in parts.windows(2) {
                if let [Part::Name(_), Part::Name(second)] = pair {
                    return Err(PatternError::Adjacent(text.to_owned(), second.clone()));
                }
            }
            for part in &parts {
                if let Part::Name(name) = part
                    && !names.insert(name.clone())
                    && !TOGETHER.contains(&name.as_str())
                {
                    return Err(PatternError::Twice(text.to_owned(), name.clone()));
                }
            }
            all.push(parts);
        }
        if names.is_empty() {
            return Err(PatternError::Empty(text.to_owned()));
        }
        let placeholders = Placeholders::from_names(&names);
        Ok(Self { text: text.to_owned(), components: all, placeholders })
    }
}

fn parts(whole: &str, component: &str) -> Result<Vec<Part>, PatternError> {
    let brace = || PatternError::Brace(whole.to_owned());
    let (mut parts, mut text, mut rest) = (Vec::new(), String::new(), component);
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        let (sign, after) = rest[at..].split_at(1);
        if let Some(after) = after.strip_prefix(sign) {
            text.push_str(sign);
            rest = after;
            continue;
        }
        let (name, after) = match sign {
            "{" => after.split_once('}').ok_or_else(brace)?,
            _ => return Err(brace()),
        };
        if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return Err(PatternError::Name(whole.to_owned(), name.to_owned()));
        }
        if !text.is_empty() {
            parts.push(Part::Text(std::mem::take(&mut text)));
        }
        parts.push(Part::Name(name.to_owned()));
        rest = after;
    }
    text.push_str(rest);
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
    Ok(parts)
}

/// The values of the names of a component, in their order.
type Values = Vec<String>;

impl Layout {
    /// How many of these paths it fits.
    pub(super) fn fits<'a>(&self, paths: impl Iterator<Item = &'a str>) -> usize {
        paths
            .filter(|path| {
                self.end_of(path).is_some_and(|end| self.read_end(&end, &self.greedy()).is_some())
            })
            .count()
    }

    fn greedy(&self) -> Vec<u32> {
        vec![u32::MAX; self.components.len()]
    }

    /// As many components of a path as the pattern has.
    fn end_of(&self, path: &str) -> Option<Vec<String>> {
        let all: Vec<String> = components(path, false).into_iter().map(|c| c.text).collect();
        let from = all.len().checked_sub(self.components.len())?;
        Some(all[from..].to_vec())
    }

    fn read_end(&self, end: &[String], ways: &[u32]) -> Option<Vec<Values>> {
        let pairs = self.components.iter().zip(end).zip(ways);
        pairs.map(|((parts, text), way)| read(parts, text, *way, self.placeholders)).collect()
    }

    /// Which names are to take as much as they can, a bit a name, for every component: the way in
    /// which all files together have the fewest different values. Asks where two ways have as many.
    fn ways(&self, ends: &[Vec<String>]) -> Result<Vec<u32>, Box<LayoutQuestion>> {
        let mut ways = self.greedy();
        for (at, parts) in self.components.iter().enumerate() {
            let names = parts.iter().filter(|part| matches!(part, Part::Name(_))).count();
            if !(2..=MOST_NAMES).contains(&names) {
                continue;
            }
            let texts: BTreeSet<&str> = ends.iter().map(|end| end[at].as_str()).collect();
            let mut found: Vec<(usize, Vec<Values>, u32)> = Vec::new();
            for way in 0..1_u32 << (names - 1) {
                let all: Vec<Values> = texts
                    .iter()
                    .filter_map(|text| read(parts, text, way, self.placeholders))
                    .collect();
                if found.iter().any(|(_, known, _)| *known == all) {
                    continue;
                }
                let different = (0..names)
                    .map(|name| {
                        all.iter()
                            .map(|values| values[name].as_str())
                            .collect::<BTreeSet<_>>()
                            .len()
                    })
                    .sum();
                found.push((different, all, way));
            }
            found.sort_by_key(|(different, ..)| *different);
            if let [first, second, ..] = &found[..]
                && first.0 == second.0
            {
                return Err(self.question(
                    parts,
                    texts.first().copied().unwrap_or(""),
                    first,
                    second,
                ));
            }
            ways[at] = found.first().map_or(u32::MAX, |(_, _, way)| *way);
        }
        Ok(ways)
    }

    fn question(
        &self,
        parts: &[Part],
        text: &str,
        one: &(usize, Vec<Values>, u32),
        other: &(usize, Vec<Values>, u32),
    ) -> Box<LayoutQuestion> {
        let way = |of: &(usize, Vec<Values>, u32)| {
            let values = read(parts, text, of.2, self.placeholders).unwrap_or_default();
            let names = parts.iter().filter_map(|part| match part {
                Part::Name(name) => Some(name),
                Part::Text(_) => None,
            });
            let pairs = names.zip(values).map(|(name, value)| format!("{name} = {value}"));
            pairs.collect::<Vec<_>>().join(", ")
        };
        Box::new(LayoutQuestion {
            message: format!(
                "the layout «{}» fits «{text}» in two ways: {}; or {}. Write what is the same in \
                 all names outside the braces",
                self.text,
                way(one),
                way(other)
            ),
            suggestions: Vec::new(),
        })
    }

    /// The pattern in which what differs between two paths, and has no name yet, has this one.
    pub(super) fn telling(&self, (one, other): (&str, &str), name: &str) -> Option<String> {
        let read = |path: &str| self.read_end(&self.end_of(path)?, &self.greedy());
        let (ones, others) = (read(one)?, read(other)?);
        let mut named = false;
        let mut written: Vec<String> = Vec::new();
        for (at, parts) in self.components.iter().enumerate() {
            let mut values = ones[at].iter().zip(&others[at]);
            let mut text = String::new();
            for part in parts {
                match part {
                    Part::Text(own) => text.push_str(&escaped(own)),
                    Part::Name(own) => {
                        let differs = values.next().is_some_and(|(one, other)| one != other);
                        let new = differs && own == IGNORED;
                        named |= new;
                        text.push_str(&format!("{{{}}}", if new { name } else { own }));
                    }
                }
            }
            written.push(text);
        }
        // What differs above is said by a longer pattern.
        let above = |path: &str| -> Vec<String> {
            let mut all: Vec<String> =
                components(path, false).into_iter().map(|component| component.text).collect();
            all.truncate(all.len().saturating_sub(self.components.len()));
            all.reverse();
            all
        };
        let (ones, others) = (above(one), above(other));
        if let Some(last) = ones.iter().zip(&others).rposition(|(one, other)| one != other)
            && !named
        {
            for at in 0..=last {
                let name = if ones[at] == others[at] { IGNORED } else { name };
                written.insert(0, format!("{{{name}}}"));
            }
            named = true;
        }
        named.then(|| written.join("/"))
    }

    fn said(&self, file: &str, values: &[Values], naming: &Naming<'_>) -> PathFacts {
        let mut said = PathFacts::default();
        let (mut targets, mut tests, mut repeats) = (Vec::new(), Vec::new(), Vec::new());
        let mut labels: Vec<(String, String)> = Vec::new();
        for (parts, values) in self.components.iter().zip(values) {
            let names = parts.iter().filter_map(|part| match part {
                Part::Name(name) => Some(name.as_str()),
                Part::Text(_) => None,
            });
            for (name, value) in names.zip(values) {
                match name {
                    "target" => targets.push(value.clone()),
                    "test" => tests.push(value.clone()),
                    "repeat" | "date" => repeats.push(value.clone()),
                    _ if self.placeholders.is_of_date(name) => repeats.push(value.clone()),
                    "clients" => said.clients = value.parse().ok(),
                    "rate" => said.rate = value.parse().ok(),
                    "block" => said.block = value.parse().ok(),
                    IGNORED => {}
                    _ => labels.push((name.to_owned(), value.clone())),
                }
            }
        }
        // A value alone is a name where it is a word.
        let telling = |value: &str| value.len() > 2 && value.contains(char::is_alphabetic);
        targets.extend(labels.iter().map(|(name, value)| match telling(value) {
            true => value.clone(),
            false => format!("{name}-{value}"),
        }));
        said.target = match naming.target {
            Some(target) => target.to_owned(),
            None if targets.is_empty() => self.directory_above(file),
            None => targets.join(" "),
        };
        said.labels = labels.into_iter().collect();
        said.test = tests.join(" ");
        said.repeat = repeats.join(" ");
        said
    }

    fn directory_above(&self, file: &str) -> String {
        let all = components(file, false);
        let at = all.len().checked_sub(self.components.len() + 1);
        at.map_or_else(|| "imported".to_owned(), |at| all[at].text.clone())
    }
}

/// The values of the names, where the text fits. `way` has a bit for each name: whether it takes as
/// much as it can.
fn read(parts: &[Part], text: &str, way: u32, placeholders: Placeholders) -> Option<Values> {
    let (values, in_vain) = (Values::new(), HashSet::new());
    let mut reading = Reading { placeholders, values, in_vain };
    reading.from(parts, text, way).then_some(reading.values)
}

/// A text while it is read. `in_vain` are the places, by how many parts and bytes are left, from where
/// nothing fits: without them names of many equal signs would be tried in all ways.
struct Reading {
    placeholders: Placeholders,
    values: Values,
    in_vain: HashSet<(usize, usize)>,
}

impl Reading {
    /// Adds the values of these parts.
    fn from(&mut self, parts: &[Part], text: &str, way: u32) -> bool {
        let Some((first, rest)) = parts.split_first() else { return text.is_empty() };
        let name = match first {
            Part::Text(own) => {
                let after = text.strip_prefix(own.as_str());
                return after.is_some_and(|after| self.from(rest, after, way));
            }
            Part::Name(name) => name,
        };
        if self.in_vain.contains(&(parts.len(), text.len())) {
            return false;
        }
        let placeholders = self.placeholders;
        let fits = |value: &str| !value.is_empty() && placeholders.takes(name, value);
        // What follows a name is text or the end.
        let ends: Vec<usize> = match rest.first() {
            Some(Part::Text(next)) => text.match_indices(next.as_str()).map(|(at, _)| at).collect(),
            _ => vec![text.len()],
        };
        let mut try_end = |end: usize| {
            let Some(value) = text.get(..end).filter(|value| fits(value)) else { return false };
            self.values.push(value.to_owned());
            let found = self.from(rest, &text[end..], way >> 1);
            if !found {
                self.values.pop();
            }
            found
        };
        let found = match way & 1 {
            1 => ends.into_iter().rev().any(&mut try_end),
            _ => ends.into_iter().any(&mut try_end),
        };
        if !found {
            self.in_vain.insert((parts.len(), text.len()));
        }
        found
    }
}

/// What patterns say of each file, `None` where none fits, and what is not sure.
type ByPatterns = (Vec<Option<PathFacts>>, Vec<String>);

/// What the patterns of the user say of all files.
pub(super) fn apply(
    files: &[File],
    naming: &Naming<'_>,
) -> Result<ByPatterns, Box<LayoutQuestion>> {
    let mut said: Vec<Option<PathFacts>> = vec![None; files.len()];
    let mut doubts = Vec::new();
    for layout in naming.layouts {
        let fitting: Vec<(usize, Vec<String>)> = (0..files.len())
            .filter(|at| said[*at].is_none())
            .filter_map(|at| {
                let end = layout.end_of(&files[at].path)?;
                layout.read_end(&end, &layout.greedy())?;
                Some((at, end))
            })
            .collect();
        let ends: Vec<Vec<String>> = fitting.iter().map(|(_, end)| end.clone()).collect();
        let ways = layout.ways(&ends)?;
        for (at, end) in fitting {
            let values = layout.read_end(&end, &ways);
            said[at] = values.map(|values| layout.said(&files[at].path, &values, naming));
        }
    }
    let mut disagree: BTreeMap<&'static str, (usize, String)> = BTreeMap::new();
    for (file, said) in files.iter().zip(&said) {
        let own = file.inside.values().copied().collect::<BTreeSet<u64>>();
        let clients = said.as_ref().and_then(|said| said.clients).map(u64::from);
        if let (Some(clients), Some(inside)) = (clients, file.says(crate::Knob::Clients))
            && !own.contains(&clients)
        {
            let entry = disagree.entry("clients").or_insert_with(|| {
                (
                    0,
                    format!(
                        "{} has {clients} clients by the layout and {inside} inside",
                        file.path
                    ),
                )
            });
            entry.0 += 1;
        }
    }
    for (count, example) in disagree.into_values() {
        doubts.push(format!("{example}; what is inside counts (files: {count})"));
    }
    Ok((said, doubts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_refused_with_its_reason() {
        for (text, reason) in [
            ("{a", "brace"),
            ("a}", "brace"),
            ("{}", "no name"),
            ("{a b}", "no name"),
            ("{a}{b}", "right after"),
            ("{a}/{a}", "twice"),
            ("res.txt", "names nothing"),
            ("", "names nothing"),
        ] {
            let error = text.parse::<Layout>().unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
        assert!("{test}-{test}/{{x}}".parse::<Layout>().is_ok());
    }

    #[test]
    fn names_take_what_stands_between() {
        let layout: Layout = "{{{engine}}}-thr{clients}.txt".parse().unwrap();
        let read = |text: &str| read(&layout.components[0], text, 0, layout.placeholders);
        assert_eq!(read("{x-y}-thr16.txt"), Some(vec!["x-y".to_owned(), "16".to_owned()]));
        assert_eq!(read("{x}-thrx.txt"), None);
        assert_eq!(read("{}-thr16.txt"), None);
    }
}
