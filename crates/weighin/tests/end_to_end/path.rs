//! What a study puts on the way of its loads, on real servers.

use crate::postgres;
use crate::support::{Ran, Server, Workplace, comes_near, not_tested, shared_directory, wait_for};
use model::{Resource, TrialRecord};
use serde_json::Value;
use std::fs::Permissions;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use test_support::free_port;

const STUDY: &str = "path.toml";
const DELAYED: &str = "path = { delay = \"3ms\" }";
const READS: &str = "workload = \"oltp_point_select\"\ntable_size = 1_000";

/// A study of two targets that differ in their way.
fn two(near: &str, far: &str, test: &str) -> String {
    format!(
        "[study]\nname = \"path\"\nrepeats = 3\nseed = 5\n\n[[target]]\nname = \"near\"\n{near}\n\n\
         [[target]]\nname = \"far\"\n{far}\n\n[[test]]\nname = \"load\"\nwarmup = \"200ms\"\n{test}\n"
    )
}

fn sandbox(kind: &str) -> String {
    format!("kind = \"{kind}\"\nsandbox = {{ restart = false }}")
}

/// Two private servers, the second with a delay on the way to it.
fn delayed(kind: &str, test: &str) -> String {
    two(&sandbox(kind), &format!("{}\n{DELAYED}", sandbox(kind)), test)
}

fn ran(place: &Workplace, study: &str) -> Value {
    place.write(STUDY, study);
    place.weighin(&["run", STUDY]).done();
    place.weighin(&["report", STUDY, "--format", "json"]).json()
}

fn records(place: &Workplace, target: &str) -> Vec<TrialRecord> {
    let dataset = place.store().dataset().unwrap();
    dataset.trials.into_iter().filter(|record| record.key.target == target).collect()
}

/// The shortest latency of all records of a target, in milliseconds: the one that a busy machine disturbed
/// least.
fn shortest(records: &[TrialRecord]) -> f64 {
    let all = records.iter().map(|record| record.load().unwrap().latencies.min_ms().unwrap());
    all.fold(f64::INFINITY, f64::min)
}

/// That the delay was measured, kept apart, and added to each of so many round trips of an operation. It is
/// asserted on what trials recorded: on a busy machine they may count for nothing.
#[track_caller]
fn assert_delayed(place: &Workplace, round_trips: f64) {
    let (near, far) = (records(place, "near"), records(place, "far"));
    assert!(near.iter().all(|record| record.load().unwrap().delay.is_none()));
    let apart = |record: &TrialRecord| -> Vec<Option<f64>> {
        record.sampling.samples.iter().map(|sample| sample.delay_cpus).collect()
    };
    assert!(near.iter().flat_map(apart).all(|cpus| cpus.is_none()));
    for record in &far {
        let load = record.load().unwrap();
        let delay = load.delay.unwrap();
        assert!(delay.before_ms.unwrap() >= 2.9 && delay.beside_ms.unwrap() >= 2.9, "{delay:?}");
        assert!(delay.cpu_seconds > 0.0 && delay.echoes > 0, "{delay:?}");
        let cpus = apart(record).into_iter().collect::<Option<Vec<f64>>>();
        let cpus = cpus.expect("each sample has it apart from the load generator");
        assert!(cpus.iter().sum::<f64>() > 0.0, "{cpus:?}");
        // Of what each client has under way at either end of the phase, some is counted at the other.
        let expected = round_trips * load.measure.transactions as f64;
        let at_the_ends = round_trips * f64::from(load.clients);
        let difference = (delay.round_trips as f64 - expected).abs();
        assert!(difference <= 0.1 * expected + at_the_ends, "{expected}: {delay:?}");
        assert!(load.latencies.min_ms().unwrap() >= 3.0 * round_trips, "{load:?}");
    }
    let (near, far) = (shortest(&near), shortest(&far));
    assert!(far - near >= 2.0 * round_trips, "{far} ms, and without the delay {near} ms");
}

/// That targets have labels of that name, which the study does not write.
#[track_caller]
fn assert_labels(report: &Value, label: &str, values: [&str; 2]) {
    let has = |place: usize| report["targets"][place]["labels"][label].as_str().unwrap();
    assert_eq!([has(0), has(1)], values);
}

