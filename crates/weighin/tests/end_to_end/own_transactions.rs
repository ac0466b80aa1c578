//! Transactions of the user's own, from study file and command line to every report.

use crate::support::{MARIADB, Server, Workplace, fetched};
use model::{ErrorClass, LoadResult, NamedResult, TrialRecord};
use serde_json::Value;

const BROWSE: &str = "\\set customer random(1, :customers)\n\
     SELECT name FROM customer WHERE id = :customer;\n\
     SELECT id, total FROM orders WHERE customer = :customer ORDER BY total DESC LIMIT 5;\n";

const CHECKOUT: &str = "\\set customer random(1, :customers)\n\
     \\set total random(1, 500)\n\
     BEGIN;\n\
     SELECT balance AS had FROM customer WHERE id = :customer \\gset\n\
     UPDATE customer SET balance = balance - :total WHERE id = :customer;\n\
     INSERT INTO orders (customer, total, note) VALUES (:customer, :total, 'it''s :had');\n\
     COMMIT;\n";

/// A server with a small shop, of which one table has an index where that is asked for.
fn shop(index: bool) -> Server {
    let server = Server::start();
    for sql in [
        "CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(50), balance INT NOT NULL)",
        "INSERT INTO customer SELECT seq, CONCAT('c', seq), 1000 FROM seq_1_to_1000",
        "CREATE TABLE orders (id INT AUTO_INCREMENT PRIMARY KEY, customer INT NOT NULL, total INT, \
         note VARCHAR(100))",
        "INSERT INTO orders (customer, total) SELECT 1 + seq % 1000, seq % 500 FROM seq_1_to_20000",
    ] {
        server.execute(sql);
    }
    if index {
        server.execute("CREATE INDEX customer ON orders (customer)");
    }
    server.execute("ANALYZE TABLE customer, orders");
    server
}

fn target(name: &str, server: &Server) -> String {
    format!(
        "[[target]]\nname = \"{name}\"\nurl = \"{}\"\npassword_file = \"{}\"\n",
        server.url(),
        server.password_file().display()
    )
}

/// A study of these targets with a test of these keys and transactions.
fn study(repeats: u32, targets: &str, test: &str) -> String {
    format!(
        "[study]\nname = \"shop\"\nrepeats = {repeats}\n{targets}\
         [[test]]\nname = \"shop\"\nworkload = \"transactions\"\n{test}"
    )
}

fn loads(place: &Workplace) -> Vec<(TrialRecord, LoadResult)> {
    let trials = place.store().dataset().unwrap().trials;
    let load = |record: TrialRecord| {
        let load = record.load().unwrap_or_else(|| panic!("{record:?}")).clone();
        (record, load)
    };
    trials.into_iter().map(load).collect()
}

fn named<'a>(all: &'a [NamedResult], name: &str) -> &'a NamedResult {
    all.iter().find(|one| one.name == name).unwrap_or_else(|| panic!("no {name} in {all:?}"))
}

