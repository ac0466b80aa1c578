//! `weighin sysbench …`: what it runs, what it prints, and what it refuses.

mod connections;
mod in_its_place;
mod pgsql;
mod stretches;

use crate::support::{Ran, Server, Workplace, command_lines_with, succeed};

const TESTS_OF_10: [&str; 10] = [
    "oltp_read_write",
    "oltp_read_only",
    "oltp_write_only",
    "oltp_point_select",
    "oltp_insert",
    "oltp_delete",
    "oltp_update_index",
    "oltp_update_non_index",
    "select_random_points",
    "select_random_ranges",
];

/// What comes after the test's own options: the server, appended so that it counts.
fn login(server: &Server) -> [String; 4] {
    [
        format!("--mysql-socket={}", server.sandbox.socket().display()),
        "--mysql-user=weighin".to_owned(),
        format!("--mysql-password={}", server.password()),
        "--mysql-db=sbtest".to_owned(),
    ]
}

/// Runs the words, without the command at their end, with more options and a command.
fn ours(server: &Server, place: &Workplace, words: &str, more: &str, command: &str) -> Ran {
    let mut all = vec!["sysbench".to_owned()];
    all.extend(words.split_whitespace().map(str::to_owned));
    all.extend(login(server));
    all.extend(more.split_whitespace().map(str::to_owned));
    all.push(command.to_owned());
    place.weighin(&all)
}

fn theirs(server: &Server, place: &Workplace, words: &str, command: &str) -> String {
    let login = login(server);
    let mut all: Vec<&str> = words.split_whitespace().collect();
    all.extend(login.iter().map(String::as_str));
    all.push(command);
    succeed("sysbench", &place.path("."), &all)
}

/// The form of a text: numbers and the space before them do not matter, nor how often a line
/// comes.
fn form(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let mut masked = String::new();
        for c in line.chars() {
            let number = c.is_ascii_digit() || (c == '.' && masked.ends_with('#'));
            match c {
                _ if number && masked.ends_with('#') => {}
                _ if number => masked.push('#'),
                ' ' if masked.ends_with(' ') => {}
                _ => masked.push(c),
            }
        }
        let masked = masked.trim_end().replace(" #", "#").replace("# (", "#(");
        if lines.last() != Some(&masked) {
            lines.push(masked);
        }
    }
    lines
}

/// A figure of the statistics.
fn figure(text: &str, name: &str) -> u64 {
    let line = text.lines().find(|line| line.trim_start().starts_with(name));
    let line = line.unwrap_or_else(|| panic!("no {name} in:\n{text}"));
    line.split(':').nth(1).unwrap().split_whitespace().next().unwrap().parse().unwrap()
}

/// How many events arrived at a rate: those that ended, and those that a busy machine did not get to.
fn arrived(ran: Ran) -> u64 {
    let late = ran.err.lines().find_map(|line| {
        let (late, _) = line.strip_prefix("weighin: ")?.split_once(" events that had arrived")?;
        late.parse::<u64>().ok()
    });
    figure(&ran.done(), "transactions") + late.unwrap_or(0)
}

#[test]
fn every_test_of_10_runs_and_the_server_counts_the_same() {
    let (place, server) = (Workplace::new(), Server::start());
    let size = "--tables=2 --table-size=500";
    ours(&server, &place, "oltp_read_write", size, "prepare").done();
    for mode in ["auto", "disable"] {
        for test in TESTS_OF_10 {
            let tables = if test.starts_with("select") { "--table-size=500" } else { size };
            let more = format!("{tables} --threads=4 --events=60 --time=0 --db-ps-mode={mode}");
            let before = server.counters();
            let said = ours(&server, &place, test, &more, "run").done();
            let after = server.counters();
            let delta = |name: &str| after[name] - before[name];
            let all: u64 =
                after.keys().map(|name| delta(name)).sum::<u64>() - delta("Com_rollback");
            assert_eq!(figure(&said, "total number of events"), 60, "{said}");
            assert_eq!(figure(&said, "read"), delta("Com_select"), "{test} {mode}");
            assert_eq!(figure(&said, "total"), all, "{test} {mode}: {before:?} {after:?}");
        }
    }
}

