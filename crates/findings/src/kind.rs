//! What every kind of finding is.

use crate::{Evidence, Finding, Severity, Subject};
use model::{Level, UnitName};
use std::any::Any;
use std::iter::Sum;
use std::mem::discriminant;

/// A kind of finding: its figures are the fields, and the rest follows from them.
pub trait FindingKind: Any + Sized {
    /// The heading above findings of this kind.
    const HEADING: &'static str;
    /// Whether one sentence says all findings of this kind.
    const TOGETHER: bool = false;
    /// Whether the sentence names the level, so that it does not go before it.
    const NAMES_LEVEL: bool = false;

    /// How much it matters, where it leaves the trials that it is about valid.
    fn severity(&self) -> Severity {
        Severity::Notice
    }

    /// The finding on a whole cell, for a kind that characterises the cell once all completed
    /// trials show it. `trials` are the findings of this kind on them.
    fn of_cell(&self, _trials: &[&Evidence]) -> Option<Evidence> {
        None
    }

    /// Whether one sentence can say both.
    fn is_like(&self, _other: &Self) -> bool {
        Self::TOGETHER
    }

    /// What was found, without what it is about and without a full stop.
    fn say(found: &Group<'_, Self>) -> String;
}

/// Findings of one kind that are alike, at least one.
pub struct Group<'a, K> {
    pub(crate) first: &'a K,
    pub(crate) all: Vec<&'a K>,
    subject: &'a Subject,
    /// What throughput counts in the test that they are about.
    pub(crate) counted: UnitName,
}

impl<K> Group<'_, K> {
    pub(crate) fn is_one(&self) -> bool {
        self.all.len() == 1
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &K> {
        self.all.iter().copied()
    }

    /// The smallest and the largest of a figure.
    pub(crate) fn range(&self, figure: impl Fn(&K) -> f64) -> (f64, f64) {
        let values = || self.iter().map(&figure);
        (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max))
    }

    pub(crate) fn most(&self, figure: impl Fn(&K) -> f64) -> f64 {
        self.range(figure).1
    }

    pub(crate) fn total<N: Sum>(&self, figure: impl Fn(&K) -> N) -> N {
        self.iter().map(figure).sum()
    }

    /// What goes before a figure that is the largest of several.
    pub(crate) fn up_to(&self) -> &'static str {
        if self.is_one() { "" } else { "up to " }
    }

    pub(crate) fn level(&self) -> Option<Level> {
        self.subject.level
    }
}

/// A [`FindingKind`] that is not named.
pub(crate) trait AnyKind: Any {
    fn severity(&self) -> Severity;
    fn of_cell(&self, trials: &[&Evidence]) -> Option<Evidence>;
    fn heading(&self) -> &'static str;
    fn names_level(&self) -> bool;
    fn is_like_other(&self, other: &Evidence) -> bool;
    fn say_all(&self, findings: &[&Finding], counted: UnitName) -> String;
}

impl<K: FindingKind> AnyKind for K {
    fn severity(&self) -> Severity {
        FindingKind::severity(self)
    }

    fn of_cell(&self, trials: &[&Evidence]) -> Option<Evidence> {
        FindingKind::of_cell(self, trials)
    }

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

impl Evidence {
    /// The evidence, if it is of this kind.
    pub fn get<K: FindingKind>(&self) -> Option<&K> {
        let kind: &dyn Any = self.kind();
        kind.downcast_ref()
    }

    /// How much it matters, where it leaves the trials that it is about valid.
    pub fn severity(&self) -> Severity {
        self.kind().severity()
    }

    /// The finding on a whole cell, where the kind characterises the cell once all completed trials
    /// show it; `trials` are the findings of this kind on them.
    pub fn of_cell(&self, trials: &[&Self]) -> Option<Self> {
        self.kind().of_cell(trials)
    }

    pub fn is_same_kind(&self, other: &Self) -> bool {
        discriminant(self) == discriminant(other)
    }

    /// The heading above findings of this kind.
    pub fn heading(&self) -> &'static str {
        self.kind().heading()
    }
}