#[test]
fn two_targets_are_compared_by_transaction_and_statement_in_every_report() {
    let (with, without) = (shop(true), shop(false));
    let place = Workplace::new();
    place.write("browse.sql", BROWSE);
    place.write("checkout.sql", CHECKOUT);
    let targets = target("without", &without) + &target("with", &with);
    let test = "set = { customers = 1000 }\nclients = [4]\nwarmup = \"300ms\"\nduration = \"8s\"\n\
         writes = true\n\
         [[test.transaction]]\nscript = \"browse.sql\"\nweight = 9\nslo = \"p95 < 10s\"\n\
         [[test.transaction]]\nname = \"checkout\"\nscript = \"checkout.sql\"\nslo = \"max < 1us\"\n";
    place.write("shop.toml", study(3, &targets, test));
    let refused = place.weighin(&["run", "shop.toml"]);
    refused.refused(3, &["may change data on without", "--allow-writes"]);
    let checked = place.weighin(&["check", "shop.toml", "--allow-writes"]).done();
    assert!(checked.contains("SELECT orders reads all of the table orders"), "{checked}");
    place.weighin(&["run", "shop.toml", "--allow-writes"]).done();
    for (record, load) in loads(&place) {
        // Every statement that it counts, the server counted too.
        let sampling = &record.sampling;
        let grown = |name: &str| {
            let of = |reading: &Option<model::CounterReading>| {
                reading.as_ref().and_then(|r| r.counters.get(name).copied()).unwrap()
            };
            of(&sampling.after) - of(&sampling.before)
        };
        for (counter, count) in load.requests.expected() {
            assert_eq!(u64::try_from(grown(counter)).unwrap(), count, "{counter}");
        }
        let (browse, checkout) =
            (named(&load.by_transaction, "browse"), named(&load.by_transaction, "checkout"));
        assert_eq!(browse.ok + checkout.ok, load.measure.transactions);
        // A binomial share of 0.9: six standard deviations.
        let all = load.measure.transactions as f64;
        let share = browse.ok as f64 / all;
        assert!((share - 0.9).abs() < 6.0 * (0.09 / all).sqrt(), "{share} of {all}");
        let statements: u64 = load.by_statement.iter().map(|one| one.ok).sum();
        assert_eq!(statements, load.measure.queries);
        let orders = named(&load.by_statement, "SELECT orders");
        assert!(orders.rows > 3 * orders.ok && orders.rows <= 5 * orders.ok, "{orders:?}");
        let update = named(&load.by_statement, "UPDATE customer");
        assert_eq!((update.rows, update.failed), (update.ok, 0));
    }
    let store = place.files(".weighin").remove(0);
    let report = |format: &str| {
        place.weighin(&["report", "--format", format, store.to_str().unwrap()]).done()
    };
    let json: Value = serde_json::from_str(&report("json")).unwrap();
    let of_test = &json["tests"][0];
    let cell = &of_test["items"][0];
    assert_eq!(cell["transactions"][0]["name"], "browse");
    assert_eq!(cell["transactions"][0]["slo"]["met"], true);
    assert_eq!(cell["transactions"][1]["slo"]["met"], false);
    let comparisons = of_test["item_comparisons"].as_array().unwrap();
    let of_orders = |one: &&Value| one["name"] == "SELECT orders" && one["of"] == "statement";
    assert_eq!(comparisons.iter().filter(of_orders).count(), 2, "mean and p95");
    // Two transactions and six statements in each of six trials.
    assert_eq!(json["named"].as_array().unwrap().len(), 6 * 8 + 6);
    // A whole table against an index; whether few trials resolve it, the machine decides.
    let mean = comparisons.iter().find(of_orders).unwrap();
    assert!(mean["ratio"]["point"].as_f64().unwrap() < 0.9, "{mean}");
    let html = std::fs::read_to_string(place.files(".html").remove(0)).unwrap();
    for (format, text) in [("markdown", report("markdown")), ("html", html)] {
        for part in
            ["Plans that differ between targets", "key customer", "Transactions", "checkout"]
        {
            assert!(text.contains(part), "no {part} in {format}");
        }
    }
    assert!(report("csv").contains("done of checkout="));
}

#[test]
fn what_is_wrong_with_a_script_is_said_with_its_place() {
    let server = shop(true);
    let place = Workplace::new();
    let of = |keys: &str| {
        let test = format!("clients = [1]\nduration = \"1s\"\n[[test.transaction]]\n{keys}\n");
        place.write("shop.toml", study(1, &target("t", &server), &test));
        place.weighin(&["check", "shop.toml"])
    };
    place.write("wrong.sql", "SELECT 1;\n\\set x randon(1, 2)\nSELECT :x;\n");
    of("script = \"wrong.sql\"").refused(2, &["`wrong` cannot be run", "wrong.sql:2:"]);
    of("script = \"absent.sql\"").refused(2, &["absent.sql cannot be read"]);
    of("name = \"w\"\nsql = \"UPDATE customer SET balance = 1\"")
        .refused(2, &["may change data", "writes = true"]);
    let unknown = of("name = \"u\"\nsql = \"SELECT nothing FROM customer WHERE id = 1\"");
    assert_eq!(unknown.code, Some(3), "{}", unknown.out);
    assert!(unknown.out.contains("SELECT customer would fail"), "{}", unknown.out);
}

#[test]
fn the_server_lets_scripts_change_nothing_that_only_seem_to_read() {
    let server = shop(true);
    server.execute(
        "CREATE FUNCTION spend() RETURNS INT MODIFIES SQL DATA BEGIN \
         UPDATE customer SET balance = 0; RETURN 1; END",
    );
    let place = Workplace::new();
    place.write("spend.sql", "SELECT spend();\n");
    let ran = server.weighin(&place, "load", &["--script", "spend.sql", "--duration", "1s"]);
    ran.refused(3, &["1792"]);
    assert_eq!(server.query("SELECT MIN(balance) FROM customer"), ["1000"]);
}

