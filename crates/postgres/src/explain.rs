//! How the server would carry out the statements of a user's own: what EXPLAIN says of them.

use crate::client::{ClientError, Connection};
use sql::{PlanStep, Refusal, Steps, WholeTable};

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedStep {
    /// In the server's words, without what it costs.
    words: String,
    rows: u64,
}

impl PlannedStep {
    /// Whether it reads a table or an index, and not what other steps give it.
    fn reads(&self) -> bool {
        self.words.contains("Scan ") && !self.words.contains("Subquery")
    }
}

impl PlanStep for PlannedStep {
    type Connection = Connection;

    fn explain(control: &mut Connection, sql: &str) -> Steps<Self> {
        let answer = control.query(&format!("EXPLAIN {sql}"))?;
        Ok(answer.rows.into_iter().flatten().flatten().filter_map(|line| step(&line)).collect())
    }

    fn refusal(error: &ClientError) -> Option<Refusal> {
        Some(match error.sql_state()? {
            DENIED => Refusal::Denied,
            state if MISSING.contains(&state) => Refusal::Missing,
            NOT_EXPLAINED => Refusal::NotExplained,
            _ => Refusal::Other,
        })
    }

    fn words(&self) -> String {
        self.words.clone()
    }

    fn rows_read(&self) -> u64 {
        if self.reads() { self.rows } else { 0 }
    }

    fn whole_table(&self) -> Option<WholeTable> {
        let scan = self.words.strip_prefix("Parallel ").unwrap_or(&self.words);
        let name = scan.strip_prefix("Seq Scan on ")?.split(' ').next()?;
        Some(WholeTable { name: name.to_owned(), rows: self.rows })
    }
}

/// The account may not.
const DENIED: &str = "42501";
/// There is no such table, column or function.
const MISSING: [&str; 3] = ["42P01", "42703", "42883"];
/// What is not explained, and can be run nevertheless: it is no query.
const NOT_EXPLAINED: &str = "42601";

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
        let whole = steps.iter().map(|step| step.whole_table().map(|table| table.name));
        assert_eq!(whole.collect::<Vec<_>>(), [None, None, Some("branches".to_owned())]);
        assert_eq!(steps.iter().filter(|step| step.reads()).count(), 2);
    }
}
