use super::*;
use crate::program::{
    Column, Expression, Function, Next, Parameter, Program, Read, RowRead, Run, Statement,
    StatementKind, Step, Value, ValuesBuilder,
};
use std::collections::BTreeMap;
use std::time::Duration;

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
    pipelines: false,
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
            "START TRANSACTION", "SELECT Order s", "SELECT accounts", "SELECT", "SELECT Accounts",
            "INSERT t", "UPDATE t", "DELETE t", "top ten", "INSERT z", "CALL new_order",
            "ROLLBACK TO", "COMMIT",
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

#[test]
fn commands_become_steps() {
    let parts = parsed(
        "\\set a random(1, 100000 * :scale)\n\\set b :a + 1\n\\set c 2 * -3\n\\sleep 5 ms\n\
         \\if :a > 5\nSELECT 1;\n\\if :b = 2\nSELECT 2;\n\\endif\n\\elif :c < 0\nSELECT 3;\n\\else\n\
         \\sleep :c us\n\\endif\nSELECT 4;",
    );
    let steps = &parts.transactions[0].steps;
    // What is the same each time is computed once.
    assert!(matches!(steps[0], Step::Set { value: Expression::Source(0), .. }));
    assert!(matches!(parts.sources[0], Source::Between { low: 1, high: 100_000 }));
    assert!(matches!(steps[1], Step::Set { value: Expression::Call(Function::Add, _), .. }));
    let six = Expression::Constant(Value::Integer(-6));
    assert!(matches!(&steps[2], Step::Set { value, .. } if *value == six));
    let ms = Duration::from_millis(1);
    assert!(matches!(&steps[3], Step::Think { unit, .. } if *unit == ms));
    let Step::If { branches, otherwise } = &steps[4] else { panic!("{:?}", steps[4]) };
    let [(_, first), (_, second)] = &branches[..] else { panic!("{branches:?}") };
    assert!(matches!(first[..], [Step::Execute { .. }, Step::If { .. }]));
    assert!(matches!(second[..], [Step::Execute { .. }]));
    assert!(matches!(otherwise[..], [Step::Think { .. }]));
    assert!(matches!(steps[5..], [Step::Execute { .. }]));
}

#[test]
fn scripts_have_the_variables_of_pgbench() {
    assert_eq!(variable("\\set x :client_id", "x"), Value::Integer(3));
    assert_eq!(variable("\\set x :random_seed", "x"), Value::Integer(7));
    assert_eq!(variable("\\set x :scale", "x"), Value::Integer(1));
    let seed = variable("\\set x :default_seed", "x");
    assert_eq!(variable("\\set x hash(5) = hash(5, :default_seed)", "x"), Value::Boolean(true));
    assert!(matches!(seed, Value::Integer(seed) if seed != 7));

    let given = BTreeMap::from([
        ("scale".to_owned(), Initial::Integer(50)),
        ("rate".to_owned(), Initial::Double(0.5)),
    ]);
    let options = Options { variables: given, ..options() };
    let parts = parse(&[script("\\set x :scale * :rate\nSELECT :x;")], &options).unwrap();
    let parts = parts.without_values().unwrap();
    let value = Expression::Constant(Value::Double(25.0));
    assert!(matches!(&parts.transactions[0].steps[0], Step::Set { value: it, .. } if *it == value));
}

#[test]
fn variables_are_read_from_the_columns_of_answers() {
    let reads = |text: &str| {
        let parts = parsed(text);
        let name = |read: &Read| match &read.column {
            Column::Number(number) => format!("{}={number}", parts.variables[read.variable].name),
            Column::Name(name) => format!("{}={name}", parts.variables[read.variable].name),
        };
        let of = |statement: &Statement| -> (RowRead, String) {
            let reads: Vec<String> = statement.reads.iter().map(name).collect();
            (statement.row_read, reads.join(" "))
        };
        parts.statements.iter().map(of).collect::<Vec<_>>()
    };
    let only = |reads: &str| (RowRead::Only, reads.to_owned());
    let none = (RowRead::First, String::new());
    assert_eq!(
        reads(
            "SELECT a, t.B AS \"C\", count(*), x::int, 1 + b d, e + f, max(t.g) over (h),\n\
             CASE WHEN a THEN b END, (SELECT i) AS j, k FROM t WHERE l \\gset\n\
             SELECT :a, :C, :count, :x, :d, :max, :j, :k;"
        ),
        [only("a=0 C=1 count=2 x=3 d=4 max=6 j=8 k=9"), none.clone()]
    );
    // Others are not read.
    assert_eq!(
        reads("SELECT DISTINCT ON (a, b) a, b FROM t; \\gset p_\nSELECT :p_b;"),
        [only("p_b=1"), none.clone()]
    );
    // Behind a star columns are found by their names.
    assert_eq!(
        reads("SELECT a, t.* FROM t \\gset p_\nSELECT :p_a, :p_z, :p_y;"),
        [only("p_a=0 p_z=z p_y=y"), none.clone()]
    );
    assert_eq!(
        reads("UPDATE t SET a = 1, b = 2 RETURNING a, b + 1 AS b \\gset\nSELECT :b;"),
        [only("b=1"), none.clone()]
    );
    let last = |reads: &str| (RowRead::Last, reads.to_owned());
    assert_eq!(
        reads("SELECT a FROM t \\; SELECT b FROM t \\aset\nSELECT :a, :b;"),
        [last("a=0"), last("b=0"), none.clone()]
    );
    assert_eq!(
        reads("SELECT a FROM t \\; SELECT b FROM t \\gset\nSELECT :b;"),
        [none.clone(), only("b=0"), none]
    );
}

