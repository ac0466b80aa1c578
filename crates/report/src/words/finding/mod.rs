//! Findings as sentences. Each kind implements [`Words`] in a file of this folder.

mod advice;
mod arithmetic;
mod background;
mod beside;
mod caches;
mod client;
mod counters;
mod cross_check;
mod crossing;
mod curve;
mod errors;
mod extended;
mod factors;
mod failover;
mod floor;
mod host;
mod knee;
mod little;
mod money;
mod outages;
mod pairs;
mod placing;
mod repeats;
mod run;
mod scaling;
mod search;
mod stalled;
mod steady;
mod sustained;
mod tables;
mod until;
mod vm_processors;
mod waits;
mod work;

pub(crate) use advice::choices;
pub(crate) use arithmetic::{Terms, equation, follows, off, origins, value as printed};
pub(crate) use crossing::crossover;
pub(crate) use factors::{by_level, depends_on_level};
pub(crate) use money::outcome;
pub(super) use pairs::further_repeats;
pub(crate) use scaling::law_name;
pub(super) use search::highest;

use super::place;
use analyse::{Evidence, Finding, FindingKind, Subject};
use model::{Level, UnitName};
use std::iter::Sum;

/// How findings of one kind read.
trait Words: FindingKind + Sized {
    /// The heading above findings of this kind.
    const HEADING: &'static str;
    /// Whether one sentence says all findings of this kind.
    const TOGETHER: bool = false;
    /// Whether the sentence names the level, so that it does not go before it.
    const NAMES_LEVEL: bool = false;

    /// Whether one sentence can say both.
    fn is_like(&self, _other: &Self) -> bool {
        Self::TOGETHER
    }

    /// What was found, without what it is about and without a full stop.
    fn say(found: &Group<'_, Self>) -> String;
}

/// Findings of one kind that are alike, at least one.
struct Group<'a, K> {
    first: &'a K,
    all: Vec<&'a K>,
    subject: &'a Subject,
    /// What throughput counts in the test that they are about.
    counted: UnitName,
}

impl<K> Group<'_, K> {
    fn is_one(&self) -> bool {
        self.all.len() == 1
    }

    fn iter(&self) -> impl Iterator<Item = &K> {
        self.all.iter().copied()
    }

    /// The smallest and the largest of a figure.
    fn range(&self, figure: impl Fn(&K) -> f64) -> (f64, f64) {
        let values = || self.iter().map(&figure);
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
    }

    fn most(&self, figure: impl Fn(&K) -> f64) -> f64 {
        self.range(figure).1
    }

    fn total<N: Sum>(&self, figure: impl Fn(&K) -> N) -> N {
        self.iter().map(figure).sum()
    }

    /// What goes before a figure that is the largest of several.
    fn up_to(&self) -> &'static str {
        if self.is_one() { "" } else { "up to " }
    }

    fn level(&self) -> Option<Level> {
        self.subject.level
    }
}

/// [`Words`] of a kind that is not named.
trait AnyWords {
    fn heading(&self) -> &'static str;
    fn names_level(&self) -> bool;
    fn is_like_other(&self, other: &Evidence) -> bool;
    fn say_all(&self, findings: &[&Finding], counted: UnitName) -> String;
}

impl<K: Words> AnyWords for K {
    fn heading(&self) -> &'static str {
        K::HEADING
    }

    fn names_level(&self) -> bool {
        K::NAMES_LEVEL
    }

    fn is_like_other(&self, other: &Evidence) -> bool {
        other.get().is_some_and(|other| self.is_like(other))
    }

    fn say_all(&self, findings: &[&Finding], counted: UnitName) -> String {
        let Some(finding) = findings.first() else { return String::new() };
        let all = findings.iter().filter_map(|finding| finding.evidence.get()).collect();
        K::say(&Group { first: self, all, subject: &finding.subject, counted })
    }
}

macro_rules! words {
    ($($($module:ident)::+ => $($kind:ident $([$own:ident])?),+;)*) => {
        fn words(evidence: &Evidence) -> &dyn AnyWords {
            match evidence {
                $($(Evidence::$kind(found) => found,)+)*
            }
        }
    };
}

analyse::all_findings!(words);

/// The heading above findings of this kind.
pub(crate) fn heading(evidence: &Evidence) -> &'static str {
    words(evidence).heading()
}

/// A finding as one sentence: what it is about, then what was found, with the figures. `counted` is
/// what throughput counts in the test that it is about.
pub fn sentence(finding: &Finding, counted: UnitName) -> String {
    model::deadline::look();
    sentence_of_all(&[finding], finding, counted)
}

/// Findings of one severity as sentences, those that differ only in where they were made and in
/// their figures in one. `counted` says what throughput counts in the test that one is about.
pub(crate) fn sentences(
    findings: &[&Finding],
    counted: impl Fn(&Finding) -> UnitName,
) -> Vec<String> {
    let mut groups: Vec<(UnitName, Vec<&Finding>)> = Vec::new();
    for finding in findings {
        let counted = counted(finding);
        let alike = |(noun, group): &&mut (UnitName, Vec<&Finding>)| {
            *noun == counted && words(&group[0].evidence).is_like_other(&finding.evidence)
        };
        match groups.iter_mut().find(alike) {
            Some((_, group)) => group.push(finding),
            None => groups.push((counted, vec![finding])),
        }
    }
    groups.iter().map(|(counted, group)| sentence_of_all(group, group[0], *counted)).collect()
}

fn sentence_of_all(findings: &[&Finding], first: &Finding, counted: UnitName) -> String {
    let words = words(&first.evidence);
    let statement = words.say_all(findings, counted);
    match place::findings(findings, !words.names_level()) {
        subject if subject.is_empty() => format!("{}.", capitalised(&statement)),
        subject => format!("{subject}: {statement}."),
    }
}

/// What was found, without what it is about and without a full stop; `counted` as for
/// [`sentence`].
pub(super) fn statement(finding: &Finding, counted: UnitName) -> String {
    words(&finding.evidence).say_all(&[finding], counted)
}

/// Text that begins with a capital letter.
pub(crate) fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests;
