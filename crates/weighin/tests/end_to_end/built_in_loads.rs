//! Workloads of weighin's own by hand: prepared, loaded and removed on servers that run already.

use crate::postgres;
use crate::support::{Ran, Server, Workplace, whole};
use std::process::Command;

/// A server with an empty database, and what it answers to a query of one value.
struct Database<'a> {
    place: &'a Workplace,
    url: String,
    password: String,
    ask: &'a dyn Fn(&str) -> String,
}

impl Database<'_> {
    fn weighin(&self, command: &str, arguments: &[&str]) -> Ran {
        let mut all = vec![command, &self.url, "--password-env", "SECRET"];
        all.extend(arguments);
        let mut command = self.place.command(&all);
        command.env("SECRET", &self.password);
        Ran::of(command)
    }

    fn number(&self, sql: &str) -> u64 {
        (self.ask)(sql).parse().unwrap()
    }
}

fn order_entry(database: &Database<'_>) {
    let sizes =
        ["--built-in=order-entry", "--set=warehouses=1", "--set=customers=30", "--set=items=200"];
    let load = ["--clients=4", "--transactions=200", "--allow-writes", "--json"];
    let load = [&sizes[..], &load].concat();
    database.weighin("load", &load).refused(3, &["is not in the database", "weighin prepare"]);
    let made = database.weighin("prepare", &sizes).done();
    assert!(made.contains("Made the data of 9 tables"), "{made}");
    assert!(database.weighin("prepare", &sizes).done().contains("All data is there"));
    let orders = "SELECT COUNT(*) FROM orders";
    assert_eq!(database.number(orders), 300);
    // It changes data, and nobody said that it may.
    let forbidden: Vec<&str> =
        load.iter().copied().filter(|one| *one != "--allow-writes").collect();
    let refused = database.weighin("load", &forbidden);
    assert!(refused.code != Some(0) && refused.err.contains("--allow-writes"), "{refused:?}");
    assert_eq!(database.number(orders), 300);
    for _ in 0..2 {
        let json = database.weighin("load", &load).json();
        assert_eq!((whole(&json, "/transactions"), whole(&json, "/errors")), (200, 0), "{json:#}");
        let names = json["transactions_by_name"].as_array().unwrap();
        assert!(names.iter().any(|one| one["transaction"] == "new_order"), "{json:#}");
    }
    let ordered = database.number(orders) - 300;
    assert!((100..300).contains(&ordered), "{ordered}");
    // Of another size it is other data.
    let other: Vec<&str> = load
        .iter()
        .map(|one| if *one == "--set=items=200" { "--set=items=100" } else { one })
        .collect();
    database.weighin("load", &other).refused(3, &["in another size"]);
    // What loads have changed is made anew, and removed.
    assert!(database.weighin("prepare", &sizes).done().contains("Made the data of 9 tables"));
    assert_eq!(database.number(orders), 300);
    database.weighin("cleanup", &[]).done();
}

fn bank(database: &Database<'_>) {
    for (name, writes) in [("tpcb-like", true), ("simple-update", true), ("select-only", false)] {
        let built_in = format!("--built-in={name}");
        let made = database.weighin("prepare", &[&built_in]).done();
        // The tables are the same, and new where a load has changed them.
        let expected = if writes { "Made the data of 4 tables" } else { "data" };
        assert!(made.contains(expected), "{name}: {made}");
        let load = [&*built_in, "--clients=4", "--transactions=300", "--allow-writes", "--json"];
        let json = database.weighin("load", &load).json();
        assert_eq!((whole(&json, "/transactions"), whole(&json, "/errors")), (300, 0), "{json:#}");
        if !writes {
            continue;
        }
        assert_eq!(database.number("SELECT COUNT(*) FROM pgbench_history"), 300, "{name}");
        let sums = "SELECT CASE WHEN (SELECT SUM(abalance) FROM pgbench_accounts) \
                    = (SELECT SUM(delta) FROM pgbench_history) THEN 1 ELSE 0 END";
        assert_eq!(database.number(sums), 1, "{name}");
    }
    assert_eq!(database.number("SELECT COUNT(*) FROM pgbench_accounts"), 100_000);
    database.weighin("cleanup", &[]).done();
}