#[test]
fn deadlocks_are_done_again_and_counted_and_a_statement_that_fails_is_named() {
    let server = shop(true);
    let place = Workplace::new();
    // Two rows in either order.
    let transfer = "\\set from random(1, 2)\n\\set to 3 - :from\nBEGIN;\n\
         UPDATE customer SET balance = balance - 1 WHERE id = :from;\n\
         UPDATE customer SET balance = balance + 1 WHERE id = :to;\nCOMMIT;\n";
    place.write("transfer.sql", transfer);
    place.write("twice.sql", "INSERT INTO customer VALUES (1, 'x', 1);\n");
    let test = "clients = [8]\ntransactions = 2_000\nwarmup = \"0s\"\nwrites = true\non_error = \"ignore\"\n\
         [[test.transaction]]\nscript = \"transfer.sql\"\nweight = 4\nretry = \"deadlock\"\n\
         [[test.transaction]]\nscript = \"twice.sql\"\n";
    place.write("shop.toml", study(1, &target("t", &server), test));
    place.weighin(&["run", "shop.toml", "--allow-writes"]).done();
    let (_, load) = loads(&place).remove(0);
    let transfer = named(&load.by_transaction, "transfer");
    assert!(transfer.retries > 0, "{transfer:?}");
    assert_eq!(transfer.errors[0].code, "1213");
    // Money neither comes nor goes.
    assert_eq!(server.query("SELECT SUM(balance) FROM customer WHERE id < 3"), ["2000"]);
    let twice = named(&load.by_transaction, "twice");
    assert!(twice.failed > 0 && twice.ok == 0, "{twice:?}");
    let insert = named(&load.by_statement, "INSERT customer");
    assert_eq!((insert.errors[0].code.as_str(), insert.ok), ("1062", 0));
}

#[test]
fn scripts_of_the_command_line_run_by_the_same_rules() {
    let server = shop(true);
    let place = Workplace::new();
    place.write("browse.sql", BROWSE);
    place.write("checkout.sql", CHECKOUT);
    let arguments = |more: &[&'static str]| {
        let mut all = vec![
            "--script", "browse.sql@3", "--script", "checkout.sql", "--set", "customers=1000",
            "--clients", "2", "--transactions", "200", "--json",
        ];
        all.extend(more);
        all
    };
    server
        .weighin(&place, "load", &arguments(&[]))
        .refused(2, &["may change data", "--allow-writes"]);
    for more in [&["--allow-writes"][..], &["--allow-writes", "--prepared=false"]] {
        let json = server.weighin(&place, "load", &arguments(more)).json();
        let names = json["transactions_by_name"].as_array().unwrap();
        let counts: u64 = names.iter().map(|one| one["count"].as_u64().unwrap()).sum();
        assert_eq!(names[1]["transaction"], "checkout");
        assert_eq!(Some(counts), json["transactions"].as_u64());
        assert!(
            json["checks"]["passed"].as_array().unwrap().iter().any(|c| c == "server_counters")
        );
    }
    // A colon within quotes is no variable.
    let notes = server.query("SELECT DISTINCT note FROM orders WHERE note IS NOT NULL");
    assert_eq!(notes, ["it's :had"]);
}

/// The server counts them like those that clients send.
#[test]
fn statements_of_procedures_functions_and_triggers_are_nobody_elses() {
    let server = shop(true);
    for sql in [
        "CREATE TABLE changes (customer INT, total INT)",
        "CREATE TRIGGER noted AFTER INSERT ON orders FOR EACH ROW \
         INSERT INTO changes VALUES (NEW.customer, NEW.total)",
        "CREATE FUNCTION had(c INT) RETURNS INT READS SQL DATA \
         RETURN (SELECT balance FROM customer WHERE id = c)",
        "CREATE PROCEDURE pay(c INT, t INT) BEGIN DECLARE n INT DEFAULT 0; \
         SELECT COUNT(*) INTO n FROM orders WHERE customer = c; \
         UPDATE customer SET balance = balance - t WHERE id = c; \
         INSERT INTO orders (customer, total) VALUES (c, t); END",
    ] {
        server.execute(sql);
    }
    let place = Workplace::new();
    let script = "\\set c random(1, 1000)\nCALL pay(:c, 5);\nSELECT had(:c);\n\
                  INSERT INTO orders (customer, total) VALUES (:c, 7);\n";
    place.write("pay.sql", script);
    for prepared in ["--prepared=true", "--prepared=false"] {
        let all = ["--script", "pay.sql", "--clients", "2", "--transactions", "200", "--json"];
        let all = [&all[..], &["--allow-writes", prepared]].concat();
        let checks = &server.weighin(&place, "load", &all).json()["checks"];
        let passed = checks["passed"].as_array().unwrap();
        assert!(passed.iter().any(|check| check == "server_counters"), "{checks:#}");
    }
}

