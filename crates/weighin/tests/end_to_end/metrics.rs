//! `weighin run --metrics`: the figures of a run under way, for programs that collect them.

use crate::support::{Started, TIMEOUT, Workplace, certificates, light_study, succeed};
use model::{Metric, TrialRecord};
use std::collections::BTreeMap;
use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};
use test_support::{Exposed, Labels};

/// Of how many of eight trials something is seen by who asks again and again: who serves the figures gives way
/// to all others, and on a busy machine a trial may be over before an answer comes.
const OFTEN: usize = 4;

const OPEN: &str = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5";

/// A run that says where it can be asked.
fn start(place: &Workplace, arguments: &[&str]) -> (Started, SocketAddr) {
    let mut words = vec!["run", "duel.toml", "--plain", "--metrics", "127.0.0.1:0"];
    words.extend(arguments);
    let mut run = place.start(&words);
    let line = run.wait_for_line("the figures of this run are at");
    let (_, address) = line.split_once("://").unwrap();
    let (address, path) = address.split_once('/').unwrap();
    assert_eq!(path, "metrics");
    (run, address.parse().unwrap())
}

/// Status, head and body; `None` when nobody listens any more.
fn ask(address: SocketAddr, path: &str, header: &str) -> Option<(u16, String, String)> {
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{header}\r\n\r\n"
    )
    .ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    Some((status, head.to_ascii_lowercase(), body.to_owned()))
}

/// All figures as they are now.
#[track_caller]
fn scrape(address: SocketAddr) -> Option<Exposed> {
    let (status, head, body) = ask(address, "/metrics", &format!("Accept: {OPEN}"))?;
    if status == 503 {
        return None;
    }
    assert_eq!(status, 200, "{head}");
    assert!(head.contains("content-type: application/openmetrics-text; version=1.0.0"), "{head}");
    Some(Exposed::read(&body).unwrap_or_else(|wrong| panic!("{wrong} in\n{body}")))
}

/// All figures, asked for until the run has ended.
fn scrape_all(address: SocketAddr) -> Vec<Exposed> {
    let mut all = Vec::new();
    let deadline = Instant::now() + 2 * TIMEOUT;
    while let Some(read) = scrape(address) {
        all.push(read);
        assert!(Instant::now() < deadline, "the run does not end");
        std::thread::sleep(Duration::from_millis(50));
    }
    all
}

/// What no longer grows from one to the next.
fn assert_growing(all: &[Exposed]) {
    let mut before: BTreeMap<(String, Labels), f64> = BTreeMap::new();
    for read in all {
        for (name, family) in read.0.iter().filter(|(_, family)| family.kind == "counter") {
            for (labels, value) in &family.samples {
                let known = before.insert((name.clone(), labels.clone()), *value).unwrap_or(0.0);
                assert!(*value >= known, "{name} {labels:?} fell from {known} to {value}");
            }
        }
    }
}

/// Asserts that what is said of a cell is what a record of it holds.
#[track_caller]
fn assert_result_of(read: &Exposed, record: &TrialRecord) {
    let level = record.key.level.to_string();
    let cell = [("target", &*record.key.target), ("test", &*record.key.test), ("level", &*level)];
    let load = record.outcome().unwrap().load.as_ref().unwrap();
    let rate = read.value("weighin_result_throughput_per_second", &cell);
    assert_eq!(rate, Some(load.measure.transactions_per_second()), "{}", record.key);
    for (label, percentile) in [("50", 50.0), ("95", 95.0), ("99.9", 99.9)] {
        let labels = [&cell[..], &[("percentile", label)]].concat();
        let latency = read.value("weighin_result_latency_seconds", &labels).unwrap();
        let recorded = load.latencies.percentile_ms(percentile).unwrap() / 1e3;
        assert!((latency / recorded - 1.0).abs() < 1e-9, "{latency} {recorded}");
    }
}

