//! Runs of sysbench with what was noted beside them, imported and reported; and very many results.

use crate::support::{Ran, Server, Workplace, prepared, succeed, wait_for};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs sysbench as people do, with iostat beside it and the server's counters before and after.
fn run(server: &Server, directory: &Path, clients: u32) {
    let file = |ending: &str| directory.join(format!("rw-{clients}.{ending}"));
    let status = || server.query("SHOW GLOBAL STATUS").join("\n");
    fs::write(file("status-before.txt"), status()).unwrap();
    let mut iostat = Command::new("iostat")
        .args(["-x", "-t", "1"])
        .env("LC_ALL", "C")
        .stdout(fs::File::create(file("iostat.log")).unwrap())
        .stdin(Stdio::null())
        .spawn()
        .expect("iostat is needed for this test");
    let (socket, password) = (server.sandbox.socket(), server.password());
    let options = [
        format!("--mysql-socket={}", socket.display()),
        "--mysql-user=weighin".to_owned(),
        format!("--mysql-password={password}"),
        "--mysql-db=sbtest".to_owned(),
        format!("--threads={clients}"),
    ];
    let mut words: Vec<&str> = options.iter().map(String::as_str).collect();
    let load = ["--tables=1", "--table-size=1000", "--time=3", "--report-interval=1"];
    words.extend(load);
    words.extend(["--histogram", "oltp_read_write", "run"]);
    let text = succeed("sysbench", directory, &words);
    // On a busy machine it may be late with its reports.
    wait_for("the reports of iostat", || {
        let log = fs::read_to_string(file("iostat.log")).unwrap();
        log.matches("avg-cpu").count() > 3
    });
    iostat.kill().unwrap();
    iostat.wait().unwrap();
    fs::write(file("sysbench"), text).unwrap();
    fs::write(file("status-after.txt"), status()).unwrap();
}

