//! Servers that descend from Redis, where they are installed.

use super::{sandbox, sandbox_of, study};
use crate::support::{Workplace, not_tested};

#[test]
fn private_servers_of_valkey_and_keydb_are_measured_as_those_of_redis() {
    let path = std::env::var_os("PATH").unwrap_or_default();
    for (kind, name) in [("valkey", "Valkey "), ("keydb", "KeyDB ")] {
        let program = format!("{kind}-server");
        if !std::env::split_paths(&path).any(|place| place.join(&program).is_file()) {
            not_tested(&format!("{program} is not installed"));
            continue;
        }
        let place = Workplace::new();
        let settings = "save = \"\", appendonly = true, appendfsync = \"everysec\"";
        let targets = [("redis", &*sandbox(settings)), (kind, &sandbox_of(kind, settings))];
        place.write("cache.toml", study(&targets));
        let found = place.weighin(&["check", "cache.toml"]).done();
        assert!(found.contains(name) && found.contains("1,000 keys will be made"), "{found}");
        place.weighin(&["run", "cache.toml"]).done();
        place.assert_no_server_left();

        let json = place.weighin(&["report", "cache.toml", "--format", "json"]).json();
        let version = |target: usize| json["targets"][target]["server"]["version"].as_str();
        assert!(version(1).is_some_and(|version| version.starts_with(name)), "{json:#}");
        assert!(version(0).is_some_and(|version| version.starts_with(char::is_numeric)));
        let check = |kind: &str| {
            let mut findings = json["findings"].as_array().unwrap().iter();
            findings.any(|found| found["evidence"]["kind"] == kind)
        };
        assert!(!check("counter_mismatch") && !check("counters_unavailable"), "{json:#}");
    }
}

#[test]
fn a_kind_that_is_not_installed_is_named() {
    let place = Workplace::new();
    place.write("cache.toml", study(&[("one", &sandbox_of("keydb", ""))]));
    let mut check = place.command(&["check", "cache.toml"]);
    check.env("PATH", "/nowhere");
    let said = crate::support::Ran::of(check);
    if std::path::Path::new("/usr/bin/keydb-server").is_file() {
        return not_tested("keydb-server is installed");
    }
    assert_eq!(said.code, Some(3), "{}", said.err);
    assert!(said.out.contains("keydb-server is not installed"), "{}", said.out);
}
