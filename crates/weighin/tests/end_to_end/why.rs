//! Why a target is slower: real servers that differ in one thing each, and what the report says decides.
//!
//! `cargo test -p weighin --test end_to_end why::in_twenty -- --ignored --nocapture` measures each of them in
//! twenty tests and says how often the right cause was named; `WEIGHIN_WHY_TIMES` is how many,
//! `WEIGHIN_WHY_ONLY` a part of the name of those that are measured.

use crate::support::{ControlGroup, Proxy, Server, Workplace, far_proxy, not_tested};
use crate::volumes::volumes_can_be_built;
use serde_json::Value;
use std::net::Ipv4Addr;
use std::time::Duration;

const STUDY: &str = "why.toml";
/// Microseconds of processor time in 100 ms: half a processor, which is less than a server needs.
const HALF: u32 = 50_000;
/// Less than a load generator needs.
const STARVED: u32 = 3_000;
/// Share of the machine that others may use at most where something is to be told apart by processor time.
const OTHERS: f64 = 0.3;
/// The same of what other virtual machines take from it.
const STOLEN: f64 = 0.05;
/// How long a far network takes in each direction.
const FAR: Duration = Duration::from_millis(1);
/// Tests that one run measures at most: a run has ten minutes, and data that clients change is made anew
/// before each trial.
const AT_ONCE: u32 = 5;

/// What a report names for a test, and whether the machine was busy with other things, or was itself held up.
#[derive(Debug, Default)]
struct Named {
    causes: Vec<String>,
    disturbed: bool,
    words: Vec<String>,
}

impl Named {
    /// For each test of the study.
    fn of_each(place: &Workplace) -> Vec<Self> {
        let report = place.weighin(&["report", STUDY, "--format", "json"]).json();
        let findings = report["findings"].as_array().unwrap();
        let tests = report["tests"].as_array().unwrap();
        let of_test = |test: &Value| {
            let is_of_test = |finding: &&Value| {
                let about = &finding["subject"]["test"];
                about.is_null() || about == &test["test"]
            };
            Self::from_findings(findings.iter().filter(is_of_test).collect())
        };
        tests.iter().map(of_test).collect()
    }

    fn from_findings(findings: Vec<&Value>) -> Self {
        let of_kind = |kind: &'static str| {
            let is_such = move |finding: &&&Value| finding["evidence"]["kind"] == kind;
            findings.iter().filter(is_such)
        };
        let resource = |finding: &&Value| {
            let evidence = &finding["evidence"];
            let of_pair = evidence["cause"]["resource"].as_str();
            let of_curve = evidence["at_limit"][0]["resource"].as_str();
            of_pair.or(of_curve).map(str::to_owned)
        };
        let why = || of_kind("why_slower").chain(of_kind("end_of_rise"));
        let share = |finding: &&Value| finding["evidence"]["share"].as_f64().unwrap_or(0.0);
        Self {
            causes: why().filter_map(resource).collect(),
            disturbed: of_kind("other_processes").any(|finding| share(finding) > OTHERS)
                || of_kind("steal").any(|finding| share(finding) > STOLEN),
            words: why().map(|finding| finding["words"].as_str().unwrap().to_owned()).collect(),
        }
    }

    fn is(&self, cause: &str) -> bool {
        !self.causes.is_empty() && self.causes.iter().all(|named| named == cause)
    }

    /// Whether it names that cause; on a machine that others use too, nothing is to be told instead.
    #[track_caller]
    fn assert_is(&self, cause: &str) {
        if self.disturbed && !self.is(cause) {
            not_tested(&format!("others use this machine: {self:?}"));
            return;
        }
        assert!(self.is(cause), "{cause}: {self:?}");
    }
}

/// How often and how long a test measures.
#[derive(Clone, Copy)]
struct Times {
    tests: u32,
    duration: &'static str,
}

/// One test, as those that are always run.
const ONCE: Times = Times { tests: 1, duration: "3s" };

/// A study of targets with that test, so many times. What tests differ in is their name.
fn study(targets: &[&str], times: Times, test: &str) -> String {
    let mut study = "[study]\nname = \"why\"\nrepeats = 4\nseed = 5\nmargin = 0.2\n\
                     sample_every = \"250ms\"\n"
        .to_owned();
    for (name, target) in ["first", "second"].iter().zip(targets) {
        study += &format!("\n[[target]]\nname = \"{name}\"\n{target}\n");
    }
    for number in 1..=times.tests {
        let duration = times.duration;
        study += &format!(
            "\n[[test]]\nname = \"why {number}\"\nwarmup = \"200ms\"\nduration = \"{duration}\"\n{test}\n"
        );
    }
    study
}

fn sandbox(settings: &str) -> String {
    format!("sandbox = {{ restart = false, settings = {{ {settings} }} }}")
}

