//! How much of a user's own a load takes: many clients with many prepared statements, long scripts, and
//! columns of a million values.

use crate::support::{Server, Started, Workplace, adds_up, whole};
use std::fmt::Write;

/// Kilobytes that the longest process of these may take, in a build that is not optimised either.
const MOST_KILOBYTES: u64 = 100 << 10;

fn server() -> Server {
    let server =
        Server::start_with(&[("max_connections", "1100"), ("max_prepared_stmt_count", "100000")]);
    server.execute("CREATE TABLE shop (id INT PRIMARY KEY, city VARCHAR(30))");
    server.execute("INSERT INTO shop SELECT seq, CONCAT('city ', seq) FROM seq_1_to_1000");
    server
}

/// A script of so many statements, each of which is another one.
fn script(statements: usize) -> String {
    let mut text = "\\set id random(1, 1000)\n".to_owned();
    for number in 0..statements {
        let _ =
            writeln!(text, "-- name: s{number}\nSELECT city, {number} FROM shop WHERE id = :id;");
    }
    text
}

#[test]
fn a_thousand_clients_have_thirty_prepared_statements_each() {
    let (place, server) = (Workplace::new(), server());
    place.write("thirty.sql", script(30));
    let arguments = [
        "--script=thirty.sql",
        "--clients=1000",
        "--transactions=1000",
        "--time-limit=10m",
        "--json",
    ];
    let json = server.weighin(&place, "load", &arguments).json();
    adds_up(&json);
    assert_eq!((whole(&json, "/transactions"), whole(&json, "/errors")), (1_000, 0), "{json:#}");
    assert_eq!(json["requests"]["select"]["weighin"], 30_000);
    assert_eq!(json["requests"]["select"]["server"], 30_000);
}

#[test]
fn a_script_has_two_hundred_statements() {
    let (place, server) = (Workplace::new(), server());
    place.write("long.sql", script(200));
    let arguments =
        ["--script=long.sql", "--clients=4", "--transactions=50", "--statements", "--json"];
    let json = server.weighin(&place, "load", &arguments).json();
    assert_eq!((whole(&json, "/transactions"), whole(&json, "/errors")), (50, 0), "{json:#}");
    assert_eq!(json["requests"]["select"]["server"], 10_000);
    let statements = json["statement_latencies"].as_array().unwrap();
    assert_eq!(statements.len(), 200);
    assert!(statements.iter().all(|one| one["count"] == 50), "{statements:?}");
}

#[test]
fn a_million_ids_of_a_file_take_little_memory() {
    let (place, server) = (Workplace::new(), server());
    let mut ids = "id,name\n".to_owned();
    for number in 0..1_000_000_u64 {
        let _ = writeln!(ids, "{},c{}", 7_000_000_000 + 7 * number, number % 10);
    }
    place.write("ids.csv", &ids);
    place.write("pick.sql", "\\values id ids.csv id\nSELECT city FROM shop WHERE id = :id;\n");
    let (url, password) = (server.url(), server.password_file());
    let mut command = place.command(&["load", &url, "--script=pick.sql", "--clients=4"]);
    command.args(["--duration=10m", "--password-file"]).arg(password);
    let load = Started::new(command);
    load.wait_for_load();
    // What it takes most it has taken by then: everything is read before the first connection.
    let status = std::fs::read_to_string(format!("/proc/{}/status", load.pid())).unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(peak < MOST_KILOBYTES, "{peak} kB");
    load.signal("INT");
    assert_eq!(load.end().code, Some(130));
}
