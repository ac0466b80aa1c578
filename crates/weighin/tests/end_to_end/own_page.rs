//! The page that begins with a slow log and an application: its commands, one after another, on a real server.

use crate::support::{Ran, Server, Workplace};
use std::path::Path;
use std::process::Command;

/// The blocks of commands of the page.
fn commands(page: &str) -> Vec<&str> {
    let blocks = page.split("```sh\n").skip(1);
    blocks.map(|block| block.split("```").next().unwrap()).collect()
}

/// What the page's application asks: views of products, and orders.
fn application(server: &Server) {
    for number in 1..=20 {
        server.query(&format!("SELECT name, price FROM shop.products WHERE id = {number}"));
        server.query(&format!("SELECT quantity FROM shop.stock WHERE product_id = {number}"));
    }
    for number in 1..=4 {
        server.execute(&format!(
            "INSERT INTO shop.orders (customer_id, product_id, quantity) VALUES ({number}, {number}, 1)"
        ));
        server.query(&format!(
            "WITH own AS (SELECT product_id FROM shop.orders WHERE customer_id = {number}) \
             SELECT p.name FROM own JOIN shop.products p ON p.id = own.product_id"
        ));
    }
}

/// How many a trial of the drafted study runs.
const TRANSACTIONS: u64 = 5_000;

/// A study on what was dumped.
const DUMPED: &str = r#"
[study]
name = "dumped"
repeats = 1
[[target]]
name = "it"
sandbox = { trusted = true }
[[test]]
workload = "transactions"
clients = 2
warmup = "0s"
transactions = 50
setup = "shop/all.sql"
transaction = [{ name = "read", sql = "SELECT name FROM products WHERE id = 7" }]
[[test.invariant]]
sql = "SELECT COUNT(*) FROM customers"
gives = 300
"#;

#[test]
fn its_commands_lead_from_a_slow_log_to_a_report() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/own-workload.md");
    let page = std::fs::read_to_string(page).unwrap();
    let server = Server::start();
    let place = Workplace::new();
    std::fs::create_dir(place.path("shop")).unwrap();
    let schema =
        page.split("```sql shop/schema.sql\n").nth(1).unwrap().split("```").next().unwrap();
    server.execute("CREATE DATABASE shop");
    for statement in schema.split(';').map(str::trim).filter(|statement| !statement.is_empty()) {
        server.execute(
            &statement.replace("TABLE ", "TABLE shop.").replace("REFERENCES ", "REFERENCES shop."),
        );
    }
    server
        .execute("INSERT INTO shop.customers SELECT seq, CONCAT('c', seq), NULL FROM seq_1_to_300");
    server.execute("INSERT INTO shop.products SELECT seq, CONCAT('p', seq), seq FROM seq_1_to_300");
    server.execute("INSERT INTO shop.stock SELECT seq, 100 FROM seq_1_to_300");
    // An administrator's option file has who logs in where.
    let socket = server.sandbox.socket().display().to_string();
    let (user, password) = ("weighin", server.password());
    let option_file =
        format!("[client]\nuser = {user}\npassword = \"{password}\"\nsocket = {socket}\n");
    place.write(".my.cnf", &option_file);
    let log = server.query("SELECT @@slow_query_log_file")[0].clone();
    let log = match log.starts_with('/') {
        true => log,
        false => format!("{}/{log}", server.query("SELECT @@datadir")[0].trim_end_matches('/')),
    };

    let run = |line: &str| {
        let line = line
            .replace("mysql://reader@db.internal/shop", &server.url_of(user, "shop"))
            .replace("-h db.internal ", "")
            .replace("/var/log/mysql/slow.log", &log);
        let programs = Path::new(env!("CARGO_BIN_EXE_weighin")).parent().unwrap();
        let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
        let mut command = place.surround(Command::new("sh"));
        command.args(["-c", &line]).env("PATH", path);
        Ran::of(command).done()
    };
    let mut ran = 0;
    for line in commands(&page).into_iter().flat_map(str::lines) {
        match line {
            // The application is at work meanwhile.
            line if line.starts_with("sleep") => application(&server),
            line if line.starts_with("weighin run drafted.toml") => {
                let drafted = std::fs::read_to_string(place.path("drafted.toml")).unwrap();
                assert!(drafted.contains("name = \"SELECT products\""), "{drafted}");
                assert!(drafted.contains("WITH own AS"), "{drafted}");
                assert!(drafted.contains("# name = \"INSERT orders\""), "{drafted}");
                // Of a load of milliseconds a busy machine takes half before it begins, and no trial counts.
                let short = drafted
                    .replace("warmup = \"5s\"", "warmup = \"0s\"")
                    .replace("repeats = 3", "repeats = 1")
                    .replace("duration = \"30s\"", &format!("transactions = {TRANSACTIONS}"));
                place.write("drafted.toml", short);
                let said = run(line);
                assert!(said.contains("SELECT products"), "{said}");
            }
            line => {
                let said = run(line);
                let shows = match line.split_whitespace().next().unwrap() {
                    "mariadb-dumpslow" => "FROM shop.products WHERE id = N",
                    "weighin" if line.contains("init") => "could not be",
                    "weighin" => "The study can run",
                    _ => "",
                };
                assert!(said.contains(shows), "{line}: {said}");
            }
        }
        ran += 1;
    }
    assert_eq!(ran, 8, "every command of the page");
    let dumped = std::fs::read_to_string(place.path("shop/schema.sql")).unwrap();
    assert!(dumped.contains("CREATE TABLE `stock`"), "{dumped}");
    // What was dumped makes the data of private servers.
    run("mariadb-dump shop > shop/all.sql");
    place.write("dumped.toml", DUMPED);
    run("weighin run dumped.toml --store dumped.weighin");
    let records =
        store::Store::open(&place.path("dumped.weighin")).unwrap().dataset().unwrap().trials;
    std::fs::remove_file(place.path("dumped.weighin")).unwrap();
    for record in records {
        assert_eq!(record.load().unwrap().ledger.ok, 50, "{:?}", record.end);
        assert_eq!(record.outcome().unwrap().data.clone().unwrap().broken, Vec::new());
    }
    for record in place.store().dataset().unwrap().trials {
        let load = record.load().unwrap();
        assert_eq!((load.ledger.ok, load.ledger.failed), (TRANSACTIONS, 0), "{:?}", load.errors);
    }
}
