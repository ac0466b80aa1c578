//! Numbers that cannot be meant are refused before anything begins, by the option's name and range.

use crate::support::{Workplace, sandbox_study};

/// A server that nobody needs to reach: the arguments are refused before.
const SQL: &str = "mysql://me@127.0.0.1:1/db";
const KEYS: &str = "redis://127.0.0.1:1";

#[test]
fn options_have_the_bounds_of_the_study_file() {
    let place = Workplace::new();
    place.write("study.toml", sandbox_study(""));
    let load = ["load", SQL, "--workload=oltp_point_select"];
    let keys = ["load", KEYS, "--workload=key_value"];
    let volume = ["load", "./disk"];
    let numbers: [(&[&str], &str, &[&str]); 21] = [
        (&load, "--rate", &["NaN", "inf", "-1", "0", "1e300", "10000001"]),
        (&load, "--clients", &["0", "-1", "65536", "1e3"]),
        (&load, "--duration", &["0s", "31m1000h", "99999999999999999999h", "-5s", "NaNs"]),
        (&load, "--warmup", &["1000h", "-5s"]),
        (&load, "--transactions", &["0", "-1", "1000000000001"]),
        (&load, "--tables", &["0", "10001"]),
        (&load, "--table-size", &["0", "2147483648"]),
        (&load, "--range-size", &["0", "2147483648"]),
        (&load, "--load-generators", &["0", "65"]),
        (&load, "--workers", &["0", "1025"]),
        (&keys, "--keys", &["0", "2147483648"]),
        (&keys, "--value-size", &["0", "67108865", "9-8"]),
        (&keys, "--pipeline", &["0", "10001"]),
        (&keys, "--expiry", &["0s", "1000h"]),
        (&volume, "--vms", &["0", "10001"]),
        (&volume, "--data", &["257TiB", "99999999999TiB", "-1B"]),
        (&volume, "--sync-every", &["0", "1000001"]),
        (&volume, "--iops-limit", &["0", "10000001"]),
        (&["plan", "study.toml"], "--scale", &["NaN", "inf", "-1", "0", "1e18", "1000000000"]),
        (&["run", "study.toml"], "--scale", &["1e18", "1000000000", "1e-300"]),
        (&["prepare", SQL], "--threads", &["0", "257"]),
    ];
    for (command, option, values) in numbers {
        for value in values {
            let ran = place.weighin(&[command, &[&format!("{option}={value}")]].concat());
            let shown = if *value == "0s" { "more than zero" } else { value };
            ran.refused(2, &[option, shown]);
        }
    }
    let waiting = [&load[..], &["--rate=5", "--max-waiting=4294967295"]].concat();
    place
        .weighin(&waiting)
        .refused(2, &["--max-waiting must be from 1 to 10000000, not 4294967295"]);
    assert!(place.files("").iter().all(|file| !file.ends_with("disk")));
    assert!(place.files(".weighin").is_empty());
}

#[test]
fn sysbench_has_bounds_too() {
    let place = Workplace::new();
    for word in [
        "--time=18446744073709551615",
        "--warmup-time=18446744073709551615",
        "--events=18446744073709551615",
        "--rate=10000001",
        "--threads=65536",
        "--tables=10001",
        "--rand-zipfian-exp=1e300",
        "--point-selects=4294967296",
    ] {
        let ran = place.weighin(&["sysbench", "oltp_read_write", word, "run"]);
        ran.refused(1, &[word.split_once('=').unwrap().0]);
    }
}

#[test]
fn a_plan_that_nobody_would_wait_for_is_refused_with_its_time() {
    let place = Workplace::new();
    let long = sandbox_study("").replace("[study]", "[study]\nrepeats = 1000");
    assert!(long.contains("repeats = 1000"));
    let long =
        long.lines().filter(|line| !line.starts_with("repeats = ") || line.ends_with("1000"));
    let long: String = long.map(|line| format!("{line}\n")).collect();
    place.write("study.toml", long);
    for command in ["plan", "check", "run"] {
        let ran = place.weighin(&[command, "study.toml", "--scale=1000"]);
        ran.refused(2, &["trials of the study would take about", "years", "--scale"]);
    }
    assert!(place.files(".weighin").is_empty());
}
