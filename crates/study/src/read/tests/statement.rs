//! The task `statement`: statements whose time is taken.

use crate::keys::statement::TABLES_OF_STATEMENTS;
use crate::keys::{StatementKeys, TimedKeys};
use crate::problem::{Place, Problems};
use crate::read::tests::background_load;
use crate::read::tests::background_load::StatementTest;
use crate::read::tests::table::{TestTable, TimedTable};
use model::bounds::MAX_STATEMENTS;
use model::{
    BuiltInQuery, CacheState, Oltp, OltpMix, Query, Statement, Task, TimedStatement, Workload,
};
use std::time::Duration;

/// The statements of a test.
pub(crate) fn task(
    table: &TestTable,
    keys: &StatementKeys,
    timed: &TimedTable,
    cache: CacheState,
    problems: &mut Problems,
) -> Option<Task> {
    let mut statements = built_in(keys, problems);
    statements.extend(own(keys, problems));
    if statements.is_empty() && keys.sql.is_none() && keys.statements.is_none() {
        let help =
            "add a line like statements = [\"scan\", \"join\", \"sort\"], or sql = \"SELECT ...\"";
        problems.missing(table.at.clone(), "this test has no statement", help);
    }
    if statements.len() > MAX_STATEMENTS {
        let at = table.place("sql").unwrap_or_else(|| table.at.clone());
        let message = format!("{} statements are more than {MAX_STATEMENTS}", statements.len());
        problems.add(at, message).help("write several tests");
    }
    let (data, timeout) = tables_and_time(
        table,
        &timed.keys,
        keys.statements.is_some(),
        TABLES_OF_STATEMENTS,
        problems,
    );
    let warm = u32::from(cache == CacheState::Warm);
    let warmup_runs = keys.warmup_runs.value_or("warmup_runs", warm, problems);
    if let (Some(at), CacheState::Cold, 1..) = (table.place("warmup_runs"), cache, warmup_runs) {
        problems
            .add(at, "`warmup_runs` would warm the caches that are to be cold")
            .help("leave `warmup_runs` out, or set cache = \"warm\"");
    }
    let writes = keys.writes.value();
    if writes {
        check_writes(table, keys, problems);
    }
    let statement = Statement { statements, data, timeout, warmup_runs, writes, beside: None };
    let statement =
        background_load::with_load(StatementTest { table, timed, cache }, statement, problems);
    statement.filter(|statement| !statement.statements.is_empty()).map(Task::Statement)
}

/// The test tables that are made, if any, so many where the study names no number; and how long each
/// statement may take. What is `built_in` always needs tables.
pub(crate) fn tables_and_time(
    table: &TestTable,
    keys: &TimedKeys,
    built_in: bool,
    default_tables: u32,
    problems: &mut Problems,
) -> (Option<Workload>, Duration) {
    let timeout = keys.timeout.value("timeout", problems);
    if let (Some(at), true) = (table.place("timeout"), timeout.is_zero()) {
        problems.add(at, "`timeout` must be more than zero: no statement would ever end");
    }
    let needed = built_in || keys.tables.is_some() || keys.table_size.is_some();
    let oltp = needed.then(|| Oltp {
        tables: keys.tables.value_or("tables", default_tables, problems),
        table_size: keys.table_size.value("table_size", problems),
        ..Oltp::preset(OltpMix::ReadOnly)
    });
    (oltp.map(Workload::Oltp), timeout)
}

fn built_in(keys: &StatementKeys, problems: &mut Problems) -> Vec<TimedStatement> {
    let Some(written) = &keys.statements else { return Vec::new() };
    let at = written.span();
    let names = written.get_ref().all();
    if names.is_empty() {
        problems.add(at.clone(), "`statements` is empty").help("name one, such as [\"scan\"]");
    }
    let mut statements: Vec<TimedStatement> = Vec::new();
    for name in names {
        match BuiltInQuery::from_name(name) {
            None => unknown(name, at.clone(), problems),
            Some(_) if statements.iter().any(|statement| statement.name == name) => {
                problems
                    .add(at.clone(), format!("`statements` has `{name}` twice"))
                    .help("to measure it more often, raise `repeats` in [study]");
            }
            Some(query) => statements
                .push(TimedStatement { name: name.to_owned(), query: Query::BuiltIn(query) }),
        }
    }
    statements
}

fn unknown(name: &str, at: Place, problems: &mut Problems) {
    let names = BuiltInQuery::ALL.map(BuiltInQuery::name);
    let hint = crate::problem::names::nearest(name, names)
        .map_or(String::new(), |near| format!(": did you mean `{near}`?"));
    problems.add(at, format!("unknown statement `{name}`{hint}")).help(format!(
        "`statements` is {}; SQL of your own goes into `sql`",
        crate::problem::names::choices(names)
    ));
}

/// The user's statements: `sql`, or `sql 1`, `sql 2` and so on where there are several.
fn own(keys: &StatementKeys, problems: &mut Problems) -> Vec<TimedStatement> {
    let Some(written) = &keys.sql else { return Vec::new() };
    let texts = written.get_ref().all();
    if texts.is_empty() || texts.iter().any(|text| text.trim().is_empty()) {
        problems
            .add(written.span(), "`sql` holds an empty statement, or none")
            .help("write it like sql = \"SELECT COUNT(*) FROM orders\"");
    }
    let name = |number: usize| match texts.len() {
        1 => "sql".to_owned(),
        _ => format!("sql {number}"),
    };
    let numbered = texts.iter().zip(1..);
    numbered
        .map(|(text, number)| TimedStatement {
            name: name(number),
            query: Query::Own((*text).to_owned()),
        })
        .collect()
}

/// A second run of what writes is not the same work, unless the tables are made anew.
fn check_writes(table: &TestTable, keys: &StatementKeys, problems: &mut Problems) {
    let at = table.place("writes").unwrap_or_default();
    if keys.sql.is_none() {
        problems.add(at, "`writes` is for `sql`: the built-in statements only read");
    }
}