const UPDATES: &str = "workload = \"oltp_update_non_index\"\ntable_size = 1_000\nclients = 4";
const READS: &str = "workload = \"oltp_point_select\"\ntable_size = 1_000\nclients = 4";

fn ran(place: &Workplace, study: &str) -> Vec<Named> {
    place.write(STUDY, study);
    place.weighin(&["run", STUDY]).done();
    Named::of_each(place)
}

/// Commits that wait for the log on disk, and such that do not.
fn durable(times: Times) -> Option<Vec<Named>> {
    let of = |value: u32| sandbox(&format!("innodb_flush_log_at_trx_commit = {value}"));
    let updates = UPDATES.replace("clients = 4", "clients = [1, 4]");
    Some(ran(&Workplace::new(), &study(&[&of(1), &of(2)], times, &updates)))
}

/// The same of PostgreSQL.
fn durable_postgres(times: Times) -> Option<Vec<Named>> {
    let of = |value: &str| {
        let settings = format!("synchronous_commit = \"{value}\"");
        format!("kind = \"postgresql\"\n{}", sandbox(&settings))
    };
    // Who waits for the log is counted four times a second.
    let times = Times { duration: "3s", ..times };
    Some(ran(&Workplace::new(), &study(&[&of("on"), &of("off")], times, UPDATES)))
}

/// A volume that may do few writes a second.
fn slow_volume(times: Times) -> Option<Vec<Named>> {
    if !volumes_can_be_built() {
        return None;
    }
    let of = |limit: &str| {
        format!(
            "[target.sandbox]\nrestart = false\nsettings = {{ innodb_flush_log_at_trx_commit = 1 }}\n\
             volume = {{ size = \"512MiB\"{limit} }}"
        )
    };
    let targets = [of(", write_iops = 30"), of("")];
    // A transaction takes a third of a second.
    let times = Times { duration: "3s", ..times };
    Some(ran(&Workplace::new(), &study(&[&targets[0], &targets[1]], times, UPDATES)))
}

/// One row that all update, or a thousand. The servers differ in a setting that the statement reads.
fn row(times: Times, targets: [&str; 2], reads: &str, sleep: &str) -> Vec<Named> {
    let place = Workplace::new();
    place.write("schema.sql", "CREATE TABLE t (id INT PRIMARY KEY, v INT NOT NULL);\n");
    let test = format!(
        r#"workload = "transactions"
clients = 8
setup = "schema.sql"
load = [{{ table = "t", rows = 1_000, columns = {{ id = "sequence", v = {{ integer = [0, 0] }} }} }}]

[[test.transaction]]
name = "add"
sql = ['\set k random(0, 999)', "BEGIN", "UPDATE t SET v = v + 1 WHERE id = 1 + MOD(:k, {reads})", "{sleep}", "COMMIT"]
"#
    );
    ran(&place, &study(&targets, times, &test))
}

/// The same where the statements of a test are not weighin's own.
fn trusted(settings: &str) -> String {
    sandbox(settings).replace("sandbox = {", "sandbox = { trusted = true,")
}

fn hot_row(times: Times) -> Option<Vec<Named>> {
    let of = |rows: u32| trusted(&format!("auto_increment_increment = {rows}"));
    let targets = [of(1), of(1_000)];
    let reads = "@@auto_increment_increment";
    Some(row(times, [&targets[0], &targets[1]], reads, "DO SLEEP(0.002)"))
}

fn hot_row_postgres(times: Times) -> Option<Vec<Named>> {
    let of = |rows: u32| {
        let settings = format!("synchronous_commit = \"off\", effective_io_concurrency = {rows}");
        format!("kind = \"postgresql\"\n{}", trusted(&settings))
    };
    let targets = [of(1), of(1_000)];
    let reads = "current_setting('effective_io_concurrency')::int";
    Some(row(times, [&targets[0], &targets[1]], reads, "SELECT pg_sleep(0.002)"))
}

fn running(server: &Server) -> String {
    format!("url = {:?}\npassword_file = {:?}", server.url(), server.password_file())
}

/// A server in a control group of half a processor.
fn part_of_a_processor(times: Times) -> Option<Vec<Named>> {
    let group = ControlGroup::with("part", HALF)?;
    let (slow, fast) = (Server::start(), Server::start());
    group.take(slow.sandbox.pid());
    // More than half a processor gives, whatever else the machine does.
    let work = r#"workload = "transactions"
clients = 16

[[test.transaction]]
name = "work"
sql = ["SELECT BENCHMARK(10000, SHA1('weighin'))"]
"#;
    Some(ran(&Workplace::new(), &study(&[&running(&slow), &running(&fast)], times, work)))
}

