//! Studies that are drafted from a server: they run as they are, say what was guessed, and change nothing.

use crate::support::{Server, Workplace};
use std::process::Command;

/// A shop whose statements the server knows.
fn shop() -> Server {
    let server = Server::start_with(&[("performance_schema", "ON")]);
    for sql in [
        "CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(50), email VARCHAR(60) UNIQUE)",
        "INSERT INTO customer SELECT seq, CONCAT('c', seq), CONCAT('c', seq, '@secret.example') \
         FROM seq_1_to_300",
        "CREATE TABLE orders (id INT AUTO_INCREMENT PRIMARY KEY, customer_id INT NOT NULL, total INT, \
         KEY by_customer (customer_id))",
        "INSERT INTO orders (customer_id, total) SELECT 1 + seq % 300, seq FROM seq_1_to_2000",
        "CREATE TABLE nothing (id INT)",
    ] {
        server.execute(sql);
    }
    server.execute("ANALYZE TABLE customer, orders");
    server.execute("TRUNCATE performance_schema.events_statements_summary_by_digest");
    for number in 1..=20 {
        server.query(&format!("SELECT name FROM customer WHERE id = {number}"));
        server.query(&format!("SELECT id FROM customer WHERE email = 'c{number}@secret.example'"));
    }
    for number in 1..=5 {
        server.query(&format!(
            "SELECT o.id, c.name FROM orders o JOIN customer c ON c.id = o.customer_id \
             WHERE o.customer_id IN ({number}, 7) ORDER BY o.total DESC LIMIT 5"
        ));
        server.query(&format!("SELECT SUM(total) FROM orders WHERE id BETWEEN {number} AND 90"));
        server.execute(&format!("INSERT INTO orders (customer_id, total) VALUES ({number}, 1)"));
        server.execute(&format!("UPDATE orders SET total = total + 1 WHERE id = {number}"));
        server.query(&format!("SELECT LEFT(name, {number}) FROM customer WHERE id = 3"));
    }
    server
}

fn init(place: &Workplace, server: &Server, more: &[&str]) -> String {
    let (url, password) = (server.url(), server.password_file());
    let from = ["init", "--from-url", &url, "--password-file", password.to_str().unwrap()];
    place.weighin(&[&from, more].concat()).done()
}

#[test]
fn a_draft_runs_as_it_is_and_says_what_it_guessed() {
    let server = shop();
    let place = Workplace::new();
    let said = init(&place, &server, &["drafted.toml"]);
    assert!(said.contains("6 statements drafted, of which 4 only read"), "{said}");
    assert_eq!(server.query("SELECT COUNT(*) FROM orders"), ["2005"]);
    assert_eq!(server.query("SELECT SUM(total) FROM orders"), ["2001010"]);
    let drafted = std::fs::read_to_string(place.path("drafted.toml")).unwrap();
    for part in [
        "Guessed: customer.id: 1 to 300, all as likely as any other.",
        "\\set v1 random(1, 300)",
        "\\values v1 = SELECT `email` FROM `customer`",
        "# name = \"INSERT orders\"",
        "#   orders: 2",
        "no column is seen from which the value of «LEFT",
    ] {
        assert!(drafted.contains(part), "no {part} in {drafted}");
    }
    assert!(!drafted.contains("secret.example"), "{drafted}");
    place.weighin(&["check", "drafted.toml"]).done();
    let short =
        drafted.replace("warmup = \"5s\"", "warmup = \"0s\"").replace("repeats = 3", "repeats = 1");
    place.write("short.toml", short.replace("duration = \"30s\"", "transactions = 200"));
    place.weighin(&["run", "short.toml"]).done();
    for record in place.store().dataset().unwrap().trials {
        let load = record.load().unwrap();
        assert_eq!((load.ledger.ok, load.ledger.failed), (200, 0), "{:?}", load.errors);
        assert!(load.by_transaction.len() == 4, "{:?}", load.by_transaction);
    }
    // Its writes run where they are meant.
    let marks = |line: &str| match line.strip_prefix("# ") {
        Some(plain) if line.starts_with("# writes = true") => format!("{plain}\n"),
        _ => format!("{line}\n"),
    };
    let mut written: String = drafted.lines().map(marks).collect();
    for (at, _) in drafted.match_indices("# [[test.transaction]]") {
        let block: String = drafted[at..]
            .lines()
            .take_while(|line| line.starts_with("# "))
            .collect::<Vec<_>>()
            .join("\n");
        written = written.replace(&block, &block.replace("\n# ", "\n").replacen("# ", "", 1));
    }
    place.write("writes.toml", written.replace("duration = \"30s\"", "transactions = 100"));
    place.weighin(&["check", "writes.toml", "--allow-writes"]).done();
    // Nothing is overwritten.
    let url = server.url();
    let password = server.password_file();
    place
        .weighin(&[
            "init",
            "--from-url",
            &url,
            "--password-file",
            password.to_str().unwrap(),
            "drafted.toml",
        ])
        .refused(2, &["drafted.toml"]);
}

