//! Check 8: answers hold what they must.

use super::CheckResult;
use findings::{RowsMissing, Validity};
use model::LoadResult;

/// Share of answers without all their rows above which the server did less work than was asked
/// for. Below it the trial is suspect: no row may be missing.
const VOID: f64 = 0.20;

/// Statements that select rows by their number must find all of them. `None` where
/// the load has no such statements.
pub(super) fn results(load: &LoadResult) -> Option<Vec<CheckResult>> {
    let answers = load.requests.answers;
    if answers.checked == 0 {
        return None;
    }
    let share = answers.short as f64 / answers.checked as f64;
    let validity = if share > VOID { Validity::Void } else { Validity::Suspect };
    let evidence = RowsMissing { answers: answers.checked, short: answers.short };
    Some((answers.short > 0).then_some(CheckResult::new(validity, evidence)).into_iter().collect())
}