#[test]
fn values_come_from_a_file_and_an_answer_without_its_row_is_an_error_of_the_statement() {
    let server = shop(true);
    let place = Workplace::new();
    // Every fifth id is that of no customer.
    let id = |number: u32| if number.is_multiple_of(5) { number + 10_000 } else { number };
    let ids: String = (1..=1000).map(|number| format!("\"a, b\",{}\n", id(number))).collect();
    place.write("ids.csv", format!("note,id\n{ids}"));
    let script = "\\values customer ids.csv id\nBEGIN;\n\
         SELECT balance FROM customer WHERE id = :customer \\gset\n\
         \\if :balance = 1000\n-- name: as it was\nSELECT :balance + 0;\n\\endif\nCOMMIT;\n";
    place.write("look.sql", script);
    let test = "clients = [2]\nwarmup = \"0s\"\ntransactions = 500\non_error = \"ignore\"\n\
         [[test.transaction]]\nscript = \"look.sql\"\n";
    place.write("shop.toml", study(1, &target("shop", &server), test));
    place.weighin(&["run", "shop.toml"]).done();
    let (_, load) = loads(&place).remove(0);
    let select = named(&load.by_statement, "SELECT customer");
    let [error] = &select.errors[..] else { panic!("{select:?}") };
    assert_eq!(error.code, "gset");
    // Each of two clients may have one under way when the measurement ends: errors are of all phases, and
    // its transaction may fail only then.
    let about_as_many = |one: u64, other: u64| one.abs_diff(other) <= 2;
    assert!(about_as_many(error.count, select.failed), "{select:?}");
    // A binomial share of 0.2: six standard deviations.
    let all = (select.ok + select.failed) as f64;
    let share = select.failed as f64 / all;
    assert!((share - 0.2).abs() < 6.0 * (0.16 / all).sqrt(), "{share} of {all}");
    // The transaction that it is in fails with it, and each has its rollback: none hangs.
    let look = named(&load.by_transaction, "look");
    assert!(about_as_many(look.failed, select.failed), "{look:?} {select:?}");
    let as_it_was = named(&load.by_statement, "as it was");
    assert!(about_as_many(as_it_was.ok, select.ok) && as_it_was.failed == 0, "{as_it_was:?}");
}

/// A server that refuses to change a row which another transaction has changed since it was read: with
/// retries nothing is lost.
#[test]
fn a_record_that_was_changed_since_it_was_read_is_a_conflict_that_is_retried() {
    let server = Server::start_from(fetched(MARIADB));
    for sql in [
        "SET GLOBAL innodb_snapshot_isolation = 1",
        "CREATE TABLE counter (id INT PRIMARY KEY, v INT NOT NULL)",
        "INSERT INTO counter VALUES (1, 0)",
    ] {
        server.execute(sql);
    }
    let place = Workplace::new();
    let test = "clients = 8\nwarmup = \"0s\"\ntransactions = 300\nwrites = true\n\
         [[test.transaction]]\nname = \"count\"\nretry = \"deadlock\"\nsql = \"\"\"BEGIN;\n\
         SELECT v FROM counter WHERE id = 1 \\\\gset\n\
         UPDATE counter SET v = :v + 1 WHERE id = 1;\nCOMMIT;\n\"\"\"\n";
    place.write("count.toml", study(1, &target("t", &server), test));
    place.weighin(&["run", "count.toml", "--allow-writes"]).done();
    let (_, load) = loads(&place).remove(0);
    let counted = named(&load.by_transaction, "count");
    assert_eq!((counted.ok, load.ledger.failed), (300, 0), "{:?}", load.errors);
    let update = named(&load.by_statement, "UPDATE counter");
    let changed = update.errors.iter().find(|error| error.code == "1020");
    assert!(changed.is_some_and(|one| one.class == ErrorClass::Conflict), "{:?}", update.errors);
    assert!(counted.retries >= changed.unwrap().count, "{counted:?}");
    assert_eq!(server.query("SELECT v FROM counter"), ["300"]);
}
