//! How values are read that several keys have alike.

use crate::problem::names::{choices, nearest};
use crate::problem::{Place, Problems};
use model::text;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::ops::RangeInclusive;
use toml::Spanned;

/// A key that may be absent, with its place in the file.
pub(crate) type Maybe<T> = Option<Spanned<T>>;

/// Longest name of a study, target or test, in characters.
const LONGEST_NAME: usize = 64;

/// Names that are taken, with their places.
pub(crate) struct TakenNames {
    kind: &'static str,
    taken: BTreeMap<String, Place>,
}

impl TakenNames {
    pub fn new(kind: &'static str) -> Self {
        Self { kind, taken: BTreeMap::new() }
    }

    pub fn take(&mut self, name: Option<(&str, Place)>, problems: &mut Problems) {
        let Some((name, at)) = name else { return };
        let kind = self.kind;
        match self.taken.get(name) {
            Some(first) => {
                problems
                    .add(at, format!("a second {kind} is named `{name}`"))
                    .other(first.clone(), "the first one")
                    .help(format!("give every {kind} a name of its own"));
            }
            None => {
                self.taken.insert(name.to_owned(), at);
            }
        }
    }
}

/// A name that can be shown on a line: 1 to 64 characters, none of which [`text::deceives`], no space
/// at either end.
pub(crate) fn name(name: &str, at: Place, kind: &str, problems: &mut Problems) -> Option<String> {
    let length = name.chars().count();
    let complaint = if length == 0 {
        format!("the name of a {kind} is empty")
    } else if length > LONGEST_NAME {
        format!("the name of a {kind} has {length} characters, more than {LONGEST_NAME}")
    } else if name.contains(text::deceives) || name.trim() != name {
        format!(
            "the name of a {kind} has a control character, one that is invisible, or a space at one end"
        )
    } else {
        return Some(name.to_owned());
    };
    problems.add(at, complaint);
    None
}

/// All values of a type with their names, as [`one_of`] takes them.
pub(crate) fn by_name<T: Copy, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
) -> [(&'static str, T); N] {
    all.map(|value| (name(value), value))
}

/// A value that must be one of a few; `None` when it is absent or another.
pub(crate) fn one_of<T: Clone>(
    key: &str,
    written: &Maybe<String>,
    values: &[(&'static str, T)],
    problems: &mut Problems,
) -> Option<T> {
    let written = written.as_ref()?;
    let value = written.get_ref();
    let found = values.iter().find(|(name, _)| name == value).map(|(_, found)| found.clone());
    if found.is_none() {
        let names = || values.iter().map(|(name, _)| *name);
        let notation = problems.notation;
        let hint = match nearest(value, names()) {
            Some(near) => format!(": did you mean `{near}`?"),
            None => String::new(),
        };
        problems.add(written.span(), format!("unknown {key} `{value}`{hint}")).help(format!(
            "{} is {}",
            notation.key(key),
            choices(names())
        ));
    }
    found
}

/// A whole number in a range.
pub(crate) fn whole<N: TryFrom<i64> + PartialOrd + Display>(
    key: &str,
    written: &Maybe<i64>,
    default: N,
    range: RangeInclusive<N>,
    problems: &mut Problems,
) -> N {
    let Some(written) = written else { return default };
    match N::try_from(*written.get_ref()) {
        Ok(number) if range.contains(&number) => number,
        _ => {
            let (low, high) = range.into_inner();
            let key = problems.key(key);
            let bounds = match N::try_from(i64::MAX).is_ok_and(|largest| largest == high) {
                true => format!("{low} or more"),
                false => format!("from {low} to {high}"),
            };
            let message = format!("{key} must be {bounds}, not {}", written.get_ref());
            problems.add(written.span(), message);
            default
        }
    }
}

/// Notes a key that needs another, of which a value is given as an example.
pub(crate) fn applies_only_with(
    key: &str,
    at: Place,
    other: &str,
    example: &str,
    problems: &mut Problems,
) {
    let notation = problems.notation;
    problems
        .add(at, format!("{} applies only with {}", notation.key(key), notation.key(other)))
        .help(format!("add {}, or leave it out", notation.line(other, example)));
}
