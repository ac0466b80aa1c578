use crate::server::Postgres;
use crate::support::{Client, read_with};

/// Scripts that both run.
const RUN: &[&str] = &[
    "SELECT 1;",
    "SELECT 1",
    "  \n\t SELECT 1 ; ; ;\n;",
    "SELECT 1; SELECT 2;SELECT 3",
    "-- a comment\nSELECT 1; -- another\n-- the last",
    "/* a comment; with a semicolon /* and another */ */ SELECT 1;",
    "SELECT ';', \"x;y\" FROM (SELECT 1 AS \"x;y\") t;",
    "SELECT $$;$$, $a$ $$ ; $a$, E'\\';', U&'a', 'it''s;' ;",
    "SELECT '12:30', 1::int, (ARRAY[1,2,3])[1\\:2];",
    "BEGIN; SELECT 1; END;",
    "\\set x 1\nSELECT :x::int, :x::text;",
    "\\set x 1\nSELECT 1 WHERE :x=1 AND 2>:x;",
    "\\set x 1\nSELECT (:x), -:x::int, :x::int+:x;",
    "\\set Übergröße 3\nSELECT :Übergröße::int;",
    "\\set x1_y 1\n\\set x :x1_y + 1",
    "\\SET x 1\n\\Set y 2",
    "\\ set x 1",
    "SELECT 1 \\set x 1",
    "\\set x \\\n 1 + \\\n 2\nSELECT :x::int;",
    "\\set x 1 +\\\r\n2",
    "\\set\tx\t1",
    "\\set x 1\r\nSELECT 1;\r\n",
    "\\set x +1\n\\set y -1\n\\set z - - 1\n\\set w ~1",
    "\\set x -9223372036854775808",
    "\\set x 9223372036854775807",
    "\\set x 1.5e3 + .5 + 2. + 1e-3",
    "\\set x 1 < 2\n\\set y (1 < 2) is true",
    "\\set x not true or false and null",
    "\\set x 1 is null\n\\set y null is not null\n\\set z 1 isnull\n\\set w 1 notnull",
    "\\set x true is not false is true",
    "\\set x 1 isnull isnull",
    "\\set x 1 <> 2\n\\set y 1 != 2\n\\set z 1 << 2 >> 1",
    "\\set x CASE WHEN 1 = 1 THEN 2 END\n\\set y case when false then 1 when true then 2 else 3 end",
    "\\set x case when 1 then 2 end",
    "\\set x Greatest(1, 2.0, 3)\n\\set y LEAST(1)",
    "\\set x hash(1) + hash(1, 2)\n\\set y permute(1, 10) + permute(1, 10, 3)",
    "\\set x pi()\n\\set y mod(7, 3)\n\\set z pow(2, 3) + power(2, 3)",
    "\\set x random(1, 10) + random_zipfian(1, 10, 1.5)",
    "\\set x random_gaussian(1, 10, 2.5) + random_exponential(1, 10, 2)",
    "\\set x debug(1)",
    "\\set x :client_id + :random_seed % 2 + :scale + :default_seed % 2",
    "\\set and 1\n\\set x :and",
    "\\if 1\nSELECT 1;\n\\endif",
    "\\if false\n\\elif 0.0\n\\elif null\n\\else\nSELECT 1;\n\\endif",
    "\\if 1\n\\if 0\n\\else\n\\endif\n\\endif",
    "\\if 1 = 1\n\\endif",
    "SELECT 1 AS one \\gset\nSELECT :one;",
    "SELECT 1 AS one, 2 AS two; \\gset p_\nSELECT :p_one, :p_two;",
    "SELECT 1 AS one \\gset\n\\set x :one + 1",
    "SELECT * FROM (SELECT 3 AS three) t \\gset\n\\set x :three",
    "SELECT 1 AS one WHERE false \\aset\nSELECT 1;",
    "SELECT 1 AS one UNION SELECT 2 \\aset\n\\set x 1",
    "SELECT count(*), max(1)::int FROM pg_class \\gset\nSELECT :count, :max;",
    "SELECT 1 AS one\n\\gset\nSELECT :one;",
    "INSERT INTO t VALUES (1) RETURNING a \\gset\nSELECT :a;",
    "\\sleep 1 us",
    "\\sleep 1us",
    "\\sleep 0",
    "\\sleep 0 s",
    "\\sleep +1 MS",
    "\\set n 1\n\\sleep :n us",
    "\\sleep -1 us",
    "SELECT 1 FROM t_:scale;",
    "INSERT INTO t VALUES (:client_id);",
    "\\startpipeline\nSELECT 1;\n\\endpipeline",
    "\\startpipeline\n\\endpipeline",
    "\\STARTPIPELINE\nSELECT 1;\nSELECT 2;\n\\EndPipeline\n\\startpipeline\nSELECT 1;\n\\endpipeline",
    "\\startpipeline\nBEGIN;\nINSERT INTO t VALUES (:client_id);\nEND;\n\\endpipeline",
    "BEGIN;\n\\startpipeline\nSELECT 1;\n\\endpipeline\nEND;",
    "\\startpipeline\n\\set x random(1, 5)\nSELECT :x::int;\n\\sleep 1 ms\nSELECT 2;\n\\endpipeline",
    "\\startpipeline\n\\if 1\nSELECT 1;\n\\else\nSELECT 2;\n\\endif\n\\endpipeline",
    "\\if 1\n\\startpipeline\nSELECT 1;\n\\endpipeline\n\\endif",
    "SELECT 1 AS one \\gset\n\\startpipeline\nSELECT :one::int;\n\\endpipeline",
];

