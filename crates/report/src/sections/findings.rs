//! Findings by severity, those of one kind together: what was found, then where.

use crate::charts::evidence;
use crate::document::{Blocks, Bullets, Text};
use crate::tables::Tone;
use crate::words::PlacedStatement;
use crate::{view, words};
use analyse::{Analysis, Evidence, Finding, Severity};

/// More sentences on findings of one kind than this are folded after the first few.
const MAX_OPEN: usize = 5;

/// All findings.
pub(super) fn section(
    analysis: &Analysis,
    evidence: Option<&evidence::Evidence<'_>>,
    b: &mut Blocks,
) {
    const ORDER: [Severity; 4] =
        [Severity::Severe, Severity::Warning, Severity::Notice, Severity::Passed];
    b.paragraph(if analysis.findings.is_empty() { "None." } else { "" });
    let of_kind = |(kind, findings): (&str, Vec<&Finding>), b: &mut Blocks| {
        let title = match findings.len() {
            1 => kind.to_owned(),
            several => format!("{kind} ({several})"),
        };
        let said = conclusions(analysis, &findings, only_test(analysis));
        let open = if said.len() > MAX_OPEN { MAX_OPEN - 2 } else { said.len() };
        b.part(4, title, |b| {
            b.first_bullets(said, open);
            b.drawn(|| evidence.map(|evidence| evidence.of_findings(&findings)));
        });
    };
    for severity in ORDER {
        b.toned(3, words::severity(severity), tone(severity), |b| {
            let kinds = view::by_kind(analysis, severity);
            kinds.into_iter().for_each(|kind| of_kind(kind, b));
        });
    }
}

fn tone(severity: Severity) -> Tone {
    match severity {
        Severity::Severe => Tone::Bad,
        Severity::Warning => Tone::Doubtful,
        Severity::Notice => Tone::Plain,
        Severity::Passed => Tone::Good,
    }
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

fn conclusion(analysis: &Analysis, said: PlacedStatement, within: Option<&str>) -> Text {
    let study = &analysis.dataset.study;
    let tests = study.tests.iter().map(|test| &test.name);
    let mut names = study.targets.iter().map(|target| &target.name).chain(tests);
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

/// Most failures that are told in short; the report has them all.
const MAX_FAILURES: usize = 6;

/// Of the severe findings and the warnings in short: all kinds of failures, of others one sentence of
/// each kind.
pub(super) fn in_short(analysis: &Analysis, b: &mut Blocks) {
    for severity in [Severity::Severe, Severity::Warning] {
        for (_, findings) in view::by_kind(analysis, severity) {
            let has_failed =
                findings.iter().any(|f| matches!(f.evidence, Evidence::TrialFailed(_)));
            let items = conclusions(analysis, &findings, only_test(analysis));
            let open = items.len().min(if has_failed { MAX_FAILURES } else { 1 });
            let folded = format!("{} more of this kind", items.len() - open);
            b.list(Bullets { items, open, folded, tone: tone(severity) });
        }
    }
}
