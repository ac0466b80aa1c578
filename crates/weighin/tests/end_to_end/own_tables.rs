//! Tables of the user's own that are made otherwise on one target than on another.

use crate::postgres;
use crate::support::{Ran, Server, Workplace};

/// What `check` says of a study of two databases, whose one transaction reads `orders`.
fn checked(urls: [&str; 2], password: &str) -> String {
    let target = |(name, url): (&str, &str)| {
        format!("[[target]]\nname = \"{name}\"\nurl = \"{url}\"\npassword_env = \"SECRET\"\n")
    };
    let targets: String = ["a", "b"].into_iter().zip(urls).map(target).collect();
    let place = Workplace::new();
    place.write(
        "tables.toml",
        format!(
            "[study]\nname = \"tables\"\n{targets}[[test]]\nworkload = \"transactions\"\nclients = 1\n\
             [[test.transaction]]\nname = \"look\"\nsql = \"SELECT total FROM orders WHERE id = 1\"\n"
        ),
    );
    let mut command = place.command(&["check", "tables.toml"]);
    command.env("SECRET", password);
    Ran::of(command).done().split_whitespace().collect::<Vec<_>>().join(" ")
}

const DIFFER: &str = "the targets differ in tables that the statements use";

#[test]
fn another_engine_index_or_trigger_of_mariadb_is_told_before_a_run() {
    let server = Server::start();
    server.execute("CREATE DATABASE other");
    for database in ["sbtest", "other"] {
        for sql in [
            "CREATE TABLE {}.orders (id INT PRIMARY KEY, customer INT, total INT, \
             KEY a (customer, total))",
            "CREATE TABLE {}.unused (id INT PRIMARY KEY)",
        ] {
            server.execute(&sql.replace("{}", database));
        }
    }
    let urls = [server.url(), server.url_of("weighin", "other")];
    let checked = || checked([&urls[0], &urls[1]], server.password());
    let said = checked();
    assert!(!said.contains(DIFFER), "{said}");
    for sql in [
        "ALTER TABLE other.orders RENAME INDEX a TO b",
        "CREATE INDEX c ON sbtest.orders (total)",
        "ALTER TABLE other.orders ENGINE = Aria",
        "CREATE TRIGGER other.spent BEFORE INSERT ON other.orders FOR EACH ROW SET @a = 1",
        // No statement uses it.
        "ALTER TABLE other.unused ENGINE = Aria",
    ] {
        server.execute(sql);
    }
    let said = checked();
    let differences = "orders is kept by Aria on b and by InnoDB on a; \
                       orders has the index (total) on a, and not on b; \
                       orders has the trigger spent (before insert) on b, and not on a";
    assert!(said.contains(&format!("{DIFFER}: {differences} =")), "{said}");
}

#[test]
fn a_table_without_a_log_another_index_or_trigger_of_postgresql_is_told_before_a_run() {
    let server = postgres::Server::start(&[]);
    let table = "CREATE TABLE orders (id int PRIMARY KEY, customer int, total int); \
                 CREATE INDEX ON orders (customer, lower(total::text)) WHERE total > 0;";
    server.ask(table);
    let urls = [server.url("weighin"), server.url("weighin").replace("/sbtest", "/other")];
    server.ask("CREATE DATABASE other");
    let other = |sql: &str| {
        let mut psql = std::process::Command::new("psql");
        psql.args(["-X", "-v", "ON_ERROR_STOP=1", "-c", sql, &urls[1]]);
        let output = psql.env("PGPASSWORD", server.sandbox.password().reveal()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    other(table);
    let checked = || checked([&urls[0], &urls[1]], server.sandbox.password().reveal());
    let said = checked();
    assert!(!said.contains(DIFFER), "{said}");
    other(
        "ALTER TABLE orders SET UNLOGGED; CREATE INDEX ON orders USING hash (customer); \
         CREATE FUNCTION spend() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'; \
         CREATE TRIGGER spent BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION spend()",
    );
    let said = checked();
    let differences = "orders is kept by heap on a and by heap without log on b; \
                       orders has the index hash (customer) on b, and not on a; \
                       orders has the trigger spent on b, and not on a";
    assert!(said.contains(&format!("{DIFFER}: {differences} =")), "{said}");
}
