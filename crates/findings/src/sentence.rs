//! Findings as sentences.

use crate::Finding;
use crate::place;
use model::UnitName;

/// A finding as one sentence: what it is about, then what was found, with the figures. `counted` is
/// what throughput counts in the test that it is about.
pub fn sentence(finding: &Finding, counted: UnitName) -> String {
    model::deadline::look();
    sentence_of_all(&[finding], finding, counted)
}

/// Findings of one severity as sentences, those that differ only in where they were made and in
/// their figures in one. `counted` says what throughput counts in the test that one is about.
pub fn sentences(findings: &[&Finding], counted: impl Fn(&Finding) -> UnitName) -> Vec<String> {
    let mut groups: Vec<(UnitName, Vec<&Finding>)> = Vec::new();
    for finding in findings {
        let counted = counted(finding);
        let alike = |(noun, group): &&mut (UnitName, Vec<&Finding>)| {
            *noun == counted && group[0].evidence.kind().is_like_other(&finding.evidence)
        };
        match groups.iter_mut().find(alike) {
            Some((_, group)) => group.push(finding),
            None => groups.push((counted, vec![finding])),
        }
    }
    groups.iter().map(|(counted, group)| sentence_of_all(group, group[0], *counted)).collect()
}

fn sentence_of_all(findings: &[&Finding], first: &Finding, counted: UnitName) -> String {
    let words = first.evidence.kind();
    let statement = words.say_all(findings, counted);
    match place::findings(findings, !words.names_level()) {
        subject if subject.is_empty() => format!("{}.", capitalised(&statement)),
        subject => format!("{subject}: {statement}."),
    }
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
