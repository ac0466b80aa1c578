//! Failovers: what weighin says of them against a second probe in a process of its own, and against
//! a relay that sees every acknowledgement.

mod pair;
mod patroni;
mod postgres;
mod probe;
mod relay;

use self::pair::{Island, Pair, Proxy};
use self::probe::IndependentProbe;
pub use self::relay::Relay;
use crate::support::{Ran, Workplace, not_tested};
use model::{FailureKind, FigureValue, Metric, Outcome, TrialRecord};
use std::process::Command;

/// How far the downtimes that two probes see may be apart, in seconds, on a machine where neither is
/// ever kept waiting.
const APART: f64 = 0.25;
/// How often a failover is tried in which neither is: a machine keeps one of them waiting now and then, and
/// who counts wrong does so always.
const ATTEMPTS: usize = 5;
/// Seconds for which a thread of a busy machine may stand still.
const HELD_UP: f64 = 10.0;

fn value(outcome: &Outcome, metric: Metric) -> f64 {
    outcome.metric(metric).unwrap_or_else(|| panic!("no {metric:?} in {outcome:?}")).value
}

fn number(outcome: &Outcome, name: &str) -> f64 {
    outcome.number(name).unwrap_or_else(|| panic!("no {name} in {outcome:?}")).value
}

fn only_trial(place: &Workplace) -> TrialRecord {
    place.store().dataset().unwrap().trials.remove(0)
}

/// What a trial of a pair behind a proxy came to.
struct Compared {
    record: TrialRecord,
    /// Downtimes as seen by weighin, by the second probe and by the relay, in seconds.
    downtimes: [f64; 3],
    /// How long weighin and the second probe were kept waiting before, in seconds.
    pauses: f64,
    lost: usize,
}

/// Whether others saw the first of these downtimes as long as weighin did.
fn agree(downtimes: &[f64], pauses: f64) -> bool {
    downtimes.iter().all(|other| (downtimes[0] - other).abs() <= APART + pauses)
}

/// Runs a failover of a new pair, and holds what weighin says against what others saw.
fn compare(semi_sync: bool, replicates_to_the_end: bool) -> Compared {
    let mut compared = compare_once(semi_sync, replicates_to_the_end);
    for _ in 1..ATTEMPTS {
        if agree(&compared.downtimes, compared.pauses) {
            return compared;
        }
        compared = compare_once(semi_sync, replicates_to_the_end);
    }
    let Compared { record, downtimes, pauses, .. } = &compared;
    assert!(
        agree(downtimes, *pauses),
        "{downtimes:?} s, with pauses of {pauses} s before: {:?}",
        record.outcome()
    );
    compared
}