/// A server that each request reaches a millisecond later, and each answer leaves so.
fn far_network(times: Times) -> Option<Vec<Named>> {
    let (slow, fast) = (Server::start(), Server::start());
    let proxy: Proxy = far_proxy((Ipv4Addr::LOCALHOST, slow.sandbox.port()).into(), FAR);
    let far = running(&slow)
        .replace(&format!(":{}/", slow.sandbox.port()), &format!(":{}/", proxy.port()));
    Some(ran(&Workplace::new(), &study(&[&far, &running(&fast)], times, READS)))
}

/// A load generator in a control group of a few hundredths of a processor.
fn starved_client(times: Times) -> Option<Vec<Named>> {
    let group = ControlGroup::with("starved", STARVED)?;
    let server = Server::start();
    let place = Workplace::new();
    let test = READS.replace("clients = 4", "clients = [32, 128]");
    let study = study(&[&running(&server)], Times { duration: "3s", ..times }, &test);
    place.write(STUDY, study.replace("margin = 0.2", "margin = 0.5"));
    let run = place.start(&["run", STUDY]);
    group.take(run.pid());
    run.end().done();
    Some(Named::of_each(&place))
}

/// Two servers that differ in nothing.
fn the_same(times: Times) -> Option<Vec<Named>> {
    let (one, other) = (Server::start(), Server::start());
    Some(ran(&Workplace::new(), &study(&[&running(&one), &running(&other)], times, READS)))
}

/// What an intervention that can be made on every machine names.
#[track_caller]
fn only(named: Option<Vec<Named>>) -> Named {
    let [only] = named.unwrap().try_into().expect("one test");
    only
}

/// The same of one that some machines do not allow.
#[track_caller]
fn assert_named(named: Option<Vec<Named>>, cause: &str) {
    if named.is_some() {
        only(named).assert_is(cause);
    }
}

#[test]
fn of_durable_commits_nothing_but_syncs_of_the_log_is_named() {
    let named = only(durable(ONCE));
    // How much of the wait the disk shows depends on the disk, and on who else uses the processors.
    assert!(named.causes.is_empty() || named.is("log_sync"), "{named:?}");
}

#[test]
fn the_limit_of_a_volume_is_named() {
    assert_named(slow_volume(ONCE), "volume_limit");
}

#[test]
fn waits_for_a_row_are_named() {
    only(hot_row(ONCE)).assert_is("locks");
}

#[test]
fn waits_for_a_row_of_postgresql_are_named() {
    only(hot_row_postgres(ONCE)).assert_is("locks");
}

#[test]
fn the_limit_of_a_control_group_is_named() {
    assert_named(part_of_a_processor(ONCE), "server_limit");
}

#[test]
fn a_far_network_is_named() {
    only(far_network(ONCE)).assert_is("network");
}

#[test]
fn between_servers_that_differ_in_nothing_there_is_no_cause() {
    let named = only(the_same(ONCE));
    assert!(named.causes.is_empty() || named.disturbed, "{named:?}");
}

#[allow(clippy::print_stdout, reason = "the figures are wanted")]
#[test]
#[ignore = "takes an hour"]
fn in_twenty() {
    type Intervention = fn(Times) -> Option<Vec<Named>>;
    let interventions: [(&str, Intervention, Option<&str>); 9] = [
        ("durable commits", durable, Some("log_sync")),
        ("durable commits of postgresql", durable_postgres, Some("log_sync")),
        ("limited volume", slow_volume, Some("volume_limit")),
        ("hot row", hot_row, Some("locks")),
        ("hot row of postgresql", hot_row_postgres, Some("locks")),
        ("half a processor", part_of_a_processor, Some("server_limit")),
        ("far network", far_network, Some("network")),
        ("starved client", starved_client, Some("load_generator")),
        ("the same twice", the_same, None),
    ];
    let times = std::env::var("WEIGHIN_WHY_TIMES").map_or(20, |times| times.parse().unwrap());
    let wanted = std::env::var("WEIGHIN_WHY_ONLY").unwrap_or_default();
    for (name, measure, cause) in interventions {
        if !name.contains(&wanted) {
            continue;
        }
        let mut named = Vec::new();
        while named.len() < times as usize {
            let left: u32 = times - named.len() as u32;
            let Some(more) = measure(Times { tests: left.min(AT_ONCE), duration: "1s" }) else {
                break;
            };
            more.iter().for_each(|one| println!("{name}: {:?} {:?}", one.causes, one.words));
            named.extend(more);
        }
        let is_right = |one: &&Named| match cause {
            Some(cause) => one.is(cause),
            None => one.causes.is_empty(),
        };
        let right = named.iter().filter(is_right).count();
        let unknown = named.iter().filter(|one| one.causes.is_empty() && !is_right(one)).count();
        let (all, wrong) = (named.len(), named.len() - right - unknown);
        println!("{name}: right {right}, not known {unknown}, wrong {wrong} of {all}");
    }
}
