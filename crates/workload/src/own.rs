//! Transactions of the user's own, as a study has them, as a program.

use crate::program::{
    Expression, Initial, Parts, Program, Statement, Step, Values, ValuesBuilder, ValuesError,
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
    let texts = |statement: &Statement| statement.texts.iter().all(|text| only_reads(&text.0));
    !statements.iter().all(texts)
}

/// The texts of the statements that are not seen to only read, with nothing where they have variables; none where
/// the scripts cannot be read.
pub fn writing_statements(own: &Transactions, syntax: Syntax) -> Vec<String> {
    let parsed = parse_without_columns(own, syntax)
        .and_then(|parsed| parsed.with_values(|_| Ok(Arc::default())));
    let statements = parsed.map_or_else(|_| Vec::new(), |parts| parts.statements);
    let texts = statements.iter().flat_map(|statement| &statement.texts);
    texts.filter(|text| !only_reads(&text.0)).map(|text| text.0.join(" ")).collect()
}

/// Whether a statement has the name of a table as a word of its own, in whatever case and quotes.
pub fn names_table(statement: &str, table: &str) -> bool {
    let (statement, table) = (statement.to_lowercase(), table.to_lowercase());
    let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$');
    !table.is_empty()
        && statement.match_indices(&table).any(|(at, found)| {
            let (before, after) = (&statement[..at], &statement[at + found.len()..]);
            !is_word(before.chars().next_back()) && !is_word(after.chars().next())
        })
}

/// Whether a query is seen to only read.
pub fn query_only_reads(sql: &str) -> bool {
    let is_select =
        sql.trim_start().get(..6).is_some_and(|word| word.eq_ignore_ascii_case("select"));
    is_select && only_reads(&[sql.to_owned()])
}

/// Whether a text of one or several statements, in the pieces between its variables, is seen to only read. A
/// `;` in a string divides too, and a word in one counts: what is not certain changes data.
fn only_reads(pieces: &[String]) -> bool {
    let text = pieces.join(" ").to_ascii_uppercase();
    let mut statements = text.split(';').map(without_comments).filter(|one| !one.is_empty());
    statements.all(statement_only_reads)
}

fn statement_only_reads(text: &str) -> bool {
    /// What statements begin with that read, or that bound a transaction.
    const READING: [&str; 17] = [
        "SELECT", "WITH", "SHOW", "EXPLAIN", "DESCRIBE", "DESC", "TABLE", "VALUES", "BEGIN",
        "START", "COMMIT", "END", "ROLLBACK", "ABORT", "SAVEPOINT", "RELEASE", "FETCH",
    ];
    /// Words by which they do more: write a file or rows, lock them, or lift that a session only reads.
    const CHANGING: [&str; 8] =
        ["INTO", "INSERT", "UPDATE", "DELETE", "MERGE", "SHARE", "WRITE", "SET_CONFIG"];
    /// What EXPLAIN ANALYZE carries out beside those.
    const EXPLAINED: [&str; 4] = ["CREATE", "EXECUTE", "REFRESH", "DECLARE"];
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut words = text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty());
    let Some(first) = words.next().filter(|first| READING.contains(first)) else { return false };
    let explains = matches!(first, "EXPLAIN" | "DESCRIBE" | "DESC");
    !words.any(|word| CHANGING.contains(&word) || (explains && EXPLAINED.contains(&word)))
}

/// A statement from its first word on. Comments that MySQL carries out (`/*! … */`) are none.
fn without_comments(text: &str) -> &str {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '(').trim_end();
    let rest = match (text.strip_prefix("--"), text.strip_prefix("/*")) {
        (Some(comment), _) => comment.split_once('\n').map_or("", |(_, rest)| rest),
        (_, Some(comment)) if !comment.starts_with(['!', 'M']) => match comment.split_once("*/") {
            Some((_, rest)) => rest,
            None => return text,
        },
        _ => return text,
    };
    without_comments(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_named_by_a_whole_word() {
        for statement in
            ["UPDATE Orders SET x = 1", "DELETE FROM `orders`", "INSERT INTO a.orders(b)"]
        {
            assert!(names_table(statement, "orders"), "{statement}");
        }
        for statement in
            ["UPDATE orders_old SET x = 1", "DELETE FROM my$orders", "DELETE FROM order"]
        {
            assert!(!names_table(statement, "orders"), "{statement}");
        }
        assert!(names_table("DELETE FROM `two words` WHERE id = 1", "two words"));
        assert!(!names_table("DELETE FROM t", ""));
    }

    #[test]
    fn what_is_not_seen_to_only_read_changes_data() {
        let reads = |text: &str| only_reads(&[text.to_owned()]);
        for text in [
            "SELECT updated FROM t WHERE id = ",
            "-- of the shop\n/* all */ (SELECT 1) UNION (SELECT 2)",
            "WITH a AS (SELECT 1) SELECT * FROM a;",
            "SHOW CREATE TABLE t",
            "EXPLAIN ANALYZE SELECT 1",
            "BEGIN",
            "START TRANSACTION READ ONLY; SELECT 1; COMMIT",
            "ROLLBACK TO SAVEPOINT a",
        ] {
            assert!(reads(text), "{text}");
        }
        for text in [
            "select * from t into outfile '/tmp/x'",
            "TABLE t INTO OUTFILE '/tmp/x'",
            "SELECT id FROM t FOR UPDATE",
            "UPDATE t SET a = 1",
            "CALL pay()",
            "REPLACE INTO t VALUES (1)",
            "WITH a AS (DELETE FROM t RETURNING *) SELECT * FROM a",
            "BEGIN READ WRITE",
            "START TRANSACTION READ WRITE",
            "SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY",
            "SELECT set_config('default_transaction_read_only', 'off', false)",
            "EXPLAIN ANALYZE DELETE FROM t",
            "EXPLAIN ANALYZE CREATE TABLE u AS SELECT 1",
            "SELECT 1; TRUNCATE t",
            "/*!50000 CALL pay() */",
            "/* never closed SELECT 1",
        ] {
            assert!(!reads(text), "{text}");
        }
        assert!(!query_only_reads("SELECT 1; CALL pay()"));
    }
}