#[test]
fn values_are_picked_from_a_column_or_a_query_evenly_or_by_row() {
    let text = "\\values id[:id_rows] customers.csv id\n\\values any customers.csv id\n\
                \\values sku[random_zipfian(1, :sku_rows, 1.1)] = SELECT sku \\\n FROM 'a  b' ; \n\
                \\values far[5] customers.csv 'full name'\nSELECT :id, :any, :sku;";
    let parsed = parse(&[script(text)], &options()).unwrap();
    let column = |column: &str| Needed::Column {
        file: "customers.csv".to_owned(),
        column: column.to_owned(),
    };
    let query = Needed::Query { sql: "SELECT sku   FROM 'a  b'".to_owned() };
    let needed: Vec<&Needed> = parsed.needs().iter().map(|need| &need.needed).collect();
    assert_eq!(needed, [&column("id"), &query, &column("full name")]);
    assert_eq!(
        parsed.clone().without_values().unwrap_err().to_string(),
        "shop.sql:1:1: values of a file or a query are not to be had here\n   |\n \
         1 | \\values id[:id_rows] customers.csv id\n   | ^\n  \
         = help: take the values from a query, or from a load that reads files"
    );
    let parts = parsed.with_values(|need| -> Result<_, ScriptError> {
        let values: &[&str] = match &need.needed {
            Needed::Column { column, .. } if column == "id" => &["10", "20", "30"],
            Needed::Column { .. } => &["Ada"],
            Needed::Query { .. } => &["a", "b"],
        };
        let mut builder = ValuesBuilder::new(1 << 20);
        values.iter().for_each(|value| builder.push(value.as_bytes()).unwrap());
        Ok(Arc::new(builder.finish().unwrap()))
    });
    let program = Arc::new(Program::new(parts.unwrap()));
    let number = |name: &str| program.variable(name).unwrap();
    use crate::program::ValueType::{Integer, Text};
    assert_eq!((program.type_of(number("id")), program.type_of(number("sku"))), (Integer, Text));
    let mut run = Run::new(Arc::clone(&program), 7, 0, 1);
    let (mut any, mut sku) = ([0; 3], [0; 2]);
    for _ in 0..1_000 {
        // There is no row 5 of the last.
        assert_eq!(run.advance(), Next::Failed);
        assert_eq!(run.error(), Some(crate::program::EvaluationError::NoRow { row: 5, rows: 1 }));
        assert_eq!(run.integer(number("id")), 30);
        any[run.integer(number("any")) as usize / 10 - 1] += 1;
        let Value::Text(holder) = run.variables.get(number("sku")) else { panic!("a text") };
        sku[usize::from(run.variables.text(holder) == b"b")] += 1;
        run.restart();
    }
    assert!(any.iter().all(|count| (270..400).contains(count)), "{any:?}");
    // 2^1.1 times as often.
    assert!((600..750).contains(&sku[0]), "{sku:?}");
}