/// Scripts that both refuse, before the first statement or when they come to it.
const REFUSED: &[&str] = &[
    "",
    "-- nothing",
    "\\",
    "\\set 1 2",
    "\\set x (1 < 2) = true",
    "\\set",
    "\\set x",
    "\\set x-y 1",
    "\\set x 1 2",
    "\\set x 1 +",
    "\\set x (1",
    "\\set x 1)",
    "\\set x 1,2",
    "\\set x 'a'",
    "\\set x \"a\"",
    "\\set x 1 = 1 = 1",
    "\\set x 1 < 2 < 3",
    "\\set x 1 && 2",
    "\\set x 2 ^ 3",
    "\\set x 1 between 0 and 2",
    "\\set x 1 == 1",
    "\\set x 1 ? 2",
    "\\set x foo",
    "\\set x foo()",
    "\\set x pi",
    "\\set x pi(1)",
    "\\set x abs()",
    "\\set x random(1)",
    "\\set x random(1, 2, 3)",
    "\\set x hash()",
    "\\set x hash(1, 2, 3)",
    "\\set x least()",
    "\\set x permute(1)",
    "\\set x case 1 end",
    "\\set x case when 1 then 2",
    "\\set x case else 1 end",
    "\\set x is null",
    "\\set x 1 is 1",
    "\\set x 1 is not",
    "\\set x 9223372036854775808",
    "\\set x 99999999999999999999",
    "\\set x 1e400",
    "\\set x : y",
    "\\set x 1abc",
    "\\set x 1 -- a comment",
    "\\set x :undefined",
    "\\set x :later\n\\set later 1",
    "\\set x 1 / 0",
    "\\set x 9223372036854775807 + 1",
    "\\set x random(2, 1)",
    "\\set x random_zipfian(1, 10, 1.0)",
    "\\set x random_gaussian(1, 10, 1.9)",
    "\\set x permute(1, 0)",
    "\\set x 1 and true",
    "\\set x not 1",
    "\\if",
    "\\if 1",
    "\\endif",
    "\\else",
    "\\elif 1\n\\endif",
    "\\if 1\n\\else\n\\else\n\\endif",
    "\\if 1\n\\else\n\\elif 1\n\\endif",
    "\\if 1\n\\elif\n\\endif",
    "\\if 1\n\\endif 1",
    "\\gset",
    "\\set x 1\n\\gset",
    "SELECT 1 AS one \\gset a b",
    "SELECT 1 AS one \\gset\n\\gset",
    "BEGIN \\gset",
    "DELETE FROM t \\gset",
    "\\sleep",
    "\\sleep 1 min",
    "\\sleep 1 s s",
    "\\sleep s",
    "\\sleep 1.5 s",
    "\\sleep :nothing",
    "\\foo",
    "\\setfoo x 1",
    "SELECT 'abc;",
    "SELECT (1;",
    "SELECT /* 1;",
    "SELECT $$ 1;",
    "SELECT :nothing::int + ;",
    "\\endpipeline",
    "\\startpipeline\nSELECT 1;",
    "\\startpipeline\n\\startpipeline\n\\endpipeline\n\\endpipeline",
    "\\startpipeline\nSELECT 1;\n\\endpipeline\n\\endpipeline",
    "\\startpipeline\nSELECT 1 AS one \\gset\n\\endpipeline",
    "\\startpipeline\nSELECT 1 AS one \\aset\n\\endpipeline",
    "\\startpipeline now\n\\endpipeline",
    "\\startpipeline\nSELECT 1;\n\\endpipeline now",
    "\\if 1\n\\startpipeline\nSELECT 1;\n\\endif",
    "\\startpipeline\n\\if 1\n\\endpipeline\n\\startpipeline\n\\endif",
    "\\startpipeline\n\\set x 1 / 0\n\\endpipeline",
    "\\syncpipeline",
];

