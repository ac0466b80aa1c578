//! From what was measured to what may be concluded: [`analyse`] turns a [`model::Dataset`] into
//! an [`Analysis`].
//!
//! Pure, and it cannot fail: too little data is a finding. Findings are values with evidence;
//! the words for them are in `report`.

mod analysis;
mod finding;

pub use analysis::{
    Analysis, Cell, Comparison, Curve, CurveShape, Metric, Place, Ranking, SettingDifference,
    TestAnalysis, TrialAssessment, Verdict,
};
pub use finding::{Check, Evidence, Finding, Severity, Subject, Validity};

use model::Dataset;

/// What may be concluded from one run of a study, finished or not.
pub fn analyse(dataset: &Dataset) -> Analysis<'_> {
    Analysis { dataset, tests: Vec::new(), findings: Vec::new(), settings: Vec::new() }
}
