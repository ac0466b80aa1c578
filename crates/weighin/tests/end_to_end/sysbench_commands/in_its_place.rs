//! What a script that calls sysbench meets when it calls weighin: files, versions, other tests, errors.

use super::{figure, ours};
use crate::support::{Ran, Server, Workplace};
use std::path::Path;
use test_support::write_program;

#[test]
fn a_rate_above_what_the_server_does_ends_on_time_and_says_what_was_not_begun() {
    let (place, server) = (Workplace::new(), Server::start());
    let words = "oltp_read_write --table-size=100 --time=1";
    ours(&server, &place, words, "", "prepare").done();
    let ran = ours(&server, &place, words, "--rate=200000", "run");
    let said = ran.err.clone();
    let events = figure(&ran.done(), "total number of events");
    assert!(said.contains("events that had arrived were not begun"), "{said}");
    // All of what waited at the end, had it been begun, would be here.
    assert!(events < 100_000, "{events}");
}

#[test]
fn an_error_that_ends_the_run_says_how_to_go_on() {
    let (place, server) = (Workplace::new(), Server::start());
    // All threads delete the same row and insert it again, each in transactions of their own.
    let words = "oltp_write_only --table-size=1 --threads=8 --time=60 --skip-trx";
    ours(&server, &place, words, "", "prepare").done();
    let ran = ours(&server, &place, words, "", "run");
    ran.refused(1, &["error 1062", "(--skip-trx)", "--mysql-ignore-errors=1062"]);
}

#[test]
fn tests_that_measure_no_database_are_run_by_the_installed_sysbench() {
    let place = Workplace::new();
    let words = ["sysbench", "cpu", "--cpu-max-prime=100", "--events=5", "--weighin-workers=1"];
    let ran = place.weighin(&[&words[..], &["run"]].concat());
    assert!(ran.err.contains("cpu is run by sysbench"), "{}", ran.err);
    assert!(ran.done().contains("total number of events:              5\n"));
    // A file of options may name it, which sysbench reads too.
    place.write("options", "test=cpu\ncpu-max-prime=100\nevents=7\n");
    let ran = place.weighin(&["sysbench", "--config-file=options", "run"]);
    assert!(ran.err.contains("cpu is run by sysbench"), "{}", ran.err);
    assert!(ran.done().contains("total number of events:              7\n"));
    // A script of that name that calls weighin comes first on the PATH.
    let shim = place.path("shim");
    std::fs::create_dir(&shim).unwrap();
    let weighin = assert_cmd::cargo::cargo_bin("weighin");
    let script = format!("#!/bin/sh\nexec {} sysbench \"$@\"\n", weighin.display());
    write_program(&shim.join("sysbench"), &script);
    let path = std::env::var("PATH").unwrap();
    let mut command = place.command(&["sysbench", "--test=threads", "--events=3", "run"]);
    command.env("PATH", format!("{}:{path}", shim.display()));
    assert!(Ran::of(command).done().contains("total number of events:              3\n"));
    for only in [shim.as_path(), Path::new("/nonexistent")] {
        let mut command = place.command(&["sysbench", "memory", "run"]);
        command.env("PATH", only);
        Ran::of(command).refused(1, &["memory measures no database", "install sysbench"]);
    }
}

#[test]
fn a_script_runs_where_it_says_what_is_built_in_and_is_refused_where_it_was_edited() {
    let (place, server) = (Workplace::new(), Server::start());
    let installed = "/usr/share/sysbench/oltp_point_select.lua";
    let size = "--table-size=100 --events=20";
    ours(&server, &place, installed, size, "prepare").done();
    assert_eq!(figure(&ours(&server, &place, installed, size, "run").done(), "read"), 20);
    let script = std::fs::read_to_string(installed).unwrap();
    std::fs::write(place.path("oltp_point_select.lua"), script.replace("event", "other")).unwrap();
    for named in ["oltp_point_select.lua", "oltp_point_select", "./oltp_point_select.lua"] {
        let refused = ours(&server, &place, named, size, "run");
        refused.refused(1, &["oltp_point_select.lua differs", "run the script with sysbench"]);
    }
    // What it shares with the others was edited.
    std::fs::write(place.path("oltp_point_select.lua"), script).unwrap();
    std::fs::write(place.path("oltp_common.lua"), "function event() end\n").unwrap();
    ours(&server, &place, "oltp_point_select", size, "run")
        .refused(1, &["oltp_common.lua differs"]);
}

