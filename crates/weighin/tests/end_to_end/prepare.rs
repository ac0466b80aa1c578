//! Making the tables, and never touching anybody else's.

use crate::support::{Server, Workplace, wait_for};

const LOAD: [&str; 6] =
    ["--workload", "oltp_read_write", "--transactions", "20", "--table-size", "1000"];

#[test]
fn tables_are_made_whole_and_once() {
    let place = Workplace::new();
    let server = Server::start();
    let tables = ["--tables", "3", "--table-size", "2500", "--threads", "2"];
    let said = server.weighin(&place, "prepare", &tables).done();
    assert!(said.contains("Made 3 tables with 7,500 rows"), "{said}");
    for table in ["sbtest1", "sbtest2", "sbtest3"] {
        let sql = format!("SELECT COUNT(*), MIN(id), MAX(id) FROM {table}");
        assert_eq!(server.query(&sql), ["2500\t1\t2500"]);
    }
    let sums = "CHECKSUM TABLE sbtest1, sbtest2, sbtest3";
    let made = server.query(sums);
    let again = server.weighin(&place, "prepare", &tables).done();
    assert!(again.contains("All tables are there"), "{again}");
    assert_eq!(server.query(sums), made);
}

#[test]
fn tables_of_another_size_are_made_anew() {
    let place = Workplace::new();
    let server = Server::start();
    for size in ["500", "800"] {
        server.weighin(&place, "prepare", &["--table-size", size]).done();
        assert_eq!(server.query("SELECT COUNT(*) FROM sbtest1"), [size]);
    }
}

#[test]
fn a_server_that_takes_no_local_files_gets_the_same_rows() {
    let place = Workplace::new();
    let [with, without] = ["1", "0"].map(|allowed| {
        let server = Server::start_with(&[("local_infile", allowed)]);
        server.weighin(&place, "prepare", &["--table-size", "9000"]).done();
        server.query("CHECKSUM TABLE sbtest1")
    });
    assert_eq!(with, without);
}

#[test]
fn a_database_that_holds_other_tables_is_left_as_it_is() {
    let place = Workplace::new();
    let server = Server::start();
    server.execute("CREATE TABLE orders (id INT)");
    server.execute("INSERT INTO orders VALUES (7)");
    let refused = server.weighin(&place, "prepare", &["--tables", "2"]);
    refused.refused(3, &["sbtest", "orders", "did not make", "CREATE DATABASE"]);
    assert_eq!(server.query("SHOW TABLES"), ["orders"]);
    assert_eq!(server.query("SELECT * FROM orders"), ["7"]);
}

#[test]
fn only_tables_of_our_own_are_dropped_unless_others_are_named() {
    let place = Workplace::new();
    let server = Server::start();
    server.weighin(&place, "prepare", &["--tables", "2", "--table-size", "100"]).done();
    server.execute("CREATE TABLE sbtest3 LIKE sbtest1");
    server.execute("ALTER TABLE sbtest3 COMMENT = ''");
    server.execute("CREATE TABLE orders (id INT)");

    for (name, words) in [("orders", "never drops"), ("sbtest9", "no table sbtest9")] {
        server.weighin(&place, "cleanup", &["--also", name]).refused(3, &[words]);
    }
    assert_eq!(server.query("SHOW TABLES").len(), 4, "nothing may go before all names are right");

    let said = server.weighin(&place, "cleanup", &[]).done();
    assert!(said.contains("Dropped 2 tables: sbtest1, sbtest2"), "{said}");
    assert!(said.contains("--also sbtest3"), "{said}");
    assert_eq!(server.query("SHOW TABLES"), ["orders", "sbtest3"]);

    let said = server.weighin(&place, "cleanup", &["--also", "sbtest3"]).done();
    assert!(said.contains("Dropped sbtest3"), "{said}");
    assert_eq!(server.query("SHOW TABLES"), ["orders"]);
}

#[test]
fn a_study_is_cleaned_up_on_all_its_targets() {
    let (place, server) = (Workplace::new(), Server::start());
    server.weighin(&place, "prepare", &["--tables", "2", "--table-size", "100"]).done();
    server.execute("CREATE TABLE orders (id INT)");
    let login = format!("password_file = {:?}", server.password_file());
    let study = crate::support::server_study(&server.url(), 1, &login);
    let more = "[[target]]\nname = \"private\"\nsandbox = {}\n\n[[target]]\nname = \"cloud\"\n\
                instance = { up = [\"false\"], down = [\"true\"], trusted = true }\n\n\
                [[target]]\nname = \"gone\"\n\
                url = \"mysql://nobody@127.0.0.1:1/x\"\n\n[[test]]";
    place.write("study.toml", study.replacen("[[test]]", more, 1));
    let ran = place.weighin(&["cleanup", "study.toml"]);
    assert_eq!(
        ran.out,
        "server: Dropped 2 tables: sbtest1, sbtest2.\n\
         private: Nothing is left of private servers of earlier runs.\n\
         cloud: It comes up for a run alone, and what weighin made goes with it.\n"
    );
    assert_eq!(server.query("SHOW TABLES"), ["orders"]);
    ran.refused(3, &["gone: ", "127.0.0.1:1"]);
    place.weighin(&["cleanup", "study.toml", "--tls", "off"]).refused(2, &["is a study"]);
    place.weighin(&["cleanup", "nowhere.toml"]).refused(2, &["nowhere.toml"]);
}

#[test]
fn an_interrupted_preparation_is_finished_the_next_time() {
    let place = Workplace::new();
    let server = Server::start();
    let (url, password) = (server.url(), server.password_file());
    let password = password.to_str().unwrap();
    let size = ["--tables", "2", "--table-size", "1000000"];
    let mut arguments = vec!["prepare", &url, "--password-file", password];
    arguments.extend(size);
    let preparing = place.start(&arguments);
    wait_for("a table", || !server.query("SHOW TABLES").is_empty());
    preparing.signal("INT");
    let ran = preparing.end();
    ran.refused(130, &["stopped", "weighin prepare"]);

    let load = server.weighin(&place, "load", &LOAD);
    load.refused(3, &["unfinished", "weighin prepare URL"]);

    server.weighin(&place, "prepare", &["--tables", "2", "--table-size", "1000"]).done();
    server.weighin(&place, "load", &LOAD).done();
}
