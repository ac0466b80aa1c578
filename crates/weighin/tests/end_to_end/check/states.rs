//! States of a server, and differences between servers, that keep a study from running or mislead.

use super::instead::Told;
use super::{READS, WRITES, all_rights, refused, said, study, warned};
use crate::support::{MARIADB, Server, Workplace, fetched};

/// What a check says that finds no error.
fn check(place: &Workplace, study: &str) -> String {
    place.write("asked.toml", study);
    place.weighin(&["check", "asked.toml"]).done()
}

#[test]
fn a_server_that_is_being_rescued_is_refused() {
    let place = Workplace::new();
    let server = Server::start_with(&[("innodb_force_recovery", "1")]);
    for test in [READS, WRITES] {
        let one = study(&[("one", &all_rights(&server))], test);
        refused(&place, &one, &["runs with innodb_force_recovery = 1", "start it without"]);
    }
}

#[test]
fn a_server_whose_tables_take_no_writes_is_refused_where_the_study_writes() {
    let place = Workplace::new();
    let server = Server::start();
    let told = Told::from_server(&server);
    let of = |test: &str| study(&[("one", &told.keys)], test);
    told.tell("innodb_read_only", "ON");
    let words = ["InnoDB takes no writes at ", "(innodb_read_only)", "the writer's endpoint"];
    refused(&place, &of(WRITES), &words);
    // The tables of one that only reads would be made there.
    refused(&place, &of(READS), &words);
    server.weighin(&place, "prepare", &["--tables=2", "--table-size=1000"]).done();
    assert!(!check(&place, &of(READS)).contains("innodb_read_only"));
    told.tell_the_truth("innodb_read_only");
    assert!(!check(&place, &of(WRITES)).contains("innodb_read_only"));
}

#[test]
fn a_node_of_galera_is_told() {
    let place = Workplace::new();
    let server = Server::start();
    let told = Told::from_server(&server);
    let one = study(&[("one", &told.keys)], WRITES);
    assert!(!check(&place, &one).contains("Galera"));
    told.tell("wsrep_on", "ON");
    // Switched on and with nothing that replicates it is none.
    told.tell("wsrep_provider", "none");
    assert!(!check(&place, &one).contains("Galera"));
    told.tell("wsrep_provider", "/usr/lib/galera/libgalera_smm.so");
    let words = ["a node of a Galera cluster: every write waits", "name a server of its own"];
    warned(&place, &one, &words);
}

#[test]
fn versions_and_settings_in_which_servers_differ_are_told() {
    let place = Workplace::new();
    let one = Server::start();
    let durable = Server::start_with(&[("innodb_flush_log_at_trx_commit", "1")]);
    let newer = Server::start_from(fetched(MARIADB));
    let [one, durable, newer] = [&one, &durable, &newer].map(all_rights);
    let of = |other: &str| study(&[("first", &one), ("other", other)], WRITES);
    let words = [
        "the targets differ in settings that the study does not name",
        "innodb_flush_log_at_trx_commit (first 0, other 1)",
        "set them alike, or say in `labels`",
    ];
    let checked = warned(&place, &of(&durable), &words);
    assert!(!checked.contains("different versions"), "{checked}");

    let checked = check(&place, &of(&newer));
    said(&checked, &["the targets have different versions: first 10.", ", other 11.4.5"]);
    assert!(!checked.contains("innodb_flush_log_at_trx_commit"), "{checked}");
}

#[test]
fn a_setting_that_decides_little_is_a_note() {
    let place = Workplace::new();
    let (one, other) = (Server::start(), Server::start());
    let of = study(&[("first", &all_rights(&one)), ("other", &all_rights(&other))], WRITES);
    assert!(!check(&place, &of).contains("differ in a setting"));
    other.execute("SET GLOBAL net_retry_count = 11");
    let checked = check(&place, &of);
    let note = "the targets differ in a setting that the study does not name: net_retry_count";
    said(&checked, &[note]);
    let line = checked.lines().find(|line| line.contains(note)).unwrap();
    assert!(line.starts_with("note "), "{line}");
}

const LOAD: [&str; 4] =
    ["--workload=oltp_read_write", "--tables=2", "--table-size=1000", "--transactions=10"];

/// Asserts that a load by hand is refused as a study is.
#[track_caller]
fn refuses_every_load(place: &Workplace, server: &Server, study: &str, words: &[&str]) {
    refused(place, study, words);
    server.weighin(place, "load", &LOAD).refused(3, words);
}

#[test]
fn sessions_that_do_not_commit_or_hide_rows_are_refused() {
    let place = Workplace::new();
    let server = Server::start();
    server.weighin(&place, "prepare", &["--tables=2", "--table-size=1000"]).done();
    let study = study(&[("one", &all_rights(&server))], WRITES);
    for (set, words, back) in [
        ("autocommit = 0", ["begin with autocommit off", "SET GLOBAL autocommit = 1"], "1"),
        (
            "completion_type = CHAIN",
            ["(completion_type = CHAIN)", "completion_type = NO_CHAIN"],
            "0",
        ),
        ("completion_type = 2", ["(completion_type = RELEASE)", "= NO_CHAIN"], "0"),
        (
            "sql_select_limit = 99",
            ["get 99 rows of an answer at most", "ranges of the load have 100"],
            "100",
        ),
    ] {
        server.execute(&format!("SET GLOBAL {set}"));
        refuses_every_load(&place, &server, &study, &words);
        let name = set.split(' ').next().unwrap();
        server.execute(&format!("SET GLOBAL {name} = {back}"));
    }
    server.weighin(&place, "load", &LOAD).done();
}