#[test]
fn a_run_is_scraped_and_says_of_its_trials_what_the_store_says() {
    let place = Workplace::new();
    place.write("duel.toml", light_study("warmup = \"1s\"\nduration = \"3s\""));
    let (run, address) = start(&place, &[]);
    let (status, head, _) = ask(address, "/metrics", "Accept: */*").unwrap();
    assert!(status == 200 && head.contains("text/plain; version=0.0.4"), "{head}");
    assert_eq!(ask(address, "/", "X: y").unwrap().0, 200);
    assert_eq!(ask(address, "/runs/1", "X: y").unwrap().0, 404);
    let all = scrape_all(address);
    let ran = run.end();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_growing(&all);
    let data = place.store().dataset().unwrap();
    assert_eq!(data.trials.len(), 8);
    for read in &all {
        assert_eq!(read.samples("weighin_run")[0].0["study"], "duel");
        assert_eq!(read.value("weighin_trials_planned", &[]), Some(8.0));
    }
    // Of trials their seconds were seen, and their percentiles.
    let running = |read: &Exposed, record: &TrialRecord, family: &str| {
        let (level, repeat) = (record.key.level.to_string(), record.key.repeat.to_string());
        let labels = [("target", record.key.target.as_str()), ("level", &level)];
        let trial = [&labels[..], &[("repeat", &repeat)]].concat();
        read.value("weighin_trial_running", &trial).is_some()
            && read.samples(family).iter().any(|(found, value)| {
                found["target"] == record.key.target && found["level"] == level && *value > 0.0
            })
    };
    for family in ["weighin_throughput_per_second", "weighin_latency_seconds"] {
        let is_seen = |record: &&TrialRecord| all.iter().any(|read| running(read, record, family));
        assert!(data.trials.iter().filter(is_seen).count() >= OFTEN, "{family}");
    }
    for family in ["weighin_host_cpu_ratio", "weighin_process_cpus", "weighin_trial_clients"] {
        assert!(all.iter().any(|read| !read.samples(family).is_empty()), "{family}");
    }
    let server = [("process", "server")];
    assert!(all.iter().any(|read| read.value("weighin_process_cpus", &server) > Some(0.0)));
    // As soon as one trial more has ended, its result is there.
    let mut seen = 0;
    for (ended, record) in (1..).zip(&data.trials) {
        let completed = [("end", "completed")];
        let read = all
            .iter()
            .find(|read| read.value("weighin_trials_ended", &completed) == Some(f64::from(ended)));
        // The last one ends shortly before the run does, and a busy machine may not ask while another runs.
        if let Some(read) = read {
            assert_result_of(read, record);
            seen += 1;
        }
    }
    assert!(seen >= OFTEN, "{seen}");
    // All seconds of a cell's trials are in its counters, once these have ended.
    let last = all.last().unwrap();
    let ended = last.value("weighin_trials_ended", &[("end", "completed")]).unwrap();
    for record in data.trials.iter().filter(|record| record.key.repeat == 1) {
        let same = |other: &&TrialRecord| {
            let (a, b) = (&other.key, &record.key);
            a.target == b.target && a.level == b.level
        };
        let measured: u64 = data
            .trials
            .iter()
            .filter(same)
            .map(|record| record.outcome().unwrap().load.as_ref().unwrap().measure.transactions)
            .sum();
        let level = record.key.level.to_string();
        let labels = [("target", &*record.key.target), ("level", &*level), ("phase", "measure")];
        if !data.trials[ended as usize..].iter().any(|trial| same(&trial)) {
            let counted = last.value("weighin_transactions", &labels).unwrap();
            assert_eq!(counted, measured as f64, "{}", record.key);
        }
    }
    assert!(data.trials[0].outcome().unwrap().metric(Metric::Throughput).is_some());
    place.assert_no_server_left();
}

