//! Findings by severity, those of one kind together.

use super::evidence::Evidence;
use super::layer::Layer;
use super::table;
use crate::{tables, view, words};
use analyse::{Analysis, Finding, Severity};
use maud::{Markup, html};

/// More sentences on findings of one kind than this are folded after the first few.
const MAX_OPEN: usize = 5;

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
    let sentences = words::sentences(findings, |finding| view::counted_in(analysis, finding));
    let open = if sentences.len() > MAX_OPEN { MAX_OPEN - 2 } else { sentences.len() };
    let (first, rest) = sentences.split_at(open);
    let items = |sentences: &[String]| {
        html! { ul.findings { @for sentence in sentences { li { (sentence) } } } }
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
