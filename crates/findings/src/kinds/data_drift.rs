//! How far the data of a workload of the user's own drifted over trials whose changes stayed.

use crate::Severity;
use crate::kind::{FindingKind, Group};
use crate::names::target_name;
use crate::numbers::{self, bytes, count, percent};
use model::{TableSize, text};
use serde::Serialize;

/// Most tables that a sentence names.
const MOST_NAMED: usize = 5;

/// Trials changed how large tables are, and what they changed was still there in later ones.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DataDrifted {
    /// The tables that changed most come first.
    pub tables: Vec<DriftedTable>,
    /// How many trials that was over.
    pub trials: u32,
    /// Whether it was undone before each repeat; otherwise it never was.
    pub is_restored: bool,
}

/// A table before the first trial and after the last one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DriftedTable {
    pub table: String,
    pub before: TableSize,
    pub after: TableSize,
}

impl DriftedTable {
    /// By how much of what it had, the rows or the bytes, whichever changed more; nothing where that is too
    /// little to be told from how a server estimates and allots.
    pub fn share(&self) -> f64 {
        const NOTABLE_ESTIMATE: f64 = 0.1;
        let rows = share(self.before.rows, self.after.rows);
        let rows = if self.is_counted() || rows >= NOTABLE_ESTIMATE { rows } else { 0.0 };
        // Below that a table takes few pages, and another one is much of it.
        const FEW_BYTES: u64 = 1 << 20;
        let size = share(self.before.bytes, self.after.bytes);
        let is_small = self.before.bytes.max(self.after.bytes) < FEW_BYTES;
        rows.max(if is_small || size < NOTABLE_ESTIMATE { 0.0 } else { size })
    }

    /// How many times the rows there were at first, of which one at least is taken to have been there.
    pub fn growth(&self) -> f64 {
        self.after.rows.max(1) as f64 / self.before.rows.max(1) as f64
    }

    pub fn is_counted(&self) -> bool {
        self.before.is_counted && self.after.is_counted
    }

    fn say(&self) -> String {
        let (before, after) = (self.before.rows, self.after.rows);
        let what = match after.cmp(&before) {
            std::cmp::Ordering::Greater => "grew",
            std::cmp::Ordering::Less => "shrank",
            std::cmp::Ordering::Equal => {
                return format!(
                    "{} kept its {} rows and went from {} to {} with its indexes",
                    text::line(&self.table),
                    count(before),
                    bytes(self.before.bytes),
                    bytes(self.after.bytes)
                );
            }
        };
        let sign = if after < before { "−" } else { "+" };
        let estimated = if self.is_counted() { "" } else { " by the server’s estimate" };
        let sizes = (bytes(self.before.bytes), bytes(self.after.bytes));
        let size = match sizes.0 == sizes.1 {
            true => String::new(),
            false => format!(", and from {} to {}", sizes.0, sizes.1),
        };
        let share = match before {
            0 => String::new(),
            _ => format!(" ({sign}{})", percent(share(before, after))),
        };
        format!(
            "{} {what} from {} to {} rows{share}{estimated}{size}",
            text::line(&self.table),
            count(before),
            count(after),
        )
    }
}

fn share(before: u64, after: u64) -> f64 {
    after.abs_diff(before) as f64 / before.max(1) as f64
}

impl FindingKind for DataDrifted {
    const HEADING: &'static str = "Drifted data";

    /// Later trials on a table that has grown by a tenth ran on other data than the first.
    fn severity(&self) -> Severity {
        let by_a_tenth = self.tables.iter().any(|table| table.share() >= 0.1);
        match self.trials > 1 && by_a_tenth {
            true => Severity::Warning,
            false => Severity::Notice,
        }
    }

    fn say(found: &Group<'_, Self>) -> String {
        let DataDrifted { tables, trials, is_restored } = found.first;
        let said: Vec<String> = tables.iter().take(MOST_NAMED).map(DriftedTable::say).collect();
        let more = match tables.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!("; {} changed less", numbers::counted(more, "other table")),
        };
        let all_grew = tables.iter().all(|table| table.after.rows > table.before.rows);
        let than = if all_grew { "more data than" } else { "other data than" };
        let (undone, later) = match is_restored {
            _ if *trials == 1 => ("", String::new()),
            true => (" of a repeat", format!("; its later trials worked on {than} its first")),
            false => {
                let later = format!("; later trials worked on {than} the first");
                (", between which nothing undid it", later)
            }
        };
        format!(
            "what trials change stays: over {}{undone}, {}{more}{later}",
            numbers::counted(*trials as usize, "trial"),
            said.join("; "),
        )
    }
}

/// Tables were as large after the last trial as before the first, although nothing undid what trials changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DataKept {
    pub tables: usize,
    /// Those of them whose rows were counted; of the others the server's estimates are much the same.
    pub counted: usize,
    pub trials: u32,
}

impl FindingKind for DataKept {
    const HEADING: &'static str = "Checks";

    fn severity(&self) -> Severity {
        Severity::Passed
    }

    fn say(found: &Group<'_, Self>) -> String {
        let DataKept { tables, counted, trials } = found.first;
        let estimated = match tables - counted {
            0 => String::new(),
            _ => format!(", as far as the server’s estimates tell; {counted} of them were counted"),
        };
        format!(
            "what trials change stays, and over {} none of {} gained or lost rows{estimated}",
            numbers::counted(*trials as usize, "trial"),
            numbers::counted(*tables, "table")
        )
    }
}

/// A table grew more on one target than on another, so that their later trials worked on different data.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DriftsDiffer {
    pub table: String,
    /// The targets on which it grew least come first.
    pub targets: Vec<DriftOfTarget>,
}

/// The rows of a table on a target, before the first trial and after the last one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DriftOfTarget {
    pub target: String,
    pub rows: (u64, u64),
}

impl FindingKind for DriftsDiffer {
    const HEADING: &'static str = "Drifted data";

    fn severity(&self) -> Severity {
        Severity::Warning
    }

    fn say(found: &Group<'_, Self>) -> String {
        let DriftsDiffer { table, targets } = found.first;
        let each: Vec<String> = targets
            .iter()
            .map(|DriftOfTarget { target, rows: (before, after) }| {
                format!("from {} to {} on {}", count(*before), count(*after), target_name(target))
            })
            .collect();
        format!(
            "the data drifted further on some targets than on others, which makes comparisons of later trials \
             unfair: the rows of {} went {}; restore = \"trial\" (or `undo`) gives every trial the same data, \
             and `transactions` gives every trial the same work",
            text::line(table),
            numbers::list(&each)
        )
    }
}
