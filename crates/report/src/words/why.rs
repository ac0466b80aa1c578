//! What decides differences, and what ends the rise of curves, beside the verdicts.

use crate::view;
use analyse::{Analysis, Evidence, Finding, TestAnalysis};

/// One sentence for each pair that differs, and for each curve that bends.
pub(crate) fn why(analysis: &Analysis, test: &TestAnalysis) -> Vec<String> {
    let is_why = |finding: &&Finding| {
        let of_test = finding.subject.test.as_deref() == Some(test.test.as_str());
        of_test && matches!(finding.evidence, Evidence::WhySlower(_) | Evidence::EndOfRise(_))
    };
    let found: Vec<&Finding> = analysis.findings.iter().filter(is_why).collect();
    super::sentences(&found, |finding| view::counted_in(analysis, finding))
}
