//! The task `statement` in a study file.

use model::{BuiltInQuery, CacheState, Query, Statement, Study, Task};
use std::time::Duration;
use study::parse;

fn text(keys: &str) -> String {
    format!(
        "[study]\nname = \"s\"\n[[target]]\nname = \"a\"\nsandbox = {{ trusted = true }}\n\
         [[test]]\ntask = \"statement\"\n{keys}\n"
    )
}

fn accepted(keys: &str) -> (Study, Statement) {
    let study = parse(&text(keys), "s").unwrap_or_else(|error| panic!("{error}"));
    let Task::Statement(statement) = study.tests[0].task.clone() else { panic!("{study:?}") };
    (study, statement)
}

#[test]
fn built_in_statements_come_with_their_tables() {
    let (study, statement) = accepted("statements = [\"sort\", \"scan\"]");
    assert_eq!(study.tests[0].name, "statement");
    let queries: Vec<_> = statement.statements.iter().map(|timed| timed.query.clone()).collect();
    let expected = [BuiltInQuery::Sort, BuiltInQuery::Scan].map(Query::BuiltIn);
    assert_eq!(queries, expected);
    let data = statement.data.unwrap();
    let tables = data.oltp().unwrap();
    assert_eq!((tables.tables, tables.table_size), (2, 100_000));
    assert_eq!((statement.timeout, statement.warmup_runs), (Duration::from_secs(600), 1));
    assert!(!statement.writes);
}

#[test]
fn sql_of_ones_own_needs_no_tables_unless_it_says_so() {
    let (_, statement) = accepted("sql = \"SELECT 1\"");
    assert_eq!(statement.data, None);
    assert_eq!(statement.statements[0].name, "sql");
    let (_, statement) =
        accepted("sql = [\"SELECT 1\", \"SELECT 2\"]\ntable_size = 5\nwrites = true");
    assert_eq!(statement.data.unwrap().oltp().unwrap().table_size, 5);
    assert_eq!(statement.statements[1].name, "sql 2");
    assert!(statement.writes);
}

#[test]
fn cold_statements_have_no_run_before() {
    let (study, statement) = accepted("statements = \"scan\"\ncache = \"cold\"");
    assert_eq!((study.tests[0].cache, statement.warmup_runs), (CacheState::Cold, 0));
}

#[test]
fn what_makes_no_sense_is_refused_with_the_remedy() {
    for (keys, parts) in [
        ("", ["has no statement", "statements = [\"scan\""]),
        ("statements = []", ["`statements` is empty", "[\"scan\"]"]),
        ("statements = \"scna\"", ["unknown statement `scna`: did you mean `scan`?", "`sql`"]),
        ("statements = [\"scan\", \"scan\"]", ["has `scan` twice", "raise `repeats`"]),
        ("sql = \" \"", ["empty statement", "SELECT COUNT(*)"]),
        ("sql = 5", ["a text or a list of texts", ""]),
        ("statements = \"scan\"\ntimeout = \"0s\"", ["`timeout` must be more than zero", ""]),
        ("statements = \"scan\"\nwarmup_runs = 101", ["`warmup_runs` must be from 0 to 100", ""]),
        (
            "statements = \"scan\"\nwarmup_runs = 1\ncache = \"cold\"",
            ["would warm the caches", "leave `warmup_runs` out"],
        ),
        ("statements = \"scan\"\nwrites = true", ["`writes` is for `sql`", ""]),
        ("statements = \"scan\"\ntables = 0", ["`tables` must be from 1", ""]),
        (
            "statements = \"scan\"\nclients = 4",
            ["`clients` applies only with `workload`", "workload = \"oltp_read_write\""],
        ),
        (
            "statements = \"scan\"\nworkload = \"key_value\"\nclients = 4",
            ["beside loads of MariaDB, MySQL and PostgreSQL only", "oltp_read_write"],
        ),
        (
            "statements = \"scan\"\nworkload = \"oltp_read_only\"\nclients = 4\nduration = \"5s\"",
            ["`duration` does not apply to the task statement", "another task"],
        ),
        (
            "statements = \"scan\"\nworkload = \"oltp_read_only\"\nclients = 4\ncache = \"cold\"",
            ["a load warms the caches", "leave `cache` out"],
        ),
        ("statements = \"scan\"\nworkload = \"oltp_read_only\"", ["has no levels", "clients"]),
        ("statement = \"scan\"", ["unknown key `statement`", "did you mean `statements`?"]),
    ] {
        let message = parse(&text(keys), "s").expect_err(keys).to_string();
        for part in parts {
            assert!(message.contains(part), "no {part:?} for {keys:?} in:\n{message}");
        }
    }
}

