//! Findings by severity, those of one kind together: what was found, then where.

use super::Scope;
use crate::document::{Block, Bullets, Fold, Part, Section, Text};
use crate::tables::Tone;
use crate::words::Said;
use crate::{tables, view, words};
use analyse::{Analysis, Evidence, Finding, Severity};

/// More sentences on findings of one kind than this are folded after the first few.
const MAX_OPEN: usize = 5;

/// The section of all findings.
pub(super) fn section(scope: &Scope<'_>) -> Section {
    const ORDER: [Severity; 4] =
        [Severity::Severe, Severity::Warning, Severity::Notice, Severity::Passed];
    let analysis = scope.analysis;
    let mut blocks: Vec<Block> = Vec::new();
    if analysis.findings.is_empty() {
        blocks.push(Block::paragraph("None."));
    }
    for severity in ORDER {
        let kinds = view::by_kind(analysis, severity);
        if kinds.is_empty() {
            continue;
        }
        blocks.push(Block::Part(Part {
            title: words::severity(severity).to_owned(),
            rank: 3,
            tone: Some(tone(severity)),
            fold: Fold::Open,
            blocks: kinds.iter().map(|(kind, found)| of_kind(scope, kind, found)).collect(),
        }));
    }
    let is_severe = analysis.findings.iter().any(|finding| finding.severity == Severity::Severe);
    let note = "warnings, results and checks";
    Section { is_open: is_severe, ..Section::new("findings", "Findings", note, blocks) }
}

fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::Severe => Tone::Bad,
        Severity::Warning => Tone::Doubtful,
        Severity::Notice => Tone::Plain,
        Severity::Passed => Tone::Good,
    }
}

fn of_kind(scope: &Scope<'_>, kind: &str, findings: &[&Finding]) -> Block {
    let title = match findings.len() {
        1 => kind.to_owned(),
        several => format!("{kind} ({several})"),
    };
    let said = conclusions(scope.analysis, findings, only_test(scope.analysis));
    let open = if said.len() > MAX_OPEN { MAX_OPEN - 2 } else { said.len() };
    let mut blocks: Vec<Block> = Block::first_bullets(said, open).into_iter().collect();
    blocks.extend(scope.on_page(|evidence| Some(Block::OnPage(evidence.of_findings(findings)))));
    Block::part(4, title, blocks)
}

/// The name of the only test, which needs no mention.
fn only_test<'a>(analysis: &'a Analysis) -> Option<&'a str> {
    match analysis.tests.as_slice() {
        [only] => Some(&only.test),
        _ => None,
    }
}

/// What was found, and where that is not all of the part in which it is said.
pub(crate) fn conclusions(
    analysis: &Analysis,
    findings: &[&Finding],
    within: Option<&str>,
) -> Vec<Text> {
    let said = words::said(findings, |finding| view::counted_in(analysis, finding));
    said.into_iter().map(|said| conclusion(analysis, said, within)).collect()
}

fn conclusion(analysis: &Analysis, said: Said, within: Option<&str>) -> Text {
    let study = &analysis.dataset.study;
    let mut names = {
        let tests = study.tests.iter().map(|test| &test.name);
        study.targets.iter().map(|target| &target.name).chain(tests)
    };
    // A name is written as it is.
    let is_first_word = |name: &String| {
        let rest = said.statement.strip_prefix(name.as_str());
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let statement = match names.any(is_first_word) {
        true => said.statement.clone(),
        false => words::capitalised(&said.statement),
    };
    let text = Text::from(format!("{statement}."));
    match said.place.as_str() {
        "" => text,
        place if Some(place) == within => text,
        _ => text.place(said.place),
    }
}

/// Figures that cannot all be right; `None` where there are none.
pub(super) fn contradictions(scope: &Scope<'_>) -> Option<Section> {
    let wrong = tables::arithmetic(scope.analysis)?;
    let how = "A printed figure stands for every value that rounds to it. If none of these values \
               fits what follows from other figures, some of these figures are wrong; the arithmetic \
               does not say which.";
    let note = "printed figures that cannot all be right";
    let blocks = vec![Block::paragraph(how), Block::table(wrong)];
    Some(Section::new("arithmetic", "Contradictory figures", note, blocks))
}

/// Most failures that are told in short; the report has them all.
const MAX_FAILURES: usize = 6;

/// Of the severe findings and the warnings in short: all kinds of failures, of others one sentence of
/// each kind.
pub(super) fn in_short(analysis: &Analysis) -> Vec<Block> {
    let mut blocks = Vec::new();
    for severity in [Severity::Severe, Severity::Warning] {
        for (_, findings) in view::by_kind(analysis, severity) {
            let has_failed =
                findings.iter().any(|f| matches!(f.evidence, Evidence::TrialFailed(_)));
            let items = conclusions(analysis, &findings, only_test(analysis));
            let open = items.len().min(if has_failed { MAX_FAILURES } else { 1 });
            let folded = format!("{} more of this kind", items.len() - open);
            blocks.push(Block::Bullets(Bullets { items, open, folded, tone: tone(severity) }));
        }
    }
    blocks
}
