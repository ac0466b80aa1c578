//! Check 8: what the tables held.

use crate::Severity;
use serde::Serialize;
use crate::kind::{FindingKind, Group};
use crate::numbers::{self, count, percent};
use crate::names::target_name;

/// Check 8: answers lacked rows that the tables must have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RowsMissing {
    /// Answers that were checked, over the whole load.
    pub answers: u64,
    /// How many of them had too few rows.
    pub short: u64,
}

impl FindingKind for RowsMissing {
    const HEADING: &'static str = "Missing rows";
    const TOGETHER: bool = true;

    fn say(found: &Group<'_, Self>) -> String {
        let (answers, short) = (found.total(|rows| rows.answers), found.total(|rows| rows.short));
        format!(
            "{} of {} answers lacked rows that the tables must have ({}): prepare the tables again",
            count(short),
            count(answers),
            percent(short as f64 / answers.max(1) as f64),
        )
    }
}

/// Check 8: the tables held after a run what they held before.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TablesIntact {
    /// Rows of all tables.
    pub rows: u64,
    /// Whether that goes for their values too, because no test writes.
    pub with_values: bool,
}

impl FindingKind for TablesIntact {
    const HEADING: &'static str = "Checks";

    fn severity(&self) -> Severity {
        Severity::Passed
    }

    fn say(found: &Group<'_, Self>) -> String {
        let values = if found.first.with_values { ", with unchanged values" } else { "" };
        let rows = count(found.first.rows);
        format!("check 8: after the last trial the tables still had all their {rows} rows{values}")
    }
}

/// Check 8: the tables held something else after a run, and no test explains it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TablesChanged {
    /// Rows of all tables before and after.
    pub rows: (u64, u64),
}

impl FindingKind for TablesChanged {
    const HEADING: &'static str = "Changed tables";

    fn severity(&self) -> Severity {
        Severity::Severe
    }

    fn say(found: &Group<'_, Self>) -> String {
        let (before, after) = found.first.rows;
        if before == after {
            format!(
                "something else wrote to the tables: no test of this study writes, but after the \
                 last trial their {} rows had different values",
                count(before)
            )
        } else {
            format!(
                "something else wrote to the tables: every test of this study keeps the number of \
                 rows, but after the last trial there were {}, and before it {}",
                count(after),
                count(before)
            )
        }
    }
}

/// Check 8: tables that were made from one seed are not the same on all targets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DifferentData {
    /// Rows of all tables by target.
    pub rows: Vec<(String, u64)>,
}

impl FindingKind for DifferentData {
    const HEADING: &'static str = "Different data";

    fn severity(&self) -> Severity {
        Severity::Severe
    }

    fn say(found: &Group<'_, Self>) -> String {
        let rows = found.first.rows.iter();
        let each: Vec<String> = rows
            .map(|(target, rows)| format!("{} ({} rows)", target_name(target), count(*rows)))
            .collect();
        format!(
            "the targets’ tables were made from one seed but hold different data, so the targets \
             did not do the same work: {}",
            numbers::list(&each)
        )
    }
}
