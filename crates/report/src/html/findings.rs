//! Findings by severity, those of one kind together.

use super::evidence::Evidence;
use super::layer::Layer;
use super::table;
use crate::words::Said;
use crate::{tables, view, words};
use analyse::{Analysis, Finding, Severity};
use maud::{Markup, html};

/// More sentences on findings of one kind than this are folded after the first few.
const MAX_OPEN: usize = 5;

/// Places that take more characters are folded.
const LONGEST_PLACE: usize = 90;

/// The section of all findings.
pub(super) fn section(analysis: &Analysis, evidence: &Evidence) -> Markup {
    const ORDER: [Severity; 4] =
        [Severity::Severe, Severity::Warning, Severity::Notice, Severity::Passed];
    let content = html! {
        @if analysis.findings.is_empty() { p { "None." } }
        @for severity in ORDER {
            @let kinds = view::by_kind(analysis, severity);
            @if !kinds.is_empty() {
                h3 class=(class(severity)) { (words::severity(severity)) }
                @for (kind, findings) in kinds { (of_kind(analysis, kind, &findings, evidence)) }
            }
        }
    };
    let is_severe = analysis.findings.iter().any(|finding| finding.severity == Severity::Severe);
    let note = "warnings, results and checks";
    html! {
        (Layer::new("findings", "Findings", note).open_if(is_severe).around(&content))
        @if let Some(wrong) = tables::arithmetic(analysis) {
            @let content = html! {
                p {
                    "A printed figure stands for every value that rounds to it. If none of these \
                     values fits what follows from other figures, some of these figures are wrong; \
                     the arithmetic does not say which."
                }
                (table::table(&wrong))
            };
            @let note = "printed figures that cannot all be right";
            (Layer::new("arithmetic", "Contradictory figures", note).around(&content))
        }
    }
}

fn class(severity: Severity) -> &'static str {
    match severity {
        Severity::Severe => "bad",
        Severity::Warning => "doubtful",
        Severity::Notice => "notice",
        Severity::Passed => "good",
    }
}

fn of_kind(analysis: &Analysis, kind: &str, findings: &[&Finding], evidence: &Evidence) -> Markup {
    let all = words::said(findings, |finding| view::counted_in(analysis, finding));
    let open = if all.len() > MAX_OPEN { MAX_OPEN - 2 } else { all.len() };
    let (first, rest) = all.split_at(open);
    let items = |all: &[Said]| {
        html! { ul.findings { @for said in all { li { (conclusion_first(analysis, said)) } } } }
    };
    html! {
        h4 { (kind) @if findings.len() > 1 { " (" (findings.len()) ")" } }
        (items(first))
        @if !rest.is_empty() {
            details.paper { summary { (rest.len()) " more" } (items(rest)) }
        }
        (evidence.of_findings(findings))
    }
}

/// What was found, then where: a long list of places is folded.
fn conclusion_first(analysis: &Analysis, said: &Said) -> Markup {
    let study = &analysis.dataset.study;
    let names = || {
        let tests = study.tests.iter().map(|test| &test.name);
        study.targets.iter().map(|target| &target.name).chain(tests)
    };
    let is_first_word = |name: &String| {
        let rest = said.statement.strip_prefix(name.as_str());
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let begins_with_name = names().any(is_first_word);
    let statement = match begins_with_name {
        true => said.statement.clone(),
        false => words::capitalised(&said.statement),
    };
    html! {
        (statement) "."
        @if said.place.chars().count() > LONGEST_PLACE {
            details.places { summary { "Where" } (said.place) }
        } @else if !said.place.is_empty() {
            " " span.note.place { (said.place) }
        }
    }
}
