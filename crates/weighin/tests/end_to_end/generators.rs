//! Several load generators that make one load: what they did together is what the server saw, and
//! none is left behind.

use crate::support::{
    COUNTERS, Frozen, Ran, Server, Started, Workplace, adds_up, number, point_selects, prepared,
    processes_with, server_study, shared_directory, wait_for, whole,
};
use serde_json::Value;
use std::process::Command;

/// The numbers of the load generators that a process has started.
pub fn generators_of(weighin: u32) -> Vec<u32> {
    let is_child = |pid: u32| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let fields = stat.rsplit_once(')').map(|(_, fields)| fields.to_owned()).unwrap_or_default();
        fields.split_ascii_whitespace().nth(1) == Some(&weighin.to_string())
    };
    let all = processes_with("load-generator").into_iter();
    let mut own: Vec<u32> = all
        .filter(|(pid, line)| line.trim_end() == "weighin load-generator" && is_child(*pid))
        .map(|(pid, _)| pid)
        .collect();
    own.sort_unstable();
    own
}

/// Waits until none of these is a load generator any more.
fn assert_gone(generators: &[u32]) {
    wait_for("the generators' end", || {
        let left = processes_with("load-generator");
        left.iter().all(|(pid, _)| !generators.contains(pid))
    });
}

/// A load of two generators that is well under way, and their numbers.
fn under_way(place: &Workplace, server: &Server, arguments: &[&str]) -> (Started, Vec<u32>) {
    let usual = ["--load-generators=2", "--clients=4", "--duration=120s"];
    let load = point_selects(place, server, &[&usual, arguments].concat());
    let generators = generators_of(load.pid());
    assert_eq!(generators.len(), 2);
    (load, generators)
}

/// The sum of a field over all generators of a result.
fn sum(json: &Value, field: &str) -> u64 {
    json["generators"].as_array().unwrap().iter().map(|share| whole(share, field)).sum()
}

/// Asserts that the generators' shares make the whole.
fn shares_add_up(json: &Value, generators: usize) {
    assert_eq!(json["generators"].as_array().unwrap().len(), generators);
    for field in ["/clients", "/transactions", "/queries", "/errors"] {
        assert_eq!(sum(json, field), whole(json, field), "{field} of {json:#}");
    }
    for share in json["generators"].as_array().unwrap() {
        assert!(whole(share, "/transactions") > 0, "{json:#}");
        assert!(number(share, "/latency_p99_ms") >= number(share, "/latency_p50_ms"));
        assert!(number(share, "/cpu_seconds") <= number(json, "/client_cpu_seconds"));
    }
    assert!(sum(json, "/peak_rss_bytes") < whole(json, "/peak_rss_bytes"));
}

#[test]
fn what_generators_did_together_is_what_mariadb_counted() {
    let place = Workplace::new();
    let server = prepared(&place);
    for (generators, arguments) in [
        (2, &["--clients=16", "--warmup=200ms", "--duration=2s", "--statements"][..]),
        (3, &["--clients=7", "--transactions=100", "--io=epoll"]),
        (2, &["--clients=8", "--rate=400", "--duration=1s", "--arrivals=uniform"]),
    ] {
        let count = format!("--load-generators={generators}");
        let usual = ["--workload=oltp_read_write", "--table-size=1000", "--json", &count];
        let before = server.counters();
        let json = server.weighin(&place, "load", &[&usual, arguments].concat()).json();
        let after = server.counters();
        adds_up(&json);
        shares_add_up(&json, generators);
        for name in COUNTERS {
            let kind = name.strip_prefix("Com_").unwrap();
            let said = whole(&json, &format!("/requests/{kind}/weighin"));
            assert_eq!(after[name] - before[name], said, "{name}, {arguments:?}");
        }
        if arguments.contains(&"--transactions=100") {
            assert_eq!(whole(&json, "/operations/ok") + whole(&json, "/operations/failed"), 100);
        }
        if arguments.contains(&"--rate=400") {
            assert_eq!(whole(&json, "/open_loop/scheduled"), 400);
        }
        if arguments.contains(&"--statements") {
            let kinds = json["statement_latencies"].as_array().unwrap();
            let selects = kinds.iter().find(|kind| kind["statement"] == "point_select").unwrap();
            // Of a transaction that began in the warm-up some may have been answered there: of each client's.
            let begun_before = 10 * 16;
            let all = 10 * whole(&json, "/transactions");
            assert!(whole(selects, "/count") + begun_before >= all, "{json:#}");
            assert!(all > 0 && whole(selects, "/count") > 0, "{json:#}");
        }
    }
}

