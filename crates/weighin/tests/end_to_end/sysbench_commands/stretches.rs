//! Reports in mid-run, several servers, none, and events that are rows.

use super::connections::connections;
use super::{arrived, figure, ours};
use crate::support::{Server, Workplace};

/// Statements that the server has executed which were prepared.
fn executed(server: &Server) -> u64 {
    let said = server.query("SHOW GLOBAL STATUS LIKE 'Com_stmt_execute'").concat();
    said.split_whitespace().last().and_then(|word| word.parse().ok()).expect("a number")
}

#[test]
fn everything_is_reported_and_counted_anew_at_checkpoints() {
    let (place, server) = (Workplace::new(), Server::start());
    let words = "oltp_point_select --table-size=100 --threads=2 --time=3";
    ours(&server, &place, words, "", "prepare").done();
    let options = "--report-checkpoints=2,1 --weighin-compat=1.0";
    let said = ours(&server, &place, words, options, "run").done();
    assert!(said.contains("Report checkpoint(s) at 1, 2 seconds\n"), "{said}");
    let reports: Vec<&str> = said.split("SQL statistics:\n").skip(1).collect();
    assert_eq!(reports.len(), 3, "{said}");
    assert!(said.contains("\n[ 1s ] Checkpoint report:\nSQL statistics:\n"), "{said}");
    assert!(said.contains("\n[ 2s ] Checkpoint report:\nSQL statistics:\n"), "{said}");
    let counts: Vec<u64> = reports.iter().map(|report| figure(report, "read")).collect();
    assert_eq!(counts.iter().sum::<u64>(), executed(&server), "{said}");
    for report in &reports {
        let events = figure(report, "total number of events");
        let mean = report.split("events (avg/stddev):").nth(1).unwrap();
        let mean: f64 = mean.trim_start().split('/').next().unwrap().parse().unwrap();
        assert_eq!(mean * 2.0, events as f64, "{report}");
    }
    assert!(reports[1].contains("total time:                          2.0"), "{said}");
    ours(&server, &place, words, "--report-checkpoints=1,soon", "run")
        .refused(1, &["soon is not a number of seconds"]);
}

#[test]
fn threads_are_dealt_to_several_servers() {
    let (place, one, other) = (Workplace::new(), Server::start(), Server::start());
    let words = "oltp_point_select --table-size=100 --threads=4";
    for server in [&one, &other] {
        ours(server, &place, words, "", "prepare").done();
    }
    let socket = |server: &Server| server.sandbox.socket().display().to_string();
    // Each has a password of its own, and so an account of which both know.
    let account = "CREATE USER shared@localhost; GRANT ALL ON sbtest.* TO shared@localhost";
    for server in [&one, &other] {
        account.split("; ").for_each(|sql| drop(server.query(sql)));
    }
    let both = format!(
        "--mysql-socket={},{} --mysql-user=shared --mysql-password=",
        socket(&one),
        socket(&other)
    );
    let options = format!("{both} --events=4000 --time=0");
    let before = [&one, &other].map(connections);
    let ran = ours(&one, &place, words, &options, "run");
    // Each has two threads, whoever of them gets to the events first; and one connection asks for the number.
    for (server, before) in [&one, &other].into_iter().zip(before) {
        assert!(connections(server) - before > 2, "{ran:?}");
    }
    assert_eq!(ran.err, "");
    assert_eq!(figure(&ran.done(), "read"), 4000);
    let counts = [executed(&one), executed(&other)];
    assert_eq!(counts.iter().sum::<u64>(), 4000, "{counts:?}");
    // Tables are made on the first.
    ours(&one, &place, words, &both.replace(&socket(&other), "/nonexistent/s"), "run")
        .refused(1, &["FATAL: ", "/nonexistent/s"]);
}

#[test]
fn a_dry_run_needs_no_server() {
    let place = Workplace::new();
    let words = ["sysbench", "oltp_read_write", "--mysql-dry-run", "--mysql-socket=/nonexistent/s"];
    let run = |more: &[&str]| place.weighin(&[&words[..], more].concat());
    let said = run(&["--events=500", "--time=0", "--threads=3", "run"]).done();
    assert_eq!(figure(&said, "total number of events"), 500);
    assert_eq!(figure(&said, "read"), 500 * 14);
    assert_eq!(figure(&said, "write"), 500 * 4);
    let ran = run(&["--time=1", "--rate=50", "--threads=2", "run"]);
    // Arrivals are random: 50 with a standard deviation of 7.
    assert!((15..=85).contains(&arrived(ran)));
    run(&["prepare"]).refused(1, &["--mysql-dry-run with the command prepare"]);
}

#[test]
fn an_event_of_bulk_insert_is_a_row() {
    let (place, server) = (Workplace::new(), Server::start());
    ours(&server, &place, "bulk_insert", "--threads=2", "prepare").done();
    let options = "--threads=2 --events=100001 --time=0";
    let said = ours(&server, &place, "bulk_insert", options, "run").done();
    assert_eq!(figure(&said, "total number of events"), 100_001);
    let rows = |table: &str| -> u64 {
        server.query(&format!("SELECT COUNT(*) FROM {table}")).concat().parse().unwrap()
    };
    assert_eq!(rows("sbtest1") + rows("sbtest2"), 100_001);
    let statements = figure(&said, "write");
    assert!((2..20).contains(&statements), "{said}");
    assert!(said.contains("min:                                    0.00\n"), "{said}");
    ours(&server, &place, "bulk_insert", "--threads=2 --rate=5", "run")
        .refused(1, &["a rate for bulk_insert"]);
}

#[test]
fn a_driver_that_is_not_there_is_refused_in_the_words_of_the_original() {
    let (place, server) = (Workplace::new(), Server::start());
    let ran = ours(&server, &place, "oltp_read_write", "--db-driver=other", "cleanup");
    assert!(ran.out.starts_with("sysbench 1.0.20 "), "{}", ran.out);
    let lines: Vec<&str> = ran.err.lines().collect();
    assert_eq!(lines[0], "FATAL: invalid database driver name: 'other'");
    assert!(lines[1].starts_with("FATAL: `cleanup' function failed: "), "{lines:?}");
    assert_eq!(lines.len(), 2);
    ran.refused(1, &[]);
}