#[test]
fn statements_come_from_a_slow_log_where_one_is_given() {
    let server = shop();
    let place = Workplace::new();
    place.write(
        "slow.log",
        "# Query_time: 0.5  Lock_time: 0\nSET timestamp=1;\nSELECT name FROM customer WHERE id = 5;\n\
         # Query_time: 0.5  Lock_time: 0\nSELECT name FROM customer WHERE id = 'x\u{1b}[31m';\n\
         # Query_time: 0.1  Lock_time: 0\nSELECT absent FROM customer WHERE id = 5;\n\
         # Query_time: 0.1  Lock_time: 0\nSELECT id FROM customer ORDER BY id LIMIT 20 OFFSET 5;\n",
    );
    let drafted = init(&place, &server, &["--slow-log", "slow.log", "-"]);
    assert!(drafted.contains("# It ran 2 times."), "{drafted}");
    assert!(drafted.contains("Unknown column"), "{drafted}");
    assert!(drafted.contains("ORDER BY id LIMIT 20 OFFSET 5;"), "{drafted}");
    assert!(!drafted.contains('\u{1b}'));
    place.write("drafted.toml", &drafted);
    place.weighin(&["check", "drafted.toml"]).done();
    // As logs are that were rotated.
    let packed =
        Command::new("gzip").arg("-c").arg(place.path("slow.log")).output().unwrap().stdout;
    place.write("slow.log.1.gz", &packed);
    let unpacked = init(&place, &server, &["--slow-log", "slow.log.1.gz", "-"]);
    assert!(unpacked.contains("# It ran 2 times."), "{unpacked}");
    place.write("slow.log.1.gz", &packed[..packed.len() - 9]);
    let (url, password) = (server.url(), server.password_file());
    let from = ["init", "--from-url", &url, "--password-file", password.to_str().unwrap()];
    let cut_off = place.weighin(&[&from[..], &["--slow-log", "slow.log.1.gz", "-"]].concat());
    cut_off.refused(2, &["slow.log.1.gz is damaged or cut off", "with -t"]);
    place.weighin(&["init", "--slow-log", "slow.log"]).refused(2, &["--from-url"]);
}

/// The command line's paths begin where it is typed, and a study's where the study is.
#[test]
fn a_draft_elsewhere_finds_the_password_file_that_the_command_line_named() {
    let server = Server::start();
    server.execute("CREATE TABLE customer (id INT PRIMARY KEY, name VARCHAR(50))");
    server.execute("INSERT INTO customer SELECT seq, 'x' FROM seq_1_to_300");
    let place = Workplace::new();
    std::fs::create_dir(place.path("studies")).unwrap();
    std::fs::copy(server.password_file(), place.path("pw")).unwrap();
    for (study, named) in [
        ("studies/drafted.toml", place.path("pw").display().to_string()),
        ("drafted.toml", "pw".to_owned()),
    ] {
        let from = ["init", "--from-url", &server.url(), "--password-file", "pw", study];
        place.weighin(&from).done();
        let drafted = std::fs::read_to_string(place.path(study)).unwrap();
        assert!(drafted.contains(&format!("password_file = {named:?}")), "{drafted}");
        place.weighin(&["check", study, "--allow-secret", &named]).done();
    }
}
