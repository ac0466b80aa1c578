//! Servers that come to their limit of memory.

use super::{Redis, sandbox, study_of};
use crate::support::{Ran, Workplace, wait_for};
use model::{FailureKind, TrialEnd};
use redis::protocol::Value;

/// A test whose values need more than the 4 MB of the servers here.
const LARGE: &str = "keys = 20_000\nvalue_size = 1_000\nratio = \"1:1\"\nclients = 4\n\
                     warmup = \"0s\"\nduration = \"1s\"";

#[test]
fn one_that_refuses_to_write_more_ends_the_load() {
    let place = Workplace::new();
    let server = Redis::start(&[("maxmemory", "3mb"), ("maxmemory-policy", "noeviction")]);
    let full = ["--workload=key_value", "--ratio=1:0", "--duration=60s"];
    server.weighin(&place, "load", &full).refused(3, &["OOM", "maxmemory"]);
}

#[test]
fn one_without_room_for_all_keys_fails_before_the_first_trial() {
    let place = Workplace::new();
    let target = sandbox("save = \"\", maxmemory = \"4mb\"");
    place.write("cache.toml", study_of(&[("small", &target)], LARGE));
    place
        .weighin(&["run", "cache.toml"])
        .refused(3, &["target small", "may take 4.0 MiB (maxmemory)", "raise maxmemory"]);
    assert!(place.files(".weighin").is_empty());
}

#[test]
fn refused_writes_are_failures_or_are_counted_as_the_study_wants() {
    let place = Workplace::new();
    let target = sandbox("save = \"\", maxmemory = \"4mb\"");
    // Half of so many operations write more than there is room for, however long they take.
    let empty = LARGE.replace("duration = \"1s\"", "operations = 20_000");
    let empty = format!("{empty}\npreload = false");
    place.write("stop.toml", study_of(&[("small", &target)], &empty));
    let ran = place.weighin(&["run", "stop.toml"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    for trial in &place.store().dataset().unwrap().trials {
        let TrialEnd::Failed(failure) = &trial.end else { panic!("{:?}", trial.end) };
        assert_eq!(failure.kind, FailureKind::DiskFull, "{failure}");
        assert!(failure.message.contains("OOM") && failure.remedy.contains("maxmemory"));
    }

    let place = Workplace::new();
    let counted = format!("{empty}\non_error = \"ignore\"");
    place.write("count.toml", study_of(&[("small", &target)], &counted));
    assert_eq!(place.weighin(&["run", "count.toml"]).code, Some(0));
    for trial in &place.store().dataset().unwrap().trials {
        let load = trial.load().unwrap();
        let refused = load.errors.iter().find(|error| error.code == "OOM").unwrap();
        assert_eq!(refused.count, load.ledger.failed, "{:?}", load.errors);
    }
    let markdown = place.weighin(&["report", "count.toml", "--format", "markdown"]).done();
    for words in ["operations failed (", "OOM command not allowed", "To fix: raise maxmemory"] {
        assert!(markdown.contains(words), "no «{words}» in:\n{markdown}");
    }
}

#[test]
fn one_that_evicts_keys_is_reported_with_the_size_of_its_data() {
    let place = Workplace::new();
    let target = sandbox("save = \"\", maxmemory = \"4mb\", maxmemory-policy = \"allkeys-lru\"");
    let counted = LARGE.replace("duration = \"1s\"", "operations = 20_000");
    place.write("cache.toml", study_of(&[("small", &target)], &counted));
    assert_eq!(place.weighin(&["run", "cache.toml"]).code, Some(0));
    let json = place.weighin(&["report", "cache.toml", "--format", "json"]).json();
    let findings = json["findings"].as_array().unwrap();
    let of_kind = |kind: &str| findings.iter().find(|found| found["evidence"]["kind"] == kind);
    let found = of_kind("keys_evicted").unwrap_or_else(|| panic!("{findings:#?}"));
    assert_eq!(found["severity"], "warning");
    let evidence = &found["evidence"];
    assert!(evidence["evicted"].as_u64().unwrap() > 0, "{evidence:#}");
    assert_eq!(evidence["limit_bytes"], 4 << 20);
    assert_eq!(evidence["data_bytes"], 20_000 * 1_000);
    let hits = evidence["hit_rate"].as_f64().unwrap();
    assert!(hits > 0.0 && hits < 0.5, "{evidence:#}");
    // Weighin's count of commands still agrees with the server's.
    assert!(of_kind("counter_mismatch").is_none(), "{findings:#?}");
}

#[test]
fn a_check_tells_what_would_mislead() {
    let place = Workplace::new();
    let (primary, replica) = (Redis::start(&[("maxmemory", "4mb")]), Redis::start(&[]));
    let password = primary.sandbox.password().reveal();
    replica.command(&["CONFIG", "SET", "masterauth", password]);
    replica.command(&["REPLICAOF", "127.0.0.1", &primary.sandbox.port().to_string()]);
    wait_for("the replica", || {
        let Value::Bytes(report) = primary.command(&["INFO", "replication"]) else { panic!() };
        String::from_utf8(report).unwrap().contains("connected_slaves:1")
    });
    primary.command(&["CONFIG", "SET", "maxmemory-policy", "allkeys-lru"]);
    // Weighin's own connection may be idle for a moment on a busy machine.
    primary.command(&["CONFIG", "SET", "timeout", "30"]);
    let url = format!("url = \"{}\"", primary.url());
    let long = LARGE.replace("duration = \"1s\"", "duration = \"50s\"");
    let check = |text: String| {
        place.write("cache.toml", text);
        let mut check = place.command(&["check", "cache.toml"]);
        check.env("REDISCLI_AUTH", password);
        Ran::of(check)
    };
    let said = check(study_of(&[("one", &url)], &long)).done();
    for words in [
        "a replica is connected and gets everything that the study writes",
        "may take 4.0 MiB (maxmemory), and the keys need 21.0 MiB: it will evict keys",
        "were idle for 30 s (timeout), and a trial takes 50 s",
        "The study can run, with 3 warnings.",
    ] {
        assert!(said.contains(words), "no «{words}» in:\n{said}");
    }
    let twice = check(study_of(&[("one", &url), ("two", &url)], &long));
    assert_eq!(twice.code, Some(3), "{twice:?}");
    assert!(twice.out.contains("one and two are the same server"), "{}", twice.out);
}

#[test]
fn keys_are_known_by_their_names_where_the_marker_was_evicted() {
    let place = Workplace::new();
    let server = Redis::start(&[]);
    let load = ["--workload=key_value", "--keys=1500", "--operations=10"];
    let number = |words: &[&str]| match server.command(words) {
        Value::Integer(number) => number,
        other => panic!("{other:?}"),
    };
    server.weighin(&place, "load", &load).done();
    let all = number(&["DBSIZE"]);
    assert!(all > 1, "{all}");
    // As a server does that comes to its limit.
    assert_eq!(number(&["UNLINK", "weighin"]), 1);
    server.weighin(&place, "load", &load).done();
    assert!(number(&["DBSIZE"]) >= all);

    assert_eq!(number(&["UNLINK", "weighin"]), 1);
    server.command(&["SET", "weighin:1not-ours", "x"]);
    server.weighin(&place, "load", &load).refused(3, &["that are not weighin's"]);
    server.weighin(&place, "cleanup", &[]).done();
    assert_eq!(number(&["DBSIZE"]), 1);
}
