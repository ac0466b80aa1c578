use super::*;
use crate::program::{
    Column, Next, Parameter, Program, RowRead, Run, StatementKind, Step, Value, ValuesBuilder,
};
use std::collections::BTreeMap;

fn script(text: &str) -> Script {
    let file = Some("shop.sql".to_owned());
    Script { name: "shop".to_owned(), file, text: text.to_owned(), weight: 1 }
}

fn options() -> Options {
    Options { prepared: true, syntax: Syntax::STANDARD, variables: BTreeMap::new() }
}

/// As statements with question marks are written.
const MARKS: Syntax = Syntax {
    placeholder: Placeholder::QuestionMark,
    backslash_escapes: true,
    backticks: true,
    dollar_quotes: false,
    hash_comments: true,
    nested_comments: false,
    folds_names: false,
};

fn parsed(text: &str) -> Parts {
    parse(&[script(text)], &options()).and_then(Parsed::without_values).unwrap()
}

fn marked(text: &str) -> Parts {
    let options = Options { syntax: MARKS, ..options() };
    parse(&[script(text)], &options).and_then(Parsed::without_values).unwrap()
}

fn refused(text: &str) -> ScriptError {
    parse(&[script(text)], &options()).unwrap_err()
}

fn texts(parts: &Parts) -> Vec<String> {
    parts.statements.iter().map(|statement| statement.texts[0].with_numbers()).collect()
}

fn names(parts: &Parts) -> Vec<&str> {
    parts.statements.iter().map(|statement| statement.name.as_str()).collect()
}

/// The values of variables after one transaction, whose statements are answered by nobody.
fn variable(text: &str, name: &str) -> Value {
    let parts = parsed(text);
    let number = parts.variables.iter().position(|variable| variable.name == name).unwrap();
    let mut run = Run::new(Arc::new(Program::new(parts)), 7, 3, 8);
    loop {
        match run.advance() {
            Next::Ended => return run.variables.get(number),
            Next::Failed => panic!("{:?}", run.error()),
            _ => {}
        }
    }
}

#[test]
fn a_statement_ends_at_a_semicolon_that_stands_nowhere_else() {
    let parts = parsed(
        "BEGIN; SELECT ';' AS a, \";\", $x$;$$;$x$ /* ; */ FROM t -- ;\n WHERE f(1;2) = 'it''s;';\n\
         ;; SELECT E'\\';' FROM u \\; SELECT 2 FROM v;\nCREATE FUNCTION f() RETURNS int \
         BEGIN ATOMIC SELECT 1; SELECT 2; END;\nEND",
    );
    assert_eq!(
        texts(&parts),
        [
            "BEGIN",
            "SELECT ';' AS a, \";\", $x$;$$;$x$ /* ; */ FROM t \n WHERE f(1;2) = 'it''s;'",
            "SELECT E'\\';' FROM u",
            "SELECT 2 FROM v",
            "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; SELECT 2; END",
            "END",
        ]
    );
    let parts = marked("SELECT 'it\\'s;', `;` # ;\n, 5--3 FROM t; -- ;\nSELECT 2;");
    assert_eq!(texts(&parts), ["SELECT 'it\\'s;', `;` \n, 5--3 FROM t", "SELECT 2"]);
}

#[test]
fn statements_are_named_after_what_they_do_or_by_a_comment() {
    let parts = parsed(
        "/* file */ START TRANSACTION;\nSELECT a FROM shop.\"Order s\" o WHERE id = 1;\n\
         select b from shop.accounts;SELECT c FROM (SELECT 1) x;\nSELECT b FROM Accounts;\n\
         INSERT INTO ONLY t VALUES (1); UPDATE t SET a = 1;DELETE FROM t;\n\
         -- name: top ten\nWITH x AS (SELECT 1) SELECT * FROM y;\n\
         WITH x AS (DELETE FROM t RETURNING a) INSERT INTO z SELECT a FROM x;\n\
         CALL new_order(1); select b from shop.accounts;\nROLLBACK TO a; COMMIT;",
    );
    assert_eq!(
        names(&parts),
        [
            "START TRANSACTION",
            "SELECT Order s",
            "SELECT accounts",
            "SELECT",
            "SELECT Accounts",
            "INSERT t",
            "UPDATE t",
            "DELETE t",
            "top ten",
            "INSERT z",
            "CALL new_order",
            "ROLLBACK TO",
            "COMMIT",
        ]
    );
    use StatementKind::{Begin, Commit, Delete, Insert, Other, Select, Update};
    let kinds: Vec<StatementKind> = parts.statements.iter().map(|one| one.kind).collect();
    let expected = [
        Begin, Select, Select, Select, Select, Insert, Update, Delete, Select, Insert, Other,
        Other, Commit,
    ];
    assert_eq!(kinds, expected);
    assert_eq!(parts.transactions[0].steps.len(), 14, "the same statement twice is one");
    let parts = parsed("SELECT 1 FROM t; SELECT 2 FROM t; SELECT 3 FROM t;");
    assert_eq!(names(&parts), ["SELECT t", "SELECT t 2", "SELECT t 3"]);
}

#[test]
fn a_variable_is_a_parameter_unless_it_is_a_part_of_a_word() {
    let parts = parsed(
        "\\set n 3\n\\set v 5\nSELECT :v, ':v', \":v\", /* :v */ :v::int, a[1\\:2], '1' :: int\n\
         FROM t_:n, s.:v, :n.x WHERE a=:v-:v AND t = '12:30';\nSELECT (:v);",
    );
    let statement = &parts.statements[0];
    assert_eq!(
        statement.texts[0].with_numbers(),
        "SELECT $1, ':v', \":v\", /* :v */ $2::int, a[1:2], '1' :: int\n\
         FROM t_$3, s.$4, $5.x WHERE a=$6-$7 AND t = '12:30'"
    );
    let joined = |one: &Parameter| matches!(one, Parameter::Verbatim(_));
    let joined: Vec<bool> = statement.parameters.iter().map(joined).collect();
    assert_eq!(joined, [false, false, true, true, true, false, false]);
    assert!(!statement.prepared && parts.statements[1].prepared);

    // What never changes is a part of the text.
    let mut options = options();
    options.variables.insert("n".to_owned(), Initial::Text("eu".to_owned()));
    let text = "\\set v 1\nSELECT :v FROM t_:n WHERE :scale = :n;";
    let parts = parse(&[script(text)], &options).unwrap().without_values().unwrap();
    let statement = &parts.statements[0];
    assert_eq!(statement.texts[0].with_numbers(), "SELECT $1 FROM t_eu WHERE $2 = $3");
    assert!(statement.prepared);
}