#[test]
fn each_statement_of_a_transaction_takes_the_delay_on_mariadb() {
    let place = Workplace::new();
    let test = "workload = \"oltp_read_write\"\ntable_size = 1_000\nclients = 1\nduration = \"3s\"";
    let report = ran(&place, &delayed("mariadb", test));
    assert_labels(&report, "delay", ["no delay added", "3 ms added"]);
    assert_delayed(&place, 20.0);
    let csv = place.weighin(&["report", STUDY, "--format", "csv"]).done();
    let columns: Vec<&str> = csv.lines().next().unwrap().split(',').collect();
    let place_of = |name: &str| columns.iter().position(|column| *column == name).unwrap();
    let far: Vec<&str> = csv
        .lines()
        .map(|line| line.split(',').collect::<Vec<_>>())
        .find(|fields| fields[place_of("target")] == "far")
        .unwrap();
    let field = |name: &str| far[place_of(name)].parse::<f64>().unwrap();
    assert_eq!(field("delay_asked_ms"), 3.0);
    assert!(field("delay_ms") >= 2.9 && field("path_cpu_per_op_us") > 0.0);
    assert!(comes_near(field("round_trips_per_op"), 20.0, 0.5));
    place.assert_no_server_left();
}

#[test]
fn a_query_of_postgresql_and_a_command_of_redis_take_one_round_trip() {
    let place = Workplace::new();
    let test = format!("{READS}\nclients = 2\nduration = \"2s\"");
    ran(&place, &delayed("postgres", &test));
    assert_delayed(&place, 1.0);

    let place = Workplace::new();
    let test = "workload = \"key_value\"\nkeys = 1_000\nclients = 2\nduration = \"2s\"";
    ran(&place, &delayed("redis", test));
    assert_delayed(&place, 1.0);
}

#[test]
fn load_generators_of_their_own_have_the_delay_too() {
    let place = Workplace::new();
    let test = format!("{READS}\nclients = 2\nduration = \"2s\"\nload_generators = 2");
    ran(&place, &delayed("mariadb", &test));
    assert_delayed(&place, 1.0);
}

#[test]
fn a_server_that_runs_already_is_delayed_over_tcp_and_not_over_its_socket() {
    let server = Server::start();
    let place = Workplace::new();
    let test = format!("{READS}\nclients = 1\nduration = \"2s\"");
    place.write("password", server.password());
    let of = |url: &str| {
        let target = format!("url = \"{url}\"\npassword_file = \"password\"");
        two(&target, &format!("{target}\n{DELAYED}"), &test)
    };
    ran(&place, &of(&server.url()));
    assert_delayed(&place, 1.0);
    place.write("socket.toml", of(&server.socket_url()));
    place.weighin(&["check", "socket.toml"]).refused(2, &["a delay needs TCP", "mysql://"]);
}

/// What `check` says of a study with such a target.
fn checked(target: &str, test: &str) -> Ran {
    let place = Workplace::new();
    place.write(STUDY, two(&sandbox("mariadb"), target, test));
    place.weighin(&["check", STUDY])
}

#[test]
fn what_cannot_be_on_the_way_is_refused_with_what_to_do() {
    let test = format!("{READS}\nclients = 1");
    let sandboxed = |path: &str| format!("{}\npath = {path}", sandbox("mariadb"));
    checked(&sandboxed("{ delay = \"3s\" }"), &test).refused(2, &["at most 2 s"]);
    checked(&sandboxed("{}"), &test).refused(2, &["says nothing", "delay = \"1ms\""]);
    checked(&sandboxed("{ delay = \"3ms\" }"), &format!("{test}\ncross_check = true"))
        .refused(2, &["goes directly to the server", "a study of their own"]);
    let container = "sandbox = { container = \"mysql:8.4\" }\npath = { delay = \"3ms\" }";
    checked(container, &test).refused(2, &["reached over its socket"]);
}

/// That the report says what the way of the second target costs; what of.
#[track_caller]
fn assert_costs(report: &Value, what: &str) -> Value {
    let findings = report["findings"].as_array().unwrap();
    let cost = findings.iter().find(|one| one["evidence"]["kind"] == "path_cost");
    let cost = &cost.unwrap_or_else(|| panic!("{what}: nothing is said of the cost"))["evidence"];
    assert_eq!((&cost["baseline"], &cost["candidate"]), (&"near".into(), &"far".into()));
    for figure in ["added_ms", "server_cpu_us"] {
        assert!(cost[figure]["interval"].is_object(), "{what}: {figure}: {cost}");
    }
    cost.clone()
}