fn compare_once(semi_sync: bool, replicates_to_the_end: bool) -> Compared {
    let place = Workplace::new();
    let pair = Pair::start(semi_sync);
    let proxy = Proxy::start(&place, &pair);
    let relay = Relay::start(proxy.port);
    let second = IndependentProbe::start(&place, &pair, proxy.port);
    place.write("switch.sh", pair.switch_script(&place, replicates_to_the_end));
    place.write(
        "switch.toml",
        format!(
            "[study]\nname = \"switch\"\nrepeats = 1\n\
             [[target]]\nname = \"pair\"\nurl = \"mysql://probe@127.0.0.1:{}/sbtest\"\n\
             password_file = \"{}\"\n\
             [[test]]\nname = \"loss\"\ntask = \"failover\"\nrate = 500\nat = \"2s\"\n\
             command = [\"sh\", \"switch.sh\"]\ntrusted = true\n",
            relay.port,
            pair.probe_password(&place).display()
        ),
    );
    place.weighin(&["run", "switch.toml"]).done();
    let seen = second.end();
    let acknowledged = relay.acknowledged();
    let record = only_trial(&place);
    let outcome = record.outcome().expect("it completed");
    // Every acknowledgement that the relay let through, and no other, is in weighin's account.
    assert_eq!(number(outcome, "acknowledged writes"), acknowledged.len() as f64);
    let there = pair.ids_on_replica("sbtest.weighin_failover");
    let mut lost: Vec<u64> =
        acknowledged.iter().map(|(id, _)| *id).filter(|id| !there.contains(id)).collect();
    lost.sort_unstable();
    assert_eq!(value(outcome, Metric::LostWrites), lost.len() as f64, "{lost:?}");
    let known = |id: &&u64| acknowledged.iter().any(|(known, _)| known == *id);
    let unacknowledged = there.iter().filter(|id| !known(id)).count();
    assert_eq!(value(outcome, Metric::UnacknowledgedWrites), unacknowledged as f64);
    if let Some(first) = lost.first() {
        let ids = &outcome.figure("ids of lost writes").expect("some were lost").value;
        let FigureValue::Text(ids) = ids else { panic!("{ids:?}") };
        assert!(ids.starts_with(&first.to_string()), "{ids} {first}");
    }
    let downtime = value(outcome, Metric::Downtime);
    let pauses = number(outcome, "longest pause before") + seen.longest_before;
    let of_relay = relay::longest_pause(&acknowledged);
    // What the second probe wrote itself met the same fate.
    let there = pair.ids_on_replica("other.independent");
    let its_lost = seen.acknowledged.iter().filter(|id| !there.contains(id)).count();
    // Of asynchronous replication the last write may be lost, whoever wrote it.
    if semi_sync || !replicates_to_the_end {
        assert_eq!(its_lost > 0, !lost.is_empty(), "{its_lost} and {}", lost.len());
    }
    let downtimes = [downtime, seen.longest, of_relay];
    Compared { downtimes, pauses, lost: lost.len(), record }
}

#[test]
fn downtime_and_lost_writes_are_what_a_second_probe_and_a_relay_see() {
    let kept = compare(true, true);
    assert_eq!(kept.lost, 0, "semi-synchronous: {:?}", kept.record);
    let lossy = compare(false, false);
    assert!(lossy.lost > 50, "the last hundred were not replicated: {}", lossy.lost);
    let marks = &lossy.record.outcome().unwrap().marks;
    for name in ["command", "first failed write", "first accepted write"] {
        assert!(marks.iter().any(|mark| mark.name == name), "no {name} in {marks:?}");
    }
}

#[test]
#[ignore = "it takes minutes: make endurance"]
#[allow(clippy::print_stdout, reason = "figures for whoever runs it")]
fn twenty_kills_are_what_a_second_probe_and_a_relay_see() {
    for kill in 0..20 {
        let semi_sync = kill % 2 == 0;
        let Compared { downtimes: [own, second, relay], lost, .. } =
            compare(semi_sync, kill % 4 != 3);
        let apart = (own - second).abs().max((own - relay).abs()) * 1e3;
        println!(
            "kill {kill}: downtime {own:.3} s, second probe {second:.3} s, relay {relay:.3} s, \
             apart {apart:.1} ms; lost {lost}, as the relay says"
        );
    }
}