#[test]
fn a_load_with_transactions_runs_in_the_mode_of_another_product() {
    let place = Workplace::new();
    let server = Server::start_with(&[("sql_mode", "ORACLE")]);
    place.write("asked.toml", study(&[("one", &all_rights(&server))], WRITES));
    place.weighin(&["check", "asked.toml"]).done();
    place.weighin(&["run", "asked.toml"]).done();
}

#[test]
fn answers_from_the_query_cache_are_told_before_a_run_and_after_it() {
    let place = Workplace::new();
    let settings = [("query_cache_type", "1"), ("query_cache_size", "16M")];
    let server = Server::start_with(&settings);
    // Rows are asked for again only after some transactions, whatever time these take.
    let reads = READS.replace("duration = \"200ms\"", "transactions = 2_000");
    let study = study(&[("one", &all_rights(&server))], &reads);
    warned(&place, &study, &["the query cache is on", "SET GLOBAL query_cache_type = OFF"]);
    place.weighin(&["run", "asked.toml"]).done();
    let report = place.weighin(&["report", "asked.toml", "--format", "json"]).json();
    let findings = report["findings"].as_array().unwrap();
    let found = findings.iter().find(|one| one["evidence"]["kind"] == "answers_cached");
    let found = found.unwrap_or_else(|| panic!("{findings:#?}"));
    assert_eq!(found["severity"], "warning");
    let evidence = &found["evidence"];
    let (cached, reads) =
        (evidence["cached"].as_u64().unwrap(), evidence["reads"].as_u64().unwrap());
    // The server counts what is asked while it is counted, too.
    assert!(cached > 0 && cached <= reads + 100, "{evidence}");
    let text = place.weighin(&["report", "asked.toml", "--format", "markdown"]).done();
    said(&text, &["from a cache of answers, such as a query cache"]);
}

#[test]
fn an_engine_that_the_server_does_not_give_is_an_error_before_a_run() {
    let place = Workplace::new();
    let server = Server::start();
    let study = study(&[("one", &all_rights(&server))], WRITES);
    server.execute("SET GLOBAL enforce_storage_engine = MyISAM");
    let words =
        ["makes no tables of InnoDB (enforce_storage_engine = MyISAM)", "SET GLOBAL enforce"];
    refused(&place, &study, &words);
    server.execute("SET GLOBAL enforce_storage_engine = NULL");
    server.weighin(&place, "prepare", &["--tables=2", "--table-size=1000"]).done();
    server.execute("SET GLOBAL enforce_storage_engine = MyISAM");
    assert!(!check(&place, &study).contains("enforce_storage_engine"));
}

#[test]
fn what_the_server_does_beside_a_load_is_told() {
    let place = Workplace::new();
    let server = Server::start();
    let study = study(&[("one", &all_rights(&server))], WRITES);
    let quiet = check(&place, &study);
    for (sql, words) in [
        ("SET GLOBAL general_log = ON", ["is written to the general log", "general_log = OFF"]),
        (
            "SET GLOBAL slow_query_log = ON, long_query_time = 0",
            ["slow query log, whose limit is 0 s", "= 10"],
        ),
        ("SET GLOBAL event_scheduler = ON", ["runs 1 event beside the trials", "= OFF"]),
    ] {
        for word in words {
            assert!(!quiet.contains(word), "{quiet}");
        }
        if sql.contains("event") {
            server.execute("CREATE EVENT sbtest.busy ON SCHEDULE EVERY 1 DAY DO SELECT 1");
        }
        server.execute(sql);
        warned(&place, &study, &words);
    }
}

#[test]
fn tables_unlike_those_that_weighin_makes_are_told() {
    let place = Workplace::new();
    let server = Server::start();
    let study = study(&[("one", &all_rights(&server))], WRITES);
    server.weighin(&place, "prepare", &["--tables=2", "--table-size=1000"]).done();
    assert!(!check(&place, &study).contains("are there already"));
    for (sql, words) in [
        ("ALTER TABLE sbtest2 ENGINE=Aria", "are of the engine Aria, not InnoDB: sbtest2"),
        ("ALTER TABLE sbtest1 DROP KEY k_1", "are without the index on k: sbtest1"),
        (
            "CREATE TRIGGER slow BEFORE UPDATE ON sbtest1 FOR EACH ROW SET @a = 1",
            "are with triggers, which run with every write: sbtest1",
        ),
    ] {
        server.execute(sql);
        warned(&place, &study, &[words, "make them alike on all targets"]);
    }
}