#[test]
fn tls_is_a_factor_on_private_servers_of_every_system() {
    let keys = "workload = \"key_value\"\nkeys = 1_000".to_owned();
    for (kind, work) in
        [("mariadb", READS.to_owned()), ("postgres", READS.to_owned()), ("redis", keys)]
    {
        let place = Workplace::new();
        let way = |tls: bool| format!("{}\npath = {{ tls = {tls} }}", sandbox(kind));
        let test = format!("{work}\nclients = 2\nduration = \"2s\"");
        let report = ran(&place, &two(&way(false), &way(true), &test));
        assert_labels(&report, "TLS", ["without TLS", "with TLS"]);
        assert_costs(&report, kind);
        // The kernel does not say when what is encrypted came in.
        let has_stamps = |target: &str| {
            let all = records(&place, target);
            all.iter()
                .map(|one| one.load().unwrap().client.receive_delay.is_some())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            (has_stamps("near"), has_stamps("far")),
            (vec![true; 3], vec![false; 3]),
            "{kind}"
        );
        place.assert_no_server_left();
    }
}

#[test]
fn a_way_may_be_long_and_encrypted() {
    let place = Workplace::new();
    let far = format!("{}\npath = {{ delay = \"3ms\", tls = true }}", sandbox("mariadb"));
    let near = format!("{}\npath = {{ tls = true }}", sandbox("mariadb"));
    let test = format!("{READS}\nclients = 1\nduration = \"2s\"");
    ran(&place, &two(&near, &far, &test));
    assert_delayed(&place, 1.0);
}

/// PgBouncer before a server, which gives each client a connection of its own there.
struct PgBouncer {
    process: Child,
    port: u16,
    _directory: tempfile::TempDir,
}

impl PgBouncer {
    /// `None` where it is not installed.
    fn start(server: &postgres::Server) -> Option<Self> {
        let program = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"];
        let Some(program) = program.into_iter().find(|path| Path::new(path).exists()) else {
            not_tested("PgBouncer is not installed");
            return None;
        };
        let directory = shared_directory();
        let port = free_port();
        let readable = |name: &str, text: String| {
            let path = directory.path().join(name);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, Permissions::from_mode(0o644)).unwrap();
            path
        };
        let password = server.sandbox.password().reveal();
        let users = readable("users", format!("\"weighin\" \"{password}\"\n"));
        let config = format!(
            "[databases]\nsbtest = host=127.0.0.1 port={}\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = scram-sha-256\nauth_file = {}\n\
             pool_mode = session\nmax_client_conn = 100\ndefault_pool_size = 50\n",
            server.sandbox.port(),
            users.display()
        );
        let config = readable("pgbouncer.ini", config);
        let mut command = Command::new(program);
        // It refuses to be root.
        if host::local::os::is_root() {
            command.args(["-u", "postgres"]);
        }
        command.args(["-q"]).arg(config).stdin(Stdio::null());
        let process = command.stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        let bouncer = Self { process, port, _directory: directory };
        wait_for("PgBouncer", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        Some(bouncer)
    }
}

impl Drop for PgBouncer {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_pooler_is_a_factor_with_its_own_processor_time() {
    let server = postgres::Server::start(&[]);
    let Some(bouncer) = PgBouncer::start(&server) else { return };
    let place = Workplace::new();
    place.write("password", server.sandbox.password().reveal());
    let url = server.url("weighin");
    let target = format!("url = \"{url}\"\npassword_file = \"password\"");
    let way = format!("127.0.0.1:{}", bouncer.port);
    let test = format!("{READS}\nclients = 4\nduration = \"2s\"");
    let study = two(&target, &format!("{target}\npath = {{ proxy = \"{way}\" }}"), &test);
    let report = ran(&place, &study);
    assert_labels(&report, "proxy", ["directly", &format!("through {way}")]);
    let used = |target: &str| {
        let all = records(&place, target);
        all.iter().map(|one| one.used(Resource::PathCpu).map(|used| used.value)).collect::<Vec<_>>()
    };
    assert_eq!(used("near"), vec![None; 3]);
    assert!(
        used("far").iter().all(|used| used.is_some_and(|used| used > 0.0)),
        "{:?}",
        used("far")
    );