/// Scripts that pgbench runs and weighin refuses on purpose: what they do is hardly meant.
const REFUSED_HERE: &[&str] = &[
    // A statement with nothing in it.
    "  ;;\n;",
    // A value that is always NULL.
    "SELECT :nothing::int;",
    "SELECT 1 AS one \\gset\nSELECT :two;",
    // Programs.
    "\\shell true",
    "\\setshell x echo 1",
    // A pipeline that ends elsewhere than in the branch where it began.
    "\\if 1\n\\startpipeline\n\\endif\nSELECT 1;\n\\endpipeline",
];

#[test]
fn scripts_are_accepted_and_refused_as_by_pgbench() {
    let Some(postgres) = Postgres::start() else { return };
    assert!(postgres.psql("CREATE TABLE t (a int); CREATE TABLE t_1 (a int)").status.success());
    let mut differ = Vec::new();
    let scripts = |all: &'static [&'static str], theirs: bool, ours: bool| {
        all.iter().map(move |script| (script, theirs, ours))
    };
    let all = scripts(RUN, true, true)
        .chain(scripts(REFUSED, false, false))
        .chain(scripts(REFUSED_HERE, true, false));
    for (script, they_run, we_run) in all {
        let way = if script.contains("t_:") { "simple" } else { "prepared" };
        let options = ["-M", way, "-t", "1", "-D", "default_seed=5432"];
        let theirs = postgres.run(script, &options);
        let ours = Client::new(script).and_then(|mut client| client.transaction());
        if theirs.status.success() != they_run {
            let said = String::from_utf8_lossy(&theirs.stderr).into_owned();
            differ.push(format!("pgbench: {script:?}: {said}"));
        }
        if ours.is_ok() != we_run {
            differ.push(format!("weighin: {script:?}: {ours:?}"));
        }
    }
    // The simple protocol has no pipelines.
    let pipeline = "\\startpipeline\nSELECT 1;\n\\endpipeline";
    let theirs = postgres.run(pipeline, &["-M", "simple", "-t", "1"]);
    assert!(!theirs.status.success());
    assert!(read_with(pipeline, false).is_err());
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

/// Their effect is that of pgbench's own: the balances of accounts, tellers and branches and the amounts
/// of the history have one sum.
#[test]
fn pgbench_runs_what_is_built_in() {
    let Some(postgres) = Postgres::start() else { return };
    let made = postgres.pgbench(&["--initialize", "--quiet"]);
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let tell = |sql: &str| String::from_utf8(postgres.psql(sql).stdout).unwrap().trim().to_owned();
    for (name, rows) in [("tpcb-like", "50"), ("simple-update", "100"), ("select-only", "100")] {
        let script = workload::script::builtin(name).unwrap();
        let ran = postgres.run(&script.text, &["-M", "prepared", "-t", "50"]);
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
        assert_eq!(tell("SELECT count(*) FROM pgbench_history"), rows);
        let agree = "SELECT (SELECT sum(abalance) FROM pgbench_accounts) = sum(delta) \
                     FROM pgbench_history";
        assert_eq!(tell(agree), "t", "{name}");
        if name == "tpcb-like" {
            let agree = "SELECT (SELECT sum(tbalance) FROM pgbench_tellers) = sum(delta) AND \
                         (SELECT sum(bbalance) FROM pgbench_branches) = sum(delta) FROM pgbench_history";
            assert_eq!(tell(agree), "t");
        }
    }
}
