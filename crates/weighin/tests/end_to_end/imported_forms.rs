//! Results in the forms that people have them in: packed, as tables, and of tools that are not read.

use crate::support::Workplace;
use std::fs;
use std::process::Command;

const WIDE: &str = "threads;mariadb;postgres\n1;100,5;90,1\n16;800,5;950,2\n";

#[test]
fn an_archive_is_read_as_the_directory_that_it_was_made_of() {
    let place = Workplace::new();
    for (target, rate) in [("a", "1000.5"), ("b", "900.5")] {
        fs::create_dir_all(place.path("runs").join(target)).unwrap();
        let text = format!("SET: {rate} requests per second\nGET: 1{rate} requests per second\n");
        // What docker logs -t puts before each line.
        let stamped: String =
            text.lines().map(|line| format!("2024-01-02T03:04:05.678901234Z {line}\n")).collect();
        place.write(
            &format!("runs/{target}/redis.txt"),
            format!("{stamped}2024-01-02T03:04:06Z \n"),
        );
    }
    let tar = Command::new("tar")
        .current_dir(place.path(""))
        .args(["czf", "runs.tar.gz", "runs"])
        .status()
        .unwrap();
    assert!(tar.success());
    fs::remove_dir_all(place.path("runs")).unwrap();
    let ran = place.weighin(&["import", "auto", "runs.tar.gz", "--out", "r.weighin"]).done();
    assert!(ran.contains("4 trials of 2 targets under 2 tests"), "{}", ran);
    assert!(ran.contains("a, b") && !ran.contains(".tar"), "{}", ran);
    assert!(!place.path("runs").exists(), "nothing is unpacked onto the disk");
}

#[test]
fn what_a_table_does_not_say_is_asked_and_told_by_options() {
    let place = Workplace::new();
    place.write("wide.csv", WIDE);
    place.weighin(&["import", "csv", "wide.csv"]).refused(2, &["`mariadb`, `postgres`", "--map"]);
    assert!(place.files(".weighin").is_empty());
    let words = ["import", "auto", "wide.csv", "--out", "r.weighin", "--map"];
    let ran = place.weighin(&[&words[..], &["*=TPS"]].concat()).done();
    assert!(ran.contains("4 trials of 2 targets"), "{}", ran);
    place.weighin(&[&words[..], &["x=blub"]].concat()).refused(2, &["«blub»", "roles: target"]);
    place.write("open.csv", "db;threads;tps\na;1;1.234\nb;1;2.345\n");
    let open = ["import", "csv", "open.csv", "--out", "o.weighin"];
    place.weighin(&open).refused(2, &["two ways (1.234)", "--decimal"]);
    place.weighin(&[&open[..], &["--decimal", "comma"]].concat()).done();
    let unused =
        ["import", "csv", "open.csv", "--out", "u.weighin", "--decimal", "comma", "--map", "n=-"];
    let ran = place.weighin(&unused);
    assert!(ran.err.contains("no table that was read has the column `n`"), "{}", ran.err);
}

/// Each of so many targets takes a place in the plan, in the study and in the records.
#[test]
fn what_is_made_of_a_table_is_within_the_limit_as_well() {
    let place = Workplace::new();
    let row = |number: u32| format!("machine{number},oltp,8,{number}.5\n");
    let rows: String = (1..=3_000).map(row).collect();
    place.write("many.csv", format!("target,test,clients,tps\n{rows}"));
    let import = ["import", "csv", "many.csv", "--out", "m.weighin", "--read-limit"];
    place.weighin(&[&import[..], &["64MiB"]].concat()).done();
    fs::remove_file(place.path("m.weighin")).unwrap();
    place
        .weighin(&[&import[..], &["10MiB"]].concat())
        .refused(2, &["too much for one run", "limit is 10 MiB", "--read-limit"]);
    assert!(place.files(".weighin").is_empty());
}

#[test]
fn results_that_are_not_read_are_named_with_what_to_do() {
    let place = Workplace::new();
    fs::create_dir_all(place.path("runs")).unwrap();
    place.write("runs/a.txt", "[OVERALL], RunTime(ms), 10000\n[READ], Operations, 5\n");
    place.write("runs/old.xls", "x");
    fs::write(place.path("runs/old.xls"), b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1and so on").unwrap();
    let ran = place.weighin(&["import", "auto", "runs", "--verbose"]);
    ran.refused(2, &["YCSB's output", "weighin import csv", "old Office file", ".xlsx or CSV"]);
}