    // Nobody listens there any more.
    drop(bouncer);
    place.write("gone.toml", study.replace("\"path\"", "\"gone\""));
    let gone = place.weighin(&["check", "gone.toml"]);
    assert!(gone.code == Some(3) && gone.out.contains(&way), "{gone:?}");
    let private = format!("{}\npath = {{ proxy = \"127.0.0.1:6432\" }}", sandbox("postgres"));
    checked(&private, &test).refused(2, &["a private server's port", "proxy = \"haproxy\""]);
}

/// That loads on the second target went through a program of weighin's own, whose processor time is apart,
/// and that each of their transactions was counted by the server.
#[track_caller]
fn assert_through(place: &Workplace, report: &Value, program: &str) {
    assert_labels(report, "proxy", ["directly", &format!("through {program}")]);
    let cost = assert_costs(report, program);
    assert!(cost["path_cpu_us"]["point"].as_f64().unwrap() > 0.0, "{cost}");
    let cpu = |target: &str| {
        let all = records(place, target);
        all.iter().map(|one| one.used(Resource::PathCpu).map(|used| used.value)).collect::<Vec<_>>()
    };
    assert_eq!(cpu("near"), vec![None; 3]);
    let used = cpu("far");
    assert!(used.iter().all(|used| used.is_some_and(|used| used > 0.0)), "{used:?}");
    let mut told = Vec::new();
    for record in records(place, "far") {
        let load = record.load().unwrap();
        assert!(load.ledger.ok > 0 && load.errors.is_empty(), "{load:?}");
        let (before, after) = (record.sampling.before.as_ref(), record.sampling.after.as_ref());
        let (before, after) = (&before.unwrap().counters, &after.unwrap().counters);
        let over = load.warmup.elapsed + load.measure.elapsed + load.drain.elapsed;
        told.push(record.sampling.after.as_ref().unwrap().at_seconds - over.as_secs_f64());
        for (counter, sent) in load.requests.expected() {
            let grown = |name: &str| {
                after.get(name).copied().unwrap_or(0) - before.get(name).copied().unwrap_or(0)
            };
            let more = grown(counter) - sent as i64;
            let by_itself = grown(&model::signal::by_itself(counter));
            assert!((0..=by_itself).contains(&more), "{counter}: {more} of {sent}, {by_itself}");
        }
    }
    // Sessions that a pooler keeps would tell of what they did after ten seconds. One of the readings at the
    // least was not held up by a busy machine.
    assert!(
        told.iter().any(|after| *after < 10.0),
        "counters were read {told:?} s after the loads"
    );
    place.assert_no_server_left();
}

#[test]
fn pgbouncer_is_started_before_a_private_postgresql() {
    if !Path::new("/usr/sbin/pgbouncer").exists() {
        return not_tested("PgBouncer is not installed");
    }
    let near = "kind = \"postgres\"\nsandbox = {}";
    let far = format!("{near}\npath = {{ proxy = \"pgbouncer\" }}");
    // More clients than sessions that they share; the server starts anew before each trial.
    let test = format!("{READS}\nclients = 40\nduration = \"2s\"\nprepared = false");
    let place = Workplace::new();
    let report = ran(&place, &two(near, &far, &test));
    assert_through(&place, &report, "PgBouncer");

    let prepared = checked(&far, &format!("{READS}\nclients = 4"));
    let said = prepared.out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(prepared.code == Some(3) && said.contains("set prepared = false"), "{prepared:?}");
    checked(&far.replace("postgres", "mariadb"), &test)
        .refused(2, &["does not speak the protocol"]);
    let encrypted = far.replace("{ proxy", "{ tls = true, proxy");
    checked(&encrypted, &test).refused(2, &["does not encrypt"]);
}

#[test]
fn haproxy_is_started_before_a_private_server_of_any_kind() {
    if !Path::new("/usr/sbin/haproxy").exists() {
        return not_tested("HAProxy is not installed");
    }
    let keys = "workload = \"key_value\"\nkeys = 1_000";
    for (kind, work) in [("mariadb", READS), ("redis", keys)] {
        let place = Workplace::new();
        let parent = shared_directory();
        let directory = parent.path().join("the owner's disk");
        std::fs::create_dir(&directory).unwrap();
        let near = format!("kind = \"{kind}\"\nsandbox = {{ directory = {directory:?} }}");
        let far = format!("{near}\npath = {{ proxy = \"haproxy\" }}");
        let test = format!("{work}\nclients = 4\nduration = \"2s\"");
        let report = ran(&place, &two(&near, &far, &test));
        assert_through(&place, &report, "HAProxy");
    }
}
