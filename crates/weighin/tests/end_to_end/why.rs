//! Why a target is slower: real servers that differ in one thing each, and what the report says decides.
//!
//! `cargo test -p weighin --test end_to_end why::in_twenty -- --ignored --nocapture` does each of them
//! twenty times and says how often the right cause was named.

use crate::support::{ControlGroup, Server, Workplace, not_tested};
use crate::volumes::volumes_can_be_built;
use serde_json::Value;

const STUDY: &str = "why.toml";
/// Microseconds of processor time in 100 ms: much less than a server needs.
const FEW: u32 = 10_000;
/// Less than a load generator needs.
const STARVED: u32 = 10_000;
/// Share of the machine that others may use at most where something is to be told apart by processor time.
const OTHERS: f64 = 0.3;

/// What a report names, and whether the machine was busy with other things.
#[derive(Debug)]
struct Named {
    causes: Vec<String>,
    disturbed: bool,
    words: Vec<String>,
}

impl Named {
    fn of(place: &Workplace) -> Self {
        let report = place.weighin(&["report", STUDY, "--format", "json"]).json();
        let findings = report["findings"].as_array().unwrap();
        let of_kind = |kind: &'static str| {
            findings.iter().filter(move |finding| finding["evidence"]["kind"] == kind)
        };
        let resource = |finding: &Value| {
            let evidence = &finding["evidence"];
            let of_pair = evidence["cause"]["resource"].as_str();
            let of_curve = evidence["at_limit"][0]["resource"].as_str();
            of_pair.or(of_curve).map(str::to_owned)
        };
        let why = || of_kind("why_slower").chain(of_kind("end_of_rise"));
        let share = |finding: &Value| finding["evidence"]["share"].as_f64().unwrap_or(0.0);
        Self {
            causes: why().filter_map(resource).collect(),
            disturbed: of_kind("other_processes").any(|finding| share(finding) > OTHERS),
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

/// A study of two targets with that test.
fn two(first: &str, second: &str, test: &str) -> String {
    format!(
        "[study]\nname = \"why\"\nrepeats = 4\nseed = 5\n\n[[target]]\nname = \"first\"\n{first}\n\n\
         [[target]]\nname = \"second\"\n{second}\n\n[[test]]\nwarmup = \"300ms\"\nduration = \"2s\"\n{test}\n"
    )
}

fn sandbox(settings: &str) -> String {
    format!("sandbox = {{ restart = false, settings = {{ {settings} }} }}")
}

const UPDATES: &str = "workload = \"oltp_update_non_index\"\ntable_size = 1_000\nclients = 4";
const READS: &str = "workload = \"oltp_point_select\"\ntable_size = 1_000\nclients = 4";

fn ran(place: &Workplace, study: &str) -> Named {
    place.write(STUDY, study);
    place.weighin(&["run", STUDY]).done();
    Named::of(place)
}

/// Commits that wait for the log on disk, and such that do not.
fn durable() -> Option<Named> {
    let of = |value: u32| sandbox(&format!("innodb_flush_log_at_trx_commit = {value}"));
    let updates = UPDATES.replace("clients = 4", "clients = [1, 4]");
    Some(ran(&Workplace::new(), &two(&of(1), &of(2), &updates)))
}

/// A volume that may do few writes a second.
fn slow_volume() -> Option<Named> {
    if !volumes_can_be_built() {
        return None;
    }
    let of = |limit: &str| {
        format!(
            "[target.sandbox]\nrestart = false\nsettings = {{ innodb_flush_log_at_trx_commit = 1 }}\n\
             volume = {{ size = \"512MiB\"{limit} }}"
        )
    };
    Some(ran(&Workplace::new(), &two(&of(", write_iops = 30"), &of(""), UPDATES)))
}

/// One row that all update, or a thousand. The servers differ in a setting that the statement reads.
fn hot_row() -> Option<Named> {
    let place = Workplace::new();
    place.write("schema.sql", "CREATE TABLE t (id INT PRIMARY KEY, v INT NOT NULL);\n");
    let of = |rows: u32| {
        let settings = format!("auto_increment_increment = {rows}");
        sandbox(&settings).replace("sandbox = {", "sandbox = { trusted = true,")
    };
    let test = r#"workload = "transactions"
clients = 8
setup = "schema.sql"
load = [{ table = "t", rows = 1_000, columns = { id = "sequence", v = { integer = [0, 0] } } }]

[[test.transaction]]
name = "add"
sql = ['\set k random(0, 999)', "BEGIN", "UPDATE t SET v = v + 1 WHERE id = 1 + MOD(:k, @@auto_increment_increment)", "DO SLEEP(0.002)", "COMMIT"]
"#;
    Some(ran(&place, &two(&of(1), &of(1_000), test)))
}

fn running(server: &Server) -> String {
    format!("url = {:?}\npassword_file = {:?}", server.url(), server.password_file())
}

/// A server in a control group of a tenth of a processor.
fn part_of_a_processor() -> Option<Named> {
    let group = ControlGroup::with("part", FEW)?;
    let (slow, fast) = (Server::start(), Server::start());
    group.take(slow.sandbox.pid());
    let reads = READS.replace("clients = 4", "clients = 16");
    Some(ran(&Workplace::new(), &two(&running(&slow), &running(&fast), &reads)))
}

/// A load generator in a control group of a tenth of a processor.
fn starved_client() -> Option<Named> {
    let group = ControlGroup::with("starved", STARVED)?;
    let server = Server::start();
    let place = Workplace::new();
    let (one, _) = two(&running(&server), "", READS)
        .split_once("[[target]]\nname = \"second\"")
        .map(|(head, rest)| (head.to_owned(), rest.to_owned()))?;
    let test = READS.replace("clients = 4", "clients = [4, 16, 64]");
    let study = format!(
        "{}[[test]]\nwarmup = \"300ms\"\nduration = \"2s\"\n{test}\n",
        one.replace("seed = 5", "seed = 5\nmargin = 0.5")
    );
    place.write(STUDY, study);
    let run = place.start(&["run", STUDY]);
    group.take(run.pid());
    run.end().done();
    Some(Named::of(&place))
}

/// Two servers that differ in nothing.
fn the_same() -> Option<Named> {
    let (one, other) = (Server::start(), Server::start());
    Some(ran(&Workplace::new(), &two(&running(&one), &running(&other), READS)))
}

#[test]
fn syncs_of_the_log_are_named() {
    durable().unwrap().assert_is("log_sync");
}

#[test]
fn the_limit_of_a_volume_is_named() {
    if let Some(named) = slow_volume() {
        named.assert_is("volume_limit");
    }
}

#[test]
fn waits_for_a_row_are_named() {
    hot_row().unwrap().assert_is("locks");
}

#[test]
fn the_limit_of_a_control_group_is_named() {
    if let Some(named) = part_of_a_processor() {
        named.assert_is("server_limit");
    }
}

#[test]
fn a_load_generator_without_processor_time_is_named() {
    if let Some(named) = starved_client() {
        named.assert_is("load_generator");
    }
}

#[test]
fn between_servers_that_differ_in_nothing_there_is_no_cause() {
    let named = the_same().unwrap();
    assert!(named.causes.is_empty() || named.disturbed, "{named:?}");
}

#[allow(clippy::print_stdout, reason = "the figures are wanted")]
#[test]
#[ignore = "takes an hour"]
fn in_twenty() {
    type Intervention = fn() -> Option<Named>;
    let interventions: [(&str, Intervention, Option<&str>); 6] = [
        ("durable commits", durable, Some("log_sync")),
        ("limited volume", slow_volume, Some("volume_limit")),
        ("hot row", hot_row, Some("locks")),
        ("part of a processor", part_of_a_processor, Some("server_limit")),
        ("starved client", starved_client, Some("load_generator")),
        ("the same twice", the_same, None),
    ];
    let times = std::env::var("WEIGHIN_WHY_TIMES").map_or(20, |times| times.parse().unwrap());
    let only = std::env::var("WEIGHIN_WHY_ONLY").unwrap_or_default();
    for (name, measure, cause) in interventions {
        if !name.contains(&only) {
            continue;
        }
        let (mut right, mut wrong, mut unknown) = (0, 0, 0);
        for time in 1..=times {
            let Some(named) = measure() else { break };
            let is_right = match cause {
                Some(cause) => named.is(cause),
                None => named.causes.is_empty(),
            };
            match (is_right, named.causes.is_empty()) {
                (true, _) => right += 1,
                (false, true) => unknown += 1,
                (false, false) => wrong += 1,
            }
            println!("{name} {time}: {is_right} {:?} {:?}", named.causes, named.words);
        }
        println!("{name}: right {right}, not known {unknown}, wrong {wrong} of {times}");
    }
}