#[test]
fn what_generators_did_together_on_storage_is_one_load() {
    let place = Workplace::new();
    let directory = shared_directory();
    let path = directory.path().to_str().unwrap();
    let usual = ["load", path, "--vms=3", "--data=4MiB", "--pattern=t1 o8 b4k", "--json"];
    for (generators, arguments) in [
        (2, &["--reads=50", "--sync-every=10", "--operations=1000"][..]),
        (3, &["--reads=100", "--warmup=200ms", "--duration=2s"]),
        (3, &["--reads=70", "--rate=300", "--duration=1s", "--arrivals=uniform"]),
        (2, &["--reads=0", "--verify", "--operations=500"]),
    ] {
        let count = format!("--load-generators={generators}");
        let json = place.weighin(&[&usual[..], &[count.as_str()], arguments].concat()).json();
        adds_up(&json);
        shares_add_up(&json, generators);
        let requests = |kind: &str| whole(&json, &format!("/requests/{kind}/weighin"));
        let vms = json["storage"]["vms"].as_array().unwrap();
        assert_eq!(vms.len(), 3, "{json:#}");
        if let Some(events) = arguments.iter().find_map(|a| a.strip_prefix("--operations=")) {
            let asked: u64 = events.parse().unwrap();
            assert_eq!(whole(&json, "/operations/ok"), asked);
            assert_eq!(requests("read") + requests("write"), asked);
        }
        if arguments.contains(&"--rate=300") {
            assert_eq!(whole(&json, "/open_loop/scheduled"), 300);
        }
    }
    let too_many = place.weighin(&[&usual[..], &["--load-generators=4"]].concat());
    too_many.refused(2, &["4 load generators", "--vms=4"]);
    let shared = ["--load-generators=2", "--cpu-oversubscription=2"];
    place.weighin(&[&usual[..], &shared].concat()).refused(2, &["one process"]);
}

#[test]
fn a_generator_that_is_killed_fails_the_load_in_words() {
    let place = Workplace::new();
    let server = prepared(&place);
    let (load, generators) = under_way(&place, &server, &[]);
    assert!(
        Command::new("kill").args(["-9", &generators[1].to_string()]).status().unwrap().success()
    );
    let ran = load.end();
    ran.refused(
        3,
        &["load generator", "of 2", "was killed by signal 9", "s into the load", "help"],
    );
    assert!(ran.err.contains(&format!("(process {})", generators[1])), "{}", ran.err);
    assert_gone(&generators);
}

#[test]
fn a_generator_that_stands_still_fails_the_load_in_words() {
    let place = Workplace::new();
    let server = prepared(&place);
    let (load, generators) = under_way(&place, &server, &[]);
    // Processes need not have their numbers in the order in which they were started.
    let frozen = Frozen::new(generators[0]);
    let silent = format!("of 2 (process {}) sent nothing for 10 s", generators[0]);
    load.end().refused(3, &["load generator ", &silent, "help"]);
    // It was killed meanwhile, and waited for.
    assert_gone(&generators);
    std::mem::forget(frozen);
}

#[test]
fn no_generator_outlives_weighin_however_that_ends() {
    let place = Workplace::new();
    let server = prepared(&place);
    let (load, generators) = under_way(&place, &server, &[]);
    load.kill();
    assert_gone(&generators);

    let (load, generators) = under_way(&place, &server, &["--io=epoll"]);
    load.signal("INT");
    assert_eq!(load.end().code, Some(130));
    assert_gone(&generators);
}