#[test]
fn a_private_server_that_is_killed_is_measured_and_reported_in_every_format() {
    let place = Workplace::new();
    place.write(
        "kill.toml",
        "[study]\nname = \"kill\"\nrepeats = 1\n\
         [[target]]\nname = \"durable\"\nsandbox = {}\n\
         [[target]]\nname = \"relaxed\"\n\
         sandbox = { settings = { innodb_flush_log_at_trx_commit = 0 } }\n\
         [[test]]\nname = \"crash\"\ntask = \"failover\"\nloss = \"kill\"\nat = \"1s\"\nrate = 50\n",
    );
    place.weighin(&["run", "kill.toml"]).done();
    place.assert_no_server_left();
    let dataset = place.store().dataset().unwrap();
    for record in &dataset.trials {
        let outcome = record.outcome().unwrap();
        assert!(value(outcome, Metric::Downtime) > 0.01, "{outcome:?}");
        assert!(value(outcome, Metric::RateBack) > 0.0, "{outcome:?}");
        let due = number(outcome, "writes due");
        let parts =
            ["acknowledged writes", "refused writes", "unanswered writes", "writes not sent"];
        assert_eq!(parts.iter().map(|part| number(outcome, part)).sum::<f64>(), due);
        // What is written to the log at each commit survives the end of the process.
        if record.key.target == "durable" {
            assert_eq!(value(outcome, Metric::LostWrites), 0.0, "{outcome:?}");
        }
        assert_eq!(outcome.series.len(), 3);
    }
    let store = place.files(".weighin").remove(0);
    let store = store.to_str().unwrap();
    for (format, parts) in [
        ("html", &["Around the failover", "downtime", "first accepted write", "lost"][..]),
        ("markdown", &["Around the failover", "downtime, s", "first failed write", "lost writes"]),
        ("json", &["\"series\"", "acknowledged writes", "downtime_s", "lost_writes"]),
        ("csv", &["downtime_s", "lost_writes", "rate_back_s"]),
    ] {
        let file = format!("report.{format}");
        let format_option = format!("--format={format}");
        place.weighin(&["report", store, &format_option, "--out", &file]).done();
        let text = std::fs::read_to_string(place.path(&file)).unwrap();
        for part in parts {
            assert!(text.contains(part), "no {part} in {format}: {text}");
        }
    }
}

#[test]
fn a_private_group_survives_loss_and_handover_and_is_whole_again_for_the_next_trial() {
    let place = Workplace::new();
    let test = |name: &str, cause: &str| {
        format!(
            "[[test]]\nname = \"{name}\"\ntask = \"failover\"\n{cause}\nat = \"1s\"\nrate = 500\n"
        )
    };
    place.write(
        "group.toml",
        format!(
            "[study]\nname = \"group\"\nrepeats = 1\n\
             [[target]]\nname = \"semi-sync\"\nsandbox = {{ replicas = 1, semi_sync = true }}\n{}{}{}{}",
            test("kill", "loss = \"kill\""),
            test("hang", "loss = \"hang\"\ntimeout = \"2s\""),
            match host::this_machine().check_networks() {
                Ok(()) => test("network", "loss = \"network\"\ntimeout = \"2s\""),
                Err(_) => {
                    not_tested("only root may make network namespaces");
                    String::new()
                }
            },
            test("handover", "switch = \"planned\"")
        ),
    );
    place.weighin(&["run", "group.toml"]).done();
    place.assert_no_server_left();
    for record in place.store().dataset().unwrap().trials {
        let outcome = record.outcome().unwrap();
        assert_eq!(value(outcome, Metric::LostWrites), 0.0, "{outcome:?}");
        let at = |name: &str| {
            let mark = outcome.marks.iter().find(|mark| mark.name == name);
            mark.unwrap_or_else(|| panic!("no {name} in {:?}", outcome.marks)).at_seconds
        };
        let (gone, least) = match record.key.test.as_str() {
            // Three looks a tenth of a second apart, each of a second where nothing is answered.
            "kill" => ("primary killed", 0.3),
            "hang" => ("primary hangs", 3.3),
            "network" => ("primary cut off", 3.3),
            _ => ("primary is read-only", 0.0),
        };
        assert!(value(outcome, Metric::Downtime) > least, "{outcome:?}");
        assert!(at(gone) <= at("replica promoted"));
        assert!(at(gone) <= at("first accepted write"), "{outcome:?}");
        // A write can be on its way when the server that answers it is promoted, and what that took be
        // noted late.
        assert!(at("replica promoted") <= at("first accepted write") + HELD_UP, "{outcome:?}");
        if record.key.test == "handover" {
            assert_eq!(number(outcome, "unanswered writes"), 0.0, "{outcome:?}");
        }
        // The old primary was asked as well, where it came up in time; it may have what was under way.
        let only_there = outcome.number("writes on another server only");
        assert!(only_there.is_none_or(|writes| writes.value < 10.0), "{outcome:?}");
    }
}