/// Whether it was answered before the first trial of the run that goes on had ended.
fn counts_trials_from_before() -> bool {
    let place = Workplace::new();
    place.write("duel.toml", light_study("warmup = \"100ms\"\nduration = \"1s\""));
    let mut run = place.start(&["run", "duel.toml", "--plain"]);
    run.wait_for_line("[1/8]");
    run.signal("TERM");
    assert_eq!(run.end().code, Some(130));
    let recorded = place.store().completed().len() as f64;
    let (run, address) = start(&place, &["--resume", "--quiet"]);
    let all = scrape_all(address);
    let ran = run.end();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_growing(&all);
    let sum = |read: &Exposed| -> f64 {
        read.samples("weighin_trials").iter().map(|(_, count)| count).sum()
    };
    let here = |read: &Exposed| -> f64 {
        read.samples("weighin_trials_ended").iter().map(|(_, count)| count).sum()
    };
    for read in &all {
        assert!(sum(read) == 0.0 || sum(read) == recorded + here(read), "{read:?}");
    }
    // They are judged before the first trial of this process.
    let at_start = all.iter().find(|read| sum(read) > 0.0 && here(read) == 0.0);
    if let Some(at_start) = at_start {
        assert_eq!(at_start.value("weighin_trials", &[("verdict", "unjudged")]), Some(0.0));
    }
    at_start.is_some()
}

/// Who serves the figures gives way to all others.
#[test]
fn a_resumed_run_counts_the_trials_from_before() {
    assert!((0..10).any(|_| counts_trials_from_before()), "it is never answered in time");
}

#[test]
fn an_address_that_cannot_be_had_is_refused_before_anything_is_made() {
    let place = Workplace::new();
    place.write("duel.toml", light_study("duration = \"1s\""));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = listener.local_addr().unwrap().to_string();
    let run = |more: &[&str]| place.weighin(&[&["run", "duel.toml"], more].concat());
    run(&["--metrics", &taken]).refused(3, &[&taken, "another port"]);
    run(&["--metrics", "0.0.0.0:0"])
        .refused(2, &["other machines", "--metrics-token-file", "--metrics-certificate"]);
    run(&["--metrics", "example.org:80"]).refused(2, &["expected an address"]);
    run(&["--metrics-token-file", "token"]).refused(2, &["--metrics <ADDRESS>"]);
    run(&["--metrics", "0", "--metrics-name", "http://a"]).refused(2, &["--metrics-name"]);
    assert!(place.files(".weighin").is_empty());
    place.assert_no_server_left();
}

#[test]
fn collectors_give_the_token_over_tls() {
    let place = Workplace::new();
    place.write("duel.toml", light_study("warmup = \"1s\"\nduration = \"60s\""));
    place.write("token", "a-token-of-24-characters");
    let certificates = certificates();
    let file = |name: &str| certificates.path().join(name).display().to_string();
    fs::set_permissions(file("server.key"), fs::Permissions::from_mode(0o600)).unwrap();
    let (run, address) = start(
        &place,
        &[
            "--metrics-token-file",
            "token",
            "--metrics-certificate",
            &file("server.pem"),
            "--metrics-key",
            &file("server.key"),
        ],
    );
    let over_tls = |header: &str| {
        let script = format!(
            "printf 'GET /metrics HTTP/1.1\\r\\nHost: localhost\\r\\n{header}Connection: close\\r\\n\\r\\n' \
             | timeout 60 openssl s_client -quiet -verify_return_error -CAfile {} -servername localhost \
             -connect {address} 2>/dev/null || true",
            file("ca.pem")
        );
        succeed("sh", &place.path("."), &["-c", &script])
    };
    let refused = over_tls("");
    assert!(refused.starts_with("HTTP/1.1 401") && !refused.contains("weighin_run"), "{refused}");
    let given = over_tls("Authorization: Bearer a-token-of-24-characters\\r\\n");
    assert!(given.starts_with("HTTP/1.1 200") && given.contains("weighin_run_info{"), "{given}");
    run.signal("TERM");
    assert_eq!(run.end().code, Some(130));
    place.assert_no_server_left();
}
