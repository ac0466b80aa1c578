//! Whatever is wrong is said in words, with the way to fix it, and leaves nothing behind.

use crate::support::{Ran, Server, Workplace, sandbox_study, server_study, with_mounts};
use std::process::Command;

const LOAD: [&str; 2] = ["--workload", "oltp_point_select"];

#[test]
fn servers_that_are_not_there() {
    let place = Workplace::new();
    // Nobody listens at the lowest port unless somebody set up a service of the 1980s.
    let nowhere = "mysql://me@127.0.0.1:1/db";
    let unheard_of = "mysql://me@no-such-host.invalid/db";
    let no_socket = "mysql://me@/db?socket=/nowhere/server.sock";
    for (url, words) in [
        (nowhere, ["nothing listens at 127.0.0.1", "start the server"]),
        (unheard_of, ["no-such-host.invalid is unknown", "spelling"]),
        (no_socket, ["no socket /nowhere/server.sock", "start the server"]),
    ] {
        for command in ["prepare", "cleanup", "load"] {
            let arguments = if command == "load" { &LOAD[..] } else { &[] };
            let ran = place.weighin(&[&[command, url], arguments].concat());
            ran.refused(3, &words);
        }
        place.write("lone.toml", server_study(url, 1, ""));
        place.weighin(&["run", "lone.toml"]).refused(3, &[words[0], "target server"]);
        assert!(place.files(".weighin").is_empty(), "an empty results file was left behind");
    }
}

#[test]
fn logins_that_are_refused() {
    let place = Workplace::new();
    let server = Server::start();
    place.write("wrong", "not-the-password");
    let wrong = place.weighin(&["prepare", &server.url(), "--password-file", "wrong"]);
    wrong.refused(3, &["weighin", "password", "wrong"]);
    assert!(!wrong.err.contains("not-the-password"), "{}", wrong.err);

    let missing = server.weighin_at(&place, "prepare", &server.url_of("weighin", "nowhere"), &[]);
    missing.refused(3, &["nowhere", "CREATE DATABASE"]);

    server.execute("CREATE USER reader@'%' IDENTIFIED BY 'r'");
    server.execute("GRANT SELECT ON sbtest.* TO reader@'%'");
    place.write("reader", "r");
    let url = server.url_of("reader", "sbtest");
    let denied = place.weighin(&["prepare", &url, "--password-file", "reader"]);
    denied.refused(3, &["denied", "reader", "grant"]);
    assert!(server.query("SHOW TABLES").is_empty());

    let file = place.weighin(&["prepare", &url, "--password-file", "no-such-file"]);
    file.refused(3, &["no-such-file", "on one line"]);
}

#[test]
fn servers_that_allow_too_little() {
    let place = Workplace::new();
    let server = Server::start_with(&[("max_connections", "12")]);
    server.weighin(&place, "prepare", &["--table-size", "1000"]).done();
    let many = ["--workload", "oltp_read_write", "--table-size", "1000", "--clients", "20"];
    let words = ["allows 12 connections", "20 clients", "SET GLOBAL max_connections"];
    server.weighin(&place, "load", &many).refused(3, &words);

    let keys = format!("password_file = {:?}", server.password_file());
    place.write("lone.toml", server_study(&server.url(), 20, &keys));
    place.weighin(&["run", "lone.toml"]).refused(3, &[words[0], words[1]]);
    let checked = place.weighin(&["check", "lone.toml"]);
    assert!(checked.code == Some(3) && checked.out.contains(words[0]), "{checked:?}");

    server.execute("SET GLOBAL max_connections = 100");
    server.execute("SET GLOBAL max_prepared_stmt_count = 50");
    let refused = server.weighin(&place, "load", &many);
    refused.refused(3, &["allows 50 prepared statements", "SET GLOBAL max_prepared_stmt_count"]);
    assert!(place.files(".weighin").is_empty());
}

#[test]
fn a_machine_that_allows_too_few_open_files() {
    let place = Workplace::new();
    let server = Server::start();
    server.weighin(&place, "prepare", &["--table-size", "1000"]).done();
    let mut command = place.surround(Command::new("sh"));
    command.args(["-c", "ulimit -n 64; exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_weighin")]);
    command.args(["load", &server.url(), "--password-file"]).arg(server.password_file());
    command.args(["--workload=oltp_point_select", "--table-size=1000", "--clients=100"]);
    Ran::of(command).refused(3, &["127.0.0.1", "open files", "ulimit -n"]);
}

#[test]
fn tables_that_are_missing_or_of_another_shape() {
    let place = Workplace::new();
    let server = Server::start();
    let load = || server.weighin(&place, "load", &LOAD);
    load().refused(3, &["no table sbtest1", "weighin prepare URL --tables 1 --table-size 10000"]);
    server.execute("CREATE TABLE sbtest1 (id INT PRIMARY KEY, name TEXT)");
    load().refused(3, &["sbtest1", "id, name", "CREATE DATABASE"]);
    server.weighin(&place, "prepare", &[]).refused(3, &["sbtest1", "id, name"]);
    assert_eq!(server.query("SHOW TABLES"), ["sbtest1"]);
}

