//! The audit of printed figures: the impossible ones of published studies by name, and none where
//! figures were only rounded.

#![allow(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

mod identities;
mod rounding;
mod studies;

use analyse::{ArithmeticChecked, Contradiction, Evidence, Severity, analyse};
use test_support::imported;

/// What the audit found of a tidy CSV.
struct Found {
    /// Test, target, how severe, and the contradiction.
    wrong: Vec<(String, String, Severity, Contradiction)>,
    /// Identities that were checked.
    checked: usize,
}

fn audit(text: &str) -> Found {
    let dataset = imported("table", text);
    let mut found = Found { wrong: Vec::new(), checked: 0 };
    let mut violated = None;
    for finding in analyse(&dataset).findings {
        let (test, target) = (finding.subject.test, finding.subject.target);
        match finding.evidence {
            Evidence::Contradiction(wrong) => {
                found.wrong.push((test.unwrap(), target.unwrap(), finding.severity, wrong));
            }
            Evidence::ArithmeticChecked(ArithmeticChecked {
                source: analyse::Source::Others,
                checked,
                violated: number,
            }) => {
                found.checked = checked;
                violated = Some((number, finding.severity));
            }
            _ => {}
        }
    }
    if let Some((number, severity)) = violated {
        assert_eq!(number, found.wrong.len());
        assert_eq!(severity == Severity::Passed, number == 0);
    }
    found
}

impl Found {
    /// `test target figure` of everything found.
    fn figures(&self) -> Vec<String> {
        let name = |(test, target, _, wrong): &(String, String, Severity, Contradiction)| {
            format!("{test} {target} {}", wrong.printed.name)
        };
        self.wrong.iter().map(name).collect()
    }
}
