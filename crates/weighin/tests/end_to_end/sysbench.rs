//! Tables of either tool serve the other.

use crate::support::{Server, Workplace, succeed};

const WORKLOADS: [&str; 4] =
    ["oltp_read_write", "oltp_read_only", "oltp_write_only", "oltp_point_select"];

fn sysbench(server: &Server, place: &Workplace, workload: &str, step: &str) -> String {
    let socket = format!("--mysql-socket={}", server.sandbox.socket().display());
    let password = format!("--mysql-password={}", server.password());
    let login = [&socket, "--mysql-user=weighin", &password, "--mysql-db=sbtest"];
    let size = ["--tables=2", "--table-size=2000", "--threads=2", "--time=0", "--events=100"];
    succeed("sysbench", &place.path("."), &[&[workload], &login[..], &size, &[step]].concat())
}

/// How a table was made, but for what counts its rows or names its maker.
fn shape(server: &Server, table: &str) -> String {
    let made = server.query(&format!("SHOW CREATE TABLE {table}")).concat();
    let made = made.split(" AUTO_INCREMENT=").collect::<Vec<_>>();
    let [columns, options] = made[..] else { panic!("{made:?}") };
    let options = options.trim_start_matches(|c: char| c.is_ascii_digit());
    format!("{columns}{}", options.split(" COMMENT=").next().unwrap())
}

/// Whether all rows look like sysbench's: 10 groups of 11 digits, and 5 of them.
fn rows_of_sysbenchs_form(server: &Server, table: &str) -> String {
    let sql = format!(
        "SELECT COUNT(*) FROM {table} WHERE k BETWEEN 1 AND 2000 \
         AND c REGEXP '^([0-9]{{11}}-){{9}}[0-9]{{11}}$' \
         AND pad REGEXP '^([0-9]{{11}}-){{4}}[0-9]{{11}}$'"
    );
    server.query(&sql).concat()
}

#[test]
fn weighin_runs_on_sysbenchs_tables_and_drops_none_of_them() {
    let place = Workplace::new();
    let server = Server::start();
    sysbench(&server, &place, "oltp_read_write", "prepare");
    let tables = ["--tables", "2", "--table-size", "2000"];
    for workload in WORKLOADS {
        let mut arguments = vec!["--workload", workload, "--clients", "4", "--transactions", "200"];
        arguments.extend(tables);
        server.weighin(&place, "load", &arguments).done();
    }
    let said = server.weighin(&place, "prepare", &tables).done();
    assert!(said.contains("All tables are there"), "{said}");
    let beside = server.weighin(&place, "prepare", &["--tables", "3", "--table-size", "2000"]);
    beside.refused(3, &["did not make", "sbtest1"]);
    let said = server.weighin(&place, "cleanup", &[]).done();
    assert!(said.contains("Kept"), "{said}");
    assert_eq!(server.query("SHOW TABLES"), ["sbtest1", "sbtest2"]);
}

#[test]
fn too_few_rows_of_sysbenchs_are_told_before_the_load() {
    let place = Workplace::new();
    let server = Server::start();
    sysbench(&server, &place, "oltp_read_write", "prepare");
    let arguments = ["--workload", "oltp_read_only", "--tables", "2", "--table-size", "5000"];
    let refused = server.weighin(&place, "load", &arguments);
    refused.refused(3, &["sbtest1", "2000", "5000"]);
}

#[test]
fn sysbench_runs_on_weighins_tables() {
    let place = Workplace::new();
    let server = Server::start();
    server.weighin(&place, "prepare", &["--tables", "2", "--table-size", "2000"]).done();
    for workload in WORKLOADS {
        let said = sysbench(&server, &place, workload, "run");
        assert!(said.contains("transactions:"), "{said}");
    }
}

#[test]
fn both_make_the_same_tables() {
    let place = Workplace::new();
    let (ours, theirs) = (Server::start(), Server::start());
    ours.weighin(&place, "prepare", &["--tables", "2", "--table-size", "2000"]).done();
    sysbench(&theirs, &place, "oltp_read_write", "prepare");
    for table in ["sbtest1", "sbtest2"] {
        assert_eq!(shape(&ours, table), shape(&theirs, table));
        for server in [&ours, &theirs] {
            assert_eq!(rows_of_sysbenchs_form(server, table), "2000");
        }
    }
}