#[test]
fn study_files_that_are_none() {
    let place = Workplace::new();
    let twice = sandbox_study("").replace("\"two\"", "\"one\"");
    let misspelt = sandbox_study("tablesize = 5");
    let own = sandbox_study("").replace("sort_buffer_size", "datadir");
    let cases: [(&str, &[u8], &[&str]); 6] = [
        ("empty.toml", b"", &["empty.toml", "is empty", "weighin init"]),
        ("binary.toml", &[0x7f, b'E', b'L', b'F', 0xff, 0], &["binary.toml", "not a text file"]),
        ("prose.toml", b"Dear database,\n", &["prose.toml:1:"]),
        ("twice.toml", twice.as_bytes(), &["twice.toml:", "`one`", "the first one"]),
        ("misspelt.toml", misspelt.as_bytes(), &["misspelt.toml:", "tablesize", "table_size"]),
        ("huge.toml", &vec![b'#'; 20_000_000], &["huge.toml", "larger than"]),
    ];
    for (name, content, words) in cases {
        place.write(name, content);
        for command in ["plan", "check", "run", "report"] {
            place.weighin(&[command, name]).refused(2, words);
        }
    }
    place.weighin(&["run", "nowhere.toml"]).refused(2, &["nowhere.toml", "weighin init"]);
    place.weighin(&["run", "."]).refused(2, &["study file"]);
    let decided = place.write("own.toml", own);
    place.weighin(&["run", decided]).refused(2, &["own.toml:", "datadir", "`directory`"]);
    assert!(place.files(".weighin").is_empty());
    place.assert_no_server_left();
}

#[test]
fn settings_that_the_server_does_not_know_are_told_with_what_was_meant() {
    let place = Workplace::new();
    place.write("duel.toml", sandbox_study("").replace("sort_buffer_size", "sort_bufer_size"));
    let ran = place.weighin(&["run", "duel.toml"]);
    ran.refused(
        3,
        &["target \"two\"", "is unknown", "mean \"sort_buffer_size\"?", "correct or remove"],
    );
    place.assert_no_server_left();
    assert!(place.files(".weighin").is_empty());
}

#[test]
fn a_machine_without_mariadb_is_told_the_package() {
    let place = Workplace::new();
    place.write("duel.toml", sandbox_study(""));
    let hide = "for file in /usr/sbin/mariadbd /usr/sbin/mysqld /usr/libexec/mariadbd; do
                    test ! -e $file || mount --bind /dev/null $(readlink -f $file)
                done; PATH=/usr/bin:/bin";
    let arguments = ["run", "duel.toml"];
    let Some(ran) = with_mounts(&place, hide, &arguments, "") else { return };
    ran.refused(3, &["mariadbd", "is not installed", "mariadb-server"]);
    assert!(place.files(".weighin").is_empty());
}

#[test]
fn results_files_that_are_none() {
    let place = Workplace::new();
    place.weighin(&["report"]).refused(2, &["no results file", "weighin run STUDY"]);
    place.weighin(&["report", "no.weighin"]).refused(3, &["no.weighin", "check the path"]);
    let cases: [(&str, &[u8], &str); 3] = [
        ("empty.weighin", b"", "not a weighin store"),
        ("prose.weighin", b"Dear diary, ", "not a weighin store"),
        ("noise.weighin", &[0xA5; 100_000], "not a weighin store"),
    ];
    for (name, content, words) in cases {
        place.write(name, content);
        place.weighin(&["report", name]).refused(3, &[name, words]);
        assert_eq!(std::fs::read(place.path(name)).unwrap(), content, "it was changed");
    }
    place.weighin(&["report"]).refused(2, &["several results files", "weighin report FILE"]);
}

#[test]
fn usage_that_is_wrong() {
    let place = Workplace::new();
    let url = "mysql://u@h/db";
    let cases: [(&[&str], &str); 8] = [
        (&["load", url], "--workload"),
        (&["load", url, "--workload", "oltp"], "oltp_read_write"),
        (&["load", url, "--workload", "oltp_read_only", "--clients", "0"], "clients"),
        (&["load", url, "--workload", "oltp_read_only", "--duration", "5"], "`5s`"),
        (&["load", "db.internal", "--workload", "oltp_read_only"], "mysql://"),
        (&["load", "mysql://u:hunter2@h/db", "--workload", "oltp_read_only"], "--password-env"),
        (&["run"], "STUDY"),
        (&["run", "x.toml", "--scale", "0"], "from 0.000001 to 1000"),
    ];
    for (arguments, words) in cases {
        let ran = place.weighin(arguments);
        ran.refused(2, &[words]);
        assert!(!ran.err.contains("hunter2"), "{}", ran.err);
    }
}
