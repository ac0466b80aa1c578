//! Findings as sentences.

use crate::Finding;
use crate::place;
use model::UnitName;

/// A finding as one sentence: what it is about, then what was found, with the figures. `counted` is
/// what throughput counts in the test that it is about.
pub fn sentence(finding: &Finding, counted: UnitName) -> String {
    model::deadline::look();
    said_together(&[finding], finding, counted).sentence()
}

/// Findings of one severity as sentences, those that differ only in where they were made and in
/// their figures in one. `counted` says what throughput counts in the test that one is about.
pub fn sentences(findings: &[&Finding], counted: impl Fn(&Finding) -> UnitName) -> Vec<String> {
    said(findings, counted).iter().map(PlacedStatement::sentence).collect()
}

/// The same with what each is about apart.
pub fn said(findings: &[&Finding], counted: impl Fn(&Finding) -> UnitName) -> Vec<PlacedStatement> {
    let mut groups: Vec<(UnitName, Vec<&Finding>)> = Vec::new();
    for finding in findings {
        let counted = counted(finding);
        let alike = |(noun, group): &&mut (UnitName, Vec<&Finding>)| {
            *noun == counted && group[0].evidence.kind().is_like_other(&finding.evidence)
        };
        // What is not even like itself is like no other, of which there may be thousands.
        let kind = finding.evidence.kind();
        let has_others = kind.is_like_other(&finding.evidence);
        match groups.iter_mut().filter(|_| has_others).find(alike) {
            Some((_, group)) => group.push(finding),
            None => groups.push((counted, vec![finding])),
        }
    }
    groups.iter().map(|(counted, group)| said_together(group, group[0], *counted)).collect()
}

/// What findings that are alike say, and where that was found.
pub struct PlacedStatement {
    /// Empty where it is about nothing in particular.
    pub place: String,
    /// Without a capital letter and without a full stop.
    pub statement: String,
}

impl PlacedStatement {
    /// Both in one sentence, the place first.
    pub fn sentence(&self) -> String {
        match self.place.as_str() {
            "" => format!("{}.", capitalised(&self.statement)),
            place => format!("{place}: {}.", self.statement),
        }
    }
}

fn said_together(findings: &[&Finding], first: &Finding, counted: UnitName) -> PlacedStatement {
    let words = first.evidence.kind();
    let statement = words.say_all(findings, counted);
    PlacedStatement { place: place::findings(findings, !words.names_level()), statement }
}

/// What was found, without what it is about and without a full stop; `counted` as for
/// [`sentence`].
pub fn statement(finding: &Finding, counted: UnitName) -> String {
    finding.evidence.kind().say_all(&[finding], counted)
}

/// Text that begins with a capital letter.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
pub(crate) mod tests;