#[test]
fn errors_show_the_place_and_nothing_that_steers_a_terminal() {
    let error = refused("SELECT 1;\n\t\\set x\t\u{1b}[31m + randm(1)\n");
    assert_eq!(
        error.to_string(),
        "shop.sql:2:9: \\x1b cannot stand here\n   |\n 2 |  \\set x \\x1b[31m + randm(1)\n   \
         |         ^\n  = help: expressions have no such character"
    );
    let error = refused("\n\n\\set x 1 + randm(1, 2)");
    assert_eq!((error.line, error.column), (3, 12));
    assert_eq!(error.message, "there is no function randm");
    assert!(error.help.contains("random_zipfian"), "{}", error.help);
    // Of a long line a part is shown.
    let long = format!("\\set x {}1 +\u{202e} 2 {}", "1 + ".repeat(100), " + 1".repeat(100));
    let shown = refused(&long).to_string();
    assert!(shown.lines().all(|line| line.len() < 140), "{shown}");
    assert!(!shown.contains('\u{202e}'));
    let mut nameless = script("SELECT :x;");
    nameless.file = None;
    nameless.name = "check\u{7}out".to_owned();
    let error = parse(&[nameless], &options()).unwrap_err().to_string();
    assert!(error.starts_with("check\\x07out:1:8: the variable x has no value\n"), "{error}");
}

#[test]
fn a_variable_has_its_value_from_above_or_from_another_script() {
    let one = |text: &str| Script { name: text.to_owned(), ..script(text) };
    let both = [one("SELECT :x;"), one("\\set x 1\nSELECT :x;")];
    assert!(parse(&both, &options()).is_ok());
    assert!(refused("SELECT :x;\n\\set x 1").message.ends_with("only further below"));
    assert!(refused("\\set x :x + 1\nSELECT :x;").message.ends_with("only further below"));
    let mut given = options();
    given.variables.insert("x".to_owned(), Initial::Text("a".to_owned()));
    assert!(parse(&[one("SELECT :x;")], &given).is_ok());
    let error = parse(&[one("SELECT 1;"), one("SELECT 2;\nSELECT :y;")], &options()).unwrap_err();
    assert_eq!((error.line, error.column), (2, 8));
}

#[test]
fn what_looks_like_a_variable_in_quotes_is_noted() {
    let text = "\\set aid 1\nSELECT 'user:aid', ':other', '12:30' FROM t WHERE id = :aid;";
    let parsed = parse(&[script(text)], &options()).unwrap();
    let [note] = parsed.notes() else { panic!("{:?}", parsed.notes()) };
    assert_eq!((note.line, note.column), (2, 13));
    assert_eq!(note.message, ":aid stands in quotes, where it is no variable");
}

#[test]
fn marks_that_only_some_systems_have_are_refused_where_they_are_parameters() {
    let with = |text: &str, prepared| {
        let options = Options { syntax: MARKS, prepared, ..options() };
        parse(&[script(text)], &options)
    };
    assert!(with("SELECT ? FROM t;", true).unwrap_err().help.starts_with("write a variable"));
    assert!(with("SELECT ? FROM t;", false).is_ok());
    assert!(with("SELECT '?', \"?\", `?` FROM t; # ?", true).is_ok());
    assert!(parse(&[script("SELECT a ? b FROM t;")], &options()).is_ok());
}

#[test]
fn pipelines_are_steps_of_their_own_and_errors_lead_to_their_places() {
    let text = "SELECT 1;\n\\startpipeline\nSELECT 2;\n\\if 1 > 0\n\\sleep 1 ms\n\\endif\n\
                SELECT 3;\n\\endpipeline\nSELECT 4;";
    let parts = parsed(text);
    let [Step::Execute { .. }, Step::Pipeline(inside), Step::Execute { .. }] =
        parts.transactions[0].steps.as_slice()
    else {
        panic!("{:?}", parts.transactions[0].steps)
    };
    assert!(matches!(
        inside.as_slice(),
        [Step::Execute { .. }, Step::If { .. }, Step::Execute { .. }]
    ));
    let mut run = Run::new(Arc::new(Program::new(parts)), 7, 0, 1);
    let went: Vec<Next> = std::iter::from_fn(|| Some(run.advance())).take(8).collect();
    let execute = |statement| Next::Execute { statement, text: 0 };
    let pause = Next::Think(Duration::from_millis(1));
    assert_eq!(
        went,
        [
            execute(0),
            Next::OpenPipeline,
            execute(1),
            pause,
            execute(2),
            Next::EndPipeline,
            execute(3),
            Next::Ended,
        ]
    );

    let place = |text: &str| {
        let error = refused(text);
        (error.line, error.column, error.message)
    };
    let not_ended = "this \\startpipeline has no \\endpipeline in the same branch";
    for (text, line, column, message) in [
        ("SELECT 1;\n  \\startpipeline\nSELECT 2;", 2, 3, not_ended),
        ("\\if 1\n\\startpipeline\n\\else\n\\endpipeline\n\\endif", 2, 1, not_ended),
        ("\\startpipeline\nSELECT 1;\n\\startpipeline", 3, 1, "a pipeline is open already"),
        ("SELECT 1;\n\\endpipeline", 2, 1, "\\endpipeline without a \\startpipeline before it"),
        (
            "\\startpipeline\nSELECT 1 AS a \\gset\n\\endpipeline",
            2,
            15,
            "\\gset is not allowed in a pipeline, whose answers come at its end",
        ),
    ] {
        assert_eq!(place(text), (line, column, message.to_owned()));
    }
    let with = |options: &Options| {
        parse(&[script("SELECT 1;\n\\startpipeline\nSELECT 1;\n\\endpipeline")], options)
    };
    for options in
        [Options { syntax: MARKS, ..options() }, Options { prepared: false, ..options() }]
    {
        let error = with(&options).unwrap_err();
        assert_eq!((error.line, error.column), (2, 1), "{error}");
        assert!(error.help.contains("leave \\startpipeline and \\endpipeline out"), "{error}");
    }
}