#[test]
fn of_several_replicas_one_is_promoted_and_the_others_follow_it() {
    let place = Workplace::new();
    let test =
        |cause: &str| format!("[[test]]\ntask = \"failover\"\n{cause}\nat = \"1s\"\nrate = 200\n");
    place.write(
        "three.toml",
        format!(
            "[study]\nname = \"three\"\nrepeats = 1\n\
             [[target]]\nname = \"semi-sync\"\nsandbox = {{ replicas = 2, semi_sync = true }}\n{}{}",
            test("name = \"kill\"\nloss = \"kill\""),
            test("name = \"handover\"\nswitch = \"planned\""),
        ),
    );
    place.weighin(&["run", "three.toml"]).done();
    place.assert_no_server_left();
    let trials = place.store().dataset().unwrap().trials;
    assert_eq!(trials.len(), 2);
    for record in trials {
        let outcome = record.outcome().unwrap();
        assert_eq!(value(outcome, Metric::LostWrites), 0.0, "{outcome:?}");
        let at = |name: &str| {
            let mark = outcome.marks.iter().find(|mark| mark.name == name);
            mark.unwrap_or_else(|| panic!("no {name} in {:?}", outcome.marks)).at_seconds
        };
        let followed = at("the others follow it");
        assert!(at("replica promoted") <= followed, "{outcome:?}");
        // Commits that wait for a replica that nobody told would wait for 10 s, then for none.
        assert!(at("first accepted write") < followed + 9.0, "{outcome:?}");
    }
}

#[test]
fn a_check_says_where_no_network_can_be_made_to_be_cut() {
    let place = Workplace::new();
    place.write(
        "cut.toml",
        "[study]\nname = \"cut\"\n\
         [[target]]\nname = \"pair\"\nsandbox = { replicas = 1 }\n\
         [[test]]\ntask = \"failover\"\nloss = \"network\"\n",
    );
    // Root without the right to make namespaces, as in many containers.
    let mut command = place.surround(Command::new("setpriv"));
    command.args(["--bounding-set=-sys_admin", "--inh-caps=-sys_admin", "--"]);
    command.arg(env!("CARGO_BIN_EXE_weighin")).args(["check", "cut.toml"]);
    let check = Ran::of(command);
    if check.err.contains("setpriv") {
        return not_tested("only root may give up rights");
    }
    assert_eq!(check.code, Some(3), "{check:?}");
    for part in ["pair: a network of its own", "not permitted", "loss = \"hang\""] {
        assert!(check.out.contains(part), "no {part}: {check:?}");
    }
}

#[test]
fn a_primary_whose_network_is_cut_is_found_through_the_list_of_addresses() {
    let place = Workplace::new();
    let pair = Pair::start(true);
    let Some(island) = Island::around(&place, &pair) else {
        return not_tested("only root may make network namespaces");
    };
    place.write("switch.sh", format!("{}{}", island.cut, pair.promotion_script(&place)));
    place.write(
        "cut.toml",
        format!(
            "[study]\nname = \"cut\"\nrepeats = 1\n\
             [[target]]\nname = \"pair\"\nurl = \"mysql://probe@{}:3306/sbtest\"\n\
             replicas = [\"mysql://probe@127.0.0.1:{}/sbtest\"]\npassword_file = \"{}\"\n\
             [[test]]\ntask = \"failover\"\nat = \"2s\"\nrate = 500\ntimeout = \"2s\"\n\
             command = [\"sh\", \"switch.sh\"]\ntrusted = true\n",
            island.address,
            pair.replica.sandbox.port(),
            pair.probe_password(&place).display()
        ),
    );
    place.weighin(&["run", "cut.toml"]).done();
    let record = only_trial(&place);
    let outcome = record.outcome().unwrap();
    assert_eq!(value(outcome, Metric::LostWrites), 0.0, "semi-synchronous: {outcome:?}");
    assert!(number(outcome, "unanswered writes") >= 1.0, "nobody answered: {outcome:?}");
    // The new primary takes writes from the command's end on, to one look of the probe, which gives up a
    // silent server after two seconds.
    let command = record.interventions().find(|mark| mark.name == "command").unwrap();
    let promoted = command.until_seconds.unwrap();
    let first = outcome.marks.iter().find(|mark| mark.name == "first accepted write").unwrap();
    assert!((first.at_seconds - promoted).abs() < 5.0 + HELD_UP, "{promoted} {first:?}");
}

