//! A server by URL on this machine and a load by hand are checked as a private server's trials are.

use super::{Hog, findings, hogs, passed, study_of, validities};
use crate::failover::Relay;
use crate::support::{Ran, Server, Workplace, number, prepared};
use serde_json::Value;

/// So long that the server gets a processor however busy that is.
const TIMES: &str = "warmup = \"200ms\"\nduration = \"8s\"";

/// Processes that take processors from everything else.
fn greedy() -> Vec<Hog> {
    hogs(&["nice", "-n", "-10"])
}

fn port(server: &Server) -> u16 {
    let url = server.url();
    let (_, port) = url.split_once('@').unwrap().1.split_once(':').unwrap();
    port.split('/').next().unwrap().parse().unwrap()
}

/// Whether that check could not be made of a load by hand.
fn not_made(json: &Value, check: &str) -> bool {
    json["checks"]["not_made"].as_array().unwrap().iter().any(|one| one == check)
}

#[test]
fn another_process_beside_a_server_by_url_is_found_out() {
    let server = Server::start();
    let place = Workplace::new();
    place.write("duel.toml", study_of(&server, 1, TIMES));
    let hogs = greedy();
    place.weighin(&["run", "duel.toml"]).done();
    drop(hogs);
    let found = findings(&place, "duel.toml", "other_processes");
    assert!(number(&found[0]["evidence"], "/share") > 0.1, "{found:?}");
    assert_ne!(validities(&place, "duel.toml"), ["valid"]);
    let sampled = &place.store().dataset().unwrap().trials[0].sampling;
    let used = sampled.samples.iter().filter_map(|sample| sample.server);
    assert!(used.map(|server| server.cpus).sum::<f64>() > 0.0, "the server used no processor");
}

#[test]
fn a_proxy_is_not_taken_for_the_server_behind_it() {
    let server = Server::start();
    let place = Workplace::new();
    let relay = Relay::start(port(&server));
    let study = study_of(&server, 1, TIMES);
    let through = study.replace(&format!(":{}/", port(&server)), &format!(":{}/", relay.port));
    assert_ne!(study, through);
    place.write("duel.toml", through);
    let said = place.weighin(&["check", "duel.toml"]).done();
    assert!(said.contains("cannot tell which process the server is"), "{said}");
    place.weighin(&["run", "duel.toml"]).done();
    assert!(findings(&place, "duel.toml", "other_processes").is_empty());
    assert!(!passed(&place, "duel.toml", "own_machine"));
}

#[test]
fn a_load_by_hand_is_checked_like_a_trial() {
    let place = Workplace::new();
    let server = prepared(&place);
    let load = |more: &[&str]| -> Ran {
        let all = ["--workload=oltp_point_select", "--table-size=1000", "--duration=2s"];
        server.weighin(&place, "load", &[&all[..], more].concat())
    };
    let hogs = greedy();
    let json = load(&["--json"]).json();
    let text = load(&[]).done();
    drop(hogs);
    let found = json["checks"]["findings"].as_array().unwrap();
    let taken = found.iter().find(|finding| finding["evidence"]["kind"] == "other_processes");
    let taken = taken.unwrap_or_else(|| panic!("{json:#}"));
    assert_eq!(taken["severity"], "warning");
    assert_ne!(json["checks"]["validity"], "valid");
    assert!(!not_made(&json, "own_machine") && !not_made(&json, "server_counters"), "{json:#}");
    assert!(text.contains("  checks         SUSPECT: ") || text.contains("VOID"), "{text}");
    assert!(text.contains("rocesses other than"), "{text}");
}

#[test]
fn sysbench_s_command_line_tells_doubts_beside_its_output() {
    let place = Workplace::new();
    let server = prepared(&place);
    let run = || {
        let socket = format!("--mysql-socket={}", server.sandbox.socket().display());
        let password = format!("--mysql-password={}", server.password());
        let login = ["--mysql-user=weighin", &password, "--mysql-db=sbtest", &socket];
        let load = ["--table-size=1000", "--time=2", "--threads=1"];
        let all = [&["sysbench", "oltp_point_select"], &load[..], &login[..], &["run"]];
        place.weighin(&all.concat())
    };
    let hogs = greedy();
    let ran = run();
    drop(hogs);
    let told = ran.err.contains("weighin: SUSPECT: ") || ran.err.contains("VOID");
    assert!(told && ran.err.contains("rocesses other than"), "{} {}", ran.err, ran.out);
    let out = ran.done();
    assert!(out.contains("SQL statistics:") && !out.contains("weighin"), "{out}");
}
