//! Private groups of PostgreSQL: replicas that catch up, and take over.

use crate::postgres::Server;
use crate::support::{Workplace, not_tested};
use host::local::sandbox::SandboxOptions;
use host::{GroupMember, PrivateServer, ServerAct};
use model::{BuiltVolume, FileSystem, IoLimits, Metric, Outcome, TrialRecord, signal};

fn study(name: &str, sandbox: &str, tests: &str) -> String {
    format!(
        "[study]\nname = \"{name}\"\nrepeats = 1\nsample_every = \"100ms\"\n\
         [[target]]\nname = \"group\"\nkind = \"postgresql\"\nsandbox = {{ {sandbox} }}\n{tests}"
    )
}

fn run(place: &Workplace, study: &str) -> Vec<TrialRecord> {
    place.write("study.toml", study);
    place.weighin(&["run", "study.toml", "--store", "kept.weighin"]).done();
    place.assert_no_server_left();
    store::Store::open(&place.path("kept.weighin")).unwrap().dataset().unwrap().trials
}

fn outcome(record: &TrialRecord) -> &Outcome {
    record.outcome().unwrap_or_else(|| panic!("{:?}", record.end))
}

fn value(outcome: &Outcome, metric: Metric) -> f64 {
    outcome.metric(metric).unwrap_or_else(|| panic!("no {metric:?} in {outcome:?}")).value
}

fn number(outcome: &Outcome, name: &str) -> f64 {
    outcome.number(name).unwrap_or_else(|| panic!("no {name} in {outcome:?}")).value
}

fn moment(outcome: &Outcome, name: &str) -> f64 {
    let mark = outcome.marks.iter().find(|mark| mark.name == name);
    mark.unwrap_or_else(|| panic!("no {name} in {:?}", outcome.marks)).at_seconds
}

#[test]
fn replicas_catch_up_with_what_was_written_while_their_replay_was_paused() {
    let place = Workplace::new();
    let test = "[[test]]\nname = \"catch-up\"\ntask = \"catch_up\"\nclients = 2\n\
                table_size = 1000\nbacklog_transactions = 1000\n";
    let trials = run(&place, &study("catching-up", "replicas = 2", test));
    assert_eq!(trials.len(), 1);
    for record in &trials {
        let outcome = outcome(record);
        let took = value(outcome, Metric::CatchUpTime);
        let transactions = value(outcome, Metric::BacklogTransactions);
        assert!(took > 0.0 && (900.0..=1000.0).contains(&transactions), "{outcome:?}");
        // Each changes, deletes and inserts rows.
        assert!(value(outcome, Metric::BacklogSize) > 100.0 * transactions, "{outcome:?}");
        let most = |name: &str| {
            let samples = record.sampling.samples.iter();
            samples.filter_map(|one| one.counters.as_ref()?.get(name).copied()).max()
        };
        for name in [signal::REPLICA_LAG, signal::REPLICA_BACKLOG_BYTES] {
            assert!(most(name).unwrap_or_default() > 0, "{name}: {:#?}", record.sampling.samples);
        }
        assert_eq!(most(signal::REPLICA_BACKLOG), None);
    }
    let report = place.weighin(&["report", "kept.weighin", "--format", "markdown"]).done();
    assert!(report.contains("catch-up time, s"), "{report}");
}

/// What became of every write is known, whatever was promoted.
fn holds_together(outcome: &Outcome) {
    let acknowledged = number(outcome, "acknowledged writes");
    let (refused, unanswered) =
        (number(outcome, "refused writes"), number(outcome, "unanswered writes"));
    let sent = acknowledged + refused + unanswered;
    assert_eq!(sent + number(outcome, "writes not sent"), number(outcome, "writes due"));
    assert!(value(outcome, Metric::UnacknowledgedWrites) <= refused + unanswered, "{outcome:?}");
    assert!(value(outcome, Metric::LostWrites) <= acknowledged, "{outcome:?}");
    assert!(moment(outcome, "replica promoted") > 0.0);
}

#[test]
fn a_synchronous_group_loses_no_acknowledged_write_to_a_crash_a_hang_or_a_handover() {
    let place = Workplace::new();
    let test =
        |cause: &str| format!("[[test]]\ntask = \"failover\"\n{cause}\nat = \"1s\"\nrate = 300\n");
    let tests = [
        test("name = \"kill\"\nloss = \"kill\""),
        test("name = \"hang\"\nloss = \"hang\"\ntimeout = \"2s\""),
        match host::this_machine().check_networks() {
            Ok(()) => test("name = \"network\"\nloss = \"network\"\ntimeout = \"2s\""),
            Err(_) => {
                not_tested("only root may make network namespaces");
                String::new()
            }
        },
        // On a busy machine an answer takes its time.
        test("name = \"handover\"\nswitch = \"planned\"\ntimeout = \"20s\""),
    ];
    let trials = run(&place, &study("sync", "replicas = 2, semi_sync = true", &tests.concat()));
    assert_eq!(trials.len(), tests.iter().filter(|test| !test.is_empty()).count());
    for record in &trials {
        let outcome = outcome(record);
        holds_together(outcome);
        assert_eq!(value(outcome, Metric::LostWrites), 0.0, "{outcome:?}");
        let (gone, least) = match record.key.test.as_str() {
            // Three looks a tenth of a second apart, each of a second where nothing is answered.
            "kill" => ("primary killed", 0.3),
            "hang" => ("primary hangs", 3.3),
            "network" => ("primary cut off", 3.3),
            _ => ("primary is read-only", 0.0),
        };
        assert!(value(outcome, Metric::Downtime) > least, "{outcome:?}");
        assert!(moment(outcome, gone) <= moment(outcome, "replica promoted"));
        assert!(moment(outcome, "replica promoted") <= moment(outcome, "the others follow it"));
        if record.key.test == "handover" {
            assert_eq!(number(outcome, "unanswered writes"), 0.0, "{outcome:?}");
            assert_eq!(number(outcome, "writes on another server only"), 0.0, "{outcome:?}");
        }
    }
}