#[test]
fn a_name_alone_stands_for_the_script_that_the_original_would_find() {
    let place = Workplace::new();
    let script =
        |name: &str| std::fs::read_to_string(format!("/usr/share/sysbench/{name}.lua")).unwrap();
    let edited = |name: &str| script(name).replace("function", "local x = 1\nfunction");
    for (directory, name, text) in [
        ("edited", "oltp_read_only", edited("oltp_read_only")),
        ("stock", "oltp_read_only", script("oltp_read_only")),
        ("stock", "oltp_common", script("oltp_common")),
        ("common", "oltp_common", edited("oltp_common")),
        ("prefix/share/sysbench", "oltp_insert", edited("oltp_insert")),
    ] {
        std::fs::create_dir_all(place.path(directory)).unwrap();
        std::fs::write(place.path(&format!("{directory}/{name}.lua")), text).unwrap();
    }
    let here = |text: &str| text.replace("HERE", &place.path("").display().to_string());
    let run = |test: &str, (variable, value): (&str, &str)| {
        let dry = ["sysbench", test, "--mysql-dry-run", "--events=3", "--time=0", "run"];
        let mut command = place.command(&dry);
        command.env(variable, here(value));
        Ran::of(command)
    };
    for named in ["oltp_read_only", "oltp_read_only.lua", "--test=oltp_read_only"] {
        run(named, ("LUA_PATH", "HERE/edited/?.lua;HERE/stock/?.lua"))
            .refused(1, &["edited/oltp_read_only.lua differs", "LUA_PATH"]);
        run(named, ("LUA_PATH", "HERE/stock/?.lua;HERE/edited/?.lua")).done();
        // What it shares with others is looked for in the same places, and is not beside it.
        run(named, ("LUA_PATH", "HERE/common/?.lua;HERE/stock/?.lua"))
            .refused(1, &["common/oltp_common.lua differs", "LUA_PATH"]);
    }
    // As the message says, also where one is in the directory.
    std::fs::write(place.path("oltp_write_only.lua"), edited("oltp_write_only")).unwrap();
    run("oltp_write_only", ("LUA_PATH", "HERE/none/?.lua;;"))
        .refused(1, &["oltp_write_only.lua differs", "LUA_PATH"]);
    for named in ["oltp_read_only", "oltp_write_only"] {
        run(named, ("LUA_PATH", "HERE/none/?.lua")).done();
    }
    // Those that were installed with the sysbench that is on the PATH.
    std::fs::create_dir(place.path("prefix/bin")).unwrap();
    std::os::unix::fs::symlink("/usr/bin/sysbench", place.path("prefix/bin/sysbench")).unwrap();
    let path = format!("HERE/prefix/bin:{}", std::env::var("PATH").unwrap());
    run("oltp_insert", ("PATH", &path)).refused(1, &["share/sysbench/oltp_insert.lua differs"]);
    run("oltp_delete", ("PATH", &path)).done();
}

#[test]
fn the_legacy_scripts_of_10_have_their_own_options_and_print_as_10() {
    let (place, server) = (Workplace::new(), Server::start());
    let size = "--oltp-tables-count=2 --oltp-table-size=200 --mysql-table-engine=innodb";
    let oltp = "tests/include/oltp_legacy/oltp.lua";
    ours(&server, &place, oltp, size, "prepare").done();
    for compat in ["", "--weighin-compat=1.0"] {
        let more = format!("{size} {compat} --threads=2 --events=40 --oltp-dist-type=uniform");
        let said = ours(&server, &place, oltp, &more, "run").done();
        assert!(said.starts_with("sysbench 1.0.20"), "{said}");
        assert_eq!(figure(&said, "transactions"), 40);
        assert!(said.contains("SQL statistics:\n") && said.contains("Latency (ms):\n"), "{said}");
        assert!(figure(&said, "read") >= 40 * 14, "{said}");
    }
    ours(&server, &place, oltp, size, "cleanup").done();
    assert_eq!(server.query("SHOW TABLES"), Vec::<String>::new());
}

#[test]
fn what_came_after_10_has_its_form_and_its_defaults() {
    let (place, server) = (Workplace::new(), Server::start());
    let words = "oltp_read_only --table-size=100";
    ours(&server, &place, words, "", "prepare").done();
    let said = ours(&server, &place, words, "--warmup-time=1 --time=1", "run").done();
    assert!(said.starts_with("sysbench 1.1.0") && said.contains("Warmup time: 1s\n"), "{said}");
    assert!(said.contains("Throughput:\n    events/s (eps): "), "{said}");
    assert!(!said.contains("General statistics"), "{said}");
    let options = "--create-table-options=ROW_FORMAT=COMPACT --tables=1";
    ours(&server, &place, words, options, "cleanup").done();
    ours(&server, &place, words, options, "prepare").done();
    let made = server.query("SHOW CREATE TABLE sbtest1").concat();
    assert!(made.contains("ROW_FORMAT=COMPACT"), "{made}");
    let said = ours(&server, &place, words, "", "warmup").done();
    assert!(said.contains("Preloading table sbtest1\n"), "{said}");
}

#[test]
fn options_come_from_files_too_and_less_is_printed_when_asked_for() {
    let (place, server) = (Workplace::new(), Server::start());
    let password = server.password();
    place.write("options", format!("table-size=300\n# mine\nmysql-password = {password}\n"));
    let socket = format!("--mysql-socket={}", server.sandbox.socket().display());
    let words = ["sysbench", "oltp_point_select", "--config-file=options", "--mysql-user=weighin"];
    let run = |more: &[&str]| place.weighin(&[&words[..], &[socket.as_str()], more].concat());
    assert!(run(&["prepare"]).done().contains("Inserting 300 records"));
    let said = run(&["--events=50", "--time=0", "--verbosity=0", "run"]).done();
    assert_eq!(said, "");
    assert!(run(&["--verbosity=9", "run"]).err.contains("--verbosity must be from 0 to 5"));
    // Two tables or four: this one reads the first.
    let random = ["--events=10", "--table-size=300", "--tables=4", "run"];
    let words = ["sysbench", "select_random_points", "--mysql-user=weighin"];
    let mut all = [&words[..], &[socket.as_str()], &random].concat();
    let password = format!("--mysql-password={password}");
    all.insert(3, &password);
    assert_eq!(figure(&place.weighin(&all).done(), "read"), 10);
}