#[test]
fn the_text_has_the_form_of_the_real_one() {
    let (place, server) = (Workplace::new(), Server::start());
    let words = "oltp_read_write --tables=2 --table-size=300";
    for (more, command) in [
        ("", "prepare"),
        // With one table, since the original's threads print into each other's lines.
        ("--threads=2 --tables=1", "prewarm"),
        ("--threads=2 --time=1", "run"),
        ("--threads=2 --time=2 --report-interval=1 --rand-seed=3", "run"),
        ("--events=50 --percentile=0 --validate", "run"),
        ("--num-threads=2 --max-requests=30", "run"),
        ("", "cleanup"),
    ] {
        let words = format!("{words} {more}");
        let mine = ours(&server, &place, &words, "", command).done();
        if command == "prepare" {
            ours(&server, &place, &words, "", "cleanup").done();
        }
        if command == "cleanup" {
            assert_eq!(server.query("SHOW TABLES"), Vec::<String>::new());
        }
        let original = theirs(&server, &place, &words, command);
        assert_eq!(form(&mine), form(&original), "{words} {command}");
    }
}

#[test]
fn tables_of_either_are_the_same_and_serve_the_other() {
    let (place, server) = (Workplace::new(), Server::start());
    let words = "oltp_read_write --tables=1 --table-size=400 --events=30";
    for extra in ["", "--auto-inc=off", "--secondary=on", "--create-secondary=off"] {
        let words = format!("{words} {extra}");
        let made = |server: &Server| server.query("SHOW CREATE TABLE sbtest1").concat();
        ours(&server, &place, &words, "", "prepare").done();
        let mine = made(&server);
        theirs(&server, &place, &words, "run");
        theirs(&server, &place, &words, "cleanup");
        theirs(&server, &place, &words, "prepare");
        assert_eq!(mine, made(&server), "{extra}");
        ours(&server, &place, &words, "", "run").done();
        ours(&server, &place, &words, "", "cleanup").done();
    }
}

#[test]
fn bulk_inserts_go_into_a_table_for_each_thread() {
    let (place, server) = (Workplace::new(), Server::start());
    ours(&server, &place, "bulk_insert", "--threads=2", "prepare").done();
    let said = ours(&server, &place, "bulk_insert", "--threads=2 --time=1", "run").done();
    assert!(figure(&said, "write") >= 2, "{said}");
    for table in ["sbtest1", "sbtest2"] {
        let counted =
            server.query(&format!("SELECT COUNT(*) > 30000, MAX(id) = COUNT(*) FROM {table}"));
        assert_eq!(counted, ["1\t1"]);
    }
    ours(&server, &place, "bulk_insert", "--threads=2", "cleanup").done();
    assert_eq!(server.query("SHOW TABLES"), Vec::<String>::new());
}

/// The command lines printed in the published studies that weighin follows, made smaller by what
/// is appended.
#[test]
fn the_command_lines_of_the_studies_run() {
    let (place, server) = (Workplace::new(), Server::start());
    let of_000 = "--db-driver=mysql --num-threads=4 --max-requests=0 --test=oltp \
        --mysql-table-engine=innodb --oltp-table-size=2000000 --max-time=60 --mysql-engine-trx=yes";
    let of_001 = "--test=oltp --mysql-table-engine=innodb --oltp-table-size=10000000 \
        --db-driver=mysql --test=oltp";
    let small = "--oltp-table-size=2000";
    ours(&server, &place, of_001, small, "prepare").done();
    let said = ours(&server, &place, of_000, &format!("{small} --max-time=1"), "run").done();
    assert!(said.contains("Time limit exceeded, exiting...\n(last message repeated 3 times)"));
    let of_001 = "--num-threads=8 --max-requests=50000 --oltp-table-size=10000000 \
        --db-driver=mysql --test=oltp";
    let more = format!("{small} --max-requests=100");
    let said = ours(&server, &place, of_001, &more, "run").done();
    assert_eq!(figure(&said, "transactions"), 100);
    ours(&server, &place, of_001, small, "cleanup").done();

    let script = "--test=/opt/sysbench/tests/db/oltp.lua";
    let small = "--oltp-table-size=200 --oltp-tables-count=3";
    let first = format!(
        "{script} --num-threads=32 --max-time=0 --max-requests=1000000 --oltp_tables_count=20 \
         --report-interval=1 --oltp-table-size=100000 --mysql-table-engine=innodb --rand-init=on"
    );
    let size = "--oltp-tables-count=250 --mysql-port=3306 --db-driver=mysql \
        --oltp-table-size=25000 --max-requests=0";
    let second = format!(
        "{script} {size} --oltp-simple-ranges=0 --oltp-distinct-ranges=0 --oltp-sum-ranges=0 \
         --oltp-order-ranges=0 --max-time=600 --oltp-read-only=on --num-threads=500"
    );
    let third = format!(
        "{script} {size} --max-time=600 --oltp_simple_ranges=0 --oltp-distinct-ranges=0 \
         --oltp-sum-ranges=0 --oltp-order-ranges=0 --oltp-point-selects=0 --num-threads=1000"
    );
    ours(&server, &place, &first, small, "prepare").done();
    for (words, reads, writes) in [(first, 14, 4), (second, 10, 0), (third, 0, 4)] {
        let more = format!("{small} --num-threads=8 --max-requests=80 --max-time=0");
        let said = ours(&server, &place, &words, &more, "run").done();
        assert_eq!(figure(&said, "transactions"), 80, "{said}");
        let again = figure(&said, "ignored errors");
        for (name, each) in [("read", reads), ("write", writes)] {
            let counted = figure(&said, name);
            assert!((each * 80..=each * (80 + again)).contains(&counted), "{name}: {said}");
        }
    }
    ours(&server, &place, script, small, "cleanup").done();
    assert_eq!(server.query("SHOW TABLES"), Vec::<String>::new());
}

