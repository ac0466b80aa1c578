//! Changes of the schema on PostgreSQL, alone and beside a load.

use crate::postgres::Server;
use crate::support::{Workplace, wait_for};
use model::{FailureKind, Metric, TrialRecord};

fn study(server: &Server, tests: &str) -> String {
    format!(
        "[study]\nname = \"change\"\nrepeats = 1\n\
         [[target]]\nname = \"pg\"\nurl = \"{}\"\npassword_env = \"SECRET\"\n{tests}",
        server.url("weighin")
    )
}

fn run(place: &Workplace, server: &Server, tests: &str) -> Vec<TrialRecord> {
    place.write("change.toml", study(server, tests));
    let mut command = place.command(&["run", "change.toml"]);
    command.env("SECRET", server.sandbox.password().reveal());
    let ran = crate::support::Ran::of(command);
    let trials = place.store().dataset().unwrap().trials;
    assert!(!trials.is_empty(), "{ran:?}");
    trials
}

fn trial_of<'a>(trials: &'a [TrialRecord], test: &str) -> &'a TrialRecord {
    trials.iter().find(|trial| trial.key.test == test).unwrap()
}

#[track_caller]
fn figure(record: &TrialRecord, metric: Metric) -> f64 {
    let outcome = record.outcome().unwrap_or_else(|| panic!("{:?}", record.failure()));
    outcome.metric(metric).unwrap_or_else(|| panic!("no {metric:?} in {:?}", outcome.figures)).value
}

/// Columns and indexes of the first test table.
const SHAPE: &str = "SELECT string_agg(column_name || data_type, ',' ORDER BY ordinal_position) || \
                     (SELECT string_agg(indexname, ',' ORDER BY indexname) FROM pg_indexes \
                     WHERE tablename = 'sbtest1') \
                     FROM information_schema.columns WHERE table_name = 'sbtest1'";

#[test]
fn changes_are_made_under_load_in_the_ways_of_the_server_and_taken_back() {
    let (place, server) = (Workplace::new(), Server::start(&[]));
    let load = "table_size = 20_000\nworkload = \"oltp_read_write\"\nclients = 2\nrate = 20\n\
                warmup = \"200ms\"\nbefore = \"1500ms\"\nafter = \"1500ms\"\n";
    let test = |name: &str, keys: &str| {
        format!("[[test]]\nname = \"{name}\"\ntask = \"schema_change\"\n{keys}\n{load}")
    };
    let tests = [
        test(
            "index",
            "change = \"add_index\"\nalgorithm = [\"plain\", \"concurrently\", \"copy\"]",
        ),
        test("type", "change = \"change_type\""),
        test("column", "change = \"add_column\"\nlock_timeout = \"20s\""),
    ];
    let trials = run(&place, &server, &tests.concat());
    for name in ["index plain", "index concurrently", "type", "column"] {
        let record = trial_of(&trials, name);
        assert!(figure(record, Metric::Elapsed) > 0.0, "{name}");
        assert!(figure(record, Metric::ElapsedAlone) > 0.0, "{name}");
        // The load goes on, also where its prepared statements were of no use any more.
        let outcome = record.outcome().unwrap();
        let load = outcome.load.as_ref().unwrap_or_else(|| panic!("{name}: {outcome:?}"));
        assert!(load.ledger.ok > 0, "{name}");
    }
    let refused = trial_of(&trials, "index copy").failure().expect("a refusal");
    assert_eq!(refused.kind, FailureKind::NotOffered, "{refused:?}");
    let shape = "idinteger,kinteger,ccharacter,padcharacterk_1,sbtest1_pkey";
    assert_eq!(server.ask(SHAPE), shape);
}

#[test]
fn a_change_that_does_not_get_its_lock_gives_up() {
    // Nobody but who is to holds the table.
    let (place, server) = (Workplace::new(), Server::start(&[("autovacuum", "off")]));
    let change = "[[test]]\nname = \"type\"\ntask = \"schema_change\"\nchange = \"change_type\"\n\
                  lock_timeout = \"200ms\"\ntable_size = 100\n";
    let made = run(&place, &server, change);
    assert!(figure(trial_of(&made, "type"), Metric::Elapsed) > 0.0);
    let held = "BEGIN; SELECT count(*) FROM sbtest1; SELECT pg_sleep(600)";
    let waits = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)' \
                 AND wait_event = 'PgSleep'";
    std::thread::scope(|scope| {
        scope.spawn(|| server.asked(held));
        wait_for("somebody to hold the table", || server.ask(waits) == "1");
        let store = ["--store", "held.weighin"];
        let mut command = place.command(&[&["run", "change.toml"][..], &store].concat());
        command.env("SECRET", server.sandbox.password().reveal());
        let ran = crate::support::Ran::of(command);
        server.ask(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep'",
        );
        let store = store::Store::open(&place.path("held.weighin"));
        let trials = store.unwrap().dataset().unwrap().trials;
        let failure = trial_of(&trials, "type").failure().unwrap_or_else(|| panic!("{ran:?}"));
        assert_eq!(failure.kind, FailureKind::TimedOut, "{failure:?}");
        assert!(failure.message.contains("gave up waiting for a lock"), "{failure:?}");
    });
}
