//! What has become of the data of a workload of the user's own.

use crate::Severity;
use crate::kind::{FindingKind, Group};
use crate::names::target_name;
use crate::numbers::{self, count};
use model::text;
use serde::Serialize;

/// What must hold of the data did not after a trial.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InvariantBroken {
    pub invariant: String,
    /// What its query gives where it holds.
    pub gives: String,
    /// What came instead.
    pub came: String,
}

impl FindingKind for InvariantBroken {
    const HEADING: &'static str = "Broken invariants";

    fn severity(&self) -> Severity {
        Severity::Severe
    }

    fn is_like(&self, other: &Self) -> bool {
        self.invariant == other.invariant
    }

    fn say(found: &Group<'_, Self>) -> String {
        let InvariantBroken { invariant, gives, came } = found.first;
        let (gives, came) = (text::line(gives), text::line(came));
        let more = match found.all.len() {
            1 => String::new(),
            several => format!(", the first of {several} trials"),
        };
        format!(
            "the invariant `{}` does not hold: its query should give `{gives}`, and gave `{came}`{more}",
            text::line(invariant)
        )
    }
}

/// Every invariant held after every trial.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InvariantsHold {
    /// How many there are.
    pub invariants: u32,
}

impl FindingKind for InvariantsHold {
    const HEADING: &'static str = "Checks";
    const TOGETHER: bool = true;

    fn severity(&self) -> Severity {
        Severity::Passed
    }

    fn say(found: &Group<'_, Self>) -> String {
        let trials = numbers::counted(found.all.len(), "trial");
        match found.first.invariants {
            1 => format!("the invariant of the data held after {trials}"),
            n => format!("all {n} invariants of the data held after {trials}"),
        }
    }
}

/// Targets answered the same statement with the same parameters differently.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnswersDiffer {
    pub statement: String,
    /// As the statement was sent, with its parameters.
    pub sql: String,
    /// How many rows each target gave.
    pub rows: Vec<(String, u64)>,
}

impl FindingKind for AnswersDiffer {
    const HEADING: &'static str = "Different answers";

    fn severity(&self) -> Severity {
        Severity::Severe
    }

    fn say(found: &Group<'_, Self>) -> String {
        let AnswersDiffer { statement, sql, rows } = found.first;
        let each: Vec<String> = rows
            .iter()
            .map(|(target, rows)| format!("{} ({} rows)", target_name(target), count(*rows)))
            .collect();
        format!(
            "the targets answer the statement `{}` differently, before any trial and with the same \
             parameters («{}»): {}; what an ORDER BY leaves open may be the reason, or collations and \
             settings that differ",
            text::line(statement),
            text::line(sql),
            numbers::list(&each)
        )
    }
}

/// All targets gave the same answers before any trial.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct AnswersAlike {
    pub statements: usize,
    /// Rows of all answers of a target.
    pub rows: u64,
}

impl FindingKind for AnswersAlike {
    const HEADING: &'static str = "Checks";

    fn severity(&self) -> Severity {
        Severity::Passed
    }

    fn say(found: &Group<'_, Self>) -> String {
        let AnswersAlike { statements, rows } = found.first;
        format!(
            "before any trial all targets gave the same {} to {} of the workload",
            numbers::counted(*rows as usize, "row"),
            numbers::counted(*statements, "reading statement")
        )
    }
}