#[test]
fn the_modes_of_04_and_the_scripts_of_05_run_and_the_server_counts_the_same() {
    let (place, server) = (Workplace::new(), Server::start());
    let size = "--oltp-table-size=500 --max-requests=40 --num-threads=2";
    let run = |words: &str, counter: &str| {
        let before = server.counters();
        let said = ours(&server, &place, words, size, "run").done();
        let grown = server.counters()[counter] - before[counter];
        assert_eq!(grown, 40, "{words}: {said}");
        assert_eq!(figure(&said, "total"), 40);
    };
    ours(&server, &place, "--test=oltp", size, "prepare").done();
    for (mode, counter) in [
        ("--oltp-test-mode=simple", "Com_select"),
        ("--oltp-test-mode=nontrx", "Com_select"),
        ("--oltp-test-mode=nontrx --oltp-nontrx-mode=update_key", "Com_update"),
        ("--oltp-test-mode=nontrx --oltp-nontrx-mode=update_nokey", "Com_update"),
        ("--oltp-test-mode=nontrx --oltp-nontrx-mode=delete", "Com_delete"),
        ("--oltp-test-mode=nontrx --oltp-nontrx-mode=insert", "Com_insert"),
    ] {
        run(&format!("--test=oltp {mode}"), counter);
    }
    assert_eq!(server.query("SELECT COUNT(*) FROM sbtest"), ["40"], "emptied before its inserts");
    ours(&server, &place, "--test=oltp", "", "cleanup").done();

    ours(&server, &place, "--test=db/oltp.lua", size, "prepare").done();
    for (script, counter) in [
        ("oltp_simple", "Com_select"),
        ("select", "Com_select"),
        ("insert", "Com_insert"),
        ("delete", "Com_delete"),
        ("update_index", "Com_update"),
        ("update_non_index", "Com_update"),
    ] {
        run(&format!("--test=db/{script}.lua"), counter);
    }
}

#[test]
fn the_older_generations_print_what_their_parsers_know() {
    let (place, server) = (Workplace::new(), Server::start());
    let size = "--oltp-table-size=500 --max-requests=0 --max-time=1 --report-interval=1";
    ours(&server, &place, "--test=oltp", size, "prepare").done();
    let said = ours(&server, &place, "--test=oltp", size, "run").done();
    assert_eq!(
        form(&said).join("\n").trim_end(),
        include_str!("expected/sysbench-0.4.txt").trim_end()
    );
    ours(&server, &place, "--test=oltp.lua --weighin-compat=0.5", size, "prepare").done();
    let said = ours(&server, &place, "--test=oltp.lua --weighin-compat=0.5", size, "run").done();
    assert_eq!(
        form(&said).join("\n").trim_end(),
        include_str!("expected/sysbench-0.5.txt").trim_end()
    );
}

#[test]
fn histograms_and_more_percentiles_are_there_when_asked_for() {
    let (place, server) = (Workplace::new(), Server::start());
    let words = "oltp_point_select --table-size=100 --events=200";
    ours(&server, &place, words, "", "prepare").done();
    let said =
        ours(&server, &place, words, "--histogram --weighin-percentiles=50,99.9", "run").done();
    assert!(said.contains("value  ------------- distribution ------------- count\n"), "{said}");
    assert!(said.contains("Percentiles (ms):\n          50: "), "{said}");
    assert!(!said.contains("Statements (ms):"), "not asked for: {said}");
}

#[test]
fn statements_are_told_apart_when_asked_for() {
    let (place, server) = (Workplace::new(), Server::start());
    let words = "oltp_read_write --table-size=100 --events=50 --weighin-percentiles=50,99.9";
    ours(&server, &place, words, "", "prepare").done();
    let said = ours(&server, &place, words, "--weighin-statements", "run").done();
    let (_, table) = said.split_once("Statements (ms):\n").expect("a table");
    let counts = |name: &str| {
        let row = table.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
        row.split_whitespace().nth(1).unwrap().to_owned()
    };
    let head: Vec<&str> = table.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(head, ["count", "min", "avg", "max", "p50", "p99.9"]);
    assert_eq!(["begin", "point_select", "sum_range"].map(counts), ["50", "500", "50"]);
}