#[test]
fn they_run_on_mariadb() {
    let (place, server) = (Workplace::new(), Server::start());
    let ask = |sql: &str| server.query(sql).remove(0);
    let (url, password) = (server.url(), server.password().to_owned());
    let database = Database { place: &place, url, password, ask: &ask };
    order_entry(&database);
    bank(&database);
}

#[test]
fn they_run_on_postgresql() {
    let (place, server) = (Workplace::new(), postgres::Server::start(&[]));
    let ask = |sql: &str| server.ask(sql);
    let (url, password) = (server.url("weighin"), server.sandbox.password().reveal().to_owned());
    let database = Database { place: &place, url, password, ask: &ask };
    order_entry(&database);
    bank(&database);
}

/// All that pgbench's tables in a schema are, and a sum over all rows of each.
fn tables_in(server: &postgres::Server, schema: &str) -> String {
    let ours = format!("c.relnamespace = '{schema}'::regnamespace AND c.relname LIKE 'pgbench%'");
    let fillfactor = "SELECT option_value FROM pg_options_to_table(c.reloptions) \
                      WHERE option_name = 'fillfactor'";
    let columns = format!(
        "SELECT c.relname, c.relkind, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull \
         FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 \
         WHERE {ours} ORDER BY c.relname, a.attnum"
    );
    let tables = format!(
        "SELECT c.relname, c.relpersistence, pg_get_partkeydef(c.oid), \
         pg_get_expr(c.relpartbound, c.oid), coalesce(({fillfactor}), '100'), c.relallvisible > 0 \
         FROM pg_class c WHERE {ours} AND c.relkind IN ('r', 'p') ORDER BY c.relname"
    );
    let keys = format!(
        "SELECT c.relname, k.conname, pg_get_constraintdef(k.oid) \
         FROM pg_class c JOIN pg_constraint k ON k.conrelid = c.oid WHERE {ours} \
         ORDER BY c.relname, k.conname"
    );
    let mut all: Vec<String> = [columns, tables, keys].iter().map(|sql| server.ask(sql)).collect();
    for table in ["branches", "tellers", "accounts", "history"] {
        let rows = "count(*), sum(hashtext(t::text)::bigint)";
        all.push(server.ask(&format!("SELECT {rows} FROM {schema}.pgbench_{table} t")));
    }
    all.join("\n\n")
}

#[test]
fn the_tables_are_those_that_pgbench_makes_with_and_without_partitions() {
    // A vacuum beside an analysis of the server's own leaves pages that are not visible to all.
    let server = postgres::Server::start(&[("autovacuum", "off")]);
    let place = Workplace::new();
    let ask = |sql: &str| server.ask(sql);
    let (url, password) = (server.url("weighin"), server.sandbox.password().reveal().to_owned());
    let database = Database { place: &place, url, password, ask: &ask };
    server.ask("CREATE SCHEMA theirs");
    for partitions in [0, 3] {
        let made = Command::new("pgbench")
            .args(["--initialize", "--scale=2", &format!("--partitions={partitions}")])
            .args(["--quiet", &database.url])
            .env("PGOPTIONS", "-c search_path=theirs")
            .env("PGPASSWORD", &database.password)
            .output()
            .unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let sizes = ["--built-in=tpcb-like", "--set=scale=2"];
        let divided = format!("--set=partitions={partitions}");
        let sizes = [&sizes[..], &[&*divided]].concat();
        let said = database.weighin("prepare", &sizes).done();
        assert!(said.contains("Made the data of 4 tables"), "{said}");
        let (ours, theirs) = (tables_in(&server, "public"), tables_in(&server, "theirs"));
        assert_eq!(ours, theirs);
        assert_eq!(ours.contains("RANGE (aid)"), partitions > 0, "{ours}");
        let load = ["--clients=2", "--transactions=100", "--allow-writes", "--json"];
        let json = database.weighin("load", &[&sizes[..], &load].concat()).json();
        assert_eq!((whole(&json, "/transactions"), whole(&json, "/errors")), (100, 0), "{json:#}");
        assert_eq!(database.number("SELECT COUNT(*) FROM pgbench_history"), 100);
    }
    database.weighin("cleanup", &[]).done();
    let left = "SELECT COUNT(*) FROM pg_class WHERE relnamespace = 'public'::regnamespace";
    assert_eq!(database.number(left), 0);
}
