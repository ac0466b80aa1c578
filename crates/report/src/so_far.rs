//! What may be said of a run while it goes on.

use crate::{sections, view, words};
use analyse::{Analysis, Evidence, Severity};

/// What the trials say so far, most important first: the answer of each test, then its severe findings
/// and warnings, each kind by one sentence. With findings comes how much they matter. That a trial
/// failed, or did not run yet, is left out: whoever looks sees it.
pub fn so_far(analysis: &Analysis) -> Vec<(Option<Severity>, String)> {
    let mut said = Vec::new();
    for test in &analysis.tests {
        let answer = words::answer(analysis, test);
        let is_compared = test.search.is_some() || test.ranking.tiers.iter().flatten().count() > 1;
        if is_compared {
            said.push((None, format!("{}: {}", test.test, answer.headline)));
        }
    }
    for severity in [Severity::Severe, Severity::Warning] {
        for (_, findings) in view::by_kind(analysis, severity) {
            let passing = |evidence: &Evidence| {
                matches!(evidence, Evidence::TrialFailed(_) | Evidence::TrialsMissing(_))
            };
            if findings.iter().any(|finding| passing(&finding.evidence)) {
                continue;
            }
            let conclusion = sections::conclusions(analysis, &findings, None).into_iter().next();
            said.extend(conclusion.map(|text| (Some(severity), text.words())));
        }
    }
    said
}
