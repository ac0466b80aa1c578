//! Transactions of the user's own, as a study has them, as a program.

use crate::program::{
    Expression, Initial, Parts, Program, Statement, StatementKind, Step, Values, ValuesBuilder,
    ValuesError,
};
use crate::script::{self, Need, Needed, Options, Parsed, Script, ScriptError, Syntax};
use model::bounds::MAX_COLUMN;
use model::{ScriptColumn, Transactions};
use std::sync::Arc;

/// Reads the scripts, which then need no values but the answers to queries.
///
/// # Errors
/// When one of them could not be run; the error shows where and why.
pub fn parse(own: &Transactions, syntax: Syntax) -> Result<Parsed, ScriptError> {
    parse_without_columns(own, syntax)?.fill(|need| column(own, need))
}

/// Reads the scripts without the values of files.
///
/// # Errors
/// As [`parse`].
pub fn parse_without_columns(own: &Transactions, syntax: Syntax) -> Result<Parsed, ScriptError> {
    let scripts = own.transactions.iter().map(|one| Script {
        name: one.name.clone(),
        file: Some(one.script.origin.clone()),
        text: one.script.text.clone(),
        weight: one.weight,
    });
    let variables = own.set.iter().map(|(name, value)| (name.clone(), Initial::from(value)));
    let options = Options { prepared: own.prepared, syntax, variables: variables.collect() };
    script::parse(&scripts.collect::<Vec<_>>(), &options)
}

/// The values of a file that a script picks from, as the study has them; `None` where it needs a query.
fn column(own: &Transactions, need: &Need) -> Result<Option<Arc<Values>>, ScriptError> {
    let Needed::Column { file, column } = &need.needed else { return Ok(None) };
    let script = own.transactions.get(need.script).map(|one| &one.script);
    let is_it = |one: &&ScriptColumn| one.file == *file && one.column == *column;
    let Some(found) = script.and_then(|script| script.columns.iter().find(is_it)) else {
        let help = "run the study from its file, beside which this one lies";
        return Err(need.failed("the study has no values of this file", help));
    };
    let failed = |error: ValuesError| need.failed(&error.to_string(), "give the file other rows");
    let mut values = ValuesBuilder::new(2 * MAX_COLUMN);
    let mut lines = found.values.lines();
    lines.try_for_each(|value| values.push(value.as_bytes())).map_err(failed)?;
    values.finish().map(|values| Some(Arc::new(values))).map_err(failed)
}

/// The program of scripts that were read, with what the study says beside them.
pub fn program(own: &Transactions, mut parts: Parts) -> Program {
    for (transaction, one) in parts.transactions.iter_mut().zip(&own.transactions) {
        if let Some(unit) = one.think_time {
            transaction.steps.push(Step::Think { time: Expression::integer(1), unit });
        }
    }
    let retries: Vec<bool> = own.transactions.iter().map(|one| one.retry).collect();
    Program::new(parts).retrying(&retries)
}

/// Whether statements change data, as far as their texts tell: what is not seen to only read does.
pub fn changes_data(statements: &[Statement]) -> bool {
    statements
        .iter()
        .any(|statement| statement.texts.iter().any(|text| !only_reads(statement.kind, &text.0)))
}

/// Whether a query is seen to only read.
pub fn query_only_reads(sql: &str) -> bool {
    let is_select =
        sql.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("select"));
    is_select && only_reads(StatementKind::Select, &[sql.to_owned()])
}

fn only_reads(kind: StatementKind, pieces: &[String]) -> bool {
    /// Statements that read, beside SELECT.
    const READING: [&str; 6] = ["SHOW", "EXPLAIN", "DESCRIBE", "DESC", "TABLE", "VALUES"];
    /// Words by which a SELECT, or a WITH before it, does more: it writes a file or rows, or locks them.
    const CHANGING: [&str; 5] = ["INTO", "INSERT", "UPDATE", "DELETE", "SHARE"];
    let text = pieces.join(" ").to_ascii_uppercase();
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty());
    match kind {
        StatementKind::Select => !words.any(|word| CHANGING.contains(&word)),
        StatementKind::Begin | StatementKind::Commit | StatementKind::Rollback => true,
        StatementKind::Insert | StatementKind::Update | StatementKind::Delete => false,
        StatementKind::Other => words.next().is_none_or(|first| READING.contains(&first)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_seen_to_only_read_changes_data() {
        let reads = |kind, text: &str| only_reads(kind, &[text.to_owned()]);
        assert!(reads(StatementKind::Select, "SELECT updated FROM t WHERE id = "));
        assert!(!reads(StatementKind::Select, "select * from t into outfile '/tmp/x'"));
        assert!(!reads(StatementKind::Select, "SELECT id FROM t FOR UPDATE"));
        assert!(!reads(StatementKind::Update, "UPDATE t SET a = 1"));
        assert!(reads(StatementKind::Other, "SHOW TABLES"));
        assert!(!reads(StatementKind::Other, "CALL pay()"));
        assert!(!reads(StatementKind::Other, "REPLACE INTO t VALUES (1)"));
    }
}