#[test]
fn an_asynchronous_replica_takes_over_and_a_server_alone_comes_back() {
    let place = Workplace::new();
    let kill = "[[test]]\ntask = \"failover\"\nname = \"kill\"\nloss = \"kill\"\nat = \"1s\"\nrate = 300\n";
    let trials = run(&place, &study("async", "replicas = 1", kill));
    holds_together(outcome(&trials[0]));
    let place = Workplace::new();
    let trials = run(&place, &study("alone", "", kill));
    let outcome = outcome(&trials[0]);
    assert_eq!(value(outcome, Metric::LostWrites), 0.0, "{outcome:?}");
    assert!(moment(outcome, "server killed") <= moment(outcome, "server started again"));
}

#[test]
fn a_load_is_counted_as_on_a_server_alone_and_searched_within_a_bound_on_lag() {
    let place = Workplace::new();
    let test = "[[test]]\nname = \"sustained\"\ntask = \"search\"\n\
                workload = \"oltp_update_non_index\"\ntable_size = 1000\nclients = 2\n\
                replica_lag = \"2s\"\nwarmup = \"100ms\"\nduration = \"1s\"\n\
                [[test]]\nname = \"plain\"\nworkload = \"oltp_update_index\"\ntable_size = 1000\n\
                clients = [2]\nwarmup = \"200ms\"\nduration = \"2s\"\n";
    let trials = run(&place, &study("lag", "replicas = 1", test));
    assert_eq!(trials.len(), 2);
    for record in &trials {
        match record.key.test.as_str() {
            "sustained" => {
                let search = record.search.as_ref().unwrap_or_else(|| panic!("{:?}", record.end));
                // On a busy machine a step may be over before the counters have been read.
                assert!(search.steps.iter().any(|step| step.lag_ms.is_some()), "{search:#?}");
            }
            _ => {
                let load = record.load().unwrap_or_else(|| panic!("{:?}", record.end));
                let counters = |reading: &Option<model::CounterReading>| {
                    reading.as_ref().unwrap().counters.clone()
                };
                let (before, after) =
                    (counters(&record.sampling.before), counters(&record.sampling.after));
                // Heartbeats are told apart from what the load does.
                for (counter, sent) in load.requests.expected() {
                    let difference = after[counter] - before[counter] - sent as i64;
                    let unknown = (load.ledger.failed + load.ledger.timed_out) as i64;
                    assert!((0..=unknown).contains(&difference), "{counter}: {difference}");
                }
            }
        }
    }
}

#[test]
fn what_a_group_cannot_have_is_told_before_it_is_made() {
    let place = Workplace::new();
    let test = "[[test]]\ntask = \"catch_up\"\nclients = 1\ntable_size = 10\n\
                backlog_transactions = 10\n";
    let settings = "replicas = 1, settings = { synchronous_standby_names = \"x\" }";
    place.write("study.toml", study("refused", settings, test));
    let checked = place.weighin(&["check", "study.toml"]);
    assert_ne!(checked.code, Some(0));
    let said = format!("{}{}", checked.out, checked.err);
    assert!(said.contains("`synchronous_standby_names` cannot be set"), "{said}");
}

/// Temporary files of a sort under way, and whose they are.
fn sorts_in(server: &Server) -> String {
    let said = server.ask(
        "SET work_mem = '64kB'; BEGIN; \
         DECLARE sorted CURSOR FOR SELECT i FROM generate_series(1, 200000) i ORDER BY md5(i::text); \
         MOVE 1 FROM sorted; \
         SELECT pg_tablespace_location(oid) FROM pg_tablespace, LATERAL pg_ls_tmpdir(oid) file \
         WHERE spcname = 'weighin_temporary' AND file.size > 100000 LIMIT 1",
    );
    said.lines().last().unwrap_or_default().to_owned()
}

#[test]
fn each_member_has_its_temporary_files_on_a_volume_of_its_own() {
    if !host::local::os::is_root() || !std::path::Path::new("/dev/loop-control").exists() {
        return not_tested("only root may build volumes, on loop devices");
    }
    let volume = BuiltVolume {
        devices: 1,
        device_bytes: 64 << 20,
        chunk_bytes: None,
        file_system: FileSystem::Ext4,
        limits: IoLimits::default(),
    };
    let options = |number| SandboxOptions {
        member: Some(GroupMember { number, semi_sync: false }),
        temporary_volume: Some(volume),
        ..Server::options(&[])
    };
    let mut primary = Server::start_as(options(1));
    let own = |server: &Server| {
        let home = server.sandbox.data_directory().parent().unwrap();
        home.join("temporary/volume/tmp").display().to_string()
    };
    assert_eq!(sorts_in(&primary), own(&primary));

    primary.sandbox.act(ServerAct::Stop).unwrap();
    let replica = Server::start_as(SandboxOptions {
        data: Some(primary.sandbox.data_directory().to_owned()),
        password: Some(primary.sandbox.password().clone()),
        ..options(2)
    });
    assert_eq!(replica.ask("SELECT pg_is_in_recovery()"), "t");
    assert_eq!(sorts_in(&replica), own(&replica));

    // What is kept of its data and becomes them again leads to the same volume.
    for act in [ServerAct::KeepData, ServerAct::RestoreData, ServerAct::StartAgain] {
        primary.sandbox.act(act).unwrap();
    }
    assert_eq!(sorts_in(&primary), own(&primary));
}
