//! `--db-driver=pgsql`, against sysbench's own driver.

use super::{figure, form};
use crate::postgres::Server;
use crate::support::{Ran, Workplace, succeed};

fn login(server: &Server) -> Vec<String> {
    [
        ("db-driver", "pgsql".to_owned()),
        ("pgsql-host", "127.0.0.1".to_owned()),
        ("pgsql-port", server.sandbox.port().to_string()),
        ("pgsql-user", "weighin".to_owned()),
        ("pgsql-password", server.sandbox.password().reveal().to_owned()),
        ("pgsql-db", "sbtest".to_owned()),
    ]
    .map(|(name, value)| format!("--{name}={value}"))
    .into()
}

fn words(server: &Server, words: &str, command: &str) -> Vec<String> {
    let mut all: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
    all.extend(login(server));
    all.push(command.to_owned());
    all
}

fn ours(server: &Server, place: &Workplace, said: &str, command: &str) -> Ran {
    let mut all = vec!["sysbench".to_owned()];
    all.extend(words(server, said, command));
    place.weighin(&all)
}

fn theirs(server: &Server, place: &Workplace, said: &str, command: &str) -> String {
    let all = words(server, said, command);
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    succeed("sysbench", &place.path("."), &all)
}

#[test]
fn tables_and_counts_are_those_of_the_original_driver() {
    let (place, server) = (Workplace::new(), Server::start(&[]));
    let size = "--tables=2 --table-size=300";
    let shape = "SELECT string_agg(table_name || column_name || data_type || \
                 coalesce(column_default, ''), ',' ORDER BY table_name, ordinal_position) \
                 || (SELECT string_agg(indexdef, ',' ORDER BY indexdef) FROM pg_indexes \
                 WHERE tablename LIKE 'sbtest%') \
                 || (SELECT count(*) + sum(id) FROM sbtest2) \
                 FROM information_schema.columns WHERE table_name LIKE 'sbtest%'";
    let prepared = |made: String| (form(&made), server.ask(shape));
    let said = format!("oltp_read_write {size}");
    let original = prepared(theirs(&server, &place, &said, "prepare"));
    ours(&server, &place, &said, "prepare").refused(1, &["sbtest1 already exists", "--pgsql-db"]);
    let dropped = theirs(&server, &place, &said, "cleanup");
    let own = prepared(ours(&server, &place, &said, "prepare").done());
    assert_eq!(original.1, own.1);
    // Versions differ in their banner alone.
    assert_eq!(original.0[1..], own.0[1..]);
    // Of oltp_delete chance decides how many rows are there, and of several threads who meets whom.
    for test in ["oltp_read_write", "oltp_read_only", "oltp_update_index", "oltp_insert"] {
        let said = format!("{test} {size} --threads=1 --events=40 --time=0");
        let (ours, theirs) =
            (ours(&server, &place, &said, "run").done(), theirs(&server, &place, &said, "run"));
        for name in ["read:", "write:", "other:", "total:", "total number of events:"] {
            assert_eq!(
                figure(&ours, name),
                figure(&theirs, name),
                "{test} {name}\n{ours}\n{theirs}"
            );
        }
    }
    let own = ours(&server, &place, &format!("oltp_read_write {size}"), "cleanup").done();
    assert_eq!(form(&own)[1..], form(&dropped)[1..]);
    assert_eq!(server.ask("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'sbtest%'"), "0");
}

#[test]
fn what_the_driver_does_not_have_is_named() {
    let (place, server) = (Workplace::new(), Server::start(&[]));
    ours(&server, &place, "oltp_read_write", "prewarm").refused(1, &["currently MySQL only"]);
    let words = "oltp_read_write --weighin-compat=1.1 --pgsql-sslmode";
    ours(&server, &place, &format!("{words}=verify-ca"), "run").refused(1, &["root.crt"]);
    ours(&server, &place, &format!("{words}=on"), "run").refused(1, &["--pgsql-sslmode=on"]);
    ours(&server, &place, "oltp_read_write", "run").refused(1, &["sbtest1"]);
    let alone = "oltp_read_write --mysql-dry-run --time=0 --events=50";
    let said = ours(&server, &place, alone, "run").done();
    assert_eq!(figure(&said, "total number of events:"), 50);
}
