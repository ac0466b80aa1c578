//! What a server answers to the reading statements of a workload before any trial: for the same
//! parameters on every target.

use super::{SqlConnection, SqlServer, while_doing};
use model::{Failure, Fingerprint, StatementAnswer, Stop};
use std::sync::Arc;
use workload::data::Cell;
use workload::program::{Column, Next, Parameter, Program, Run, Statement, StatementKind, Value};

/// How often each statement is asked.
const SAMPLES: usize = 3;
/// Transactions until that is given up: some branches of scripts are rarely taken.
const TRANSACTIONS: usize = 200;
/// Bytes of a statement that are kept to show it.
const LONGEST_SHOWN: usize = 500;
/// Its own, so that no trial draws the same.
const PURPOSE: u64 = 0x616e_7377_6572;

/// Words by which an answer follows from more than the data and the parameters.
const CHANGING: [&str; 37] = [
    "CTID", "CURRENT_DATABASE", "CURRENT_ROLE", "CURRENT_USER", "CURRVAL", "DATABASE", "LASTVAL",
    "PG_BACKEND_PID", "SESSION_USER", "SYSTEM_USER", "TABLEOID", "XMAX", "XMIN", "NOW",
    "CURRENT_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME", "LOCALTIME", "LOCALTIMESTAMP", "CURDATE",
    "CURTIME", "SYSDATE", "UTC_DATE", "UTC_TIME", "UTC_TIMESTAMP", "UNIX_TIMESTAMP", "RAND",
    "RANDOM", "UUID", "SLEEP", "LAST_INSERT_ID", "CONNECTION_ID", "VERSION", "USER", "FOUND_ROWS",
    "ROW_COUNT", "NEXTVAL",
];

/// Words by which an answer follows from the order in which rows were read, unless that is told.
const ORDERED: [&str; 11] = [
    "ARRAY_AGG", "FETCH", "GROUP_CONCAT", "JSONB_AGG", "JSON_AGG", "JSON_ARRAYAGG", "LIMIT",
    "OFFSET", "ROW_NUMBER", "STRING_AGG", "XMLAGG",
];

/// Asks the reading statements of a program, each a few times with drawn parameters, and once twice with the
/// same: what a server answers in two ways follows from more than the data. Nothing is written: what would is
/// passed over.
///
/// # Errors
/// When the server is not reached; [`Failure::stopped`].
pub fn answers(
    server: &dyn SqlServer,
    program: &Arc<Program>,
    seed: u64,
    stop: &Stop,
) -> Result<Vec<StatementAnswer>, Failure> {
    let mut connection = server.connect()?;
    connection.execute(server.read_only()).map_err(|error| error.failure)?;
    let of = program.statements();
    let mut comparable: Vec<bool> = of.iter().map(is_comparable).collect();
    let mut asked = vec![0; of.len()];
    let mut run = Run::new(Arc::clone(program), seed ^ PURPOSE, 0, 1);
    let mut answers = Vec::new();
    for _ in 0..TRANSACTIONS {
        let is_done = asked.iter().zip(&comparable).all(|(asked, is)| !is || *asked >= SAMPLES);
        if is_done {
            break;
        }
        loop {
            if stop.is_requested() {
                return Err(Failure::stopped());
            }
            match run.advance() {
                Next::Think(_) | Next::OpenPipeline | Next::EndPipeline => {}
                Next::Ended => break,
                Next::Failed => {
                    run.restart();
                    break;
                }
                Next::Execute { statement: number, text } => {
                    let statement = &of[number];
                    let reads =
                        !statement.reads.is_empty() && statement.kind == StatementKind::Select;
                    let is_asked = comparable[number] && asked[number] < SAMPLES;
                    if !is_asked && !reads {
                        continue;
                    }
                    let Some(sql) = written(server, statement, text, &mut run) else { continue };
                    // Nothing that only reads is let lock rows.
                    let sql = without_lock(&sql);
                    let Some(rows) = ask(connection.as_mut(), statement, sql, &mut run)? else {
                        continue;
                    };
                    if !is_asked {
                        continue;
                    }
                    let answer = answer(statement, sql, &rows);
                    comparable[number] = asked[number] > 0
                        || asks_again(connection.as_mut(), statement, sql)?.as_ref()
                            == Some(&answer);
                    asked[number] += 1;
                    answers.extend(comparable[number].then_some(answer));
                }
            }
        }
    }
    Ok(answers)
}