#[test]
fn what_was_handed_over_is_brought_back_for_the_next_trial() {
    let place = Workplace::new();
    let pair = Pair::start(false);
    // The table of the second trial takes the place of the first one's.
    pair.primary.execute("GRANT DROP ON sbtest.* TO probe@'%'");
    let (there, back) = pair.handover_and_back(&place);
    place.write("switch.sh", there);
    place.write("restore.sh", &back);
    let study = format!(
        "[study]\nname = \"back\"\nrepeats = 2\n\
         [[target]]\nname = \"pair\"\nurl = \"mysql://probe@127.0.0.1:{}/sbtest\"\n\
         replicas = [\"mysql://probe@127.0.0.1:{}/sbtest\"]\npassword_file = \"{}\"\n\
         [[test]]\ntask = \"failover\"\nat = \"1s\"\nrate = 200\n\
         command = [\"sh\", \"switch.sh\"]\nrestore = [\"sh\", \"restore.sh\"]\ntrusted = true\n",
        pair.primary.sandbox.port(),
        pair.replica.sandbox.port(),
        pair.probe_password(&place).display()
    );
    place.write("back.toml", &study);
    place.weighin(&["run", "back.toml"]).done();
    let trials = place.store().dataset().unwrap().trials;
    assert_eq!(trials.len(), 2);
    for trial in &trials {
        let outcome = trial.outcome().unwrap();
        assert_eq!(value(outcome, Metric::LostWrites), 0.0, "{outcome:?}");
        assert!(value(outcome, Metric::Downtime) > 0.0, "{outcome:?}");
    }
    assert_eq!(pair.primary.query("SELECT @@read_only"), ["0"]);
    assert_eq!(pair.replica.query("SELECT @@read_only"), ["1"]);

    // A trial after which nothing is brought back is suspect.
    place.write("restore.sh", "echo no way back >&2; exit 3\n");
    place.write("back.toml", study.replace("repeats = 2", "repeats = 1"));
    place.weighin(&["run", "back.toml", "--store", "left.weighin"]).done();
    let report = place.weighin(&["report", "left.weighin", "--format", "json"]).json();
    let trials = report["trials"].as_array().unwrap();
    assert_ne!(trials[0]["validity"], "valid", "{}", trials[0]);
    let report = place.weighin(&["report", "left.weighin", "--format", "markdown"]).done();
    let said =
        "The intervention restore failed: the command sh ended with exit code 3: no way back";
    assert!(report.contains(said), "{report}");
}

#[test]
fn a_primary_that_is_not_replaced_is_a_failed_trial_that_says_what_the_servers_said() {
    let place = Workplace::new();
    let pair = Pair::start(false);
    let proxy = Proxy::start(&place, &pair);
    // Nobody promotes the replica, which the proxy leads to once it has noticed.
    place.write("switch.sh", format!("kill -9 {}\n", pair.primary.sandbox.pid()));
    place.write(
        "gone.toml",
        format!(
            "[study]\nname = \"gone\"\nrepeats = 1\n\
             [[target]]\nname = \"pair\"\nurl = \"mysql://probe@127.0.0.1:{}/sbtest\"\n\
             password_file = \"{}\"\n\
             [[test]]\ntask = \"failover\"\nat = \"1s\"\nduration = \"20s\"\n\
             command = [\"sh\", \"switch.sh\"]\ntrusted = true\n",
            proxy.port,
            pair.probe_password(&place).display()
        ),
    );
    let ran = place.weighin(&["run", "gone.toml"]);
    assert_eq!(ran.code, Some(1), "{}", ran.err);
    let record = only_trial(&place);
    let failure = record.failure().expect("it failed");
    assert_eq!(failure.kind, FailureKind::TimedOut, "{failure:?}");
    assert!(failure.message.contains("not accepted again"), "{failure:?}");
    assert!(failure.message.contains("read-only"), "{failure:?}");
}
