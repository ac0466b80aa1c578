//! Logs of a real server, in each of its formats, as drafts read them.

use crate::support::Server;
use std::path::Path;
use std::time::{Duration, Instant};

/// The last statement of those that are logged.
const LAST: &str = "SELECT 'the last'";

fn ask(server: &Server) {
    let mut connection = server.connect();
    connection.execute("CREATE TABLE t (id int, \"a b\" text)").unwrap();
    for number in 1..=3 {
        connection
            .execute(&format!("SELECT id FROM t -- who, \"where\"\n WHERE id = {number}"))
            .unwrap();
    }
    connection
        .execute("INSERT INTO t VALUES (1, 'it''s; \"quoted\",\nin lines\n2026-01-01,')")
        .unwrap();
    connection.execute("SELECT \"a b\", $x$ , $x$ FROM t WHERE id = ANY('{1,2}'::int[])").unwrap();
    assert!(connection.execute("SELECT nothing FROM t").is_err());
    let file = server.file("prepared.sql", "SELECT id FROM t WHERE id = :client_id + 1;\n");
    let ran = server.pgbench(&["-M", "prepared", "-t", "4", "-f", &file]);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    connection.execute(LAST).unwrap();
}

/// The log with that end of its name, once the last statement is in it.
fn log(directory: &Path, end: &str) -> String {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let entries = std::fs::read_dir(directory).into_iter().flatten().flatten();
        let texts = entries
            .map(|entry| entry.path())
            .filter(|path| path.extension().is_some_and(|own| own == end))
            .map(|path| std::fs::read_to_string(path).unwrap_or_default());
        if let Some(text) = texts.into_iter().find(|text| text.contains(LAST)) {
            return text;
        }
        assert!(Instant::now() < deadline, "no {end} in {}", directory.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn every_format_of_a_log_tells_the_same_statements() {
    for (destination, end) in [("stderr", "log"), ("csvlog", "csv"), ("jsonlog", "json")] {
        let server = Server::start(
            &[
                ("logging_collector", "on"),
                ("log_destination", destination),
                ("log_min_duration_statement", "0"),
            ],
            "",
        );
        ask(&server);
        let read = postgres::fuzzing::log(&log(&server.data().join("log"), end));
        let mut statements: Vec<(String, u64)> = read
            .statements
            .into_iter()
            .map(|one| (one.text, one.count))
            .filter(|(text, _)| text.contains(" t ") || text.contains(" t("))
            .collect();
        statements.sort();
        assert_eq!(
            statements,
            [
                ("CREATE TABLE t (id int, \"a b\" text)".to_owned(), 1),
                ("INSERT INTO t VALUES (...)".to_owned(), 1),
                ("SELECT \"a b\", ? FROM t WHERE id = ANY(?::int[])".to_owned(), 1),
                ("SELECT id FROM t WHERE id = ?".to_owned(), 3),
                ("SELECT id FROM t WHERE id = ? + ?".to_owned(), 4),
            ],
            "{destination}"
        );
    }
}