type Rows = Vec<Vec<Option<Vec<u8>>>>;

/// The answer of the server; `None` where it has something against the statement, which the load will
/// meet as well.
fn ask(
    connection: &mut dyn SqlConnection,
    statement: &Statement,
    sql: &str,
    run: &mut Run,
) -> Result<Option<Rows>, Failure> {
    let (columns, rows) = match connection.answer(sql) {
        Ok(answer) => answer,
        Err(error) if error.failure.is_before_load() || error.failure.is_stop() => {
            return Err(while_doing(&statement.name, error.failure));
        }
        Err(_) => return Ok(None),
    };
    for read in &statement.reads {
        let column = match &read.column {
            Column::Number(number) => Some(*number),
            Column::Name(name) => columns.iter().position(|one| one.eq_ignore_ascii_case(name)),
        };
        let value = rows.first().zip(column).and_then(|(row, column)| row.get(column)?.as_deref());
        match value {
            Some(value) => run.variables.set_text(read.variable, value),
            None => run.variables.set(read.variable, Value::Null),
        }
    }
    Ok(Some(rows))
}

/// The same answer once more; `None` where the server now has something against the statement.
fn asks_again(
    connection: &mut dyn SqlConnection,
    statement: &Statement,
    sql: &str,
) -> Result<Option<StatementAnswer>, Failure> {
    match connection.answer(sql) {
        Ok((_, rows)) => Ok(Some(answer(statement, sql, &rows))),
        Err(error) if error.failure.is_before_load() || error.failure.is_stop() => {
            Err(while_doing(&statement.name, error.failure))
        }
        Err(_) => Ok(None),
    }
}

/// Whether the same data and parameters must have the same answer.
fn is_comparable(statement: &Statement) -> bool {
    statement.kind == StatementKind::Select
        && !statement.parameters.iter().any(|one| matches!(one, Parameter::Made(_)))
        && statement.texts.iter().all(|text| follows_from_data(&text.0))
}

fn follows_from_data(pieces: &[String]) -> bool {
    let text = pieces.join(" ? ").to_ascii_uppercase();
    let has = |word: &str| words(&text).any(|one| one == word);
    let follows_from_order = ORDERED.iter().any(|word| has(word));
    !text.contains('@')
        && !words(&text).any(|word| CHANGING.contains(&word))
        && !has("UPDATE")
        && !has("INTO")
        && (!follows_from_order || is_ordered(pieces))
}

fn is_ordered(pieces: &[String]) -> bool {
    let text = pieces.join(" ? ").to_ascii_uppercase();
    let all: Vec<&str> = words(&text).collect();
    all.windows(2).any(|pair| pair == ["ORDER", "BY"])
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    text.split(move |c: char| !is_of_word(c)).filter(|word| !word.is_empty())
}

/// A statement with its parameters in it; `None` where one holds nothing.
fn written(
    server: &dyn SqlServer,
    statement: &Statement,
    text: usize,
    run: &mut Run,
) -> Option<String> {
    let text = statement.texts.get(text).or(statement.texts.first())?;
    let mut sql = Vec::new();
    let mut pieces = text.0.iter();
    for (parameter, piece) in statement.parameters.iter().zip(&mut pieces) {
        sql.extend_from_slice(piece.as_bytes());
        match *parameter {
            Parameter::Variable(variable) => match run.variables.get(variable) {
                Value::Null => return None,
                Value::Text(holder) => {
                    server.write_cell(Cell::Text(run.variables.text(holder)), &mut sql);
                }
                other => run.variables.append(other, &mut sql),
            },
            Parameter::Verbatim(variable) => {
                run.variables.append(run.variables.get(variable), &mut sql);
            }
            Parameter::Digits(pattern) => {
                let mut digits = vec![0; pattern.len()];
                run.draws.fill(pattern, &mut digits);
                server.write_cell(Cell::Text(&digits), &mut sql);
            }
            Parameter::Made(_) => return None,
        }
    }
    pieces.for_each(|piece| sql.extend_from_slice(piece.as_bytes()));
    String::from_utf8(sql).ok()
}

