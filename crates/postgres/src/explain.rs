//! How the server would carry out the statements of a user's own: what EXPLAIN says of them.

use crate::Postgres;
use crate::client::{ClientError, Connection};
use sql::{ExplainKind, PlanStep, Refusal, Steps, WholeTable};

impl ExplainKind for Postgres {
    fn explain(control: &mut Connection, sql: &str) -> Steps<Self> {
        let answer = control.query(&format!("EXPLAIN {sql}"))?;
        Ok(answer.rows.into_iter().flatten().flatten().filter_map(|line| step(&line)).collect())
    }

    fn explain_refusal(error: &ClientError) -> Option<Refusal> {
        Some(match error.sql_state()? {
            DENIED => Refusal::Denied,
            state if MISSING.contains(&state) => Refusal::Missing,
            NOT_EXPLAINED => Refusal::NotExplained,
            _ => Refusal::Other,
        })
    }
}

/// The account may not.
const DENIED: &str = "42501";
/// There is no such table, column or function.
const MISSING: [&str; 3] = ["42P01", "42703", "42883"];
/// What is not explained, and can be run nevertheless: it is no query.
const NOT_EXPLAINED: &str = "42601";

/// A step stands in a line with what it costs; conditions and keys, which have values in them, in others.
fn step(line: &str) -> Option<PlanStep> {
    let (words, costs) = line.split_once("  (cost=")?;
    let rows = costs.split_once("rows=")?.1.split(' ').next()?.parse().ok()?;
    let words = words.trim_start().trim_start_matches("->").trim_start();
    // A table or an index, and not what other steps give it.
    let reads = words.contains("Scan ") && !words.contains("Subquery");
    let scan = words.strip_prefix("Parallel ").unwrap_or(words);
    let name = scan.strip_prefix("Seq Scan on ").and_then(|rest| rest.split(' ').next());
    Some(PlanStep {
        words: words.to_owned(),
        rows_read: if reads { rows } else { 0 },
        whole_table: name.map(|name| WholeTable { name: name.to_owned(), rows }),
    })
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
        let steps: Vec<PlanStep> = plan.iter().filter_map(|line| step(line)).collect();
        let words: Vec<&str> = steps.iter().map(|step| step.words.as_str()).collect();
        assert_eq!(
            words,
            [
                "Update on pgbench_accounts",
                "Index Scan using accounts_pkey on accounts",
                "Parallel Seq Scan on branches b"
            ]
        );
        assert_eq!(steps.iter().map(|step| step.rows_read).collect::<Vec<_>>(), [0, 1, 20_000]);
        let whole = steps.into_iter().map(|step| step.whole_table.map(|table| table.name));
        assert_eq!(whole.collect::<Vec<_>>(), [None, None, Some("branches".to_owned())]);
    }
}
