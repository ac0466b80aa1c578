//! The task `schema_change`: changes of the schema whose time is taken.

use crate::keys::SchemaChangeKeys;
use crate::keys::statement::{ALL_ALGORITHMS, TABLES_OF_A_CHANGE};
use crate::problem::{Place, Problems};
use crate::read::tests::background_load;
use crate::read::tests::background_load::StatementTest;
use crate::read::tests::statement::tables_and_time;
use crate::read::tests::table::{TestTable, TimedTable};
use model::{Algorithm, CacheState, Change, Query, SchemaChange, Statement, Task, TimedStatement};

/// The change of a test: by each algorithm that the test names, with its name where there are several.
pub(crate) fn tasks(
    table: &TestTable,
    keys: &SchemaChangeKeys,
    timed: &TimedTable,
    cache: CacheState,
    problems: &mut Problems,
) -> Vec<(Option<&'static str>, Task)> {
    let change = change(table, keys, problems);
    let algorithms = algorithms(keys, problems);
    if let (Some(Change::Own { sql, .. }), Some(at)) = (&change, table.place("algorithm")) {
        check_own(sql, &algorithms, at, problems);
    }
    let (data, timeout) =
        tables_and_time(table, &timed.keys, keys.change.is_some(), TABLES_OF_A_CHANGE, problems);
    let lock_timeout = keys.lock_timeout.value("lock_timeout", problems);
    let Some(change) = change else { return Vec::new() };
    let name = match &change {
        Change::BuiltIn(change) => change.name(),
        Change::Own { .. } => "sql",
    };
    let statement = Statement {
        statements: Vec::new(),
        data,
        timeout,
        warmup_runs: 0,
        writes: true,
        beside: None,
    };
    let with_load =
        background_load::with_load(StatementTest { table, timed, cache }, statement, problems);
    let Some(statement) = with_load else { return Vec::new() };
    let task = |algorithm: Option<Algorithm>| {
        let query = Query::Change(SchemaChange { change: change.clone(), algorithm, lock_timeout });
        let timed = TimedStatement { name: name.to_owned(), query };
        let mut statement = Statement { statements: vec![timed], ..statement.clone() };
        if let Some(beside) = &mut statement.beside {
            beside.load.duration = beside.before + statement.timeout + beside.after;
        }
        Task::Statement(statement)
    };
    match algorithms.as_slice() {
        [] => vec![(None, task(None))],
        [one] => vec![(None, task(Some(*one)))],
        several => several.iter().map(|one| (Some(one.name()), task(Some(*one)))).collect(),
    }
}

/// What is changed: one of weighin's own, or the user's.
fn change(table: &TestTable, keys: &SchemaChangeKeys, problems: &mut Problems) -> Option<Change> {
    let text = |written: &crate::keys::Maybe<String>| {
        written.as_ref().map(|written| (written.get_ref().trim().to_owned(), written.span()))
    };
    let (sql, undo) = (text(&keys.sql), text(&keys.undo));
    for (key, (_, at)) in [("sql", &sql), ("undo", &undo)]
        .into_iter()
        .filter_map(|(key, text)| Some((key, text.as_ref().filter(|(text, _)| text.is_empty())?)))
    {
        problems.add(at.clone(), format!("`{key}` is empty"));
    }
    match (keys.change.place(), sql, undo) {
        (Some(_), None, None) => keys.change.value("change", problems).map(Change::BuiltIn),
        (None, Some((sql, _)), Some((undo, _))) => Some(Change::Own { sql, undo }),
        (None, Some((_, at)), None) => {
            problems.add(at, "nothing says how this change is taken back").help(
                "add a line like undo = \"ALTER TABLE orders DROP COLUMN note\": every trial starts \
                 from the same table",
            );
            None
        }
        (Some(written), _, _) => {
            let at = table.place("sql").or_else(|| table.place("undo")).unwrap_or_default();
            problems
                .add(at, "`sql` and `undo` are for a change of your own")
                .other(written, "this is one of weighin's, which takes it back by itself")
                .help("leave out either");
            None
        }
        (None, None, _) => {
            let help = "add a line like change = \"add_column\", or sql = \"ALTER TABLE ...\" with \
                        undo = \"ALTER TABLE ...\"";
            problems.missing(table.at.clone(), "this test changes nothing", help);
            None
        }
    }
}

/// The algorithms that are named; none where the server is to choose.
fn algorithms(keys: &SchemaChangeKeys, problems: &mut Problems) -> Vec<Algorithm> {
    let Some(written) = &keys.algorithm else { return Vec::new() };
    let names = written.get_ref().all();
    if names == [ALL_ALGORITHMS] {
        return Algorithm::NAMED.to_vec();
    }
    let at = written.span();
    if names.is_empty() {
        problems.add(at.clone(), "`algorithm` is empty").help("name one, such as \"inplace\"");
    }
    let mut algorithms: Vec<Algorithm> = Vec::new();
    for name in names {
        match Algorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name) {
            Some(twice) if algorithms.contains(&twice) => {
                problems.add(at.clone(), format!("`algorithm` has `{name}` twice"));
            }
            Some(algorithm) => algorithms.push(algorithm),
            None => {
                let known = Algorithm::ALL.map(Algorithm::name);
                let hint = crate::problem::names::nearest(name, known)
                    .map_or(String::new(), |near| format!(": did you mean `{near}`?"));
                problems.add(at.clone(), format!("unknown algorithm `{name}`{hint}")).help(
                    format!(
                        "`algorithm` is {}, a list of these, or `{ALL_ALGORITHMS}`",
                        crate::problem::names::choices(known)
                    ),
                );
            }
        }
    }
    algorithms
}

/// The algorithm is added to the user's statement, which must be one that takes it at its end.
fn check_own(sql: &str, algorithms: &[Algorithm], at: Place, problems: &mut Problems) {
    if let Some(unnamed) = algorithms.iter().find(|one| Algorithm::UNNAMED.contains(one)) {
        problems
            .add(at, format!("`algorithm` cannot be `{}` with a `sql` of your own", unnamed.name()))
            .help("write in the statement how it is to be done, such as CREATE INDEX CONCURRENTLY");
        return;
    }
    let mut words = sql.split_whitespace().map(str::to_ascii_lowercase);
    let alters = words.next().is_some_and(|word| word == "alter") && words.any(|w| w == "table");
    if !alters || sql.to_ascii_lowercase().contains("algorithm") {
        problems.add(at, "`algorithm` cannot be added to this `sql`").help(
            "write ALTER TABLE without ALGORITHM in `sql`, or leave `algorithm` out and name it there",
        );
    }
}