/// A query without the words at its end by which it locks what it reads.
fn without_lock(sql: &str) -> &str {
    const LOCKS: [&str; 3] = ["FOR UPDATE", "FOR SHARE", "LOCK IN SHARE MODE"];
    let sql = sql.trim_end();
    let at = |lock: &&str| sql.len().checked_sub(lock.len()).filter(|at| sql.is_char_boundary(*at));
    let ends = |lock: &&str| at(lock).filter(|at| sql[*at..].eq_ignore_ascii_case(lock));
    LOCKS.iter().find_map(ends).map_or(sql, |end| sql[..end].trim_end())
}

fn answer(statement: &Statement, sql: &str, rows: &Rows) -> StatementAnswer {
    let is_ordered = statement.texts.iter().all(|text| is_ordered(&text.0));
    let mut in_order = Fingerprint::default();
    let mut sum = 0_u64;
    for row in rows {
        let print = print_of(row);
        in_order.number(print);
        sum = sum.wrapping_add(print);
    }
    let shown = match sql.char_indices().nth(LONGEST_SHOWN) {
        Some((end, _)) => format!("{}…", &sql[..end]),
        None => sql.to_owned(),
    };
    StatementAnswer {
        statement: statement.name.clone(),
        sql: shown,
        rows: rows.len() as u64,
        checksum: if is_ordered { in_order.finish() } else { sum },
    }
}

fn print_of(row: &[Option<Vec<u8>>]) -> u64 {
    let mut print = Fingerprint::default();
    for field in row {
        match field {
            None => print.number(u64::MAX),
            Some(value) => {
                print.number(value.len() as u64);
                print.bytes(value);
            }
        }
    }
    print.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn follows(text: &str) -> bool {
        follows_from_data(&[text.to_owned()])
    }

    #[test]
    fn what_follows_from_more_than_the_data_is_not_compared() {
        assert!(follows("SELECT a FROM t WHERE updated_at > "));
        assert!(follows("SELECT a FROM t ORDER BY a LIMIT 10"));
        assert!(follows("SELECT GROUP_CONCAT(a ORDER BY a) FROM t"));
        for text in [
            "SELECT NOW()",
            "select rand() from t",
            "SELECT a FROM t LIMIT 10",
            "SELECT a FROM t FOR UPDATE",
            "SELECT @x",
            "SELECT group_concat(a) FROM t",
            "SELECT ctid FROM t",
            "SELECT last_insert_id()",
        ] {
            assert!(!follows(text), "{text}");
        }
    }

    #[test]
    fn a_query_that_locks_is_asked_without_the_lock() {
        assert_eq!(without_lock("SELECT a FROM t for update "), "SELECT a FROM t");
        assert_eq!(without_lock("SELECT a FROM t LOCK IN SHARE MODE"), "SELECT a FROM t");
        assert_eq!(without_lock("SELECT 'ä'"), "SELECT 'ä'");
    }

    #[test]
    fn rows_are_told_apart_by_their_fields() {
        let row = |fields: &[Option<&str>]| -> Vec<Option<Vec<u8>>> {
            fields.iter().map(|field| field.map(|text| text.as_bytes().to_vec())).collect()
        };
        assert_ne!(
            print_of(&row(&[Some("ab"), Some("c")])),
            print_of(&row(&[Some("a"), Some("bc")]))
        );
        assert_ne!(print_of(&row(&[None])), print_of(&row(&[Some("")])));
    }
}