#[test]
fn a_forced_shutdown_waits_no_longer_than_asked_for_events_that_do_not_end() {
    let (place, server) = (Workplace::new(), Server::start());
    let words = "oltp_update_index --table-size=100 --threads=2 --time=1";
    ours(&server, &place, words, "", "prepare").done();
    let mut holder = server.connect();
    holder.execute("BEGIN").unwrap();
    holder.execute("UPDATE sbtest1 SET k = k + 1").unwrap();
    let ran = ours(&server, &place, words, "--forced-shutdown=1", "run");
    assert!(ran.out.contains("total number of events:              0\n"), "{}", ran.out);
    assert!(ran.out.contains("unfinished transactions on forced shutdown: 2\n"), "{}", ran.out);
    ran.refused(1, &["2 events unfinished"]);
}

#[test]
fn what_cannot_be_had_is_named() {
    let (place, server) = (Workplace::new(), Server::start());
    for (words, named) in [
        ("oltp_read_write --nosuch=1", "--nosuch"),
        ("oltp_read_write --db-driver=oracle", "'oracle'"),
        ("oltp_read_write --tables 2", "--tables=2"),
        ("oltp_read_write --mysql-ignore-errors=some", "--mysql-ignore-errors"),
        ("--test=oltp --tx-rate=9", "--tx-rate=9"),
        ("mine.lua", "mine"),
        ("--test=oltp --oltp-reconnect-mode=query", "--oltp-reconnect-mode=query"),
        ("--test=oltp --mysql-engine-trx=no", "--mysql-engine-trx=no"),
        ("--test=oltp.lua --weighin-compat=0.5 --mysql-table-engine=myisam", "myisam"),
    ] {
        let mut all = vec!["sysbench"];
        all.extend(words.split_whitespace());
        all.push("run");
        place.weighin(&all).refused(1, &[named]);
    }
    ours(&server, &place, "oltp_read_write", "", "run").refused(1, &["sbtest1"]);
    ours(&server, &place, "oltp_read_write", "--mysql-db=nowhere", "run").refused(1, &["nowhere"]);
    let first = ours(&server, &place, "oltp_read_write", "--table-size=10", "prepare");
    first.done();
    let second = ours(&server, &place, "oltp_read_write", "--table-size=10", "prepare");
    assert!(!second.out.contains("Inserting"), "{}", second.out);
    second.refused(1, &["sbtest1 already exists"]);
    let several = ours(&server, &place, "select_random_points", "--tables=4", "cleanup");
    several.refused(1, &["--tables=4"]);
}

#[test]
fn a_password_on_the_command_line_is_soon_hidden_and_never_printed() {
    let (place, server) = (Workplace::new(), Server::start());
    let words = "oltp_point_select --table-size=100";
    ours(&server, &place, words, "", "prepare").done();
    let mut all: Vec<String> = vec!["sysbench".into(), "oltp_point_select".into()];
    all.extend(login(&server));
    all.extend(["--table-size=100", "--time=30", "run"].map(str::to_owned));
    let started = place.start(&all);
    started.wait_for_load();
    assert_eq!(command_lines_with(server.password()), Vec::<String>::new());
    started.signal("INT");
    let ran = started.end();
    assert!(!ran.out.contains(server.password()) && !ran.err.contains(server.password()));
}

#[test]
fn events_arrive_at_a_rate() {
    let (place, server) = (Workplace::new(), Server::start());
    let words = "oltp_point_select --table-size=100 --threads=4 --time=2";
    ours(&server, &place, words, "", "prepare").done();
    let ran = ours(&server, &place, words, "--rate=50", "run");
    assert!(ran.out.contains("Target transaction rate: 50/sec\n"), "{ran:?}");
    // Arrivals are random: 100 with a standard deviation of 10.
    assert!((50..=150).contains(&arrived(ran)));
}

#[test]
fn version_and_help_need_no_server() {
    let place = Workplace::new();
    assert_eq!(place.weighin(&["sysbench", "--version"]).done(), "sysbench 1.0.20\n");
    assert_eq!(place.weighin(&["sysbench", "--test=oltp", "version"]).done(), "sysbench 0.4.12\n");
    let help = place.weighin(&["sysbench", "oltp_read_write", "help"]).done();
    assert!(help.contains("oltp_read_write options:\n") && help.contains("--point_selects=N"));
}