#[test]
fn statements_run_on_sql_servers() {
    let text = text("statements = \"scan\"").replace("sandbox =", "kind = \"redis\"\nsandbox =");
    let message = parse(&text, "s").unwrap_err().to_string();
    assert!(
        message.contains("statement cannot run on the target `a`, which is Redis"),
        "{message}"
    );
    assert!(
        message.contains(
            "statement runs on targets of the kind mariadb, mysql, postgresql or postgres"
        ),
        "{message}"
    );
}

#[test]
fn sql_on_a_private_server_must_be_trusted() {
    let untrusted = |keys: &str| text(keys).replace("trusted = true", "");
    let message = parse(&untrusted("sql = \"SELECT LOAD_FILE('/etc/passwd')\""), "s").unwrap_err();
    for part in ["s:8:7: `sql` on the private server `a`", "files of this host", "trusted = true"] {
        assert!(message.to_string().contains(part), "no {part:?} in:\n{message}");
    }
    assert!(parse(&untrusted("statements = \"scan\""), "s").is_ok());
    let server = untrusted("sql = \"SELECT 1\"").replace("sandbox = {  }", "url = \"mysql://h/d\"");
    assert!(parse(&server, "s").is_ok(), "{server}");
}

#[test]
fn statements_beside_a_load_find_its_tables_and_end_it() {
    let (study, statement) = accepted(
        "statements = \"join\"\nworkload = \"oltp_read_write\"\nrate = [50, 100]\nclients = 8\n\
         timeout = \"1m\"\nbefore = \"20s\"",
    );
    let beside = statement.beside.clone().unwrap();
    assert_eq!((beside.before, beside.after), (Duration::from_secs(20), Duration::from_secs(10)));
    assert!(beside.alone);
    // Until the statement has taken as long as it may.
    assert_eq!(beside.load.duration, Duration::from_secs(20 + 60 + 10));
    let tables = statement.data.as_ref().unwrap().oltp().unwrap();
    assert_eq!((tables.tables, tables.table_size), (2, 100_000));
    assert_eq!(statement.data.as_ref(), Some(&beside.load.workload));
    assert_eq!(study.tests[0].levels().len(), 2);
    assert_eq!(study.tests[0].deciding_metric(), Some(model::Metric::Elapsed));
    let short = study::scaled(&study, 0.1);
    let Task::Statement(short) = &short.tests[0].task else { panic!("{short:?}") };
    let load = &short.beside.as_ref().unwrap().load;
    assert_eq!(load.duration, Duration::from_secs(2 + 60 + 1));
}

fn change(keys: &str) -> String {
    text(keys).replace("\"statement\"", "\"schema_change\"")
}

#[test]
fn a_schema_change_is_a_test_for_each_algorithm() {
    let study = parse(&change("change = \"add_index\"\nalgorithm = \"all\""), "s").unwrap();
    let names: Vec<&str> = study.tests.iter().map(|test| test.name.as_str()).collect();
    let base = names[0].strip_suffix(" copy").unwrap();
    let expected = ["copy", "inplace", "nocopy", "instant"].map(|name| format!("{base} {name}"));
    assert_eq!(names, expected);
    let study = parse(&change("change = \"add_index\"\nalgorithm = \"copy\""), "s").unwrap();
    assert_eq!((study.tests.len(), study.tests[0].name.as_str()), (1, base));
    assert_eq!(study.tests[0].what(), "schema_change");
}

#[test]
fn changes_that_make_no_sense_are_refused_with_the_remedy() {
    for (keys, parts) in [
        ("", ["changes nothing", "change = \"add_column\""]),
        ("change = \"add_colum\"", ["add_colum", "did you mean `add_column`?"]),
        ("sql = \"ALTER TABLE t ADD x INT\"", ["taken back", "undo ="]),
        ("change = \"add_index\"\nundo = \"X\"", ["change of your own", "leave out either"]),
        ("change = \"add_index\"\nalgorithm = \"instnt\"", ["did you mean `instant`?", "`all`"]),
        ("change = \"add_index\"\nalgorithm = [\"copy\", \"copy\"]", ["has `copy` twice", ""]),
        (
            "sql = \"OPTIMIZE TABLE t\"\nundo = \"SELECT 1\"\nalgorithm = \"copy\"",
            ["cannot be added", "leave `algorithm` out"],
        ),
        ("change = \"add_index\"\nwrites = true", ["`writes` does not apply", "another task"]),
        ("change = \"add_index\"\nafter = \"1s\"", ["`after` applies only with `workload`", ""]),
    ] {
        let message = parse(&change(keys), "s").expect_err(keys).to_string();
        for part in parts {
            assert!(message.contains(part), "no {part:?} for {keys:?} in:\n{message}");
        }
    }
}
