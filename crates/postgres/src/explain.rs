//! How the server would carry out the statements of a user's own: what EXPLAIN says of them.

use crate::client::{ClientError, Connection};
use crate::load::{READER, quote};
use model::{Failure, Workload};
use sql::{Explained, PlanStep, sample_statements};

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlannedStep {
    /// In the server's words, without what it costs.
    pub(crate) words: String,
    pub(crate) rows: u64,
}

impl PlannedStep {
    /// The table that it reads from end to end, where it does.
    pub(crate) fn whole_table(&self) -> Option<&str> {
        let scan = self.words.strip_prefix("Parallel ").unwrap_or(&self.words);
        scan.strip_prefix("Seq Scan on ")?.split(' ').next()
    }

    /// Whether it reads a table or an index, and not what other steps give it.
    fn reads(&self) -> bool {
        self.words.contains("Scan ") && !self.words.contains("Subquery")
    }
}

impl PlanStep for PlannedStep {
    fn words(&self) -> String {
        self.words.clone()
    }

    fn rows_read(&self) -> u64 {
        if self.reads() { self.rows } else { 0 }
    }
}

/// The statements of a workload, each with what the server says of it.
///
/// # Errors
/// When the workload cannot be run at all.
pub(crate) fn explain(
    control: &mut Connection,
    workload: &Workload,
) -> Result<Vec<Explained<PlannedStep, ClientError>>, Failure> {
    let statements = sample_statements(READER.sampled(workload, control)?, quote);
    let explained = statements.into_iter().map(|statement| {
        let answer = control.query(&format!("EXPLAIN {}", statement.sql));
        let lines = answer.map(|answer| answer.rows.into_iter().flatten().flatten());
        (statement, lines.map(|lines| lines.filter_map(|line| step(&line)).collect()))
    });
    Ok(explained.collect())
}

/// A step stands in a line with what it costs; conditions and keys, which have values in them, in others.
fn step(line: &str) -> Option<PlannedStep> {
    let (words, costs) = line.split_once("  (cost=")?;
    let rows = costs.split_once("rows=")?.1.split(' ').next()?.parse().ok()?;
    let words = words.trim_start().trim_start_matches("->").trim_start();
    Some(PlannedStep { words: words.to_owned(), rows })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_told_without_costs_and_values() {
        let plan = [
            "Update on pgbench_accounts  (cost=0.29..8.31 rows=0 width=0)",
            "  ->  Index Scan using accounts_pkey on accounts  (cost=0.29..8.31 rows=1 width=10)",
            "        Index Cond: (aid = 4711)",
            "  ->  Parallel Seq Scan on branches b  (cost=0.00..1.01 rows=20000 width=4)",
        ];
        let steps: Vec<PlannedStep> = plan.iter().filter_map(|line| step(line)).collect();
        let words: Vec<&str> = steps.iter().map(|step| step.words.as_str()).collect();
        assert_eq!(
            words,
            [
                "Update on pgbench_accounts",
                "Index Scan using accounts_pkey on accounts",
                "Parallel Seq Scan on branches b"
            ]
        );
        assert_eq!(steps[1].rows, 1);
        let whole: Vec<_> = steps.iter().map(PlannedStep::whole_table).collect();
        assert_eq!(whole, [None, None, Some("branches")]);
        assert_eq!(steps.iter().filter(|step| step.reads()).count(), 2);
    }
}