/// The number in a line of sysbench's report.
fn printed(directory: &Path, file: &str, line: &str) -> f64 {
    let text = fs::read_to_string(directory.join(file)).unwrap();
    let line = text.lines().find(|text| text.trim_start().starts_with(line)).unwrap().to_owned();
    let (_, rate) = line.split_once('(').unwrap();
    rate.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn a_tree_of_runs_becomes_a_report_with_its_disks_counters_and_settings() {
    let place = Workplace::new();
    let server = prepared(&place);
    let directory = place.path("runs/durable");
    fs::create_dir_all(&directory).unwrap();
    let variables = server.query("SHOW GLOBAL VARIABLES").join("\n");
    fs::write(directory.join("variables.txt"), variables).unwrap();
    for clients in [1, 4] {
        run(&server, &directory, clients);
    }
    place.weighin(&["import", "auto", "runs", "--out", "runs.weighin"]).done();

    let store = place.store();
    let dataset = store.dataset().unwrap();
    assert_eq!(dataset.trials.len(), 2);
    for trial in &dataset.trials {
        assert_eq!((trial.key.target.as_str(), trial.key.test.as_str()), ("durable", "rw"));
        let outcome = trial.imported().unwrap();
        let file = format!("rw-{}.sysbench", trial.key.level.clients);
        let rate = outcome.number("transactions_per_s").unwrap().value;
        assert_eq!(rate, printed(&directory, &file, "transactions:"));
        let transactions = outcome.number("transactions").unwrap().value;
        assert_eq!(outcome.latencies.as_ref().unwrap().count() as f64, transactions);
        let sampling = &trial.sampling;
        assert!(sampling.samples.len() >= 2, "{sampling:?}");
        assert!(sampling.samples.iter().all(|sample| sample.cpu.is_known()));
        let (before, after) = (sampling.before.as_ref().unwrap(), sampling.after.as_ref().unwrap());
        let commits = after.counters["Com_commit"] - before.counters["Com_commit"];
        assert!(commits as f64 >= transactions, "{commits} commits");
    }
    let server = &dataset.targets[0].server;
    assert!(server.version.contains("MariaDB"), "{}", server.version);

    let html = report(&place, "html");
    assert!(html.contains("processors and disks over time"), "no chart of samples");
    assert!(html.contains("innodb_flush_log_at_trx_commit"), "no settings");
    assert!(!html.contains("Nothing is known of the servers"), "settings are known");
    let markdown = report(&place, "markdown");
    assert!(markdown.contains("peak, transactions/s"), "{markdown}");
    assert!(markdown.contains("p95"), "{markdown}");
}

/// What tools print is no contradiction, however short the runs and however coarse their buckets.
#[test]
fn the_audit_is_silent_on_what_real_tools_print() {
    let place = Workplace::new();
    let server = prepared(&place);
    let socket = format!("--mysql-socket={}", server.sandbox.socket().display());
    let password = format!("--mysql-password={}", server.password());
    for target in ["a", "b"] {
        fs::create_dir_all(place.path(&format!("runs/{target}"))).unwrap();
    }
    for (target, test) in
        [("a", "oltp_read_only"), ("b", "oltp_point_select"), ("b", "oltp_read_write")]
    {
        for threads in [1, 2, 3, 8] {
            for run in 1..=4 {
                let (threads_option, events) =
                    (format!("--threads={threads}"), format!("--events={}", 17 * run * threads));
                let text = succeed(
                    "sysbench",
                    &place.path("."),
                    &[
                        &socket,
                        &password,
                        "--mysql-user=weighin",
                        "--mysql-db=sbtest",
                        &threads_option,
                        &events,
                        "--time=0",
                        "--tables=1",
                        "--table-size=1000",
                        test,
                        "run",
                    ],
                );
                place.write(&format!("runs/{target}/{test}-{threads}-run{run}.txt"), &text);
            }
        }
    }
    for (pattern, depth) in [("randread", 1), ("randwrite", 4), ("randrw", 16)] {
        for run in 1..=6 {
            let (rw, iodepth) = (format!("--rw={pattern}"), format!("--iodepth={depth}"));
            let text = succeed(
                "fio",
                &place.path("."),
                &[
                    "--name=job",
                    "--filename=fio.data",
                    "--size=1M",
                    "--ioengine=libaio",
                    "--bs=4k",
                    &rw,
                    &iodepth,
                    "--output-format=json",
                ],
            );
            place.write(&format!("runs/a/{pattern}-qd{depth}-run{run}.json"), &text);
        }
    }
    let said = place.weighin(&["import", "auto", "runs", "--out", "runs.weighin"]).done();
    assert!(said.contains("Imported 66 trials of 2 targets under 6 tests"), "{said}");
    let json = report(&place, "json");
    assert!(json.contains("\"arithmetic_checked\""), "nothing was checked");
    assert!(!json.contains("\"contradiction\""), "{}", report(&place, "markdown"));
}

fn report(place: &Workplace, format: &str) -> String {
    let ran: Ran = place.weighin(&["report", "runs.weighin", "--format", format, "--out", "-"]);
    ran.done()
}

#[test]
fn files_that_cannot_be_read_are_named_and_the_others_imported() {
    let place = Workplace::new();
    fs::create_dir_all(place.path("runs/a")).unwrap();
    place.write("runs/a/notes.txt", "we ran it on Tuesday\n");
    place.write(
        "runs/a/rw-2.txt",
        "sysbench 1.0.20 (using LuaJIT)\nNumber of threads: 2\n    transactions: 20 (10.00 per \
         sec.)\n    total time: 2.0s\n    avg: many\n",
    );
    let ran = place.weighin(&["import", "auto", "runs", "--out", "runs.weighin"]);
    for named in ["runs/a/notes.txt", "runs/a/rw-2.txt:5: "] {
        assert!(ran.err.contains(named), "{}", ran.err);
    }
    assert_eq!(place.store().dataset().unwrap().trials.len(), 1);
}

#[test]
fn an_ambiguous_archive_is_asked_about_and_a_layout_answers() {
    let place = Workplace::new();
    for (number, rate) in [(1, "10.00"), (2, "11.00")] {
        let directory = format!("runs/{number}");
        fs::create_dir_all(place.path(&directory)).unwrap();
        let text = format!(
            "sysbench 1.0.20 (using LuaJIT)\nNumber of threads: 16\n    transactions: 20 ({rate} \
             per sec.)\n    total time: 2.0s\n"
        );
        place.write(&format!("{directory}/rw-16.txt"), &text);
        for note in ["a.dat", "b.dat", "c.sh"] {
            place.write(&format!("{directory}/{note}"), "nothing\n");
        }
    }
    let ran = place.weighin(&["import", "auto", "runs", "--out", "runs.weighin"]);
    assert_eq!(ran.code, Some(2), "{}", ran.err);
    assert!(ran.err.contains("1 and 2 count is not said"), "{}", ran.err);
    let pattern = "{target}/rw-{clients}.txt";
    assert!(ran.err.contains(&format!("--layout '{pattern}'")), "{}", ran.err);
    assert!(!place.path("runs.weighin").exists());

    let words = ["import", "auto", "runs", "--layout", pattern, "--out", "runs.weighin"];
    let ran = place.weighin(&[&words[..], &["--dry-run"]].concat());
    assert!(
        ran.err.contains("left out 6 files") && ran.err.contains("4 .dat, 2 .sh"),
        "{}",
        ran.err
    );
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    assert!(ran.done().contains("repeats          none"));
    assert!(!place.path("runs.weighin").exists());
    let ran = place.weighin(&[&words[..], &["--verbose"]].concat());
    assert_eq!(ran.err.matches("left out").count(), 6, "{}", ran.err);
    assert!(ran.done().contains("Imported 2 trials of 2 targets"));
    let ran = place.weighin(&["import", "auto", "runs", "--layout", "{a}{b}"]);
    assert!(ran.code == Some(2) && ran.err.contains("right after another name"), "{}", ran.err);
}

#[test]
fn a_file_that_is_named_twice_is_read_once() {
    let place = Workplace::new();
    let rows = "target,test,clients,metric,value\na,t,4,transactions_per_s,100\n";
    fs::create_dir(place.path("runs")).unwrap();
    place.write("runs/a.csv", rows);
    let named = ["import", "csv", "runs", "runs/a.csv", "./runs/a.csv", "--out", "a.weighin"];
    let ran = place.weighin(&named);
    assert!(ran.err.contains("named twice"), "{}", ran.err);
    let said = ran.done();
    assert!(said.contains("Imported 1 trial of 1 target"), "{said}");
}

/// A pipe would be waited for, a device read without end, and links in a circle gone round for ever.
#[test]
fn links_pipes_and_giants_in_a_directory_hold_nothing_up() {
    let place = Workplace::new();
    fs::create_dir_all(place.path("runs/a/b")).unwrap();
    let text = |rate: &str| {
        format!(
            "sysbench 1.0.20 (using LuaJIT)\nNumber of threads: 16\n    transactions: 20 ({rate} \
             per sec.)\n    total time: 2.0s\n"
        )
    };
    place.write("runs/a/b/rw-16.txt", text("10.00"));
    for link in 0..12 {
        symlink("..", place.path(&format!("runs/a/0up{link}"))).unwrap();
        symlink(".", place.path(&format!("runs/a/b/0here{link}"))).unwrap();
    }
    symlink("/dev/zero", place.path("runs/a/zero.txt")).unwrap();
    symlink("b/rw-16.txt", place.path("runs/a/0latest.txt")).unwrap();
    let made = Command::new("mkfifo").arg(place.path("runs/a/pipe.txt")).status().unwrap();
    assert!(made.success());
    let giant = fs::File::create(place.path("runs/a/giant.txt")).unwrap();
    giant.set_len(1 << 40).unwrap();
    let ran = place.weighin(&["import", "auto", "runs", "--out", "runs.weighin"]);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    assert!(ran.err.contains("runs/a/giant.txt") && ran.err.contains("MiB"), "{}", ran.err);
    let dataset = place.store().dataset().unwrap();
    assert_eq!(dataset.trials.len(), 1);
    let outcome = dataset.trials[0].imported().unwrap();
    let file = &outcome.source.as_ref().unwrap().file;
    assert_eq!(file, "runs/a/b/rw-16.txt", "by its own name, not by that of a link");
}

/// Once, all names of one length in an old encoding were one name, and their results its repeats.
#[test]
fn names_that_are_no_utf_8_are_told_apart() {
    let place = Workplace::new();
    for (name, rate) in
        [(&b"runs/\xc4\xe8\xf1\xea"[..], "10.00"), (b"runs/\xc1\xe0\xe7\xe0", "11.00")]
    {
        let directory = place.path("").join(OsStr::from_bytes(name));
        fs::create_dir_all(&directory).unwrap();
        let text = format!(
            "sysbench 1.0.20 (using LuaJIT)\nNumber of threads: 16\n    transactions: 20 ({rate} \
             per sec.)\n    total time: 2.0s\n"
        );
        fs::write(directory.join("oltp_read_only-16.txt"), text).unwrap();
    }
    let said = place.weighin(&["import", "auto", "runs", "--out", "runs.weighin"]).done();
    assert!(said.contains("Imported 2 trials of 2 targets"), "{said}");
}

/// Once, a report of 300 targets took minutes and 400 MB, both growing with their square or worse.
#[test]
fn hundreds_of_targets_and_thousands_of_levels_fit_in_half_a_gigabyte() {
    let place = Workplace::new();
    let figure = |target: usize, clients: usize, repeat: usize| {
        let value = 1000 + (target * 31 + clients * 7 + repeat * 13) % 97;
        format!("t{target},ro,{clients},{repeat},transactions_per_s,{value},1/s,\n")
    };
    let repeats = |target: usize| (1..=2).map(move |repeat| figure(target, 16, repeat));
    let targets: String = (0..500).flat_map(repeats).collect();
    let levels: String =
        (1..=3000).map(|clients| figure(0, clients, 1) + &figure(1, clients, 1)).collect();
    for (name, rows) in [("targets", targets), ("levels", levels)] {
        let heading = "target,test,concurrency,repeat,metric,value,unit,note\n";
        fs::write(place.path(&format!("{name}.csv")), heading.to_owned() + &rows).unwrap();
        // Kilobytes of address space, which holds more than is ever in memory.
        let limited = |arguments: &str| {
            let weighin = env!("CARGO_BIN_EXE_weighin");
            let command = format!("ulimit -v 500000; exec {weighin} {arguments}");
            succeed("sh", &place.path("."), &["-c", &command])
        };
        limited(&format!("import csv {name}.csv --out {name}.weighin"));
        let json = limited(&format!("report {name}.weighin --format json"));
        assert_eq!(json.contains("\"pairs_limited\""), name == "targets");
        limited(&format!("report {name}.weighin --format html --out {name}.html"));
    }
}

/// A real output of sysbench with a line for each of two minutes' seconds, and with other figures for
/// each number.
fn output_of_sysbench(number: usize, threads: u32) -> String {
    let real = include_str!("../../../import/tests/fixtures/sysbench/1.0.20.txt");
    let line = real.lines().find(|line| line.starts_with("[ 1s ]")).unwrap();
    let seconds: Vec<String> =
        (1..=120).map(|second| line.replace("[ 1s ]", &format!("[ {second}s ]"))).collect();
    let text = real.replace(line, &seconds.join("\n"));
    let text = text.replace("threads: 4", &format!("threads: {threads}"));
    text.replace("1386.79", &format!("{}.79", 1000 + number))
        .replace("154.29", &format!("{number}.29"))
}

#[test]
fn an_archive_of_thousands_of_files_takes_seconds_of_a_processor() {
    let place = Workplace::new();
    let mut number = 0;
    for kernel in ["5.15", "6.1", "6.8"] {
        for test in ["read_only", "read_write", "write_only", "point_select", "insert"] {
            for server in ["mysql57-BP25", "mysql57-BP50", "mysql80-BP25", "mysql80-BP50"] {
                for threads in [1, 4, 16, 64, 128, 256, 512, 1024] {
                    for run in 1..=10 {
                        let directory = format!(
                            "archive/RESULT-kernel-{kernel}-oltp_{test}/{server}/thr{threads}/run{run}"
                        );
                        fs::create_dir_all(place.path(&directory)).unwrap();
                        let text = output_of_sysbench(number, threads);
                        fs::write(place.path(&format!("{directory}/res.txt")), text).unwrap();
                        number += 1;
                    }
                }
            }
        }
    }
    assert!(number >= 4500, "{number}");
    // Seconds of a processor, of which an optimised build takes one or two.
    let weighin = env!("CARGO_BIN_EXE_weighin");
    let command = format!("ulimit -t 60; exec {weighin} import auto archive --out all.weighin");
    let said = succeed("sh", &place.path("."), &["-c", &command]);
    assert!(
        said.contains(&format!("Imported {number} trials of 12 targets under 5 tests")),
        "{said}"
    );
    let json = place.weighin(&["report", "all.weighin", "--format", "json"]).json();
    let trials = json["trials"].as_array().unwrap();
    assert_eq!(trials.len(), number);
    assert!(trials.iter().all(|trial| trial["repeat"].as_u64().is_some_and(|repeat| repeat <= 10)));
}