#[test]
fn what_a_server_would_read_as_the_end_of_a_statement_is_shown() {
    let error = refused("SELECT 1;\nS\0ELECT 2;\0");
    assert_eq!((error.line, error.column), (2, 2), "{error}");
    assert!(error.message.contains("a zero byte") && error.help.contains("UTF-8"), "{error}");
}

#[test]
fn scripts_of_weight_0_and_none_at_all_are_refused() {
    let mut never = script("SELECT 1;");
    never.weight = 0;
    let error = parse(&[script("SELECT 1;"), never], &options()).unwrap_err();
    assert_eq!(error.message, "a script of weight 0 never runs");
    assert!(parse(&[], &options()).is_err());
}

#[test]
fn what_is_built_in_runs_the_statements_of_pgbench() {
    let names = |name: &str| {
        let given = BTreeMap::from([("scale".to_owned(), Initial::Integer(20))]);
        let options = Options { variables: given, syntax: MARKS, ..options() };
        let parts = parse(&[builtin(name).unwrap()], &options).unwrap().without_values().unwrap();
        assert!(matches!(parts.sources[0], Source::Between { low: 1, high: 2_000_000 }));
        parts.statements.into_iter().map(|one| one.name).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(
        names("tpcb-like"),
        "BEGIN, change account, read account, change teller, change branch, write history, COMMIT"
    );
    let simple = "BEGIN, change account, read account, write history, COMMIT";
    assert_eq!(names("simple-update"), simple);
    assert_eq!(names("select-only"), "read account");
    assert!(builtin("tpcb").is_none());
}

#[test]
fn nothing_is_nested_without_a_bound() {
    let many = |left: &str, right: &str, times: usize| {
        format!("\\set x {}1{}", left.repeat(times), right.repeat(times))
    };
    let deep = [("(", ")"), ("abs(", ")"), ("-", ""), ("not ", ""), ("", " + 1"), ("", " isnull")];
    for (left, right) in deep {
        assert!(parse(&[script(&many(left, right, 60))], &options()).is_ok(), "{left}{right}");
        let error = refused(&many(left, right, 100_000));
        assert!(error.message.contains("more than 100 deep"), "{left}{right}: {error}");
    }
    let error = refused(&format!("{}{}", "\\if 1\n".repeat(65), "\\endif\n".repeat(65)));
    assert_eq!((error.line, error.message.as_str()), (65, "\\if is nested more than 64 deep"));
}

#[test]
fn a_script_of_200_statements_and_one_of_a_megabyte_are_read() {
    let statement = |number: usize| {
        format!(
            "\\set id{number} random(1, 1000)\n\\if :id{number} > 5\n\
             SELECT name, 'a text' FROM customer WHERE id = :id{number} AND kind = {number};\n\\endif\n"
        )
    };
    let text: String = (0..200).map(statement).collect();
    let parts = parsed(&text);
    assert_eq!(parts.statements.len(), 200);
    assert_eq!(names(&parts)[199], "SELECT customer 200");
    let mut run = Run::new(Arc::new(Program::new(parts)), 7, 0, 1);
    assert!(std::iter::from_fn(|| (run.advance() != Next::Ended).then_some(())).count() > 190);

    let text: String = (0..9_000).map(statement).collect();
    assert!(text.len() > 1_000_000);
    assert_eq!(parsed(&text).statements.len(), 9_000);
}
