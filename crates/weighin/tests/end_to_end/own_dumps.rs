//! Dumps as the data of a workload, as a server's own tool writes them.

use crate::postgres;
use crate::support::{Ran, Workplace};
use std::process::Command;

/// A study of one target whose data is `dump.sql`, with a query that must give what it gave where the dump is
/// from.
fn study(target: &str, sum: &str, gives: &str) -> String {
    format!(
        r#"[study]
name = "dumped"
repeats = 1
[[target]]
name = "copy"
{target}
[[test]]
workload = "transactions"
setup = "dump.sql"
clients = 2
transactions = 20
warmup = "0s"
writes = true
restore = "none"
[[test.transaction]]
name = "write"
sql = "INSERT INTO note (body) VALUES ('new')"
[[test.invariant]]
name = "the rows are those of the dump"
sql = "{sum}"
gives = "{gives}"
[[test.invariant]]
name = "numbers go on"
sql = "SELECT COUNT(*) FROM note WHERE id > 5 AND body = 'new'"
gives = 20
"#
    )
}

fn runs(place: &Workplace, study: &str, password: &str) {
    place.write("dumped.toml", study);
    let mut command = place.command(&["run", "dumped.toml", "--allow-writes"]);
    command.env("SECRET", password);
    let ran = Ran::of(command);
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let trials = place.store().dataset().unwrap().trials;
    let data = trials[0].outcome().unwrap().data.clone().unwrap();
    assert_eq!((data.checked, data.broken), (2, Vec::new()));
    place.assert_no_server_left();
}

fn dump(place: &Workplace, mut command: Command) {
    let made = command.output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    place.write("dump.sql", made.stdout);
}

#[test]
fn a_dump_of_postgresql_is_data_with_its_rows_sequences_and_keys() {
    const SUM: &str = "SELECT md5(string_agg(note::text, '|' ORDER BY id)) FROM note WHERE id <= 5";
    let server = postgres::Server::start(&[]);
    server.ask(
        "CREATE EXTENSION pg_trgm; CREATE TABLE note (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, body text, raw bytea, \
         at timestamp DEFAULT '2026-01-01', amount numeric(8, 2), tags text[]); \
         CREATE INDEX by_body ON note USING gin (body gin_trgm_ops); \
         CREATE TABLE \"Line\" (note_id int NOT NULL REFERENCES note (id), \"Of\" int); \
         CREATE FUNCTION half(x int) RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN x / 2; END'; \
         INSERT INTO note (body, raw, amount, tags) VALUES \
         (E'a\\ttab, a\\nline and a \\\\ backslash', '\\x00ff5c', 1.50, ARRAY['a', 'b ; c']), \
         ('it''s; -- no comment', NULL, -2, '{}'), ('', '', NULL, NULL), (E'\\\\.', NULL, 0, NULL), \
         ('Grüße', NULL, 3, NULL); \
         INSERT INTO \"Line\" SELECT id, 10 * id FROM note",
    );
    let gives = server.ask(SUM);
    let password = server.sandbox.password().reveal();
    let place = Workplace::new();
    let mut dumped = Command::new("pg_dump");
    dumped.args(["--no-owner", "--no-privileges", &server.url("weighin")]);
    dumped.env("PGPASSWORD", password);
    dump(&place, dumped);
    let private = "kind = \"postgresql\"\nsandbox = { trusted = true }";
    runs(&place, &study(private, SUM, &gives), "");
    // The same on a server that runs already, in a database of its own: there an extension would stay.
    server.ask("CREATE DATABASE copy");
    let url = server.url("weighin").replace("/sbtest", "/copy");
    let target = format!("url = \"{url}\"\npassword_env = \"SECRET\"");
    std::fs::remove_file(place.files(".weighin").remove(0)).unwrap();
    place.write("dumped.toml", study(&target, SUM, &gives));
    let mut command = place.command(&["run", "dumped.toml", "--allow-writes"]);
    command.env("SECRET", password);
    let ran = Ran::of(command);
    assert!(ran.code != Some(0), "{}", ran.out);
    assert!(
        ran.err.contains("CREATE EXTENSION") && ran.err.contains("extension stays"),
        "{}",
        ran.err
    );
    let mut psql = Command::new("psql");
    psql.args(["-X", "-c", "CREATE EXTENSION pg_trgm", &url]).env("PGPASSWORD", password);
    assert!(psql.output().unwrap().status.success());
    let dumped = std::fs::read_to_string(place.path("dump.sql")).unwrap();
    let lines = dumped.lines().filter(|line| !line.contains("EXTENSION"));
    place.write("dump.sql", lines.flat_map(|line| [line, "\n"]).collect::<String>());
    place.files(".weighin").into_iter().for_each(|file| std::fs::remove_file(file).unwrap());
    runs(&place, &study(&target, SUM, &gives), password);
}