#[test]
fn a_generator_that_cannot_log_in_says_why() {
    let place = Workplace::new();
    let server = prepared(&place);
    server.execute("CREATE USER few@'%' IDENTIFIED BY 'geheim' WITH MAX_USER_CONNECTIONS 4");
    server.execute("GRANT ALL ON sbtest.* TO few@'%'");
    let mut load = place.command(&[
        "load",
        &server.url_of("few", "sbtest"),
        "--workload=oltp_point_select",
        "--table-size=1000",
        "--clients=8",
        "--load-generators=2",
        "--password-env=FEW",
    ]);
    load.env("FEW", "geheim");
    Ran::of(load).refused(3, &["max_user_connections"]);

    let wanted = ["--workload=oltp_point_select", "--clients=2", "--load-generators=3"];
    server.weighin(&place, "load", &wanted).refused(2, &["3 load generators", "--clients=3"]);
    // Nobody is to start one by hand.
    place.weighin(&["load-generator"]).refused(3, &["--load-generators 2"]);
}

#[test]
fn a_study_keeps_what_each_generator_did_and_counts_all_of_them_as_weighin() {
    let place = Workplace::new();
    let server = prepared(&place);
    let password = format!("password_file = {:?}", server.password_file());
    let study = server_study(&server.url(), 6, &password)
        .replace("repeats = 2", "repeats = 1")
        .replace("duration = \"200ms\"", "duration = \"2500ms\"\nload_generators = 2");
    place.write("lone.toml", study);
    place.weighin(&["run", "lone.toml"]).done();
    let dataset = place.store().dataset().unwrap();
    let load = dataset.trials[0].load().unwrap();
    assert_eq!(load.generators.iter().map(|share| share.clients).collect::<Vec<_>>(), [3, 3]);
    let made: u64 = load.generators.iter().map(|share| share.transactions).sum();
    assert_eq!(made, load.measure.transactions);
    // The sampler has seen most of what the generators used, and not its own process alone.
    let samples = &dataset.trials[0].sampling.samples;
    let seen: f64 = samples.iter().map(|s| s.client.cpus * s.length.as_secs_f64()).sum();
    let used: f64 = load.generators.iter().map(|share| share.cpu_seconds).sum();
    assert!(seen > 0.5 * used, "{seen} s seen of {used} s");

    let report = place.weighin(&["report", "lone.toml", "--format", "json"]).json();
    let shares = report["load_generators"].as_array().unwrap();
    assert_eq!(shares.len(), 2, "{report:#}");
    assert_eq!(shares.iter().map(|share| whole(share, "/transactions")).sum::<u64>(), made);
    let trial = &report["trials"][0];
    assert_eq!(whole(trial, "/load_generators"), 2);
    let [least, most] = ["min", "max"].map(|end| number(trial, &format!("/generator_share_{end}")));
    assert!(least > 0.0 && least <= most && (least + most - 1.0).abs() < 1e-9, "{trial:#}");
    place.weighin(&["report", "lone.toml", "--out", "lone.html"]).done();
    let html = std::fs::read_to_string(place.path("lone.html")).unwrap();
    assert!(html.contains("<summary>Load generators"));
}

#[test]
fn a_generator_that_dies_fails_its_trial_and_the_study_goes_on() {
    let place = Workplace::new();
    let server = prepared(&place);
    let password = format!("password_file = {:?}", server.password_file());
    let study = server_study(&server.url(), 6, &password)
        .replace("duration = \"200ms\"", "rate = 500\nduration = \"6s\"\nload_generators = 2");
    place.write("lone.toml", study);
    let run = place.start(&["run", "lone.toml"]);
    let before = server.counters()["Com_select"];
    // On a busy machine a trial may be over before the signal is sent: then it is a generator of the next.
    wait_for("a generator of a load to be killed", || {
        let generators = generators_of(run.pid());
        let is_under_way = generators.len() == 2 && server.counters()["Com_select"] > before + 100;
        is_under_way
            && Command::new("kill")
                .args(["-9", &generators[0].to_string()])
                .status()
                .unwrap()
                .success()
    });
    assert_eq!(run.end().code, Some(1));
    let dataset = place.store().dataset().unwrap();
    let failures: Vec<_> = dataset.trials.iter().filter_map(|trial| trial.failure()).collect();
    assert_eq!(failures.len(), 1);
    assert!(failures[0].message.contains("was killed by signal 9"), "{}", failures[0].message);
    let loads: Vec<_> = dataset.trials.iter().filter_map(|trial| trial.load()).collect();
    assert_eq!(loads.iter().map(|load| load.generators.len()).collect::<Vec<_>>(), [2]);
}
